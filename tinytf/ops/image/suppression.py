"""Of boxes that overlap, those with the best scores: `tf.image.non_max_suppression` and its kin."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from tinytf.framework.array_types import Array
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.errors import invalid
from tinytf.framework.op_card import define_op
from tinytf.framework.shape_inference import InferenceContext, merge_dimension, with_rank
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.base.shape_rules import shown
from tinytf.ops.nn.relu import widened

_INDICES = "its results are indices"

# The algorithm ------------------------------------------------------------------------------------


class _Selected(NamedTuple):
    """What is selected, the best first; padded with zeros.

    Attributes:
      count: how many there are without the zeros.
    """

    indices: np.ndarray
    scores: np.ndarray
    count: np.ndarray


def _overlap_of(boxes: Any) -> Callable[[int, list[int]], Any]:
    """A function from a box and some others: what they share, in parts of what they cover."""
    wide = widened(boxes)
    low, high = np.minimum(wide[:, :2], wide[:, 2:]), np.maximum(wide[:, :2], wide[:, 2:])
    areas = (high - low).prod(1)

    def overlap(box: int, others: list[int]) -> Any:
        sides = np.minimum(high[box], high[others]) - np.maximum(low[box], low[others])
        shared = np.maximum(sides, 0).prod(1)
        both = areas[box] + areas[others] - shared
        known = (areas[box] > 0) & (areas[others] > 0)
        return np.where(known, shared / np.where(known, both, 1), 0)

    return overlap


def _select(
    overlap: Callable[[int, list[int]], Any],
    scores: Any,
    most: Any,
    threshold: Any = 0.5,
    least: Any = -np.inf,
    sigma: Any = 0.0,
    pad: bool = False,
) -> _Selected:
    """The box with the best score, then the best of those that it leaves, and so on.

    A box that overlaps a selected one by more than `threshold` is dropped. With a `sigma` its
    score is reduced instead, and it waits for its turn again.
    """
    if np.ndim(most):
        raise invalid(f"max_output_size must be 0-D, got shape {shown(most)}")
    if most < 0:
        raise invalid("output size must be non-negative")
    kind = scores.dtype
    scores, sigma = widened(scores), float(sigma)
    fall = scores.dtype.type(-0.5 / sigma if sigma > 0 else 0)
    queue = [(-s, i, 0) for i, s in enumerate(scores) if s > least]
    heapq.heapify(queue)
    found: list[int] = []
    values: list[Any] = []
    while queue and len(found) < most:
        negative, box, seen = heapq.heappop(queue)
        shares = overlap(box, found[seen:]) if seen < len(found) else ()
        if sigma <= 0 and np.any(np.greater(shares, threshold)):
            continue
        score = -negative
        for share in shares[::-1]:
            score = score * np.exp(fall * share * share)
            if score <= least:
                break
        if score == -negative:
            found.append(box)
            values.append(score)
        elif score > least:
            heapq.heappush(queue, (-score, box, len(found)))
    count = len(found)
    rest = [0] * (int(most) - count) if pad else []
    indices = np.array(found + rest, np.int32)
    return _Selected(indices, np.array(values + rest).astype(kind), np.array(count, np.int32))


def _check(boxes: Array, scores: Array, threshold: Any) -> None:
    if not 0 <= threshold <= 1:
        raise invalid(f"iou_threshold must be in [0, 1]. It is {threshold}.")
    if boxes.ndim != 2:
        raise invalid(f"boxes must be 2-D{shown(boxes)}")
    if boxes.shape[1] != 4:
        raise invalid(f"boxes must have 4 columns{shown(boxes)}")
    if scores.shape != boxes.shape[:1]:
        raise invalid(f"scores has incompatible shape: {shown(scores)} for {shown(boxes)}")


# NonMaxSuppression to NonMaxSuppressionV5 ---------------------------------------------------------


def _shape(c: InferenceContext) -> list[TensorShape]:
    """Indices, scores and their number, as far as the node has them."""
    boxes = with_rank(c.input(0), 2).sizes or (None, None)
    merge_dimension(boxes[0], (with_rank(c.input(1), 1).sizes or (None,))[0])
    for index in range(2, len(c.inputs)):
        with_rank(c.input(index), 0)
    if boxes[1] not in (None, 4):
        raise ValueError(f"Dimension must be 4 but is {boxes[1]}")
    most = c.constant(2) if c.attrs.get("pad_to_max_output_size") else None
    if most is not None and most < 0:
        raise ValueError(f"Dimension size, given by scalar input {most} must be non-negative.")
    vector = TensorShape.of((None if most is None else int(most),))
    names = [argument.name for argument in c.op_def.outputs]
    return [TensorShape.of(()) if name == "valid_outputs" else vector for name in names]


_BOXES = "boxes: T, scores: T, max_output_size: int32"
_TYPES = "T: {half, float} = DT_FLOAT"
_THRESHOLD = "T_threshold: {half, float} = DT_FLOAT"
_PAD = "pad_to_max_output_size: bool = false"

_suppression = define_op(
    "NonMaxSuppression",
    "boxes: float, scores: float, max_output_size: int32 -> selected_indices: int32",
    "iou_threshold: float = 0.5",
    shape=_shape,
    no_gradient=_INDICES,
)
_suppression_v2 = define_op(
    "NonMaxSuppressionV2",
    f"{_BOXES}, iou_threshold: T_threshold -> selected_indices: int32",
    _TYPES,
    _THRESHOLD,
    shape=_shape,
    no_gradient=_INDICES,
)
# TensorFlow says nothing of gradients of these three: to ask for one is an error there and here.
_suppression_v3 = define_op(
    "NonMaxSuppressionV3",
    f"{_BOXES}, iou_threshold: T_threshold, score_threshold: T_threshold "
    "-> selected_indices: int32",
    _TYPES,
    _THRESHOLD,
    shape=_shape,
)
_suppression_v4 = define_op(
    "NonMaxSuppressionV4",
    f"{_BOXES}, iou_threshold: T_threshold, score_threshold: T_threshold "
    "-> selected_indices: int32, valid_outputs: int32",
    _TYPES,
    _THRESHOLD,
    _PAD,
    shape=_shape,
)
_suppression_v5 = define_op(
    "NonMaxSuppressionV5",
    f"{_BOXES}, iou_threshold: T, score_threshold: T, soft_nms_sigma: T "
    "-> selected_indices: int32, selected_scores: T, valid_outputs: int32",
    _TYPES,
    _PAD,
    shape=_shape,
)


@_suppression.kernel
def _suppression_kernel(
    boxes: Array, scores: Array, max_output_size: Array, *, iou_threshold: float
) -> Array:
    return _suppression_v2_kernel(boxes, scores, max_output_size, iou_threshold)


@_suppression_v2.kernel
def _suppression_v2_kernel(
    boxes: Array, scores: Array, max_output_size: Array, iou_threshold: Any
) -> Array:
    _check(boxes, scores, iou_threshold)
    return _select(_overlap_of(boxes), scores, max_output_size, iou_threshold).indices


@_suppression_v3.kernel
def _suppression_v3_kernel(
    boxes: Array, scores: Array, max_output_size: Array, iou_threshold: Any, score_threshold: Any
) -> Array:
    _check(boxes, scores, iou_threshold)
    limits = iou_threshold, score_threshold
    return _select(_overlap_of(boxes), scores, max_output_size, *limits).indices


@_suppression_v4.kernel
def _suppression_v4_kernel(
    boxes: Array,
    scores: Array,
    max_output_size: Array,
    iou_threshold: Any,
    score_threshold: Any,
    *,
    pad_to_max_output_size: bool,
) -> tuple[Array, Array]:
    _check(boxes, scores, iou_threshold)
    limits = iou_threshold, score_threshold, 0.0, pad_to_max_output_size
    selected = _select(_overlap_of(boxes), scores, max_output_size, *limits)
    return selected.indices, selected.count


@_suppression_v5.kernel
def _suppression_v5_kernel(
    boxes: Array,
    scores: Array,
    max_output_size: Array,
    iou_threshold: Any,
    score_threshold: Any,
    soft_nms_sigma: Any,
    *,
    pad_to_max_output_size: bool,
) -> _Selected:
    _check(boxes, scores, iou_threshold)
    if soft_nms_sigma < 0:
        raise invalid(f"soft_nms_sigma_val must be non-negative. It is {soft_nms_sigma}.")
    limits = iou_threshold, score_threshold, soft_nms_sigma, pad_to_max_output_size
    return _select(_overlap_of(boxes), scores, max_output_size, *limits)


# NonMaxSuppressionWithOverlaps --------------------------------------------------------------------

_with_overlaps = define_op(
    "NonMaxSuppressionWithOverlaps",
    "overlaps: float, scores: float, max_output_size: int32, overlap_threshold: float, "
    "score_threshold: float -> selected_indices: int32",
    no_gradient=_INDICES,
)


@_with_overlaps.shape
def _with_overlaps_shape(c: InferenceContext) -> TensorShape:
    rows, columns = with_rank(c.input(0), 2).sizes or (None, None)
    merge_dimension(rows, (with_rank(c.input(1), 1).sizes or (None,))[0])
    for index in (2, 3, 4):
        with_rank(c.input(index), 0)
    merge_dimension(rows, columns)
    return TensorShape.of((None,))


@_with_overlaps.kernel
def _with_overlaps_kernel(
    overlaps: Array,
    scores: Array,
    max_output_size: Array,
    overlap_threshold: Any,
    score_threshold: Any,
) -> Array:
    if overlaps.ndim != 2:
        raise invalid(f"overlaps must be 2-D{shown(overlaps)}")
    if overlaps.shape[0] != overlaps.shape[1]:
        raise invalid(f"overlaps must be square{shown(overlaps)}")
    if scores.shape != overlaps.shape[:1]:
        raise invalid(f"scores has incompatible shape: {shown(scores)} for {shown(overlaps)}")
    limits = overlap_threshold, score_threshold
    return _select(lambda i, others: overlaps[i, others], scores, max_output_size, *limits).indices


# Public functions ---------------------------------------------------------------------------------

_NONE = float("-inf")


def non_max_suppression(
    boxes: Any,
    scores: Any,
    max_output_size: Any,
    iou_threshold: Any = 0.5,
    score_threshold: Any = _NONE,
    name: str | None = None,
) -> Tensor:
    """The best of boxes that overlap, by index (TensorFlow: `tf.image.non_max_suppression`).

    Args:
      boxes: floats [n, 4]: two opposite corners, y1, x1, y2, x2, in any unit.
      scores: floats [n].
      max_output_size: how many to select at most.
      iou_threshold: by how much two boxes may overlap: what they share in parts of what they
        cover, from 0 to 1.
      score_threshold: boxes with this score or less are not selected.
      name: of the scope.

    Returns:
      int32 [m], the best score first: `tf.gather(boxes, indices)`.

    Raises:
      ValueError: for other shapes. InvalidArgumentError: in a run, for a threshold out of range.

    Example:
      >>> boxes = [[0.0, 0.0, 1.0, 1.0], [0.0, 0.1, 1.0, 1.1], [0.0, 3.0, 1.0, 4.0]]
      >>> tf.image.non_max_suppression(boxes, [0.75, 0.9, 0.5], 3)  # [1, 2]
    """
    with op_scope(name, "non_max_suppression"):
        iou_threshold = convert_to_tensor(iou_threshold, name="iou_threshold")
        score_threshold = convert_to_tensor(score_threshold, name="score_threshold")
        return _suppression_v3(boxes, scores, max_output_size, iou_threshold, score_threshold)


def non_max_suppression_with_scores(
    boxes: Any,
    scores: Any,
    max_output_size: Any,
    iou_threshold: Any = 0.5,
    score_threshold: Any = _NONE,
    soft_nms_sigma: Any = 0.0,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """As `non_max_suppression`, with the scores of what is selected.

    TensorFlow: `tf.image.non_max_suppression_with_scores`.

    Args:
      soft_nms_sigma: above 0, boxes that overlap lose some of their score instead of being
        dropped: s * exp(-overlap ** 2 / (2 * sigma)).

    Returns:
      the indices and the scores.

    Example:
      >>> boxes = [[0.0, 0.0, 1.0, 1.0], [0.0, 3.0, 1.0, 4.0]]
      >>> tf.image.non_max_suppression_with_scores(boxes, [0.25, 0.5], 3)  # ([1, 0], [0.5, 0.25])
    """
    with op_scope(name, "non_max_suppression_with_scores"):
        limits = [
            convert_to_tensor(iou_threshold, name="iou_threshold"),
            convert_to_tensor(score_threshold, name="score_threshold"),
            convert_to_tensor(soft_nms_sigma, name="soft_nms_sigma"),
        ]
        indices, values, _ = _suppression_v5(
            boxes, scores, max_output_size, *limits, pad_to_max_output_size=False
        )
        return indices, values


def non_max_suppression_padded(
    boxes: Any,
    scores: Any,
    max_output_size: Any,
    iou_threshold: Any = 0.5,
    score_threshold: Any = _NONE,
    pad_to_max_output_size: bool = False,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """As `non_max_suppression`, with as many indices as asked for.

    TensorFlow: `tf.image.non_max_suppression_padded`, as 1.15 has it.

    Args:
      pad_to_max_output_size: whether zeros follow if fewer boxes are selected.

    Returns:
      the indices, and how many of them count.

    Example:
      >>> boxes = [[0.0, 0.0, 1.0, 1.0], [0.0, 3.0, 1.0, 4.0]]
      >>> found = tf.image.non_max_suppression_padded(boxes, [0.25, 0.5], 3, 0.5, 0.0, True)
      >>> found[0], found[1]  # ([1, 0, 0], 2)
    """
    with op_scope(name, "non_max_suppression_padded"):
        iou_threshold = convert_to_tensor(iou_threshold, name="iou_threshold")
        score_threshold = convert_to_tensor(score_threshold, name="score_threshold")
        return _suppression_v4(
            boxes,
            scores,
            max_output_size,
            iou_threshold,
            score_threshold,
            pad_to_max_output_size=pad_to_max_output_size,
        )


def non_max_suppression_overlaps(
    overlaps: Any,
    scores: Any,
    max_output_size: Any,
    overlap_threshold: Any = 0.5,
    score_threshold: Any = _NONE,
    name: str | None = None,
) -> Tensor:
    """As `non_max_suppression`, for overlaps that are given.

    TensorFlow: `tf.image.non_max_suppression_overlaps`.

    Args:
      overlaps: float32 [n, n]: how much each two overlap.
      overlap_threshold: by how much two may overlap.

    Example:
      >>> overlaps = [[1.0, 0.8, 0.0], [0.8, 1.0, 0.0], [0.0, 0.0, 1.0]]
      >>> tf.image.non_max_suppression_overlaps(overlaps, [0.75, 0.9, 0.5], 3)  # [1, 2]
    """
    with op_scope(name, "non_max_suppression_overlaps"):
        overlap_threshold = convert_to_tensor(overlap_threshold, name="overlap_threshold")
        return _with_overlaps(overlaps, scores, max_output_size, overlap_threshold, score_threshold)
