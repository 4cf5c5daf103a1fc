"""The variables that `tf.get_variable` made in one graph, by full name."""

from __future__ import annotations

import enum
import functools
import inspect
from collections.abc import Callable
from typing import Any

from tinytf.framework import call_site, dtypes
from tinytf.framework.graph_keys import GraphKeys
from tinytf.framework.tensor_shape import TensorShape, as_shape
from tinytf.ops.variables import Variable


class ReuseMode(enum.Enum):
    """The third answer to "reuse?"."""

    AUTO_REUSE = 1


#: A variable is shared if there is one of the name, and made if there is none.
AUTO_REUSE = ReuseMode.AUTO_REUSE


class VariableStore:
    """Full name -> variable; makes variables and hands them out again."""

    def __init__(self) -> None:
        self._variables: dict[str, Variable] = {}

    def get_variable(
        self,
        name: str,
        shape: Any = None,
        dtype: Any = dtypes.float32,
        initializer: Any = None,
        reuse: Any = None,
        custom_getter: Callable[..., Any] | None = None,
        **settings: Any,
    ) -> Variable:
        """The variable of this full name; see `tf.get_variable`.

        Args:
          custom_getter: gets this store's own getter, and decides what to do with it.
        """
        if not isinstance(name, str):
            raise TypeError(
                f"The name of a variable is a string and comes first, as in "
                f"tf.get_variable('w', [2, 3]); got {name!r} of type {type(name).__name__}."
            )
        arguments = {
            "name": name, "shape": shape, "dtype": dtypes.as_dtype(dtype).base_dtype,
            "initializer": initializer, "reuse": reuse, **settings,
        }  # fmt: skip
        if custom_getter is None:
            return self._get(**arguments)
        if not callable(custom_getter):
            raise ValueError(f"Passed a custom_getter which is not callable: {custom_getter}")
        return custom_getter(getter=self._get, **arguments)

    def _get(
        self,
        name: str,
        shape: Any = None,
        dtype: Any = dtypes.float32,
        initializer: Any = None,
        regularizer: Any = None,
        reuse: Any = None,
        trainable: bool | None = None,
        collections: Any = None,
        caching_device: Any = None,
        validate_shape: bool = True,
        use_resource: bool | None = None,
        constraint: Any = None,
        partitioner: Any = None,
    ) -> Variable:
        from_value = initializer is not None and not callable(initializer)
        if from_value and shape is not None:
            raise ValueError("If initializer is a constant, do not specify shape.")
        dtype = dtypes.as_dtype(dtype)
        static = as_shape(shape)
        found = self._variables.get(name)
        if found is not None:
            _check_sharing(name, found, reuse, static, dtype)
            return found
        if reuse is True:
            raise ValueError(
                f"Variable {name} does not exist, or was not created with tf.get_variable(). Did "
                f"you mean to set reuse=tf.AUTO_REUSE in VarScope?"
            )
        if initializer is None:
            if shape is None:
                raise ValueError(
                    f"Variable {name} did not get an initializer, so its `shape` argument must be "
                    f"specified."
                )
            initializer = default_initializer(name, dtype)
        initial = initializer if from_value else _with_shape(initializer, static, dtype)
        variable = Variable(
            initial_value=initial,
            name=name,
            trainable=trainable,
            collections=collections,
            caching_device=caching_device,
            dtype=dtype if static.is_fully_defined() and not from_value else None,
            validate_shape=validate_shape,
            constraint=constraint,
            use_resource=use_resource,
        )
        self._variables[name] = variable
        if regularizer is not None:
            _regularize(variable, name, regularizer)
        return variable


def default_initializer(name: str, dtype: dtypes.DType) -> Callable[..., Any]:
    """What a variable starts with when nobody says; ValueError for types without a default."""
    from tinytf.ops.initializers import glorot_uniform_initializer, zeros_initializer

    if dtype.is_floating:
        return glorot_uniform_initializer()
    if dtype.is_integer or dtype.is_bool or dtype == dtypes.string:
        return zeros_initializer()
    raise ValueError(f"An initializer for variable {name} of type {dtype.name} is required")


def _with_shape(initializer: Any, shape: TensorShape, dtype: dtypes.DType) -> Callable[[], Any]:
    """The initializer as a function without arguments."""
    if inspect.isclass(initializer):
        initializer = initializer()
    if shape.is_fully_defined():
        return functools.partial(initializer, shape.as_list(), dtype=dtype)
    required = [
        parameter
        for parameter in inspect.signature(initializer).parameters.values()
        if parameter.default is parameter.empty
        and parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
    ]
    if required:
        raise ValueError(
            "The initializer passed is not valid. It should be a callable with no arguments and "
            "the shape should not be provided or an instance of `tf.keras.initializers.*' and "
            "`shape` should be fully defined."
        )
    return initializer


def _check_sharing(
    name: str, found: Variable, reuse: Any, shape: TensorShape, dtype: dtypes.DType
) -> None:
    if not reuse:
        line = call_site.user_line(found.op._frames)
        raise ValueError(
            f"Variable {name} already exists, disallowed. Did you mean to set reuse=True or "
            f"reuse=tf.AUTO_REUSE in VarScope? Originally defined at:\n\n"
            f"  {line or 'an imported graph'}\n\n"
            f"Two ways out. To share that variable on purpose: `with tf.variable_scope(..., "
            f"reuse=tf.AUTO_REUSE):` around tf.get_variable. If you meant to build the program "
            f"anew (a notebook cell that was run again, for example): start with a fresh graph, "
            f"by tf.reset_default_graph() or `with tf.Graph().as_default():`, before this line."
        )
    if not shape.is_compatible_with(found.shape):
        raise ValueError(
            f"Trying to share variable {name}, but specified shape {shape} and found shape "
            f"{found.shape}."
        )
    if not dtype.is_compatible_with(found.dtype):
        raise ValueError(
            f"Trying to share variable {name}, but specified dtype {dtype.name} and found dtype "
            f"{found.dtype.name}."
        )


def _regularize(variable: Variable, name: str, regularizer: Callable[[Any], Any]) -> None:
    graph = variable.graph
    with graph.colocate_with(variable.op), graph.name_scope(f"{name}/Regularizer/"):
        loss = regularizer(variable)
    if loss is not None:
        graph.add_to_collection(GraphKeys.REGULARIZATION_LOSSES, loss)
