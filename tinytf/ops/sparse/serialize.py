"""Sparse tensors as one tensor: three strings, or three objects, for each.

As strings (serialised TensorProtos) they can be written to files; as `variant`s they go through
the datasets of tf.data, whose components are single tensors. Several are put together with one
more dimension. Mirrors core/kernels/serialize_sparse_op.cc and deserialize_sparse_variant_op.cc.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from google.protobuf.message import DecodeError

from tinytf.framework import dtypes
from tinytf.framework.errors import invalid
from tinytf.framework.op_card import define_op
from tinytf.framework.shape_inference import InferenceContext
from tinytf.framework.sparse_tensor import SparseTensor
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape
from tinytf.framework.tensor_value import encode, make_ndarray
from tinytf.ops.base.shape_rules import shown
from tinytf.ops.sparse import parts
from tinytf.ops.sparse.conversion import convert_to_sparse_tensor
from tinytf.protos import tensor_pb2

_SERIALIZE = f"{parts.arguments('sparse_')} -> serialized_sparse: out_type"
_OUTPUTS = parts.arguments("sparse_", "dtype")
_OUT_TYPE = "T: type, out_type: {string, variant} = DT_STRING"
_REASON = "a serialized tensor is no number"

# SerializeSparse, SerializeManySparse -------------------------------------------------------------

_serialize_sparse = define_op("SerializeSparse", _SERIALIZE, _OUT_TYPE, no_gradient=_REASON)
_serialize_many_sparse = define_op(
    "SerializeManySparse", _SERIALIZE, _OUT_TYPE, no_gradient=_REASON
)


@_serialize_sparse.shape
def _serialize_shape(c: InferenceContext) -> TensorShape:
    parts.check_static_ranks(c)
    return TensorShape.of((3,))


@_serialize_many_sparse.shape
def _serialize_many_shape(c: InferenceContext) -> TensorShape:
    parts.check_static_ranks(c)
    return TensorShape.of((None, 3))


@_serialize_sparse.kernel
def _serialize(indices: Any, values: Any, shape: Any, *, out_type: Any, T: Any) -> np.ndarray:
    _check_parts(indices, values, shape)
    return _packed([(indices, values, shape)], out_type, T)[0]


@_serialize_many_sparse.kernel
def _serialize_many(indices: Any, values: Any, shape: Any, *, out_type: Any, T: Any) -> np.ndarray:
    _check_parts(indices, values, shape)
    if len(shape) < 2:
        raise invalid(f"Rank of input SparseTensor should be > 1, but saw rank: {len(shape)}")
    rows = np.asarray(indices[:, 0])
    if np.any(rows[1:] < rows[:-1]) or np.any(rows < 0) or np.any(rows >= shape[0]):
        raise invalid(
            f"The rows of the sparse tensor must be in order, from 0 to {int(shape[0]) - 1}; they "
            f"are {rows.tolist()[:20]}. tf.sparse.reorder puts them in order."
        )
    cuts = np.searchsorted(rows, np.arange(int(shape[0]) + 1))
    tensors = [(indices[a:b, 1:], values[a:b], shape[1:]) for a, b in pairwise(cuts)]
    return _packed(tensors, out_type, T)


def _check_parts(indices: Any, values: Any, shape: Any) -> None:
    if np.ndim(indices) != 2 or np.ndim(values) != 1 or np.ndim(shape) != 1:
        raise invalid(
            f"Input indices should be a matrix, values and shape vectors, but received shapes "
            f"{shown(indices)}, {shown(values)} and {shown(shape)}"
        )
    if len(indices) != len(values) or indices.shape[1] != len(shape):
        raise invalid(
            f"The sparse tensor's indices {shown(indices)} do not fit {len(values)} values and "
            f"{len(shape)} dimensions."
        )


def _packed(tensors: list[tuple[Any, Any, Any]], out_type: Any, kind: Any) -> np.ndarray:
    result = np.empty((len(tensors), 3), object)
    for row, tensor in enumerate(tensors):
        for column, (array, dtype) in enumerate(zip(tensor, (dtypes.int64, kind, dtypes.int64))):
            value: Any = np.asarray(array)
            if out_type is dtypes.string:
                value = encode(value, dtype).SerializeToString()
            result[row, column] = value
    return result


# DeserializeSparse, DeserializeManySparse ---------------------------------------------------------

_deserialize_sparse = define_op(
    "DeserializeSparse",
    f"serialized_sparse: Tserialized -> {_OUTPUTS}",
    "dtype: type, Tserialized: {string, variant} = DT_STRING",
    no_gradient=_REASON,
)
_deserialize_many_sparse = define_op(
    "DeserializeManySparse",
    f"serialized_sparse: string -> {_OUTPUTS}",
    "dtype: type",
    no_gradient=_REASON,
)


@_deserialize_sparse.shape
@_deserialize_many_sparse.shape
def _deserialized_shapes(c: InferenceContext) -> list[TensorShape]:
    sizes = c.input(0).sizes
    if sizes and sizes[-1] not in (3, None):
        raise ValueError(f"Dimension must be 3 but is {sizes[-1]}")
    return parts.static_shapes()


@_deserialize_sparse.kernel
@_deserialize_many_sparse.kernel
def _deserialize(serialized: Any, *, dtype: Any) -> tuple[Any, Any, Any]:
    if np.ndim(serialized) == 0 or serialized.shape[-1] != 3:
        raise invalid(
            f"Serialized sparse should have 3 as the last dimension but has shape "
            f"{shown(serialized)}"
        )
    outer = serialized.shape[:-1]
    tensors = [_unpacked(row, dtype) for row in serialized.reshape(-1, 3)]
    if not outer:
        return tensors[0]
    if not tensors:
        raise invalid("At least one serialized SparseTensor is required, there is none.")
    rank = len(tensors[0][2])
    sizes = np.zeros(rank, np.int64)
    places: list[Any] = []
    for number, (indices, _, shape) in enumerate(tensors):
        if len(shape) != rank:
            raise invalid(
                f"Inconsistent shape across SparseTensors: rank prior to SparseTensor[{number}] "
                f"was: {rank} but rank of SparseTensor[{number}] is: {len(shape)}"
            )
        sizes = np.maximum(sizes, shape)
        where = np.array(np.unravel_index(number, outer), np.int64)
        places.append(np.hstack([np.broadcast_to(where, (len(indices), len(outer))), indices]))
    values = np.concatenate([tensor[1] for tensor in tensors])
    return np.concatenate(places), values, np.concatenate([np.array(outer, np.int64), sizes])


def _unpacked(row: Any, dtype: Any) -> tuple[Any, Any, Any]:
    indices, values, shape = map(_read, row)
    if dtypes.as_dtype(values.dtype) is not dtype:
        raise invalid(
            f"Requested SparseTensor of type {dtype.name} but SparseTensor[0].values.dtype() == "
            f"{dtypes.as_dtype(values.dtype).name}"
        )
    _check_parts(indices, values, shape)
    return indices, values, shape


def _read(cell: Any) -> np.ndarray:
    if isinstance(cell, np.ndarray):
        return cell
    if not isinstance(cell, bytes):
        raise invalid(f"This is no part of a serialized sparse tensor: {cell!r}")
    try:
        return make_ndarray(tensor_pb2.TensorProto.FromString(cell))
    except (DecodeError, TypeError, ValueError) as error:
        raise invalid(f"Could not parse a part of a serialized sparse tensor: {error}") from None


# Public functions ---------------------------------------------------------------------------------


def serialize_sparse(
    sp_input: Any, name: str | None = None, out_type: Any = dtypes.string
) -> Tensor:
    """A sparse tensor as a vector of three strings (TensorFlow: `tf.serialize_sparse`).

    Args:
      sp_input: a `SparseTensor`. out_type: tf.string or tf.variant.

    Raises:
      TypeError: if it is no sparse tensor.

    Example:
      >>> x = tf.SparseTensor([[1]], [5], [3])
      >>> tf.serialize_sparse(x).shape  # (3,)
    """
    sparse = convert_to_sparse_tensor(sp_input)
    return _serialize_sparse(*parts.parts_of(sparse), out_type=out_type, name=name)


def serialize_many_sparse(
    sp_input: Any, name: str | None = None, out_type: Any = dtypes.string
) -> Tensor:
    """The rows of a sparse tensor, each as three strings (TensorFlow: `tf.serialize_many_sparse`).

    Args:
      sp_input: a `SparseTensor` of rank 2 or more. out_type: tf.string or tf.variant.

    Returns:
      [rows, 3].

    Example:
      >>> x = tf.SparseTensor([[0, 1], [1, 0]], [5, 6], [2, 3])
      >>> y = tf.deserialize_many_sparse(tf.serialize_many_sparse(x), tf.int32)
      >>> tf.sparse_tensor_to_dense(y)  # [[0, 5, 0], [6, 0, 0]]
    """
    sparse = convert_to_sparse_tensor(sp_input)
    return _serialize_many_sparse(*parts.parts_of(sparse), out_type=out_type, name=name)


def deserialize_sparse(
    serialized_sparse: Any, dtype: Any, rank: int | None = None, name: str | None = None
) -> SparseTensor:
    """The sparse tensor of what `serialize_sparse` gave (TensorFlow: the op DeserializeSparse).

    Several, [..., 3], are put together with more dimensions in front.

    Args:
      dtype: of the values. rank: of the result, if it is known.

    Raises:
      InvalidArgumentError: when it runs, for anything else, or another type.
    """
    return _sparse(_deserialize_sparse(serialized_sparse, dtype=dtype, name=name), rank)


def deserialize_many_sparse(
    serialized_sparse: Any, dtype: Any, rank: int | None = None, name: str | None = None
) -> SparseTensor:
    """The sparse tensor of a batch of serialised ones (TensorFlow: `tf.deserialize_many_sparse`).

    Args:
      serialized_sparse: strings, [rows, 3]. dtype: of the values. rank: of the result.

    Example:
      >>> x = tf.serialize_many_sparse(tf.SparseTensor([[0, 1]], [5], [2, 3]))
      >>> both = tf.deserialize_many_sparse(x, tf.int32)
      >>> tf.sparse_tensor_to_dense(both)  # [[0, 5, 0], [0, 0, 0]]
    """
    return _sparse(_deserialize_many_sparse(serialized_sparse, dtype=dtype, name=name), rank)


def _sparse(outputs: tuple[Tensor, Tensor, Tensor], rank: int | None) -> SparseTensor:
    indices, values, shape = outputs
    indices.set_shape([None, rank])
    shape.set_shape([rank])
    return SparseTensor(indices, values, shape)
