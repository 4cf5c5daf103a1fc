"""From Python arguments to a node: conversion, type inference, checks.

The counterpart of TensorFlow's `op_def_library.py`. The type attributes of an op follow from
its inputs; a Python number takes the type that another input has fixed; the rest comes from
keyword arguments or the schema's defaults.
"""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any

from tinytf.framework import attr_value, dtypes
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.function_graph import FuncGraph
from tinytf.framework.graph import Graph
from tinytf.framework.op_def import ArgDef, AttrDef, OpDef
from tinytf.framework.operation import Operation
from tinytf.framework.scopes import text_of
from tinytf.framework.stacks import default_graphs, get_default_graph
from tinytf.framework.tensor import Tensor
from tinytf.protos import node_def_pb2

#: Of one node. A malformed graph could ask for any number; TensorFlow goes up to 2**31.
_MAX_OUTPUTS = 1 << 20


def build(
    schema: OpDef, args: tuple[Any, ...], name: str | None, attrs: dict[str, Any]
) -> Operation:
    """Add a node of type `schema` to the graph its inputs belong to (or the default graph).

    Args:
      schema: the op type.
      args: one value for each input argument, a list for list arguments.
      name: of the node, made unique; default: the op type.
      attrs: attributes that do not follow from the inputs.

    Raises:
      TypeError: for a wrong number of inputs, wrong types or attributes.
      ValueError: for wrong shapes, or inputs from several graphs.
    """
    if len(args) != len(schema.inputs):
        names = ", ".join(a.name for a in schema.inputs)
        raise TypeError(
            f"{schema.name} takes {len(schema.inputs)} inputs ({names}), got {len(args)}"
        )
    graph = graph_of_arguments(args)
    if default_graphs.top() is not graph and get_default_graph() is not graph:
        with graph.as_default():
            return _build_in(graph, schema, args, name, attrs)
    return _build_in(graph, schema, args, name, attrs)


def graph_of_arguments(args: tuple[Any, ...]) -> Graph:
    """The graph to build in: that of the first tensor or variable among these, or the default."""
    top = default_graphs.items
    if top and top[-1].building_function:
        return top[-1]  # what is of another graph becomes an argument of the function
    for arg in args:
        if isinstance(arg, Tensor):
            return arg.op.graph
        if isinstance(arg, list | tuple):
            for item in arg:
                if isinstance(item, Tensor):
                    return item.op.graph
    for arg in args:  # a variable knows its graph as well
        graph = getattr(arg, "graph", None)
        if isinstance(graph, Graph):
            return graph
    return get_default_graph()


def _build_in(
    graph: Graph, schema: OpDef, args: tuple[Any, ...], name: str | None, attrs: dict[str, Any]
) -> Operation:
    if type(name) is not str:
        name = text_of(name)
    name = name or schema.name
    full_name = name[:-1] if name.endswith("/") else graph.unique_name(name)
    # Constants made for Python values are named inside the op's own scope: "Add/x", "Add/y".
    scopes = graph._scopes
    saved = scopes.name
    scopes.name = full_name
    try:
        inputs, values = _convert_inputs(schema, args, dict(attrs))
        if isinstance(graph, FuncGraph):
            inputs = graph.captured_inputs(schema, inputs)
    finally:
        scopes.name = saved
    complete = _complete_attrs(schema, values)
    types = output_types(schema, complete)
    if not schema.takes_references:
        return graph._create(schema, full_name, tuple(inputs), complete, types)
    with ExitStack() as colocated:  # a reference cannot leave its variable's device
        for tensor in _referenced(schema, inputs):
            colocated.enter_context(graph.colocate_with(tensor.op))
        return graph._create(schema, full_name, tuple(inputs), complete, types)


def _referenced(schema: OpDef, inputs: list[Tensor]) -> list[Tensor]:
    """The inputs that are given as references; these come before any list argument."""
    if any(arg.is_list and arg.is_ref for arg in schema.inputs):
        return [tensor for tensor in inputs if tensor.dtype.is_ref]
    return [t for arg, t in zip(schema.inputs, inputs, strict=False) if arg.is_ref]


def _convert_inputs(
    schema: OpDef, args: tuple[Any, ...], attrs: dict[str, Any]
) -> tuple[list[Tensor], dict[str, Any]]:
    inputs: list[Tensor] = []
    #: type attribute -> the argument that fixed it, for the message when another disagrees
    fixed_by: dict[str, str] = {}
    for arg, value in zip(schema.inputs, args, strict=True):
        if arg.number_attr is not None:
            inputs.extend(_convert_number_list(schema, arg, value, attrs, fixed_by))
        elif arg.type_list_attr is not None:
            inputs.extend(_convert_type_list(schema, arg, value, attrs))
        else:
            inputs.append(_convert_single(schema, arg, value, attrs, fixed_by))
    return inputs, attrs


