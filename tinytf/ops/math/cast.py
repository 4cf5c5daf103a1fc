"""Cast: from one dtype to another."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from tinytf import ops
from tinytf.framework import dtypes, shape_inference
from tinytf.framework.array_types import Array
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.errors import UnimplementedError
from tinytf.framework.indexed_slices import IndexedSlices
from tinytf.framework.op_card import define_op
from tinytf.framework.operation import Operation
from tinytf.framework.sparse_tensor import SparseTensor
from tinytf.framework.tensor import Tensor
from tinytf.ops.array.constant import constant
from tinytf.ops.base.op_scope import op_scope
from tinytf.protos import tensor_pb2

cast_op = define_op(
    "Cast",
    "x: SrcT -> y: DstT",
    "SrcT: type, DstT: type, Truncate: bool = false",
    shape=shape_inference.unchanged,
)
_NOT_NUMBERS = (dtypes.string, dtypes.resource, dtypes.variant)


# What a float that an integer cannot hold becomes is the processor's choice in both libraries:
# on x86 the smallest int32 or int64. Wider integers lose their high bits.
@cast_op.kernel
def _cast_kernel(
    x: Array, *, SrcT: dtypes.DType, DstT: dtypes.DType, Truncate: bool = False
) -> Array:
    if SrcT is DstT:
        return x
    if Truncate and SrcT is dtypes.float32 and DstT is dtypes.bfloat16:
        return truncate_to_bfloat16(x)
    if Truncate and (SrcT, DstT) in _SURPLUS_BITS:
        x = _without_low_bits(x, _SURPLUS_BITS[SrcT, DstT])
    if SrcT in _NOT_NUMBERS or DstT in _NOT_NUMBERS:
        raise UnimplementedError(
            f"Cast {kernel_name(SrcT)} to {kernel_name(DstT)} is not supported"
        )
    if SrcT.is_complex and not (DstT.is_complex or DstT.is_bool):
        x = x.real  # numpy warns where TensorFlow has warned when the graph was built
    return x.astype(DstT.as_numpy_dtype)


#: By how many bits the fraction of a float is longer than that of another.
_SURPLUS_BITS = {
    (dtypes.float64, dtypes.float32): 29,
    (dtypes.float64, dtypes.float16): 42,
    (dtypes.float32, dtypes.float16): 13,
    (dtypes.complex128, dtypes.complex64): 29,
}


def _without_low_bits(x: Any, bits: int) -> Any:
    """Floats with that many zeros at the end of their fractions: then nothing is rounded."""
    whole = f"u{x.dtype.itemsize // (2 if x.dtype.kind == 'c' else 1)}"
    flat = x.reshape(-1)
    result = (flat.view(whole) >> bits << bits).view(x.dtype)
    wrong = flat != flat  # low bits may be all that tells what is not a number from an infinity
    result[wrong] = flat[wrong]
    return result.reshape(x.shape)


def truncate_to_bfloat16(x: Any) -> Any:
    """float32 cut off after 16 bits, without rounding: half the bytes for a way between tasks.

    It is what a Cast with `Truncate` does, bit by bit as TensorFlow's. Nothing becomes larger;
    infinities stay, and what is not a number stays one.

    Args:
      x: an array or numpy scalar of float32, of any shape.

    Returns:
      the same in bfloat16.

    Example:
      >>> truncate_to_bfloat16(np.float32(1.9999))  # 1.9921875; rounded it would be 2
    """
    x = np.asarray(x)
    halves = np.ascontiguousarray(x).reshape(-1).view(np.uint16)
    result = halves[_HIGH_HALF::2].copy()
    if x.size and np.isnan(np.max(x)):
        wrong = np.isnan(x.reshape(-1))
        result[wrong] = result[wrong] & 0x8000 | 0x7FC0
    return result.view(dtypes.bfloat16.as_numpy_dtype).reshape(x.shape)[()]


def expand_to_float32(x: Any) -> Any:
    """bfloat16 as the float32 that has its bits and 16 zeros: exact.

    Args:
      x: an array or numpy scalar of bfloat16, of any shape.

    Example:
      >>> expand_to_float32(truncate_to_bfloat16(np.float32(0.5)))  # 0.5
    """
    return np.asarray(x).astype(np.float32)[()]


_HIGH_HALF = 1 if sys.byteorder == "little" else 0


def kernel_name(dtype: dtypes.DType) -> str:
    """A dtype as TensorFlow's kernels call it: "float", not "float32"."""
    return tensor_pb2.DataType.Name(dtype.as_datatype_enum).removeprefix("DT_").lower()


_DIFFERENTIABLE = {
    dtypes.float16,
    dtypes.float32,
    dtypes.float64,
    dtypes.bfloat16,
    dtypes.complex64,
    dtypes.complex128,
}


@cast_op.gradient
def _cast_gradient(op: Operation, gradient: Any) -> Any:
    source, result = op.inputs[0].dtype.base_dtype, gradient.dtype.base_dtype
    if source in _DIFFERENTIABLE and result in _DIFFERENTIABLE:
        return cast(gradient, source)
    return None


