"""Numbers as text and text as numbers, as C's printf and strtod have them."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np

from tinytf.framework import dtypes, shape_inference
from tinytf.framework.errors import ResourceExhaustedError, invalid
from tinytf.framework.op_card import define_op
from tinytf.framework.tensor import Tensor
from tinytf.ops.reduce.axes import one_of
from tinytf.ops.strings.string_cards import NO_DERIVATIVE, string_array, texts
from tinytf.protos import tensor_pb2

# AsString -----------------------------------------------------------------------------------------

#: Of one AsString: a width is a short message, whatever it asks for.
_MOST_TEXT_BYTES = 1 << 28

_as_string = define_op(
    "AsString",
    "input: T -> output: string",
    "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64, "
    "complex64, complex128, bool, variant, string}",
    "precision: int = -1, scientific: bool = false, shortest: bool = false, width: int = -1",
    "fill: string = ''",
    shape=shape_inference.unchanged,
    no_gradient=NO_DERIVATIVE,
)


@_as_string.kernel
def _as_string_kernel(
    input: Any,
    *,
    T: dtypes.DType,
    precision: int,
    scientific: bool,
    shortest: bool,
    width: int,
    fill: bytes,
) -> np.ndarray:
    _check_format(T, precision, scientific, shortest, fill)
    _check_size(np.size(input), width=width, precision=precision)
    flags = fill.decode() + (str(width) if width > -1 else "")
    values = np.asarray(input).reshape(-1)
    if T is dtypes.bool_:
        made = [b"true" if value else b"false" for value in values.tolist()]
    elif T is dtypes.string:
        sides = bytes.ljust if fill == b"-" else bytes.rjust
        made = [sides(value, max(width, 0)) for value in texts(input)]
    elif T.is_integer:
        if T.is_unsigned:
            flags = flags.lstrip("+ ")  # signs are none of theirs
        made = [(f"%{flags}d" % value).encode() for value in values.tolist()]
    else:
        kind = "e" if scientific else "g" if shortest else "f"
        show = _float_format(flags, f".{precision}" if precision > -1 else "", kind)
        if T.is_complex:
            made = [f"({show(v.real)},{show(v.imag)})".encode() for v in values.tolist()]
        else:
            made = [show(value).encode() for value in values.astype(np.float64).tolist()]
    return string_array(made, np.shape(input))


def _check_format(
    dtype: dtypes.DType, precision: int, scientific: bool, shortest: bool, fill: bytes
) -> None:
    # As TensorFlow's kernel calls it: "half", not "float16".
    name = tensor_pb2.DataType.Name(dtype.as_datatype_enum).removeprefix("DT_").lower()
    if not (dtype.is_floating or dtype.is_complex or dtype in (dtypes.string, dtypes.variant)):
        if scientific or shortest:
            raise invalid(f"scientific and shortest format not supported for datatype {name}")
        if precision >= 0:
            raise invalid(f"precision not supported for datatype {name}")
    if scientific and shortest:
        raise invalid("Cannot select both scientific and shortest notation")
    if len(fill) > 1:
        raise invalid("Fill string must be one or fewer characters")
    if fill and fill not in (b" ", b"+", b"-", b"0", b"#"):
        raise invalid(f'Fill argument not supported: "{fill.decode("utf-8", "replace")}"')


def _check_size(count: int, **attrs: int) -> None:
    for name, value in attrs.items():
        if not -(2**31) <= value < 2**31:
            raise invalid(f"Attr {name} has value {value} out of range for an int32")
        if value * count > _MOST_TEXT_BYTES:
            raise ResourceExhaustedError(
                f"{count} texts of {name} {value} are {value * count} bytes; AsString makes "
                f"{_MOST_TEXT_BYTES} at most. Take a smaller {name}."
            )


def _float_format(flags: str, precision: str, kind: str) -> Callable[[float], str]:
    plain = f"%{flags}{precision}{kind}"
    without_zeros = f"%{flags[flags[:1] == '0' :]}s"  # C pads what is not finite with spaces
    signs = {"+": "+", " ": " "}

    def show(value: float) -> str:
        if np.isfinite(value):
            return plain % value
        sign = "-" if np.signbit(value) else signs.get(flags[:1], "")
        return without_zeros % (sign + ("nan" if np.isnan(value) else "inf"))

    return show


def as_string(
    input: Any,
    precision: int = -1,
    scientific: bool = False,
    shortest: bool = False,
    width: int = -1,
    fill: str = "",
    name: str | None = None,
) -> Tensor:
    """Each element as text (TensorFlow: `tf.as_string`).

    Args:
      input: a tensor of numbers, truth values or strings.
      precision: digits behind the point, for floats; 6 by default.
      scientific: "1.5e+00".
      shortest: without needless zeros, "1.5".
      width: pad to as many characters.
      fill: " " or "0" to pad with, "+" to show signs, "-" to pad on the right.
      name: of the operation.

    Raises:
      InvalidArgumentError: in a run, for a format that the type does not have.
      ResourceExhaustedError: in a run, for more than 256 MiB of text by its width or precision.

    Example:
      >>> tf.as_string([3.14159, 2.0], precision=2)  # [b"3.14", b"2.00"]
    """
    return _as_string(
        input,
        name=name,
        precision=precision,
        scientific=scientific,
        shortest=shortest,
        width=width,
        fill=fill,
    )


# StringToNumber -----------------------------------------------------------------------------------

_string_to_number = define_op(
    "StringToNumber",
    "string_tensor: string -> output: out_type",
    "out_type: {float, double, int32, int64} = DT_FLOAT",
    shape=shape_inference.unchanged,
    no_gradient=NO_DERIVATIVE,
)

#: Longer ones are no floating-point numbers to TensorFlow; integers may have any number of zeros.
_MOST_DECIMAL_BYTES = 31
_MOST_DIGITS = 20
_SPACE = rb"[ \t\n\v\f\r]*"
_INTEGER = re.compile(rb"%s(-?[0-9]+)%s" % (_SPACE, _SPACE))
_DECIMAL = re.compile(
    rb"%s([+-]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|inf|nan))?%s" % (_SPACE, _SPACE),
    re.IGNORECASE,
)
_HEXADECIMAL = re.compile(rb"%s([+-]?0x[0-9a-f]+)%s" % (_SPACE, _SPACE), re.I)


def read_float(text: bytes) -> float | None:
    """The number that a text is, by TensorFlow's rule; None if it is none."""
    if len(text) > _MOST_DECIMAL_BYTES:
        return None
    if found := _DECIMAL.fullmatch(text):
        return float(found[1] or 0) if text else None
    if found := _HEXADECIMAL.fullmatch(text):
        return float.fromhex(found[1].decode())
    return None


