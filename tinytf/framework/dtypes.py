"""The element types of tensors, as in `tensorflow/python/framework/dtypes.py`.

A `DType` is an interned constant: there is exactly one object for each type, so identity,
equality and hashing agree and are cheap. Every value type has a *reference* twin
(`float32` and `float32_ref`), which marks the output of a `VariableV2`: an edge that carries
the variable itself, not a value.
"""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

# name, enum in TensorFlow's DataType, numpy type (None: cannot be a numpy array), size in bytes.
_TABLE: list[tuple[str, int, Any, int]] = [
    ("float32", 1, np.float32, 4),
    ("float64", 2, np.float64, 8),
    ("int32", 3, np.int32, 4),
    ("uint8", 4, np.uint8, 1),
    ("int16", 5, np.int16, 2),
    ("int8", 6, np.int8, 1),
    ("string", 7, np.object_, 0),
    ("complex64", 8, np.complex64, 8),
    ("int64", 9, np.int64, 8),
    ("bool", 10, np.bool_, 1),
    ("qint8", 11, np.int8, 1),
    ("quint8", 12, np.uint8, 1),
    ("qint32", 13, np.int32, 4),
    ("bfloat16", 14, ml_dtypes.bfloat16, 2),
    ("qint16", 15, np.int16, 2),
    ("quint16", 16, np.uint16, 2),
    ("uint16", 17, np.uint16, 2),
    ("complex128", 18, np.complex128, 16),
    ("float16", 19, np.float16, 2),
    ("resource", 20, np.object_, 0),
    ("variant", 21, np.object_, 0),
    ("uint32", 22, np.uint32, 4),
    ("uint64", 23, np.uint64, 8),
    ("float8_e5m2", 24, ml_dtypes.float8_e5m2, 1),
    ("float8_e4m3fn", 25, ml_dtypes.float8_e4m3fn, 1),
    ("int4", 29, ml_dtypes.int4, 1),
    ("uint4", 30, ml_dtypes.uint4, 1),
]
_REF_OFFSET = 100
_QUANTIZED = {"qint8", "quint8", "qint16", "quint16", "qint32"}
_FLOATING = {"float16", "bfloat16", "float32", "float64", "float8_e5m2", "float8_e4m3fn"}
_INTEGER = set("int4 int8 int16 int32 int64 uint4 uint8 uint16 uint32 uint64".split())


