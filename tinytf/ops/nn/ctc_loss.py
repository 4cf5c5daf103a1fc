"""Connectionist temporal classification: how likely labels are, whenever they are said.

Network outputs say for each time step which class it is: a label, or blank, the last class. A
label sequence stands for all that become it when repetitions are merged and blanks left out. Their
probabilities are summed step by step, over the places of the sequence: blank, first label, blank,
second label, ... blank (the forward-backward algorithm).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from tinytf import ops
from tinytf.framework import dtypes
from tinytf.framework.array_types import Array
from tinytf.framework.cancellation import look
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.errors import InvalidArgumentError, invalid
from tinytf.framework.op_card import define_op
from tinytf.framework.operation import Operation
from tinytf.framework.shape_inference import InferenceContext, merge_dimension, with_rank
from tinytf.framework.sparse_tensor import SparseTensor
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape
from tinytf.ops.array.identity import prevent_gradient
from tinytf.ops.base.shape_rules import shown
from tinytf.ops.math.cast import cast
from tinytf.ops.sparse.to_dense import check_indices

_SHORT = (dtypes.float16, dtypes.bfloat16)

# CTCLoss ------------------------------------------------------------------------------------------

_ctc_loss = define_op(
    "CTCLoss",
    "inputs: T, labels_indices: int64, labels_values: int32, sequence_length: int32 -> loss: T, "
    "gradient: T",
    "preprocess_collapse_repeated: bool = false, ctc_merge_repeated: bool = true",
    "ignore_longer_outputs_than_inputs: bool = false, T: {float, double} = DT_FLOAT",
)


@_ctc_loss.shape
def _ctc_loss_shape(c: InferenceContext) -> list[TensorShape]:
    inputs, indices, values, lengths = (
        with_rank(c.input(number), rank).sizes or (None,) * rank
        for number, rank in enumerate((3, 2, 1, 1))
    )
    merge_dimension(indices[0], values[0])
    batch = merge_dimension(inputs[1], lengths[0])
    sizes = TensorShape.of((inputs[0], batch, inputs[2]))
    return [TensorShape.of((batch,)), sizes]


class _Places(NamedTuple):
    """The label sequences of a batch, with blanks around each label.

    Attributes:
      labels: [batch, places]: the class at each place. counts: places of each sequence.
      lengths: time steps of each sequence; 0 for those that are left out.
      stays: [batch, places]: where two steps in a row may be. skips: where the step before may
        have been two places before.
    """

    labels: Array
    counts: Array
    lengths: Array
    stays: Array
    skips: Array


@_ctc_loss.kernel
def _ctc_loss_kernel(
    inputs: Array,
    labels_indices: Array,
    labels_values: Array,
    sequence_length: Array,
    *,
    attrs: dict[str, Any],
) -> list[Array]:
    _check(inputs, labels_indices, labels_values, sequence_length)
    steps, batch, classes = inputs.shape
    rows = [labels_values[labels_indices[:, 0] == row].tolist() for row in range(batch)]
    places = _places(rows, sequence_length, classes, attrs)
    wide = inputs.astype(np.float64)
    log_y = wide - wide.max(axis=-1, keepdims=True)
    log_y -= np.log(np.exp(log_y).sum(axis=-1, keepdims=True))
    index = np.broadcast_to(places.labels, (steps, *places.labels.shape))
    with np.errstate(divide="ignore", invalid="ignore"):
        log_p = np.take_along_axis(log_y, index, axis=2)
        alpha, beta = _forward(log_p, places), _backward(log_p, places)
        total = np.logaddexp.reduce(alpha[0] + beta[0], axis=1)
        shares = np.exp(alpha + beta - total[:, None])
    gradient = np.exp(log_y)
    shares[:, np.isneginf(total)] = 0  # no way to say it
    np.subtract.at(gradient, (*np.ogrid[:steps, :batch, :1][:2], index), shares)
    gradient[np.arange(steps)[:, None] >= places.lengths] = 0
    loss = np.where(places.lengths > 0, -total, 0)
    return [loss.astype(inputs.dtype), gradient.astype(inputs.dtype)]


def check_sequences(
    inputs: Array, lengths: Array, kind: Callable[[str], Exception] = invalid
) -> None:
    """An error unless both have the right rank, and one of a kind if they do not fit.

    Args:
      inputs: [time, batch, classes]. lengths: [batch].
    """
    if inputs.ndim != 3:
        raise invalid("inputs is not a 3-Tensor")
    if lengths.ndim != 1:
        raise invalid("sequence_length is not a vector")
    steps, batch, _ = inputs.shape
    if len(lengths) != batch:
        raise kind(
            f"len(sequence_length) != batch_size.  len(sequence_length):  {len(lengths)} "
            f"batch_size: {batch}"
        )
    for row in np.flatnonzero(lengths > steps):
        raise kind(f"sequence_length({row}) <= {steps}")


def _check(inputs: Array, indices: Array, values: Array, lengths: Array) -> None:
    check_sequences(inputs, lengths)
    if indices.ndim != 2:
        raise invalid("labels_indices is not a matrix")
    if values.ndim != 1:
        raise invalid("labels_values is not a vector")
    if len(indices) != len(values):
        raise invalid(
            "labels_indices and labels_values must contain the same number of rows, but saw "
            f"shapes: {shown(indices)} vs. {shown(values)}"
        )
    if not len(lengths):
        raise invalid("batch_size must not be 0")
    width = int(indices[:, 1].max() + 1) if len(indices) else 0
    try:
        check_indices(indices, [len(lengths), width])
    except InvalidArgumentError as error:
        raise invalid(f"label SparseTensor is not valid: {error.message}") from None


def _places(rows: list[list[int]], lengths: Array, classes: int, attrs: dict[str, Any]) -> _Places:
    sequences, used = [], lengths.astype(np.int64)
    for row, (labels, length) in enumerate(zip(rows, lengths.tolist(), strict=True)):
        if length < 0:
            raise invalid(f"seq_len({row}) < 0")
        if not labels:
            raise invalid(f"Labels length is zero in batch {row}")
        sequences.append(_said(labels, row, classes, attrs["preprocess_collapse_repeated"]))
        if len(labels) > length:
            if not attrs["ignore_longer_outputs_than_inputs"]:
                raise invalid(
                    f"Not enough time for target transition sequence (required: {len(labels)}, "
                    f"available: {length}){row}You can turn this error into a warning by using "
                    "the flag ignore_longer_outputs_than_inputs"
                )
            used[row] = 0
    counts = np.array([2 * len(labels) + 1 for labels in sequences])
    places = np.full((len(rows), counts.max()), classes - 1)
    for row, labels in enumerate(sequences):
        places[row, 1 : counts[row] : 2] = labels
    is_label = np.arange(counts.max()) % 2 == 1
    merges = attrs["ctc_merge_repeated"]
    skips = np.zeros(places.shape, bool)
    skips[:, 2:] = is_label[2:] & ~(merges & (places[:, 2:] == places[:, :-2]))
    return _Places(places, counts, used, np.broadcast_to(merges | ~is_label, places.shape), skips)


def _said(labels: list[int], row: int, classes: int, collapses: bool) -> list[int]:
    """The labels up to the first blank; where they are collapsed, without repetitions."""
    said: list[int] = []
    has_ended, listed = False, ",".join(map(str, labels))
    for number, label in enumerate(labels):
        if number and collapses and label == labels[number - 1]:
            continue
        if label >= classes - 1:
            has_ended = True
            continue
        if has_ended:
            raise invalid(
                "Saw a non-null label (index >= num_classes - 1) following a null label, batch: "
                f"{row} num_classes: {classes} labels: {listed} labels seen so far: "
                f"{','.join(map(str, said))}"
            )
        said.append(label)
    if min(said, default=0) < 0:
        raise invalid(f"All labels must be nonnegative integers, batch: {row} labels: {listed}")
    return said


def _shifted(values: Array, by: int) -> Array:
    """The values of places `by` before, or behind for negative numbers: none is -inf."""
    result = np.full(values.shape, -np.inf)
    if by > 0:
        result[:, by:] = values[:, :-by]
    else:
        result[:, :by] = values[:, -by:]
    return result


def _forward(log_p: Array, places: _Places) -> Array:
    """[steps, batch, places]: log-probability to have said what is up to a place."""
    alpha = np.full(log_p.shape, -np.inf)
    alpha[0, :, :2] = log_p[0, :, :2]
    for step in range(1, len(log_p)):
        look()
        before = alpha[step - 1]
        reached = np.logaddexp(np.where(places.stays, before, -np.inf), _shifted(before, 1))
        skipped = np.where(places.skips, _shifted(before, 2), -np.inf)
        alpha[step] = log_p[step] + np.logaddexp(reached, skipped)
    return alpha


def _backward(log_p: Array, places: _Places) -> Array:
    """[steps, batch, places]: log-probability to say what is left behind a place."""
    beta = np.full(log_p.shape, -np.inf)
    left = places.counts[:, None] - np.arange(log_p.shape[2])
    ends = np.where((left == 1) | (left == 2), 0.0, -np.inf)
    skips = np.zeros(places.skips.shape, bool)
    skips[:, :-2] = places.skips[:, 2:]
    for step in reversed(range(len(log_p))):
        look()
        if step + 1 < len(log_p):
            after = beta[step + 1] + log_p[step + 1]
            reached = np.logaddexp(np.where(places.stays, after, -np.inf), _shifted(after, -1))
            skipped = np.where(skips, _shifted(after, -2), -np.inf)
            beta[step] = np.logaddexp(reached, skipped)
        is_last = places.lengths == step + 1
        beta[step, is_last] = ends[is_last]
    return beta


@_ctc_loss.gradient
def _ctc_loss_gradient(op: Operation, of_loss: Tensor, _: Any) -> list[Any]:
    found: Any = prevent_gradient(
        op.outputs[1],
        message="Currently there is no way to take the second  derivative of ctc_loss due to the "
        "fused implementation's interaction  with tf.gradients()",
    )
    return [ops.expand_dims(of_loss, -1) * found, None, None, None]


def ctc_loss(
    labels: Any,
    inputs: Any = None,
    sequence_length: Any = None,
    preprocess_collapse_repeated: bool = False,
    ctc_merge_repeated: bool = True,
    ignore_longer_outputs_than_inputs: bool = False,
    time_major: bool = True,
    logits: Any = None,
) -> Tensor:
    """-log of the probability of label sequences, whenever they are said (`tf.nn.ctc_loss`).

    Args:
      labels: a `tf.SparseTensor` of int32, a row of labels for each example, none empty.
      inputs, logits: [time, batch, classes]: before softmax; the last class is blank.
      sequence_length: int32, how many time steps each example has.
      preprocess_collapse_repeated: whether repeated labels are made one before.
      ctc_merge_repeated: whether repeated outputs are one label, unless blank is between them.
      ignore_longer_outputs_than_inputs: whether examples that are too short for their labels have
        the loss 0, instead of an error.
      time_major: False for inputs [batch, time, classes].

    Returns:
      [batch].

    Raises:
      TypeError: for labels that are not sparse. InvalidArgumentError: in a run, if labels, lengths
        and inputs do not fit.

    Example:
      >>> labels = tf.SparseTensor([[0, 0]], tf.constant([0]), [1, 1])
      >>> tf.nn.ctc_loss(labels, tf.zeros([2, 1, 2]), [2])  # [0.28768212]
    """
    if not isinstance(labels, SparseTensor):
        raise TypeError(
            f"Expected argument `labels` to be a SparseTensor. Received labels={labels} of type: "
            f"{type(labels).__name__}. Use tf.nn.ctc_loss_v2 for a matrix of labels."
        )
    inputs = ops.deprecated_lookup("logits", logits, "inputs", inputs)
    inputs = convert_to_tensor(inputs, name="logits")
    if not time_major:
        inputs = ops.transpose(inputs, [1, 0, 2])
    given = inputs.dtype
    loss, _ = _ctc_loss(
        cast(inputs, dtypes.float32) if given in _SHORT else inputs,
        labels.indices,
        labels.values,
        sequence_length,
        preprocess_collapse_repeated=preprocess_collapse_repeated,
        ctc_merge_repeated=ctc_merge_repeated,
        ignore_longer_outputs_than_inputs=ignore_longer_outputs_than_inputs,
    )
    return cast(loss, given) if given in _SHORT else loss
