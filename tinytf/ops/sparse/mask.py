"""Slices of an `IndexedSlices` left out: sparse_mask."""

from __future__ import annotations

from typing import Any

from tinytf import ops
from tinytf.framework.indexed_slices import IndexedSlices
from tinytf.ops.array.dynamic_stitch import list_diff_op
from tinytf.ops.base.op_scope import op_scope

# sparse_mask --------------------------------------------------------------------------------------


def sparse_mask(a: IndexedSlices, mask_indices: Any, name: str | None = None) -> IndexedSlices:
    """Indexed slices without those of some indices (TensorFlow 1.x: `tf.sparse_mask`).

    Args:
      a: the slices.
      mask_indices: what is left out, a vector of the dtype of `a.indices`.
      name: of the operations' scope.

    Example:
      >>> a = tf.IndexedSlices(tf.constant([1.0, 2.0]), tf.constant([4, 7]))
      >>> tf.sparse_mask(a, [4]).indices  # [7]
    """
    with op_scope(name, "sparse_mask", (a, mask_indices)) as scope:
        indices, kept = list_diff_op(a.indices, mask_indices)
        return IndexedSlices(ops.gather(a.values, kept, name=scope), indices, a.dense_shape)
