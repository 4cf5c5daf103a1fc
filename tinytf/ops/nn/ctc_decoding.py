"""From network outputs to label sequences: the best class of each step, or the best sequences.

`ctc_loss.py` says what outputs and label sequences are to one another.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tinytf.framework.array_types import Array
from tinytf.framework.cancellation import look
from tinytf.framework.errors import FailedPreconditionError, invalid
from tinytf.framework.op_card import define_op
from tinytf.framework.shape_inference import InferenceContext, merge_dimension, with_rank
from tinytf.framework.sparse_tensor import SparseTensor
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape
from tinytf.ops.nn.ctc_loss import check_sequences

_NO_GRADIENT = "the results are labels, and how likely they are: train with tf.nn.ctc_loss"
_ZERO = -math.inf  # the logarithm of no chance


def _batch(c: InferenceContext) -> int | None:
    inputs, lengths = with_rank(c.input(0), 3).sizes, with_rank(c.input(1), 1).sizes
    return merge_dimension(inputs[1] if inputs else None, lengths[0] if lengths else None)


def _check(inputs: Array, lengths: Array) -> None:
    if inputs.ndim == 3 and not inputs.size:
        raise invalid("inputs must not be empty")
    check_sequences(inputs, lengths, FailedPreconditionError)


def _sparse(rows: list[list[int]]) -> tuple[Array, Array, Array]:
    """Indices, values and shape of a sparse tensor with these rows."""
    indices = [[row, place] for row, labels in enumerate(rows) for place in range(len(labels))]
    values = [label for labels in rows for label in labels]
    shape = [len(rows), max(map(len, rows), default=0)]
    found = (np.array(part, np.int64) for part in (indices, values, shape))
    places, labels, sizes = found
    return places.reshape(-1, 2), labels, sizes


def _merged(labels: Iterable[int]) -> list[int]:
    result: list[int] = []
    for label in labels:
        if not result or label != result[-1]:
            result.append(label)
    return result


# CTCGreedyDecoder ---------------------------------------------------------------------------------

_greedy_decoder = define_op(
    "CTCGreedyDecoder",
    "inputs: T, sequence_length: int32 -> decoded_indices: int64, decoded_values: int64, "
    "decoded_shape: int64, log_probability: T",
    "merge_repeated: bool = false, blank_index: int = -1, T: {float, double} = DT_FLOAT",
    no_gradient=_NO_GRADIENT,
)


@_greedy_decoder.shape
def _greedy_shape(c: InferenceContext) -> list[TensorShape]:
    shapes = ((None, 2), (None,), (2,), (_batch(c), 1))
    return [TensorShape.of(sizes) for sizes in shapes]


@_greedy_decoder.kernel
def _greedy_kernel(
    inputs: Array, sequence_length: Array, *, merge_repeated: bool, blank_index: int
) -> list[Array]:
    _check(inputs, sequence_length)
    steps, batch, classes = inputs.shape
    if not -classes <= blank_index < classes:
        raise invalid(
            f"blank_index expected to be between {-classes} and {classes - 1} but was {blank_index}"
        )
    blank = blank_index % classes
    inside = np.arange(steps)[:, None] < sequence_length
    best, chances = inputs.argmax(axis=2), np.where(inside, inputs.max(axis=2), 0)
    rows = []
    for row in range(batch):
        labels = best[: max(int(sequence_length[row]), 0), row].tolist()
        labels = _merged(labels) if merge_repeated else labels
        rows.append([label for label in labels if label != blank])
    chance = -chances.sum(axis=0, dtype=inputs.dtype)
    return [*_sparse(rows), chance[:, None]]


def ctc_greedy_decoder(
    inputs: Any, sequence_length: Any, merge_repeated: bool = True, blank_index: int | None = None
) -> tuple[list[SparseTensor], Tensor]:
    """The labels of the best class of each step (TensorFlow: `tf.nn.ctc_greedy_decoder`).

    Args:
      inputs: [time, batch, classes], before softmax.
      sequence_length: int32, how many time steps each example has.
      merge_repeated: whether repeated outputs are one label, unless blank is between them.
      blank_index: which class is blank; by default the last.

    Returns:
      a list of one `tf.SparseTensor` with a row of labels for each example, and [batch, 1]: minus
      the sum of the largest outputs.

    Raises:
      InvalidArgumentError: in a run, if there is no such class. FailedPreconditionError: if
        lengths do not fit.

    Example:
      >>> outputs = tf.one_hot([[0], [0], [2], [1]], 3)
      >>> decoded, _ = tf.nn.ctc_greedy_decoder(outputs, [4])
      >>> decoded[0].values  # [0, 1]
    """
    attrs: dict[str, Any] = {"merge_repeated": merge_repeated}
    attrs |= {} if blank_index is None else {"blank_index": blank_index}
    *found, chance = _greedy_decoder(inputs, sequence_length, name=None, **attrs)
    return [SparseTensor(*found)], chance


# CTCBeamSearchDecoder -----------------------------------------------------------------------------

_beam_search_decoder = define_op(
    "CTCBeamSearchDecoder",
    "inputs: T, sequence_length: int32 -> decoded_indices: top_paths * int64, "
    "decoded_values: top_paths * int64, decoded_shape: top_paths * int64, log_probability: T",
    "beam_width: int >= 1, top_paths: int >= 1, merge_repeated: bool = true",
    "T: {float, double} = DT_FLOAT",
    no_gradient=_NO_GRADIENT,
)


@_beam_search_decoder.shape
def _beam_search_shape(c: InferenceContext) -> list[TensorShape]:
    paths = c.attrs["top_paths"]
    shapes = [*[(None, 2)] * paths, *[(None,)] * paths, *[(2,)] * paths, (_batch(c), paths)]
    return [TensorShape.of(sizes) for sizes in shapes]


@dataclass(eq=False)
class _Sequence:
    """A label sequence that may be what was said so far.

    Attributes:
      label: its last one. parent: the sequence before it. children: those with one label more.
      blank, said: log-probability that the last output was blank, or the last label.
      total: of either; `_ZERO` for a sequence that is not among the best.
      old_blank, old_total: as they were one step before.
    """

    label: int = -1
    parent: _Sequence | None = None
    children: dict[int, _Sequence] = field(default_factory=dict)
    blank: float = _ZERO
    said: float = _ZERO
    total: float = _ZERO
    old_blank: float = _ZERO
    old_total: float = _ZERO

    def forget(self) -> None:
        """No longer, or not yet, among the best."""
        self.blank = self.said = self.total = _ZERO

    def labels(self) -> list[int]:
        """All of them."""
        found, sequence = [], self
        while sequence.parent is not None:
            found.append(sequence.label)
            sequence = sequence.parent
        return found[::-1]


class _Beam:
    """The best sequences of one step, at most so many."""

    def __init__(self, width: int):
        self.width = width
        self._heap: list[tuple[float, int, _Sequence]] = []
        self._pushed = 0

    def takes(self, chance: float) -> bool:
        """Whether a sequence that is so likely has a place."""
        return chance > _ZERO and (len(self._heap) < self.width or chance > self._heap[0][0])

    def push(self, sequence: _Sequence) -> None:
        """Take a sequence in; if all places are taken, for the least likely one."""
        self._pushed += 1
        item = (sequence.total, -self._pushed, sequence)
        if len(self._heap) < self.width:
            heapq.heappush(self._heap, item)
        else:
            heapq.heapreplace(self._heap, item)[2].forget()

    def best(self) -> list[_Sequence]:
        """All, the likeliest first."""
        return [sequence for _, _, sequence in sorted(self._heap, reverse=True)]


def _step(beam: _Beam, chances: list[float]) -> _Beam:
    """The best sequences after one more output; `chances` are log-probabilities, blank's last."""
    branches, grown = beam.best(), _Beam(beam.width)
    for branch in branches:
        branch.old_blank, branch.old_total = branch.blank, branch.total
    totals = [branch.total for branch in branches]
    for branch, total in zip(branches, totals, strict=True):
        parent = branch.parent
        if parent is not None:
            if parent.total != _ZERO:
                repeats = branch.label == parent.label
                before = parent.old_blank if repeats else parent.old_total
                branch.said = _added(branch.said, before)
            branch.said += chances[branch.label]
        branch.blank = total + chances[-1]
        branch.total = _added(branch.blank, branch.said)
        grown.push(branch)
    for branch in branches:  # the likeliest first
        if not grown.takes(branch.old_total):
            continue
        for label, chance in enumerate(chances[:-1]):
            before = branch.old_blank if label == branch.label else branch.old_total
            child = branch.children.get(label)
            if child is not None and child.total != _ZERO:
                continue
            if not grown.takes(chance + before):
                continue
            if child is None:
                child = branch.children[label] = _Sequence(label, branch)
            child.blank, child.said = _ZERO, chance + before
            child.total = child.said
            grown.push(child)
    return grown