def read_integer(text: bytes) -> int | None:
    """The integer that a text is, by TensorFlow's rule; None if it is none."""
    found = _INTEGER.fullmatch(text)
    digits = b"" if found is None else found[1].lstrip(b"-0")
    if found is None or len(digits) > _MOST_DIGITS:
        return None
    return int(digits or b"0") * (-1 if found[1].startswith(b"-") else 1)


@_string_to_number.kernel
def _string_to_number_kernel(strings: Any, *, out_type: dtypes.DType) -> Any:
    read: Callable[[bytes], Any] = read_integer if out_type.is_integer else read_float
    values = []
    for text in texts(strings):
        value = read(text)
        if value is None or (out_type.is_integer and not out_type.min <= value <= out_type.max):
            raise invalid(
                "StringToNumberOp could not correctly convert string: "
                + text.decode("utf-8", "backslashreplace")
            )
        values.append(value)
    return np.array(values, out_type.as_numpy_dtype).reshape(np.shape(strings))


def string_to_number(
    string_tensor: Any = None,
    out_type: Any = dtypes.float32,
    name: str | None = None,
    input: Any = None,
) -> Tensor:
    """Each string as the number that it says (TensorFlow: `tf.string_to_number`).

    Args:
      string_tensor, input: a tensor of strings, by its older or its newer name.
      out_type: float32, float64, int32 or int64.
      name: of the operation.

    Raises:
      InvalidArgumentError: in a run, for a string that is no such number.

    Example:
      >>> tf.string_to_number(["1.5", " -2e3"])  # [1.5, -2000.]
    """
    strings = one_of("input", input, "string_tensor", string_tensor)
    return _string_to_number(strings, name=name, out_type=dtypes.as_dtype(out_type))
