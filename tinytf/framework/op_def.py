"""What an operation type is: its schema, TensorFlow's OpDef.

A schema is written in the notation of TensorFlow's `REGISTER_OP`: a signature, and the attributes.

    signature   "a: T, b: T -> product: T"   "ref: Ref(T), value: T -> output_ref: Ref(T)"
                "values: N * T, axis: int32 -> output: T"   "-> components: dtypes"   ""
    attributes  "T: {float, int32}, transpose_a: bool = false"   "T: type, N: int >= 1"
                "T: numbertype, Tout: {floattype, string}"   with the names of TYPE_SETS
                "dtypes: list(type) >= 1, shape: shape, value: tensor, container: string = ''"
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tinytf.framework import dtypes
from tinytf.framework.tensor_shape import TensorShape

_REAL = "float double int32 uint8 int16 int8 int64 bfloat16 uint16 half uint32 uint64"
_NUMBER = (
    "float double int32 uint8 int16 int8 complex64 int64 qint8 quint8 qint32 bfloat16 "
    "qint16 quint16 uint16 complex128 half uint32 uint64"
)
#: Names of sets of types inside a schema. The first three are TensorFlow's.
TYPE_SETS: dict[Any, list[str]] = {
    "numbertype": _NUMBER.split(),
    "realnumbertype": _REAL.split(),
    "quantizedtype": "qint8 quint8 qint32 qint16 quint16".split(),
    "complextype": "complex64 complex128".split(),
    "floattype": "bfloat16 half float double".split(),
    "inexacttype": "bfloat16 half float double complex64 complex128".split(),
    "integertype": "int8 int16 int32 int64 uint8 uint16 uint32 uint64".split(),
}

_ARGUMENT = re.compile(r"^\s*(\w+)\s*:\s*(?:(\w+)\s*\*\s*)?(Ref\s*\(\s*(\w+)\s*\)|\w+)\s*$")
_ATTRIBUTE = re.compile(r"^\s*(\w+)\s*:\s*(.*?)\s*$", re.DOTALL)
_BETWEEN = re.compile(r",(?=\s*\w+\s*:)")
_TYPE = re.compile(r"^(list\s*\(\s*)?(\{[^}]*\}|\w+)(?(1)\s*\))(.*)$", re.DOTALL)


@dataclass(slots=True, frozen=True)
class ArgDef:
    """One input or output argument.

    Exactly one of `dtype`, `type_attr` and `type_list_attr` is set: a fixed type, a type named
    by an attribute, or a whole list of types (one tensor each). With `number_attr` the argument
    is a list of that many tensors of one type.
    """

    name: str
    dtype: dtypes.DType | None = None
    type_attr: str | None = None
    type_list_attr: str | None = None
    number_attr: str | None = None
    is_ref: bool = False

    @property
    def is_list(self) -> bool:
        """Whether the argument stands for several tensors."""
        return self.number_attr is not None or self.type_list_attr is not None


@dataclass(slots=True, frozen=True)
class AttrDef:
    """One attribute: type, int, float, bool, string, shape, tensor, func, or list(...) of one."""

    name: str
    type: str
    default: Any = None
    has_default: bool = False
    allowed: tuple[Any, ...] | None = None
    minimum: int | None = None


@dataclass(slots=True)
class OpDef:
    """The schema of an operation type; see the module for how it is written.

    Attributes:
      is_stateful: two nodes of the type may differ though their inputs are the same, so they
        are never merged, folded or dropped.
    """

    name: str
    inputs: tuple[ArgDef, ...]
    outputs: tuple[ArgDef, ...]
    attrs: dict[str, AttrDef]
    is_stateful: bool = False
    is_commutative: bool = False
    is_aggregate: bool = False
    allows_uninitialized_input: bool = False
    #: Attributes that some input's type or length determines, so callers need not give them.
    inferred: frozenset[str] = field(default=frozenset())
    #: Whether an input is a reference to a variable: such a node is colocated with it.
    takes_references: bool = False
    #: Whether the kernel returns one bare value (a single output that is not a list).
    single_output: bool = False
    #: Whether an attribute names a function, or several.
    takes_functions: bool = False
    #: Of calls of a function: the gradient that was given to it in Python.
    python_gradient: Any = None


def make_op_def(name: str, signature: str, *attrs: str, **flags: bool) -> OpDef:
    """Parse a schema; see the module.

    Args:
      attrs: each declares one attribute or more.

    Raises:
      ValueError: naming the op and the text that does not parse.
    """
    inputs, _, outputs = signature.partition("->")
    try:
        attr_defs = {a.name: a for text in attrs for a in map(parse_attr, _declarations(text))}
        kinds = {a.name: a.type for a in attr_defs.values()}
        input_defs = tuple(parse_arg(text, kinds) for text in _declarations(inputs))
        output_defs = tuple(parse_arg(text, kinds) for text in _declarations(outputs))
    except ValueError as error:
        raise ValueError(f"In the schema of op {name}: {error}") from None
    inferred: set[str] = set()
    for arg in input_defs:
        inferred.update(a for a in (arg.type_attr, arg.type_list_attr, arg.number_attr) if a)
    return OpDef(
        name,
        input_defs,
        output_defs,
        attr_defs,
        inferred=frozenset(inferred),
        takes_references=any(arg.is_ref for arg in input_defs),
        single_output=len(output_defs) == 1 and not output_defs[0].is_list,
        takes_functions=any("func" in kind for kind in kinds.values()),
        **flags,
    )


def _declarations(text: str) -> list[str]:
    """The parts of a list such as "x: T, y: {int32, int64}"; commas within one stay."""
    return _BETWEEN.split(text) if text.strip() else []


def parse_arg(text: str, attr_kinds: dict[str, str]) -> ArgDef:
    """An argument such as "x: N * Ref(T)"; `attr_kinds` tells which names are attributes."""
    match = _ARGUMENT.match(text)
    if match is None:
        raise ValueError(
            f"cannot parse the argument {text!r}. Write it like 'x: float', 'x: T', 'xs: N * T'"
        )
    name, number, spelled, referred = match.groups()
    type_name = referred or spelled
    kind = attr_kinds.get(type_name)
    common: dict[str, Any] = {"number_attr": number, "is_ref": referred is not None}
    if kind == "type":
        return ArgDef(name, type_attr=type_name, **common)
    if kind == "list(type)":
        return ArgDef(name, type_list_attr=type_name, **common)
    try:
        return ArgDef(name, dtype=dtypes.as_dtype(type_name), **common)
    except TypeError:
        raise ValueError(
            f"{text!r}: {type_name!r} is neither a type nor an attribute. Types are float, double, "
            f"int32, bool, string ...; an attribute that stands for types is declared in attrs: "
            f"'{type_name}: {{float, double}}'"
        ) from None


def parse_attr(text: str) -> AttrDef:
    """An attribute such as "N: int >= 2 = 3" or "T: {float, int32} = DT_FLOAT"."""
    match = _ATTRIBUTE.match(text)
    parts = _TYPE.match(match.group(2)) if match else None
    if match is None or parts is None:
        raise ValueError(f"cannot parse the attribute {text!r}")
    is_list, base, rest = parts.groups()
    base, allowed = _base_and_allowed(base)
    minimum = re.match(r"\s*>=\s*(-?\d+)", rest)
    if minimum:
        rest = rest[minimum.end() :]
    default = re.match(r"\s*=\s*(.+?)\s*$", rest, re.DOTALL)
    if rest.strip() and not default:
        raise ValueError(f"cannot parse {rest!r} in the attribute {text!r}")
    kind = f"list({base})" if is_list else base
    return AttrDef(
        match.group(1),
        kind,
        default=_default(default.group(1), kind) if default else None,
        has_default=default is not None,
        allowed=allowed,
        minimum=int(minimum.group(1)) if minimum else None,
    )


def types_named(names: Iterable[Any]) -> list[dtypes.DType]:
    """The dtypes of a list of dtypes or their names, and of names of TYPE_SETS."""
    return [dtypes.as_dtype(one) for name in names for one in TYPE_SETS.get(name, (name,))]


def _base_and_allowed(base: str) -> tuple[str, tuple[Any, ...] | None]:
    if base in TYPE_SETS:
        return "type", tuple(types_named([base]))
    if not base.startswith("{"):
        return base, None
    names = [n.strip() for n in base.strip("{} ").split(",") if n.strip()]
    if names and names[0][0] in "'\"":
        return "string", tuple(ast.literal_eval(n).encode() for n in names)
    return "type", tuple(types_named(names))


def _default(text: str, kind: str) -> Any:
    """The value of a default as the graph stores it (bytes for strings, DType for types)."""
    if kind.startswith("list("):
        items = [t.strip() for t in text.strip("[] ").split(",") if t.strip()]
        return tuple(_default(t, kind[5:-1]) for t in items)
    if kind == "type":
        return dtypes.as_dtype(text.removeprefix("DT_").lower())
    if kind == "bool":
        return text == "true"
    if kind == "string":
        return ast.literal_eval(text).encode()
    if kind == "shape":
        return _shape_default(text)
    if kind == "tensor":
        return _tensor_default(text)
    if kind == "int":
        return int(text)
    if kind == "float":
        return float(np.float32(text))  # what a proto keeps of it
    raise ValueError(f"a default of type {kind} is not supported: {text!r}")


def _shape_default(text: str) -> TensorShape:
    """The two shape defaults TensorFlow's schemas use: unknown rank, or dimensions in brackets."""
    if "unknown_rank" in text:
        return TensorShape(None)
    return TensorShape([int(n) for n in re.findall(r"-?\d+", text)])


def _tensor_default(text: str) -> np.ndarray:
    """The one tensor default of TensorFlow's schemas, the colour of an image summary."""
    dtype = dtypes.as_dtype(re.findall(r"dtype:\s*DT_(\w+)", text)[0].lower())
    value = np.array(re.findall(r"int_val:\s*(-?\d+)", text), dtype.as_numpy_dtype)
    value = value.reshape([int(size) for size in re.findall(r"\bsize:\s*(\d+)", text)])
    value.flags.writeable = False
    return value