def _added(a: float, b: float) -> float:
    """The logarithm of a sum of two chances."""
    if a < b:
        a, b = b, a
    return a if b == _ZERO else a + math.log1p(math.exp(b - a))


@_beam_search_decoder.kernel
def _beam_search_kernel(
    inputs: Array,
    sequence_length: Array,
    *,
    beam_width: int,
    top_paths: int,
    merge_repeated: bool,
) -> list[Any]:
    _check(inputs, sequence_length)
    if top_paths > beam_width:
        raise invalid("requested more paths than the beam width.")
    wide = inputs.astype(np.float64)
    wide -= wide.max(axis=2, keepdims=True)
    wide -= np.log(np.exp(wide).sum(axis=2, keepdims=True))
    paths: list[list[list[int]]] = [[] for _ in range(top_paths)]
    chances = np.empty((inputs.shape[1], top_paths), inputs.dtype)
    for row, length in enumerate(sequence_length.tolist()):
        beam = _Beam(beam_width)
        beam.push(_Sequence(blank=0.0, total=0.0))
        for outputs in wide[: max(length, 0), row]:
            look()
            beam = _step(beam, outputs.tolist())
        best = beam.best()[:top_paths]
        if len(best) < top_paths:
            raise invalid("Less leaves in the beam search than requested.")
        for number, sequence in enumerate(best):
            labels = sequence.labels()
            paths[number].append(_merged(labels) if merge_repeated else labels)
            chances[row, number] = sequence.total
    found = [_sparse(rows) for rows in paths]
    return [*(part for parts in zip(*found, strict=True) for part in parts), chances]