def cast(x: Any, dtype: Any, name: str | None = None) -> Any:
    """A tensor in another dtype (TensorFlow: `tf.cast`).

    Floats lose their fraction on the way to integers; everything but zero is True; complex
    numbers lose their imaginary part.

    Args:
      x: a tensor, `SparseTensor` or `IndexedSlices` of any shape.
      dtype: the dtype wanted. If x has it already, x itself is returned.
      name: of the operation.

    Raises:
      UnimplementedError: in a run, for strings.

    Example:
      >>> tf.cast([1.8, -1.8], tf.int32)  # [1, -1]
    """
    wanted = dtypes.as_dtype(dtype).base_dtype
    if isinstance(x, Tensor):
        # A reference's own dtype is another, so it gets a node, which reads it: as in TensorFlow.
        return x if x.dtype is wanted else cast_op(x, name=name, DstT=wanted)
    if isinstance(x, IndexedSlices):
        return IndexedSlices(cast(x.values, wanted, name), x.indices, x.dense_shape)
    if isinstance(x, SparseTensor):
        with op_scope(name, "Cast", (x.values,)) as scope:
            return SparseTensor(x.indices, cast(x.values, wanted, scope), x.dense_shape)
    if hasattr(x, "handle") and x.dtype is wanted:
        return x  # a resource variable: whoever uses it reads it
    with op_scope(name, "Cast", (x,)) as scope:
        x = convert_to_tensor(x, name="x")
        return x if x.dtype is wanted else cast_op(x, name=scope, DstT=wanted)


def saturate_cast(value: Any, dtype: Any, name: str | None = None) -> Any:
    """`cast`, but what the dtype cannot hold becomes its nearest bound (`tf.saturate_cast`).

    Args:
      value: a tensor of numbers; of complex ones the real part, unless `dtype` is complex.
      dtype: the dtype wanted.
      name: a name scope, "saturate_cast" by default.

    Raises:
      TypeError: for dtypes without bounds, bool for example.

    Example:
      >>> tf.saturate_cast([300, -3, 7], tf.uint8)  # [255, 0, 7]
    """
    with op_scope(name, "saturate_cast", (value,)) as scope:
        value = convert_to_tensor(value, name="value")
        wanted = dtypes.as_dtype(dtype).base_dtype
        if value.dtype.is_complex and not wanted.is_complex:
            value = ops.real(value)
        bounds = _bounds_within(value.dtype.base_dtype, wanted)
        if bounds is not None:
            low, high = (constant(bound, dtype=value.dtype.base_dtype) for bound in bounds)
            value = ops.clip_by_value_op(value, low, high, name="clamp")
        return cast(value, wanted, name=scope)


def _bounds_within(source: dtypes.DType, wanted: dtypes.DType) -> tuple[Any, Any] | None:
    """The bounds of `wanted` as numbers of `source`; None if everything fits."""
    first = source.real_dtype
    (own_low, own_high), (low, high) = (
        (np.asarray(d.min).item(), np.asarray(d.max).item()) for d in (first, wanted.real_dtype)
    )
    if own_low >= low and own_high <= high:
        return None
    bounds = []
    low, high = max(own_low, low), min(own_high, high)
    for limit, towards_0 in ((low, high), (high, low)):
        bound = np.array(limit, first.as_numpy_dtype)
        if first.is_floating and abs(float(bound)) > abs(float(limit)):
            # Rounded away from zero: the next number in the other direction does fit.
            bound = np.nextafter(bound, np.array(towards_0, first.as_numpy_dtype))
        bounds.append(bound * (1 + 1j) if source.is_complex else bound)
    return bounds[0], bounds[1]


def to_float(x: Any, name: str = "ToFloat") -> Any:
    """`tf.cast` to float32 (TensorFlow 1.x: `tf.to_float`).

    Example:
      >>> tf.to_float([1, 2])  # [1., 2.], float32
    """
    return cast(x, dtypes.float32, name)


def to_double(x: Any, name: str = "ToDouble") -> Any:
    """`tf.cast` to float64 (TensorFlow 1.x: `tf.to_double`).

    Example:
      >>> tf.to_double([1, 2])  # [1., 2.], float64
    """
    return cast(x, dtypes.float64, name)


def to_int32(x: Any, name: str = "ToInt32") -> Any:
    """`tf.cast` to int32 (TensorFlow 1.x: `tf.to_int32`).

    Example:
      >>> tf.to_int32([1.8, -1.8])  # [1, -1], int32
    """
    return cast(x, dtypes.int32, name)


def to_int64(x: Any, name: str = "ToInt64") -> Any:
    """`tf.cast` to int64 (TensorFlow 1.x: `tf.to_int64`).

    Example:
      >>> tf.to_int64([1.8, -1.8])  # [1, -1], int64
    """
    return cast(x, dtypes.int64, name)


def to_bfloat16(x: Any, name: str = "ToBFloat16") -> Any:
    """`tf.cast` to bfloat16 (TensorFlow 1.x: `tf.to_bfloat16`).

    Example:
      >>> tf.to_bfloat16([1.0, 0.5])  # [1., 0.5], bfloat16
    """
    return cast(x, dtypes.bfloat16, name)


def to_complex64(x: Any, name: str = "ToComplex64") -> Any:
    """`tf.cast` to complex64 (TensorFlow 1.x: `tf.to_complex64`).

    Example:
      >>> tf.to_complex64([1.0, 2.0])  # [1 + 0j, 2 + 0j], complex64
    """
    return cast(x, dtypes.complex64, name)


def to_complex128(x: Any, name: str = "ToComplex128") -> Any:
    """`tf.cast` to complex128 (TensorFlow 1.x: `tf.to_complex128`).

    Example:
      >>> tf.to_complex128([1.0, 2.0])  # [1 + 0j, 2 + 0j], complex128
    """
    return cast(x, dtypes.complex128, name)
