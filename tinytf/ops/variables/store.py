"""The variables that `tf.get_variable` made in one graph, by full name."""

from __future__ import annotations

import enum
import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any

from tinytf.framework import call_site, dtypes
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.graph_keys import GraphKeys
from tinytf.framework.scopes import as_text
from tinytf.framework.stacks import get_default_graph
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape, as_shape
from tinytf.ops.array.slice import slice
from tinytf.ops.variables.initializers import glorot_uniform_initializer, zeros_initializer
from tinytf.ops.variables.partitioned import (
    PartitionedVariable,
    Partitioner,
    PartitionInfo,
    partitions_of,
    slices,
)
from tinytf.ops.variables.protos import SaveSliceInfo
from tinytf.ops.variables.variable import Variable
from tinytf.ops.variables.variable_creators import checked_modes


class ReuseMode(enum.Enum):
    """The third answer to "reuse?"."""

    AUTO_REUSE = 1


#: A variable is shared if there is one of the name, and made if there is none.
AUTO_REUSE = ReuseMode.AUTO_REUSE


class VariableStore:
    """Full name -> variable; makes variables and hands them out again."""

    def __init__(self) -> None:
        self._variables: dict[str, Variable] = {}
        self._partitioned: dict[str, PartitionedVariable] = {}

    def get_variable(
        self,
        name: str | bytes,
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
        name = as_text(name)
        if not isinstance(name, str):
            raise TypeError(
                f"The name of a variable is a string and comes first, as in "
                f"tf.get_variable('w', [2, 3]); got {name!r} of type {type(name).__name__}."
            )
        synchronization, aggregation, trainable = checked_modes(
            settings.pop("synchronization", None),
            settings.pop("aggregation", None),
            settings.pop("trainable", None),
            name,
        )
        arguments = {
            "name": name,
            "shape": shape,
            "dtype": dtypes.as_dtype(dtype).base_dtype,
            "initializer": initializer,
            "reuse": reuse,
            "trainable": trainable,
            **settings,
            "synchronization": synchronization,
            "aggregation": aggregation,
        }
        if custom_getter is None:
            return self._get(**arguments)
        if not callable(custom_getter):
            raise ValueError(f"Passed a custom_getter which is not callable: {custom_getter}")
        if not _takes(custom_getter, "constraint"):
            del arguments["constraint"]
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
        partitioner: Any = None,
        validate_shape: bool = True,
        use_resource: bool | None = None,
        constraint: Any = None,
        synchronization: Any = None,
        aggregation: Any = None,
    ) -> Any:
        """What custom getters get as their getter: a variable, partitioned or not."""
        settings = {
            "name": name,
            "shape": shape,
            "dtype": dtype,
            "initializer": initializer,
            "regularizer": regularizer,
            "reuse": reuse,
            "trainable": trainable,
            "collections": collections,
            "caching_device": caching_device,
            "validate_shape": validate_shape,
            "use_resource": use_resource,
            "constraint": constraint,
            "synchronization": synchronization,
            "aggregation": aggregation,
        }
        is_scalar = isinstance(shape, Sequence) and not shape
        if partitioner is not None and not is_scalar:
            if not callable(partitioner):
                raise ValueError(f"Partitioner must be callable, but received: {partitioner}")
            with get_default_graph().name_scope(None):
                return self.get_partitioned(partitioner=partitioner, **settings)
        if reuse is True and partitioner is None and name in self._partitioned:
            return self.get_partitioned(partitioner=None, **settings)
        if f"{name}/part_0" in self._variables:
            raise ValueError(
                f"No partitioner was provided, but a partitioned version of the variable was "
                f"found: {name}/part_0. Perhaps a variable of the same name was already created "
                f"with partitioning?"
            )
        return self._get_single(**settings)

    def _get_single(
        self,
        name: str,
        shape: Any,
        dtype: Any,
        initializer: Any,
        regularizer: Any,
        reuse: Any,
        partition_info: PartitionInfo | None = None,
        **settings: Any,
    ) -> Variable:
        from_value = initializer is not None and not callable(initializer)
        if from_value and shape is not None:
            raise ValueError(
                "If initializer is a constant, do not specify shape. Leave out the shape, which is "
                "that of the constant; or give an initializer such as tf.zeros_initializer()."
            )
        dtype = dtypes.as_dtype(dtype)
        static = as_shape(shape)
        found = self._variables.get(name)
        if found is not None:
            _check_sharing(name, found, reuse, static, dtype)
            return found
        if reuse is True:
            raise ValueError(
                f"Variable {name} does not exist, or was not created with tf.get_variable(). Did "
                f"you mean to set reuse=tf.AUTO_REUSE in VarScope?{_near(name, self._variables)}"
            )
        if initializer is None:
            if shape is None:
                raise ValueError(
                    f"Variable {name} did not get an initializer, so its `shape` argument must be "
                    f"specified."
                )
            initializer = default_initializer(name, dtype)
        if not from_value:
            initializer = _with_shape(initializer, static, dtype, partition_info)
        known = static.is_fully_defined() and not from_value
        variable = Variable(
            initial_value=initializer, name=name, dtype=dtype if known else None, **settings
        )
        self._variables[name] = variable
        if regularizer is not None:
            _regularize(variable, name, regularizer)
        return variable

    # Partitioned variables --------------------------------------------------------------------

    def get_partitioned(
        self,
        name: str,
        partitioner: Partitioner | None,
        shape: Any = None,
        dtype: Any = dtypes.float32,
        initializer: Any = None,
        reuse: Any = None,
        regularizer: Any = None,
        **settings: Any,
    ) -> PartitionedVariable:
        """The partitioned variable of this full name; see `tf.get_variable`.

        Args:
          partitioner: None only for one that exists.
          initializer: a function for the parts, or the whole's value, of which each gets a slice.
        """
        if name in self._variables:
            raise ValueError(
                f"A partitioner was provided, but an unpartitioned version of the variable was "
                f"found: {name}.  Perhaps a variable of the same name was already created without "
                f"partitioning?"
            )
        static = as_shape(shape)
        if isinstance(initializer, Tensor):
            static = static.merge_with(initializer.shape)
        counts = None if partitioner is None else partitions_of(partitioner, static, dtype)
        found = self._partitioned.get(name)
        if found is not None:
            _check_sharing_parts(name, found, reuse, static, dtype, counts)
            return found
        if reuse is True:
            raise ValueError(
                f"PartitionedVariable {name} does not exist, or was not created with "
                f"tf.get_variable(). Did you mean to set reuse=False or reuse=tf.AUTO_REUSE in "
                f"VarScope?"
            )
        assert counts is not None  # only reuse=True comes without a partitioner
        parts = self._parts(name, static, dtype, counts, initializer, regularizer, reuse, settings)
        whole = PartitionedVariable(name, static, dtype, parts, counts)
        self._partitioned[name] = whole
        return whole

    def _parts(
        self,
        name: str,
        whole: TensorShape,
        dtype: Any,
        counts: Any,
        initializer: Any,
        regularizer: Any,
        reuse: Any,
        settings: dict[str, Any],
    ) -> list[Variable]:
        graph, full_shape = get_default_graph(), [size or 0 for size in whole.as_list()]
        if initializer is None:
            initializer = default_initializer(name, dtype)
        parts = []
        for index, (offset, shape) in enumerate(slices(full_shape, counts)):
            part_name = f"{name}/part_{index}"
            start: Any = initializer
            part_shape: list[int] | None = shape
            if not callable(initializer):
                with graph.name_scope(part_name + "/PartitionedInitializer"):
                    value = initializer
                    if not isinstance(value, Tensor):
                        value = convert_to_tensor(value, dtype=dtype)
                    start, part_shape = slice(value, offset, shape), None
                dtype = start.dtype.base_dtype
            with graph.name_scope(None):
                part = self._get_single(
                    part_name,
                    part_shape,
                    dtype,
                    start,
                    regularizer,
                    reuse,
                    partition_info=PartitionInfo(full_shape, offset),
                    **settings,
                )
            part._set_save_slice_info(SaveSliceInfo(name, full_shape, offset, shape))
            parts.append(part)
        return parts


