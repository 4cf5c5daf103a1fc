"""Functions with gradients of their own: `tf.custom_gradient`, `tf.grad_pass_through`.

The function's ops are built as usual. Behind them comes one IdentityN node, through which results,
arguments and the variables used all pass; its gradient, registered under a name made for this one
call, is the function's.

Mirrors tensorflow/python/ops/custom_gradient.py.
"""

from __future__ import annotations

import functools
import inspect
import itertools
from collections import deque
from collections.abc import Callable, Iterable
from typing import Any

from tinytf.framework import nest, registry
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.graph_keys import GraphKeys
from tinytf.framework.operation import Operation
from tinytf.framework.stacks import get_default_graph
from tinytf.framework.tensor import Tensor
from tinytf.ops.array.identity import identity, identity_n
from tinytf.ops.gradients.registered import RegisterGradient

_numbers = itertools.count()


class _WithGradient:
    """A decorated function; also as a method of a class."""

    def __init__(self, function: Callable[..., Any]):
        functools.update_wrapper(self, function)
        self._function = function

    def __get__(self, instance: Any, owner: Any) -> _WithGradient:
        if instance is None:
            return self
        return _WithGradient(self._function.__get__(instance, owner))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if kwargs:
            raise ValueError(
                "The custom_gradient decorator currently supports keywords arguments only when "
                "eager execution is enabled. Pass them by position."
            )
        return _call(self._function, args)


def custom_gradient(f: Callable[..., Any] | None = None) -> Any:
    """A function whose gradient is given by hand (decorator; TensorFlow: `tf.custom_gradient`).

    Args:
      f: gets tensors, and returns its result and a function: that gets one gradient for each
        result and returns one for each argument (None for none). If `f` uses trainable resource
        variables, it must also take a keyword argument `variables`, and returns a pair: the
        gradients of the arguments, and a list of those of the variables.

    Returns:
      the decorated function.

    Raises (when the decorated function is called):
      ValueError: for keyword arguments. TypeError: if variables are used, and the gradient
        function does not take them.

    Example:
      >>> @tf.custom_gradient
      ... def log1pexp(x):
      ...     e = tf.exp(x)
      ...     return tf.log(1 + e), lambda dy: dy * (1 - 1 / (1 + e))
      >>> x = tf.constant(100.0)
      >>> tf.gradients(log1pexp(x), x)  # [1.]
    """
    return custom_gradient if f is None else _WithGradient(f)


def _call(function: Callable[..., Any], args: tuple[Any, ...]) -> Any:
    name = f"CustomGradient-{next(_numbers)}"
    args = nest.map_structure(convert_to_tensor, args)
    before = _variables_of_graph()
    result, gradient_function = function(*args)
    flat_args = nest.flatten(args)
    flat_result = [convert_to_tensor(value) for value in nest.flatten(result)]
    for variable in _variables_of_graph() - before:
        if not hasattr(variable, "handle"):
            raise TypeError(
                "All variables used by a function wrapped with @custom_gradient must be "
                "`ResourceVariable`s. Ensure that no `variable_scope` is created with "
                "`use_resource=False`."
            )
    variables = _variables_between(flat_args, flat_result)
    if variables and not _takes_variables(gradient_function):
        raise TypeError(
            f"@tf.custom_gradient grad_fn must accept keyword argument 'variables', since function "
            f"uses variables: {variables}"
        )
    RegisterGradient(name)(_node_gradient(gradient_function, result, flat_args, variables))
    through = [*flat_result, *flat_args, *variables]
    with get_default_graph().gradient_override_map({"IdentityN": name}):
        passed = identity_n(through)
    for variable in variables:
        convert_to_tensor(variable)  # unused, in TensorFlow's graph as well
    return nest.pack_sequence_as(result, passed[: len(flat_result)])


def _node_gradient(
    gradient_function: Callable[..., Any], result: Any, args: list[Tensor], variables: list[Any]
) -> Callable[..., list[Any]]:
    """The gradient of the IdentityN node, made of the function's."""
    count = len(nest.flatten(result))

    def gradient(op: Operation, *gradients: Any) -> list[Any]:
        given = gradients[:count]
        if not variables:
            of_args, of_variables = gradient_function(*given), []
        else:
            of_args, of_variables = gradient_function(*given, variables=variables)
            if len(of_variables) != len(variables):
                raise ValueError(
                    "Must return gradient for each variable from @custom_gradient grad_fn."
                )
        flat = nest.flatten(of_args)
        if len(flat) != len(args):
            raise ValueError(
                f"custom_gradient function expected to return {len(args)} gradients, but returned "
                f"{len(flat)} instead."
            )
        return [None] * count + flat + list(of_variables)

    return gradient


def _takes_variables(function: Callable[..., Any]) -> bool:
    spec = inspect.getfullargspec(function)
    return "variables" in spec.args or "variables" in spec.kwonlyargs or spec.varkw is not None


def _variables_of_graph() -> set[Any]:
    graph = get_default_graph()
    keys = (GraphKeys.GLOBAL_VARIABLES, GraphKeys.LOCAL_VARIABLES)
    return {variable for key in keys for variable in graph.get_collection(key)}


def _variables_between(args: Iterable[Tensor], results: Iterable[Tensor]) -> list[Any]:
    """The trainable variables that results depend on, other than through the arguments."""
    reached = {identity(result).op for result in results}  # TensorFlow adds these nodes as well
    stops = {arg.op for arg in args}
    queue = deque(reached)
    cells: set[Operation] = set()
    while queue:
        op = queue.popleft()
        if op.type in ("VariableV2", "VarHandleOp"):
            cells.add(op)
        if op in stops or isinstance(registry.gradients.get(op.type), registry.NotDifferentiable):
            continue
        for tensor in op.inputs:
            if tensor.op not in reached:
                reached.add(tensor.op)
                queue.append(tensor.op)
    known = get_default_graph().get_collection(GraphKeys.GLOBAL_VARIABLES)
    used = [variable for variable in known if variable.op in cells and variable.trainable]
    return sorted(used, key=lambda variable: variable.name)


def grad_pass_through(f: Callable[..., Any]) -> Any:
    """A function whose gradient is that of the identity (TensorFlow: `tf.grad_pass_through`).

    Args:
      f: gets tensors, and returns results of the same shapes.

    Example:
      >>> x = tf.constant(1.6)
      >>> tf.gradients(tf.grad_pass_through(tf.round)(x), x)  # [1.]
    """

    def with_gradient(*args: Any, **kwargs: Any) -> Any:
        def gradient(*above: Any, **more: Any) -> Any:
            variables = more.get("variables")
            return above if variables is None else (above, [None] * len(variables))

        return f(*args, **kwargs), gradient

    return _WithGradient(functools.wraps(f)(with_gradient))