def ctc_beam_search_decoder(
    inputs: Any,
    sequence_length: Any,
    beam_width: int = 100,
    top_paths: int = 1,
    merge_repeated: bool = True,
) -> tuple[list[SparseTensor], Tensor]:
    """The likeliest label sequences (TensorFlow: `tf.nn.ctc_beam_search_decoder`).

    Args:
      inputs: [time, batch, classes], before softmax; the last class is blank.
      sequence_length: int32, how many time steps each example has.
      beam_width: how many sequences are followed from step to step.
      top_paths: how many are returned.
      merge_repeated: whether labels that are said twice, with blank between, are one in the result.

    Returns:
      `top_paths` `tf.SparseTensor`s with a row of labels for each example, and their
      log-probabilities, [batch, top_paths].

    Raises:
      InvalidArgumentError: in a run, if there are not as many sequences. FailedPreconditionError:
        if lengths do not fit.

    Example:
      >>> outputs = 5 * tf.one_hot([[0], [0], [2], [1]], 3)
      >>> decoded, _ = tf.nn.ctc_beam_search_decoder(outputs, [4])
      >>> decoded[0].values  # [0, 1]
    """
    attrs = {"beam_width": beam_width, "top_paths": top_paths, "merge_repeated": merge_repeated}
    indices, values, shapes, chances = _beam_search_decoder(
        inputs, sequence_length, name=None, **attrs
    )
    found = [SparseTensor(*parts) for parts in zip(indices, values, shapes, strict=True)]
    return found, chances


def ctc_beam_search_decoder_v2(
    inputs: Any, sequence_length: Any, beam_width: int = 100, top_paths: int = 1
) -> tuple[list[SparseTensor], Tensor]:
    """The same without merging (TensorFlow: `tf.nn.ctc_beam_search_decoder_v2`).

    Args:
      inputs, sequence_length, beam_width, top_paths: as for `tf.nn.ctc_beam_search_decoder`, and so
        are the results.

    Example:
      >>> outputs = 5 * tf.one_hot([[0], [2], [0], [1]], 3)
      >>> decoded, _ = tf.nn.ctc_beam_search_decoder_v2(outputs, [4])
      >>> decoded[0].values  # [0, 0, 1]
    """
    return ctc_beam_search_decoder(inputs, sequence_length, beam_width, top_paths, False)
