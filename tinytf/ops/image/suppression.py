"""Of boxes that overlap, those with the best scores: `tf.image.non_max_suppression` and its kin."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from typing import Any

import numpy as np

from tinytf.framework.array_types import Array
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.errors import invalid
from tinytf.framework.op_card import OpCard, define_op
from tinytf.framework.operation import Operation
from tinytf.framework.shape_inference import InferenceContext, merge_dimension, with_rank
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.base.shape_rules import shown
from tinytf.ops.nn.relu import widened

# The algorithm ------------------------------------------------------------------------------------


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
    threshold: Any,
    least: Any = -np.inf,
    sigma: Any = 0.0,
    *,
    most: Any,
) -> list[tuple[int, Any]]:
    """The box with the best score, then the best of those that it leaves, and so on.

    A box that overlaps a selected one by more than `threshold` is dropped. With a `sigma` its
    score is reduced instead, and it waits for its turn again.
    """
    scores, sigma = widened(scores), float(sigma)
    if sigma < 0:
        raise invalid(f"soft_nms_sigma_val must be non-negative: it is {sigma}")
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
    return list(zip(found, values, strict=True))


# NonMaxSuppression to NonMaxSuppressionV5, NonMaxSuppressionWithOverlaps --------------------------


def _shape(c: InferenceContext) -> list[TensorShape]:
    """Indices, scores and their number, as far as the node has them."""
    rows, columns = with_rank(c.input(0), 2).sizes or (None, None)
    merge_dimension(rows, (with_rank(c.input(1), 1).sizes or (None,))[0])
    for index in range(2, len(c.inputs)):
        with_rank(c.input(index), 0)
    wanted = rows if c.op_def.inputs[0].name == "overlaps" else 4
    if columns not in (None, wanted) and wanted is not None:
        raise ValueError(f"Dimension must be {wanted} but is {columns}")
    most = c.constant(2) if c.attrs.get("pad_to_max_output_size") else None
    vector = TensorShape.of((None if most is None else int(most),))
    names = [argument.name for argument in c.op_def.outputs]
    return [TensorShape.of(()) if name == "valid_outputs" else vector for name in names]


def _suppression(version: str, inputs: str, outputs: str, *attrs: str) -> OpCard:
    """The card of a version; TensorFlow says of the older ones alone that they have no gradient."""
    card = define_op(
        f"NonMaxSuppression{version}",
        f"{inputs} -> selected_indices: int32{outputs}",
        *attrs,
        shape=_shape,
        no_gradient=None if version in ("V3", "V4", "V5") else "its results are indices",
    )

    @card.kernel
    def kernel(
        boxes: Array,
        scores: Array,
        most: Array,
        *limits: Any,
        attrs: dict[str, Any],
        node: Operation,
    ) -> Any:
        limits = limits or (attrs["iou_threshold"],)
        if np.ndim(most):
            raise invalid(f"max_output_size must be 0-D, got shape {shown(most)}")
        if most < 0:
            raise invalid(f"output size must be non-negative: it is {most}")
        if version == "WithOverlaps":
            _check(boxes, scores, "overlaps", boxes.shape[0] if boxes.ndim else 0)
            chosen = _select(lambda i, others: boxes[i, others], scores, *limits, most=most)
        else:
            if not 0 <= limits[0] <= 1:
                raise invalid(f"iou_threshold must be in [0, 1]: it is {limits[0]}")
            _check(boxes, scores, "boxes", 4)
            chosen = _select(_overlap_of(boxes), scores, *limits, most=most)
        rest = int(most) - len(chosen) if attrs.get("pad_to_max_output_size") else 0
        results = {
            "selected_indices": np.array([box for box, _ in chosen] + [0] * rest, np.int32),
            "selected_scores": np.array([score for _, score in chosen] + [0] * rest, scores.dtype),
            "valid_outputs": np.array(len(chosen), np.int32),
        }
        found = [results[output.name] for output in node.op_def.outputs]
        return found if len(found) > 1 else found[0]

    return card


def _check(boxes: Array, scores: Array, name: str, columns: int) -> None:
    if boxes.ndim != 2:
        raise invalid(f"{name} must be 2-D{shown(boxes)}")
    if boxes.shape[1] != columns:
        what = "must be square" if name == "overlaps" else "must have 4 columns"
        raise invalid(f"{name} {what}{shown(boxes)}")
    if scores.shape != boxes.shape[:1]:
        raise invalid(f"scores has incompatible shape: {shown(scores)} for {shown(boxes)}")


_BOXES = "boxes: T, scores: T, max_output_size: int32"
_LIMITS = "iou_threshold: T_threshold, score_threshold: T_threshold"
_TYPES = "T: {half, float} = DT_FLOAT"
_BOTH_TYPES = f"{_TYPES}, T_threshold: {{half, float}} = DT_FLOAT"
_PAD = "pad_to_max_output_size: bool = false"

_FIRST = "boxes: float, scores: float, max_output_size: int32"
_suppression("", _FIRST, "", "iou_threshold: float = 0.5")
_suppression("V2", f"{_BOXES}, iou_threshold: T_threshold", "", _BOTH_TYPES)
_suppression_v3 = _suppression("V3", f"{_BOXES}, {_LIMITS}", "", _BOTH_TYPES)
_suppression_v4 = _suppression(
    "V4", f"{_BOXES}, {_LIMITS}", ", valid_outputs: int32", _BOTH_TYPES, _PAD
)
_suppression_v5 = _suppression(
    "V5",
    f"{_BOXES}, iou_threshold: T, score_threshold: T, soft_nms_sigma: T",
    ", selected_scores: T, valid_outputs: int32",
    _TYPES,
    _PAD,
)
_with_overlaps = _suppression(
    "WithOverlaps",
    "overlaps: float, scores: float, max_output_size: int32, overlap_threshold: float, "
    "score_threshold: float",
    "",
)


# Public functions ---------------------------------------------------------------------------------

_NONE = float("-inf")


def _tensors(**values: Any) -> list[Tensor]:
    return [convert_to_tensor(value, name=name) for name, value in values.items()]


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
        limits = _tensors(iou_threshold=iou_threshold, score_threshold=score_threshold)
        return _suppression_v3(boxes, scores, max_output_size, *limits)


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
        limits = _tensors(iou_threshold=iou_threshold, score_threshold=score_threshold)
        limits += _tensors(soft_nms_sigma=soft_nms_sigma)
        indices, values, _ = _suppression_v5(boxes, scores, max_output_size, *limits)
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
        limits = _tensors(iou_threshold=iou_threshold, score_threshold=score_threshold)
        pad: dict[str, Any] = {"pad_to_max_output_size": pad_to_max_output_size}
        return _suppression_v4(boxes, scores, max_output_size, *limits, **pad)


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
        limits = _tensors(overlap_threshold=overlap_threshold)
        return _with_overlaps(overlaps, scores, max_output_size, *limits, score_threshold)