def default_initializer(name: str, dtype: dtypes.DType) -> Callable[..., Any]:
    """What a variable starts with when nobody says; ValueError for types without a default."""
    if dtype.is_floating:
        return glorot_uniform_initializer()
    if dtype.is_integer or dtype.is_bool or dtype == dtypes.string:
        return zeros_initializer()
    raise ValueError(f"An initializer for variable {name} of type {dtype.name} is required")


def _takes(function: Callable[..., Any], argument: str) -> bool:
    """Whether a function has an argument of this name, or takes any."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):  # some functions written in C do not say
        return True
    return any(p.name == argument or p.kind is p.VAR_KEYWORD for p in parameters)


def _with_shape(
    initializer: Any, shape: TensorShape, dtype: dtypes.DType, part: PartitionInfo | None
) -> Callable[[], Any]:
    """The initializer as a function without arguments."""
    if inspect.isclass(initializer):
        initializer = initializer()
    if shape.is_fully_defined():
        more = {"partition_info": part} if part and _takes(initializer, "partition_info") else {}
        return functools.partial(initializer, shape.as_list(), dtype=dtype, **more)
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
            "`shape` should be fully defined. Give `shape` numbers alone, shape=[3, 2]: "
            "initializers such as tf.zeros_initializer() fill it."
        )
    return initializer


def _near(name: str, known: dict[str, Variable]) -> str:
    import difflib

    near = difflib.get_close_matches(name, known, n=3)
    return f" There is {', '.join(near)}." if near else ""


def _check_sharing(
    name: str, found: Variable, reuse: Any, shape: TensorShape, dtype: dtypes.DType
) -> None:
    if reuse is False:
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
            f"{found.shape}.\n{found.op.describe_origin()}"
        )
    if not dtype.is_compatible_with(found.dtype):
        raise ValueError(
            f"Trying to share variable {name}, but specified dtype {dtype.name} and found dtype "
            f"{found.dtype.name}.\n{found.op.describe_origin()}"
        )


def _check_sharing_parts(
    name: str, found: PartitionedVariable, reuse: Any, shape: TensorShape, dtype: Any, counts: Any
) -> None:
    if reuse is False:
        raise ValueError(
            f"Partitioned variable with name {name} already exists. Did you mean to set "
            f"reuse=True or reuse=tf.AUTO_REUSE in VarScope?"
        )
    trying = f"Trying to reuse partitioned variable {name}, but specified"
    if not shape.is_compatible_with(found.shape):
        raise ValueError(f"{trying} shape {shape} and found shape {found.shape}.")
    if not dtypes.as_dtype(dtype).is_compatible_with(found.dtype):
        raise ValueError(
            f"{trying} dtype {dtypes.as_dtype(dtype).name} and found dtype {found.dtype.name}."
        )
    if counts is not None and list(found._get_partitions()) != list(counts):
        raise ValueError(
            f"{trying} partitions {counts} and found partitions {found._get_partitions()}."
        )


def _regularize(variable: Variable, name: str, regularizer: Callable[[Any], Any]) -> None:
    graph = variable.graph
    with graph.colocate_with(variable.op), graph.name_scope(f"{name}/Regularizer/"):
        loss = regularizer(variable)
    if loss is not None:
        graph.add_to_collection(GraphKeys.REGULARIZATION_LOSSES, loss)