def _convert_single(
    schema: OpDef, arg: ArgDef, value: Any, attrs: dict[str, Any], fixed_by: dict[str, str]
) -> Tensor:
    wanted = arg.dtype
    if arg.type_attr is not None:
        wanted = attrs.get(arg.type_attr)
        wanted = None if wanted is None else dtypes.as_dtype(wanted)
    if isinstance(value, Tensor):
        tensor = value
    else:
        tensor = _convert_value(schema, arg, value, wanted)
    actual = tensor.dtype.base_dtype
    if wanted is not None and actual is not wanted.base_dtype:
        raise TypeError(
            f"{_mismatch(schema, arg, actual, wanted, fixed_by)}"
            f"{_cast_hint(actual, wanted.base_dtype, arg.type_attr in fixed_by)}\n"
            f"{tensor.op.describe_origin()}"
        )
    if arg.is_ref and not tensor.dtype.is_ref:
        raise TypeError(
            f"'{schema.name}' Op requires that input '{arg.name}' be a mutable tensor "
            f"(e.g.: a tf.Variable), got {tensor!r}"
        )
    if arg.type_attr is not None and arg.type_attr not in attrs:
        attrs[arg.type_attr] = actual
        fixed_by[arg.type_attr] = arg.name
        _check_allowed(schema, arg, actual)
    return tensor


def _convert_value(schema: OpDef, arg: ArgDef, value: Any, wanted: dtypes.DType | None) -> Tensor:
    try:
        if wanted is not None or arg.type_attr is None:
            return convert_to_tensor(value, dtype=wanted, name=arg.name, as_ref=arg.is_ref)
        return _convert_freely(arg, schema.attrs[arg.type_attr], value)
    except ValueError as error:
        if wanted is None or getattr(value, "dtype", None) is None:
            raise ValueError(
                f"Tried to convert '{arg.name}' to a tensor and failed. Error: {error}"
            ) from None
        raise _wrong_value(schema, arg, value, wanted, error) from None
    except TypeError as error:
        if wanted is None:
            raise
        raise _wrong_value(schema, arg, value, wanted, error) from None


def _convert_freely(arg: ArgDef, attr: AttrDef, value: Any) -> Tensor:
    """Let the value choose its type; the default of the attribute decides if that is not allowed.

    An empty list is float32 at first, for example, which no shape can be. (TensorFlow leaves the
    constant of the first attempt in the graph, and so do we.)
    """
    if attr.default is not None and attr.allowed:
        try:
            tensor = convert_to_tensor(value, name=arg.name, as_ref=arg.is_ref)
        except TypeError:
            tensor = None  # a list of dimensions converts only if it is told to what
        if tensor is not None and tensor.dtype.base_dtype in attr.allowed:
            return tensor
    return convert_to_tensor(value, name=arg.name, as_ref=arg.is_ref, preferred_dtype=attr.default)


def _wrong_value(
    schema: OpDef, arg: ArgDef, value: Any, wanted: dtypes.DType, error: Exception
) -> TypeError:
    if getattr(value, "dtype", None) is not None and not isinstance(value, Tensor):
        actual = dtypes.as_dtype(value.dtype).base_dtype
        if actual is not wanted.base_dtype:
            return TypeError(_mismatch(schema, arg, actual, wanted, {}))
    return TypeError(
        f"Expected {wanted.name} passed to parameter '{arg.name}' of op '{schema.name}', got "
        f"{value!r} of type '{type(value).__name__}' instead. Error: {error}"
    )


def _mismatch(
    schema: OpDef, arg: ArgDef, actual: dtypes.DType, wanted: dtypes.DType, fixed_by: dict[str, str]
) -> str:
    text = f"Input '{arg.name}' of '{schema.name}' Op has type {actual.name} that does not match "
    other = fixed_by.get(arg.type_attr or "")
    if other is not None:
        return text + f"type {wanted.name} of argument '{other}'."
    return text + f"expected type of {wanted.name}."


def _cast_hint(actual: dtypes.DType, wanted: dtypes.DType, either: bool) -> str:
    """Which conversion brings two types together: towards floats, which loses the least."""
    if dtypes.string in (actual, wanted):
        return ""
    if either and actual.is_floating and wanted.is_integer:
        return f" Convert the other one: tf.cast(..., tf.{actual.name})."
    return f" Convert it: tf.cast(..., tf.{wanted.name})."


