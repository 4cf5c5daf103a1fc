"""Arguments given once for many calls (TensorFlow: contrib/framework/python/ops/arg_scope.py)."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

Arguments = dict[Callable[..., Any], dict[str, Any]]

#: The arguments of each function, of all scopes that are entered; the innermost last.
_entered: list[Arguments] = [{}]
#: The decorated functions, and which arguments of theirs have defaults.
_decorated: dict[Callable[..., Any], tuple[str, ...]] = {}


def add_arg_scope(func: Callable[..., Any]) -> Callable[..., Any]:
    """Decorate a function so that `arg_scope` can give it arguments.

    Args:
      func: any function; what a call gives by name comes before what a scope gives.

    Example:
      >>> @tf.contrib.framework.add_arg_scope
      ... def scale(x, by=1.0):
      ...     return x * by
      >>> with tf.contrib.framework.arg_scope([scale], by=3.0):
      ...     scale(2.0), scale(2.0, by=1.0)
      (6.0, 2.0)
    """

    @functools.wraps(func)
    def scoped(*args: Any, **kwargs: Any) -> Any:
        return func(*args, **{**_entered[-1].get(scoped, {}), **kwargs})

    parameters = inspect.signature(func).parameters.values()
    _decorated[scoped] = tuple(
        one.name for one in parameters if one.default is not inspect.Parameter.empty
    )
    return scoped


@contextmanager
def arg_scope(list_ops_or_scope: Any, **kwargs: Any) -> Iterator[Arguments]:
    """Give arguments to all calls of some functions within a block.

    Args:
      list_ops_or_scope: functions, such as `[tf.contrib.layers.conv2d]`; or what an earlier
        `with arg_scope(...) as scope` gave, to enter that scope again.
      kwargs: the arguments, by name.

    Yields:
      the scope, to be entered again elsewhere.

    Raises:
      TypeError: if it is neither functions nor a scope.
      ValueError: for arguments beside a scope; for a function that is not decorated, or has no such
        argument.

    Example:
      >>> layers = tf.contrib.layers
      >>> regular = layers.l2_regularizer(0.1)
      >>> with tf.contrib.framework.arg_scope(
      ...     [layers.fully_connected], activation_fn=tf.nn.elu, weights_regularizer=regular
      ... ):
      ...     hidden = layers.fully_connected(tf.ones([5, 2]), 3)
      >>> hidden.op.type
      'Elu'
    """
    if isinstance(list_ops_or_scope, Mapping):
        if kwargs:
            raise ValueError(
                "When attempting to re-use a scope by suppling a dictionary, kwargs must be empty. "
                f"Given: {', '.join(kwargs)}. Open a scope for them inside of it."
            )
        scope = dict(list_ops_or_scope)
    elif isinstance(list_ops_or_scope, Sequence) and not isinstance(list_ops_or_scope, str):
        scope = _with(_entered[-1], list_ops_or_scope, kwargs)
    else:
        raise TypeError(
            "list_ops_or_scope must either be a list/tuple or reused scope (i.e. dict), not "
            f"{list_ops_or_scope!r}. For a single function: arg_scope([function], ...)."
        )
    _entered.append(scope)
    try:
        yield scope
    finally:
        _entered.pop()


def _with(outer: Arguments, functions: Sequence[Any], kwargs: dict[str, Any]) -> Arguments:
    scope = dict(outer)
    for function in functions:
        if not has_arg_scope(function):
            raise ValueError(
                f"{getattr(function, '__name__', function)} is not decorated with @add_arg_scope"
            )
        scope[function] = {**scope.get(function, {}), **kwargs}
    return scope


def current_arg_scope() -> Arguments:
    """The arguments of all scopes that are entered: function -> name -> value.

    Example:
      >>> dense = tf.contrib.layers.fully_connected
      >>> with tf.contrib.framework.arg_scope([dense], activation_fn=None):
      ...     tf.contrib.framework.current_arg_scope()[dense]
      {'activation_fn': None}
    """
    return _entered[-1]


def has_arg_scope(func: Any) -> bool:
    """Whether a function is decorated with `add_arg_scope`.

    Args:
      func: any object.

    Example:
      >>> has_arg_scope = tf.contrib.framework.has_arg_scope
      >>> has_arg_scope(tf.contrib.layers.conv2d), has_arg_scope(tf.nn.conv2d)
      (True, False)
    """
    try:
        return func in _decorated
    except TypeError:  # what has no hash is no function
        return False


def arg_scoped_arguments(func: Callable[..., Any]) -> tuple[str, ...]:
    """The arguments that a scope can give to a decorated function: those with defaults.

    Raises:
      KeyError: for a function that is not decorated.

    Example:
      >>> "activation_fn" in tf.contrib.framework.arg_scoped_arguments(tf.contrib.layers.conv2d)
      True
    """
    return _decorated[func]