class DType:
    """The type of the elements of a `Tensor` (TensorFlow: `tf.DType`).

    Compare with `==`: anything `as_dtype` understands may stand on the other side, so
    `tf.float32 == np.float32` holds.

    Attributes:
      name: "float32", "int64_ref" ...
      as_numpy_dtype: the numpy scalar type of one element; `np.object_` for strings and resources.
      as_datatype_enum: TensorFlow's number for the type in protocol buffers.
      is_ref: whether this is the reference twin of a type.
      base_dtype: the value type (itself when it is one).
      size: bytes of one element; 0 where elements have no fixed size.

    Example:
      >>> tf.float32 == np.float32, tf.float32.size, tf.int64.is_integer  # (True, 4, True)
    """

    __slots__ = """
        as_datatype_enum as_numpy_dtype base_dtype is_bool is_complex is_floating is_integer
        is_quantized is_ref name ref_dtype size
    """.split()

    name: str
    as_datatype_enum: int
    as_numpy_dtype: Any
    size: int
    is_ref: bool
    base_dtype: DType
    ref_dtype: DType

    def __new__(cls, type_enum: Any) -> DType:
        """The type with TensorFlow's number `type_enum`: DType(1) is tf.float32.

        Raises:
          TypeError: if there is none.
        """
        if isinstance(type_enum, DType):
            return type_enum
        found = _BY_ENUM.get(int(type_enum))
        if found is None:
            raise TypeError(
                f"{type_enum} does not correspond to a valid tensorflow::DataType. A name does: "
                f"tf.as_dtype('float32')."
            )
        return found

    @classmethod
    def _make(cls, name: str, enum: int, numpy_type: Any, size: int, base: DType | None) -> DType:
        self = object.__new__(cls)
        self._describe(name, enum, numpy_type, size, base)
        return self

    def _describe(
        self, name: str, enum: int, numpy_type: Any, size: int, base: DType | None
    ) -> None:
        self.name = name
        self.as_datatype_enum = enum
        self.as_numpy_dtype = numpy_type
        self.size = size
        self.is_ref = base is not None
        self.base_dtype = base or self
        kind = self.base_dtype.name
        self.is_floating = kind in _FLOATING
        self.is_integer = kind in _INTEGER
        self.is_complex = kind in ("complex64", "complex128")
        self.is_bool = kind == "bool"
        self.is_quantized = kind in _QUANTIZED

    @property
    def _is_ref_dtype(self) -> bool:
        return self.is_ref

    @property
    def _as_ref(self) -> DType:
        return self.ref_dtype

    @property
    def is_unsigned(self) -> bool:
        """Whether this is an integer type without a sign."""
        return self.is_integer and self.base_dtype.name.startswith("u")

    @property
    def is_numpy_compatible(self) -> bool:
        """Whether values of the type can be numpy arrays."""
        return self.base_dtype.name not in ("resource", "variant")

    @property
    def real_dtype(self) -> DType:
        """The type of the real part: `float32` for `complex64`, `float64` for `complex128`."""
        return {"complex64": float32, "complex128": float64}.get(self.base_dtype.name, self)

    @property
    def min(self) -> Any:
        """The smallest representable value.

        Raises:
          TypeError: for types that have none: bool, string, complex and quantized types.
        """
        return self._limit("min")

    @property
    def max(self) -> Any:
        """The largest representable value; raises TypeError as `min` does."""
        return self._limit("max")

    def _limit(self, which: str) -> Any:
        if self.is_floating:
            return getattr(ml_dtypes.finfo(self.as_numpy_dtype), which)
        if self.is_integer:
            return getattr(ml_dtypes.iinfo(self.as_numpy_dtype), which)
        raise TypeError(f"Cannot find {which}imum value of {self}.")

    @property
    def limits(self) -> tuple[Any, Any]:
        """(smallest, largest) intensity of an image of this type: (0, max) for integers.

        Raises:
          ValueError: for types that images do not have.
        """
        kind = self.base_dtype.name
        if kind in ("float32", "float64", "bool"):
            return 0, 1
        if self.is_integer and kind not in ("int4", "uint4"):
            return 0, self.max
        raise ValueError(f"{self} does not have defined limits.")

    def is_compatible_with(self, other: Any) -> bool:
        """Whether a tensor of type `other` may flow where this type is asked for."""
        other = as_dtype(other)
        return self is other or self is other.base_dtype

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if other is None or isinstance(other, DType):
            return False
        try:
            return self is as_dtype(other)
        except TypeError:
            return False

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return self.as_datatype_enum

    def __str__(self) -> str:
        return f"<dtype: {self.name!r}>"

    def __repr__(self) -> str:
        return f"tf.{self.name}"

    def __reduce__(self) -> tuple[Any, ...]:
        return as_dtype, (self.name,)


_BY_NAME: dict[str, DType] = {}
_BY_ENUM: dict[int, DType] = {}
_BY_NUMPY: dict[np.dtype, DType] = {}


def _intern() -> None:
    for name, enum, numpy_type, size in _TABLE:
        value = DType._make(name, enum, numpy_type, size, None)
        reference = DType._make(name + "_ref", enum + _REF_OFFSET, numpy_type, size, value)
        value.ref_dtype = reference.ref_dtype = reference
        for dtype in (value, reference):
            _BY_NAME[dtype.name] = dtype
            _BY_ENUM[dtype.as_datatype_enum] = dtype
        if numpy_type is not np.object_ and not value.is_quantized:
            _BY_NUMPY[np.dtype(numpy_type)] = value


_intern()