def _convert_number_list(
    schema: OpDef, arg: ArgDef, value: Any, attrs: dict[str, Any], fixed_by: dict[str, str]
) -> list[Tensor]:
    if not isinstance(value, list | tuple):
        raise TypeError(
            f"Expected list for '{arg.name}' argument to '{schema.name}' Op, not {value!r}."
        )
    wanted = arg.dtype or attrs.get(arg.type_attr or "")
    if wanted is None:
        # One element with a type of its own decides for the plain numbers beside it.
        typed = [v.dtype for v in value if getattr(v, "dtype", None) is not None]
        wanted = dtypes.as_dtype(typed[0]).base_dtype if typed else None
    tensors = []
    for index, item in enumerate(value):
        try:
            tensor = convert_to_tensor(item, wanted, f"{arg.name}_{index}", as_ref=arg.is_ref)
        except (TypeError, ValueError) as error:
            kinds = ", ".join(
                dtypes.as_dtype(v.dtype).name if hasattr(v, "dtype") else type(v).__name__
                for v in value
            )
            raise TypeError(
                f"Tensors in list passed to '{arg.name}' of '{schema.name}' Op have types "
                f"[{kinds}] that don't all match. Error: {error}"
            ) from None
        wanted = wanted or tensor.dtype.base_dtype
        tensors.append(tensor)
    number = arg.number_attr or ""
    _set_length(schema, arg, number, len(tensors), attrs, fixed_by)
    if arg.type_attr is not None and arg.type_attr not in attrs and wanted is not None:
        attrs[arg.type_attr] = dtypes.as_dtype(wanted).base_dtype
        fixed_by[arg.type_attr] = arg.name
        _check_allowed(schema, arg, attrs[arg.type_attr])
    return tensors


def _set_length(
    schema: OpDef,
    arg: ArgDef,
    number: str,
    length: int,
    attrs: dict[str, Any],
    fixed_by: dict[str, str],
) -> None:
    known = attrs.get(number)
    if known is not None and known != length:
        raise ValueError(
            f"List argument '{arg.name}' to '{schema.name}' Op with length {length} must match "
            f"length {known} of argument '{fixed_by.get(number, number)}'."
        )
    minimum = schema.attrs[number].minimum
    if minimum is not None and length < minimum:
        raise ValueError(
            f"List argument '{arg.name}' to '{schema.name}' Op with length {length} shorter "
            f"than minimum length {minimum}."
        )
    attrs[number] = length
    fixed_by[number] = arg.name


def _convert_type_list(
    schema: OpDef, arg: ArgDef, value: Any, attrs: dict[str, Any]
) -> list[Tensor]:
    if not isinstance(value, list | tuple):
        raise TypeError(
            f"Expected list for '{arg.name}' argument to '{schema.name}' Op, not {value!r}."
        )
    wanted = attrs.get(arg.type_list_attr or "")
    kinds = [None] * len(value) if wanted is None else list(wanted)
    if len(kinds) != len(value):
        raise ValueError(
            f"List argument '{arg.name}' to '{schema.name}' Op has {len(value)} values for "
            f"{len(kinds)} types"
        )
    tensors = [
        convert_to_tensor(item, kind, f"{arg.name}_{index}", as_ref=arg.is_ref)
        for index, (item, kind) in enumerate(zip(value, kinds, strict=True))
    ]
    attrs[arg.type_list_attr or ""] = tuple(t.dtype.base_dtype for t in tensors)
    return tensors


def _check_allowed(schema: OpDef, arg: ArgDef, actual: dtypes.DType) -> None:
    allowed = schema.attrs[arg.type_attr or ""].allowed
    if allowed is not None and actual not in allowed:
        raise TypeError(
            f"Value passed to parameter '{arg.name}' has DataType {actual.name} not in list of "
            f"allowed values: {', '.join(t.name for t in allowed)} (op '{schema.name}')"
        )


def _complete_attrs(schema: OpDef, given: dict[str, Any]) -> dict[str, Any]:
    """All attributes, in the order of the schema; extra ones must start with "_"."""
    complete: dict[str, Any] = {}
    for name, attr in schema.attrs.items():
        if name in given and given[name] is not None:
            value = given.pop(name)
            # What the inputs determined is right by construction.
            inferred = name in schema.inferred and isinstance(value, dtypes.DType | int)
            complete[name] = value if inferred else attr_value.coerce(attr, value, schema.name)
        elif attr.has_default:
            given.pop(name, None)
            complete[name] = attr.default
        else:
            raise TypeError(_missing(schema, attr))
    for name, value in given.items():
        if not name.startswith("_"):
            raise TypeError(
                f"{schema.name} got an unexpected attribute '{name}'; it has "
                f"{', '.join(schema.attrs) or 'none'}"
            )
        complete[name] = attr_value.from_public(value)
    return complete


