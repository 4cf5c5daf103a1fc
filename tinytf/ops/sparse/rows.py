"""Some of the entries of a sparse tensor."""

from __future__ import annotations

from typing import Any

from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.sparse_tensor import SparseTensor
from tinytf.framework.tensor import Tensor
from tinytf.ops.gathering import gather
from tinytf.ops.identity import identity
from tinytf.ops.selection import where_v2
from tinytf.ops.shapes import reshape


def sparse_retain(sp_input: SparseTensor, to_retain: Any) -> SparseTensor:
    """Some of the values of a sparse tensor (TensorFlow: `tf.sparse_retain`).

    Args:
      sp_input: the tensor, with n values. to_retain: bool [n], which of them to keep.

    Raises:
      TypeError: if `sp_input` is not sparse. ValueError: if the numbers differ.

    Example:
      >>> x = tf.SparseTensor([[0], [2]], [5.0, 6.0], [3])
      >>> tf.sparse_retain(x, [False, True]).values  # [6.]
    """
    if not isinstance(sp_input, SparseTensor):
        raise TypeError(f"Input must be a SparseTensor, got {type(sp_input).__name__}")
    kept: Tensor = convert_to_tensor(to_retain)
    kept.shape.assert_has_rank(1)
    sp_input.values.shape[0].merge_with(kept.shape[0])
    places = reshape(where_v2(kept), [-1])
    indices, values = gather(sp_input.indices, places), gather(sp_input.values, places)
    return SparseTensor(indices, values, identity(sp_input.dense_shape))
