"""Labels in matrices, for connectionist temporal classification: composites."""

from __future__ import annotations

from typing import Any

from tinytf import ops
from tinytf.framework import dtypes
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.sparse_tensor import SparseTensor
from tinytf.framework.tensor import Tensor
from tinytf.ops.array.boolean_mask import boolean_mask
from tinytf.ops.array.gather_nd import gather_nd
from tinytf.ops.array.range import range as range_of
from tinytf.ops.array.sequence_mask import sequence_mask
from tinytf.ops.array.unique import unique
from tinytf.ops.array.where import where
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.control_flow.element_loops import map_fn
from tinytf.ops.math.cast import cast
from tinytf.ops.math.comparison import not_equal
from tinytf.ops.math.logical import logical_and
from tinytf.ops.nn.ctc_loss import ctc_loss
from tinytf.ops.reduce.reduction import reduce_max, reduce_sum


def _size(tensor: Any, axis: int) -> Any:
    sizes = tensor.shape.sizes
    known = None if sizes is None else sizes[axis]
    return ops.shape(tensor)[axis] if known is None else known  # type: ignore[index]


def ctc_loss_v2(
    labels: Any,
    logits: Any,
    label_length: Any,
    logit_length: Any,
    logits_time_major: bool = True,
    unique: Any = None,
    blank_index: int | None = None,
    name: str | None = None,
) -> Tensor:
    """`ctc_loss` of a matrix of labels, with any class as blank (TensorFlow: `tf.nn.ctc_loss_v2`).

    Labels in a matrix are made sparse here, where TensorFlow has another algorithm: the losses are
    the same, but errors are `ctc_loss`'s, for empty label sequences as well.

    Args:
      labels: [batch, labels], or a `tf.SparseTensor`.
      logits: [time, batch, classes], before softmax.
      label_length: how many labels each example has; not used for a `tf.SparseTensor`.
      logit_length: how many time steps each example has.
      logits_time_major: False for logits [batch, time, classes].
      unique: of `ctc_unique_labels`; it is not needed.
      blank_index: which class is blank: for a matrix 0 by default, to be given for a
        `tf.SparseTensor`; counted from the end if negative.
      name: of the operations' scope.

    Returns:
      [batch].

    Raises:
      ValueError: for a `tf.SparseTensor` without `blank_index`.

    Example:
      >>> tf.nn.ctc_loss_v2([[1]], tf.zeros([2, 1, 2]), [1], [2])  # [0.28768212]
    """
    if isinstance(labels, SparseTensor):
        if blank_index is None:
            raise ValueError(
                "Argument `blank_index` must be provided when labels is a SparseTensor: "
                "blank_index=-1 for the last class."
            )
        return _with_blank(labels, logits, logit_length, logits_time_major, blank_index)
    with op_scope(name, "ctc_loss_dense", (labels, logits, label_length, logit_length)):
        labels = convert_to_tensor(labels, name="labels")
        logits = convert_to_tensor(logits, name="logits")
        places = where(sequence_mask(label_length, maxlen=_size(labels, 1)))
        values = cast(gather_nd(labels, places), dtypes.int32)
        sparse = SparseTensor(places, values, ops.shape(labels, out_type=dtypes.int64))
        blank = blank_index or 0
        return _with_blank(sparse, logits, logit_length, logits_time_major, blank)


def _with_blank(
    labels: SparseTensor, logits: Any, lengths: Any, time_major: bool, blank_index: int
) -> Tensor:
    """The loss, blank being moved behind the other classes."""
    if blank_index < 0:
        blank_index += _size(logits, 2)
    if blank_index != _size(logits, 2) - 1:
        parts = [
            logits[:, :, :blank_index],
            logits[:, :, blank_index + 1 :],
            logits[:, :, blank_index : blank_index + 1],
        ]
        logits = ops.concat(parts, axis=2)
        values: Any = labels.values
        values = where(values < blank_index, values, values - 1)
        labels = SparseTensor(labels.indices, values, labels.dense_shape)
    return ctc_loss(labels, logits, lengths, time_major=time_major)


def ctc_unique_labels(labels: Any, name: str | None = None) -> Any:
    """The different labels of each row, and where they are (`tf.nn.ctc_unique_labels`).

    Args:
      labels: [batch, labels], with zeros behind.
      name: of the operations' scope.

    Returns:
      [batch, labels], int64, with zeros behind; and the places of `labels` in it, int32.

    Example:
      >>> tf.nn.ctc_unique_labels([[3, 5, 3]])  # ([[3, 5, 0]], [[0, 1, 0]])
    """
    with op_scope(name, "ctc_unique_labels", (labels,)):
        labels = convert_to_tensor(labels, name="labels")

        def of_row(row: Any) -> list[Tensor]:
            found = unique(row)
            more = _size(found.idx, 0) - _size(found.y, 0)
            padded = ops.pad(found.y, [[0, more]])
            return [cast(padded, dtypes.int64), found.idx]

        return map_fn(of_row, labels, dtype=[dtypes.int64, dtypes.int32])


def collapse_repeated(
    labels: Any, seq_length: Any, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """Repetitions in each row made one label (TensorFlow: `tf.nn.collapse_repeated`).

    Args:
      labels: [batch, labels].
      seq_length: how many labels each row has.
      name: of the operations' scope.

    Returns:
      the labels, with zeros behind, and how many each row has.

    Example:
      >>> tf.nn.collapse_repeated([[1, 1, 2, 1]], [3])  # ([[1, 2]], [2])
    """
    with op_scope(name, "collapse_repeated_labels", (labels, seq_length)):
        labels = convert_to_tensor(labels, name="labels")
        seq_length = convert_to_tensor(seq_length, name="seq_length")
        first = ops.ones_like(labels[:, :1], dtypes.bool_)
        mask = ops.concat([first, not_equal(labels[:, 1:], labels[:, :-1])], axis=1)
        mask = logical_and(mask, sequence_mask(seq_length, maxlen=_size(labels, 1)))
        counts = reduce_sum(cast(mask, dtypes.int32), axis=1)
        width = reduce_max(counts)
        kept = sequence_mask(counts, maxlen=width)
        flat, flat_mask = ops.reshape(labels, [-1]), ops.reshape(mask, [-1])
        flat_kept = ops.reshape(kept, [-1])
        numbers = range_of(_size(flat_kept, 0))
        collapsed = ops.scatter_nd(
            ops.expand_dims(boolean_mask(numbers, flat_kept), axis=1),
            boolean_mask(flat, flat_mask),
            ops.shape(flat_kept),
        )
        shape = [_size(labels, 0), width]
        return ops.reshape(collapsed, shape), cast(counts, seq_length.dtype)