float16 = half = _BY_NAME["float16"]
bfloat16 = _BY_NAME["bfloat16"]
float32 = _BY_NAME["float32"]
float64 = double = _BY_NAME["float64"]
int8 = _BY_NAME["int8"]
int16 = _BY_NAME["int16"]
int32 = _BY_NAME["int32"]
int64 = _BY_NAME["int64"]
uint8 = _BY_NAME["uint8"]
uint16 = _BY_NAME["uint16"]
uint32 = _BY_NAME["uint32"]
uint64 = _BY_NAME["uint64"]
complex64 = _BY_NAME["complex64"]
complex128 = _BY_NAME["complex128"]
bool_ = _BY_NAME["bool"]
string = _BY_NAME["string"]
resource = _BY_NAME["resource"]
variant = _BY_NAME["variant"]

#: the types of quantized values, and their reference twins
QUANTIZED_DTYPES = frozenset(
    kind for name in _QUANTIZED for kind in (_BY_NAME[name], _BY_NAME[name].ref_dtype)
)
qint8 = _BY_NAME["qint8"]
qint16 = _BY_NAME["qint16"]
qint32 = _BY_NAME["qint32"]
quint8 = _BY_NAME["quint8"]
quint16 = _BY_NAME["quint16"]
float8_e5m2 = _BY_NAME["float8_e5m2"]
float8_e4m3fn = _BY_NAME["float8_e4m3fn"]
int4 = _BY_NAME["int4"]
uint4 = _BY_NAME["uint4"]

_BY_NAME.update(half=float16, double=float64, float=float32)
_BY_NAME.update(half_ref=float16.ref_dtype, double_ref=float64.ref_dtype)
_BY_NAME.update(float_ref=float32.ref_dtype)
# No `int`: as in TensorFlow, so that nobody has to guess between int32 and int64.
_BY_PYTHON: dict[type, DType] = {float: float32, bool: bool_, object: string}


def is_quantized_numpy(numpy_dtype: np.dtype) -> bool:
    """Whether it is TensorFlow's form of a quantized type: one field, [("qint8", np.int8)]."""
    names = numpy_dtype.names
    if names is None or len(names) != 1 or names[0] not in _QUANTIZED:
        return False
    return numpy_dtype[names[0]] == np.dtype(_BY_NAME[names[0]].as_numpy_dtype)


def as_dtype(type_value: Any) -> DType:
    """Convert anything that names a type to its `DType` (TensorFlow: `tf.as_dtype`).

    Args:
      type_value: a `DType`, a DataType enum number, a name ("float32", "int32_ref"), a numpy
        dtype or scalar type, or one of Python's `float` (float32), `bool` and `object` (string).

    Raises:
      TypeError: if it names no type TensorFlow has.

    Example:
      >>> tf.as_dtype("float32") is tf.float32
      True
    """
    if isinstance(type_value, DType):
        return type_value
    found: DType | None
    if isinstance(type_value, str):
        found = _BY_NAME.get(type_value)
    elif isinstance(type_value, int) and not isinstance(type_value, bool):
        found = _BY_ENUM.get(type_value)
    elif isinstance(type_value, type) and type_value in _BY_PYTHON:
        found = _BY_PYTHON[type_value]
    else:
        found = _from_numpy(type_value)
    if found is None:
        raise TypeError(
            f"Cannot convert the argument `type_value`: {type_value!r} to a TensorFlow DType."
        )
    return found


def _from_numpy(type_value: Any) -> DType | None:
    """The type for a numpy dtype (of either byte order), scalar type, or array-like's `dtype`."""
    if isinstance(type_value, type):
        if not issubclass(type_value, np.generic):
            return None
    elif not isinstance(type_value, np.dtype):
        return None
    numpy_dtype = np.dtype(type_value)
    if numpy_dtype.kind in "SUO":
        return string
    if is_quantized_numpy(numpy_dtype):
        return _BY_NAME[numpy_dtype.names[0]]
    return _BY_NUMPY.get(numpy_dtype if numpy_dtype.isnative else numpy_dtype.newbyteorder("="))
