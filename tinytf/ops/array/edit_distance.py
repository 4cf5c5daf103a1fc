"""How many letters have to be changed to make one sequence another."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf.framework.array_types import Array
from tinytf.framework.errors import invalid
from tinytf.framework.op_card import define_op
from tinytf.framework.shape_inference import InferenceContext
from tinytf.framework.sparse_tensor import SparseTensor, SparseTensorValue
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape, unknown_shape
from tinytf.ops.base.shape_rules import shown, shown_list
from tinytf.ops.sparse import parts

_edit_distance = define_op(
    "EditDistance",
    "hypothesis_indices: int64, hypothesis_values: T, hypothesis_shape: int64, "
    "truth_indices: int64, truth_values: T, truth_shape: int64 -> output: float",
    "normalize: bool = true, T: type",
    no_gradient="a number of changes does not change by small amounts",
)


@_edit_distance.shape
def _edit_distance_shape(c: InferenceContext) -> TensorShape:
    parts.static_rank(c, 0)
    parts.static_rank(c, 3)
    hypothesis, truth = c.constant(2), c.constant(5)
    if hypothesis is None or truth is None:
        return unknown_shape()
    if len(hypothesis) < 2:
        raise ValueError(_TOO_LOW.format(len(hypothesis)))
    if len(hypothesis) != len(truth):
        raise ValueError(
            "Num elements of hypothesis_shape does not match truth_shape: "
            f"{len(hypothesis)} vs. {len(truth)}"
        )
    return TensorShape.of(tuple(np.maximum(hypothesis, truth)[:-1].tolist()))


_TOO_LOW = (
    "Input Hypothesis SparseTensors must have rank at least 2, but hypothesis_shape rank is: {}"
)


@_edit_distance.kernel
def _edit_distance_kernel(step: Any, *parts_of_both: Array, normalize: bool) -> np.ndarray:
    h_indices, h_values, h_shape, t_indices, t_values, t_shape = parts_of_both
    _check("hypothesis", h_indices, h_values, h_shape)
    if len(h_shape) < 2:
        raise invalid(_TOO_LOW.format(len(h_shape)))
    _check("truth", t_indices, t_values, t_shape)
    if len(t_shape) != len(h_shape):
        raise invalid(
            "Expected truth and hypothesis to have matching ranks, but their shapes are: "
            f"{shown(t_shape)} and {shown(h_shape)}"
        )
    sizes = np.maximum(h_shape, t_shape)[:-1]
    if not sizes.all():
        raise invalid(f"Got output shape {shown_list(sizes.tolist())} which has 0 elements")
    keys, numbers = parts.numbered(np.concatenate([h_indices[:, :-1], t_indices[:, :-1]]))
    for key in keys[parts.outside(keys, sizes).any(axis=1)][:1]:
        raise invalid(f"Sequence {key.tolist()} is outside of the shape {sizes.tolist()}.")
    of_h, of_t = np.split(numbers, [len(h_indices)])
    hypotheses = _sequences(h_values, of_h, len(keys))
    truths = _sequences(t_values, of_t, len(keys))
    distances = np.empty(len(keys), np.float32)
    for number, (hypothesis, truth) in enumerate(zip(hypotheses, truths, strict=True)):
        step.cancellation.check()
        distances[number] = _levenshtein(hypothesis, truth, step)
    if normalize:
        lengths = np.array([len(truth) for truth in truths], np.float32)
        with np.errstate(divide="ignore"):
            distances = distances / lengths  # infinite where there is nothing to compare with
    result = np.zeros(sizes.tolist(), np.float32)
    result[tuple(keys.T)] = distances
    return result


def _check(what: str, indices: Any, values: Any, shape: Any) -> None:
    for part, value in {"indices": indices, "values": values, "shape": shape}.items():
        rank, kind = (2, "matrix") if part == "indices" else (1, "vector")
        if np.ndim(value) != rank:
            raise invalid(f"{what}_{part} should be a {kind}, but got shape: {shown(value)}")
    if len(shape) != indices.shape[1]:
        raise invalid(
            f"Expected {what}_shape.NumElements == #cols({what}_indices), their shapes are: "
            f"{shown(shape)} and {shown(indices)}"
        )
    if len(values) != len(indices):
        raise invalid(
            f"Expected {what}_values.NumElements == #rows({what}_indices), their shapes are: "
            f"{shown(values)} and {shown(indices)}"
        )


def _sequences(values: np.ndarray, numbers: np.ndarray, count: int) -> list[np.ndarray]:
    """The values of each number, in the order in which they come."""
    order = np.argsort(numbers, kind="stable")
    ends = np.cumsum(np.bincount(numbers, minlength=count))
    return np.split(values[order], ends)[:-1]


def _levenshtein(first: np.ndarray, second: np.ndarray, step: Any) -> int:
    """Insertions, deletions and replacements that make the first sequence the second."""
    if len(first) < len(second):
        first, second = second, first
    places = np.arange(len(second) + 1)
    row = places
    for number, letter in enumerate(first):
        step.cancellation.check()
        changed = row[:-1] + (second != letter)
        below = np.minimum(row + 1, np.append(number + 1, changed))
        # Insertions one after the other cost 1 each: the least of what stands before, plus the way.
        row = np.minimum.accumulate(below - places) + places
    return int(row[-1])


def edit_distance(
    hypothesis: Any, truth: Any, normalize: bool = True, name: str = "edit_distance"
) -> Tensor:
    """How many changes make each hypothesis its truth (TensorFlow: `tf.edit_distance`).

    A change is one element inserted, removed, or replaced: the Levenshtein distance. The
    sequences lie along the last dimension.

    Args:
      hypothesis, truth: sparse tensors of one type and rank, with their indices row after row.
      normalize: divide by the length of the truth.
      name: of the operation.

    Returns:
      a tensor of float32 without the last dimension; if normalised, infinite where there is a
      hypothesis and no truth.

    Raises:
      TypeError: if they are not sparse. InvalidArgumentError: in a run, for ranks that differ.

    Example:
      >>> word = tf.SparseTensor([[0, 0], [0, 1]], ["a", "b"], [1, 2])
      >>> truth = tf.SparseTensor([[0, 0], [0, 1], [0, 2]], ["a", "c", "d"], [1, 3])
      >>> tf.edit_distance(word, truth, normalize=False)  # [2.]
    """
    sparse = (SparseTensor, SparseTensorValue)
    if not isinstance(hypothesis, sparse):
        raise TypeError("Hypothesis must be a SparseTensor.")
    if not isinstance(truth, sparse):
        raise TypeError("Truth must be a SparseTensor.")
    both = [(one.indices, one.values, one.dense_shape) for one in (hypothesis, truth)]
    return _edit_distance(*both[0], *both[1], name=name, normalize=normalize)