def _missing(schema: OpDef, attr: AttrDef) -> str:
    return f"No argument for attr {attr.name} ({attr.type}) of op {schema.name}"


def checked_attrs(
    schema: OpDef, given: dict[str, Any], inputs: tuple[Tensor, ...], name: str
) -> dict[str, Any]:
    """Complete and check the attributes of a node whose inputs are tensors already.

    For `Graph.create_op` and imported graphs: the inputs must agree with the schema.

    Args:
      schema: the op type. given: the attributes there are. inputs: all tensors, in order.
      name: of the node, for messages.

    Raises:
      ValueError: for wrong numbers or types of inputs, or a missing attribute. TypeError: for an
        attribute of another kind.
    """
    given = {key: _stored(schema.attrs.get(key), value) for key, value in given.items()}
    position = 0
    for arg in schema.inputs:
        count = _argument_length(arg, given, len(inputs) - position)
        tensors = inputs[position : position + count]
        if len(tensors) != count:
            raise _wrong_number(schema, inputs, name)
        _check_argument(arg, tensors, given, name, position)
        position += count
    if position != len(inputs):
        raise _wrong_number(schema, inputs, name)
    for attr in schema.attrs.values():
        if not attr.has_default and attr.name not in given:
            raise ValueError(
                f"NodeDef missing attr '{attr.name}' from Op<name={schema.name}>; NodeDef: "
                f"{{{{node {name}}}}}"
            )
    return _complete_attrs(schema, given)


def _stored(attr: AttrDef | None, value: Any) -> Any:
    if attr is not None and isinstance(value, node_def_pb2.AttrValue):
        return attr_value.from_proto(value, attr.type)
    return attr_value.from_public(value)


def _wrong_number(schema: OpDef, inputs: tuple[Tensor, ...], name: str) -> ValueError:
    expected = ", ".join(
        f"{arg.name}: " + ("a list" if arg.is_list else arg.type_attr or str(arg.dtype))
        for arg in schema.inputs
    )
    return ValueError(
        f"NodeDef expected inputs '{expected}' do not match {len(inputs)} inputs specified "
        f"({', '.join(t.name for t in inputs)}); Op<name={schema.name}>; NodeDef: "
        f"{{{{node {name}}}}}"
    )


def _argument_length(arg: ArgDef, attrs: dict[str, Any], left: int) -> int:
    if arg.number_attr is not None:
        return attrs.get(arg.number_attr, left)
    if arg.type_list_attr is not None:
        return len(attrs[arg.type_list_attr]) if arg.type_list_attr in attrs else left
    return 1


def _check_argument(
    arg: ArgDef, tensors: tuple[Tensor, ...], attrs: dict[str, Any], node: str, position: int
) -> None:
    if arg.number_attr is not None:
        attrs.setdefault(arg.number_attr, len(tensors))
    if arg.type_list_attr is not None:
        kinds = attrs.setdefault(arg.type_list_attr, tuple(t.dtype.base_dtype for t in tensors))
    elif arg.type_attr is not None:
        if tensors and arg.type_attr not in attrs:
            attrs[arg.type_attr] = tensors[0].dtype.base_dtype
        kinds = (attrs.get(arg.type_attr),) * len(tensors)
    else:
        kinds = (arg.dtype,) * len(tensors)
    for index, (tensor, kind) in enumerate(zip(tensors, kinds, strict=True), position):
        wanted = None if kind is None else dtypes.as_dtype(kind).base_dtype
        if wanted is not None and arg.is_ref:
            wanted = wanted.ref_dtype
        if wanted is not None and not wanted.is_compatible_with(tensor.dtype):
            raise ValueError(
                f"Input {index} ('{arg.name}') of node {node} was passed {tensor.dtype.name} from "
                f"{tensor.name} incompatible with expected {wanted.name}."
            )


def output_types(schema: OpDef, attrs: dict[str, Any]) -> list[dtypes.DType]:
    """The types of all outputs of a node with these attributes.

    Raises:
      ValueError: "Number of outputs is too big: 2147483648".
    """
    result: list[dtypes.DType] = []
    for arg in schema.outputs:
        if arg.type_list_attr is not None:
            kinds = list(attrs[arg.type_list_attr])
        else:
            kind = arg.dtype if arg.type_attr is None else attrs[arg.type_attr]
            count = 1 if arg.number_attr is None else attrs[arg.number_attr]
            if count > _MAX_OUTPUTS:
                raise ValueError(f"Number of outputs is too big: {count}")
            kinds = [kind] * count
        result.extend(k.ref_dtype if arg.is_ref else k for k in kinds)
    return result
