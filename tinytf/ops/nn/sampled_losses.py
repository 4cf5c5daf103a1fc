"""Losses over very many classes, of which only a few that are drawn at random are looked at."""

from __future__ import annotations

from typing import Any

from tinytf.framework import dtypes
from tinytf.framework.tensor import Tensor
from tinytf.ops import filling, shapes, slicing
from tinytf.ops.arithmetic import multiply
from tinytf.ops.casting import cast
from tinytf.ops.cross_entropy import (
    sigmoid_cross_entropy_with_logits,
    softmax_cross_entropy_with_logits_v2,
)
from tinytf.ops.filling import ones_like, zeros_like
from tinytf.ops.identity import stop_gradient
from tinytf.ops.joining import concat, stack
from tinytf.ops.matrix import matmul
from tinytf.ops.nn.candidate_sampling import compute_accidental_hits, log_uniform_candidate_sampler
from tinytf.ops.nn.embedding import embedding_lookup
from tinytf.ops.op_scope import op_scope
from tinytf.ops.powers import log
from tinytf.ops.shapes import expand_dims, reshape


def nce_loss(
    weights: Any, biases: Any, labels: Any, inputs: Any, num_sampled: int, num_classes: int,
    num_true: int = 1, sampled_values: Any = None, remove_accidental_hits: bool = False,
    partition_strategy: str = "mod", name: str | None = "nce_loss",
) -> Tensor:  # fmt: skip
    """Noise-contrastive estimation: tell the right classes from random ones (`tf.nn.nce_loss`).

    For training alone: what is compared is drawn anew in every run.

    Args:
      weights: (num_classes, units), or a list of parts: see `tf.nn.embedding_lookup`.
      biases: (num_classes,).
      labels: the right classes, integers of shape (batch, num_true).
      inputs: (batch, units).
      num_sampled: how many classes to draw. num_classes: how many there are.
      num_true: how many right classes an example has.
      sampled_values: what a candidate sampler gave; log-uniform if None.
      remove_accidental_hits: whether drawn classes do not count where they are right.
      partition_strategy: how `weights` are spread over parts.
      name: of the operation.

    Returns:
      the loss of each example.

    Example:
      >>> loss = tf.nn.nce_loss(tf.zeros([4, 2]), tf.zeros([4]), [[0]], tf.ones([1, 2]), 2, 4)
      >>> loss.shape.as_list()  # [1]
    """
    logits, targets = _sampled_logits(
        weights, biases, labels, inputs, num_sampled, num_classes, num_true, sampled_values,
        remove_accidental_hits, partition_strategy, name, None,
    )  # fmt: skip
    losses = sigmoid_cross_entropy_with_logits(labels=targets, logits=logits, name="sampled_losses")
    return _row_sums(losses)


def sampled_softmax_loss(
    weights: Any, biases: Any, labels: Any, inputs: Any, num_sampled: int, num_classes: int,
    num_true: int = 1, sampled_values: Any = None, remove_accidental_hits: bool = True,
    partition_strategy: str = "mod", name: str | None = "sampled_softmax_loss",
    seed: int | None = None,
) -> Tensor:  # fmt: skip
    """Softmax cross-entropy over the right and some random classes (`tf.nn.sampled_softmax_loss`).

    For training alone: what is compared is drawn anew in every run.

    Args:
      weights, biases, labels, inputs, num_sampled, num_classes, num_true, sampled_values,
        remove_accidental_hits, partition_strategy, name: as for `tf.nn.nce_loss`.
      seed: of the random numbers.

    Returns:
      the loss of each example.

    Example:
      >>> loss = tf.nn.sampled_softmax_loss(
      ...     tf.zeros([4, 2]), tf.zeros([4]), [[0]], tf.ones([1, 2]), 2, 4)
      >>> loss.shape.as_list()  # [1]
    """
    logits, targets = _sampled_logits(
        weights, biases, labels, inputs, num_sampled, num_classes, num_true, sampled_values,
        remove_accidental_hits, partition_strategy, name, seed,
    )  # fmt: skip
    targets = stop_gradient(targets, name="labels_stop_gradient")
    return softmax_cross_entropy_with_logits_v2(labels=targets, logits=logits)


def _row_sums(x: Tensor) -> Tensor:
    """The sums of rows as a product, which is faster than a reduction in TensorFlow."""
    sizes: Any = shapes.shape(x)
    ones = filling.ones(stack([sizes[1], 1]), x.dtype)
    return reshape(matmul(x, ones), [-1])


def _sampled_logits(
    weights: Any, biases: Any, labels: Any, inputs: Any, num_sampled: int, num_classes: int,
    num_true: int, sampled_values: Any, remove_hits: bool, strategy: str, name: str | None,
    seed: int | None,
) -> tuple[Tensor, Tensor]:  # fmt: skip
    """The logits of the right and of the drawn classes, side by side, and what they should be."""
    parts = list(weights) if hasattr(weights, "_get_partitions") else weights
    parts = parts if isinstance(parts, list) else [parts]
    with op_scope(name, "compute_sampled_logits", [*parts, biases, inputs, labels]):
        if not isinstance(labels, Tensor) or labels.dtype != dtypes.int64:
            labels = cast(labels, dtypes.int64)
        flat = reshape(labels, [-1])
        if sampled_values is None:
            sampled_values = log_uniform_candidate_sampler(
                labels, num_true, num_sampled, unique=True, range_max=num_classes, seed=seed
            )
        sampled, true_count, sampled_count = (stop_gradient(s) for s in sampled_values)
        sampled = cast(sampled, dtypes.int64)
        ids = concat([flat, sampled], 0)
        rows = _like(embedding_lookup(parts, ids, partition_strategy=strategy), inputs)
        count: Any = shapes.shape(flat)
        true_rows = slicing.slice(rows, [0, 0], stack([count[0], -1]))
        count = shapes.shape(flat)
        sampled_rows = slicing.slice(rows, stack([count[0], 0]), [-1, -1])
        sampled_logits: Any = matmul(inputs, sampled_rows, transpose_b=True)
        own = _like(embedding_lookup(biases, ids, partition_strategy=strategy), inputs)
        true_biases = slicing.slice(own, [0], shapes.shape(flat))
        sampled_biases = slicing.slice(own, shapes.shape(flat), [-1])
        true_logits = _true_logits(inputs, true_rows, num_true)
        true_logits += reshape(true_biases, [-1, num_true])
        sampled_logits += sampled_biases
        if remove_hits:
            hits = compute_accidental_hits(labels, sampled, num_true=num_true)
            sampled_logits += _lowered(hits, labels, num_sampled, sampled_logits.dtype)
        # What is drawn often would seem more likely than it is.
        true_logits -= log(true_count)
        sampled_logits -= log(sampled_count)
        ones: Any = ones_like(true_logits)
        return concat([true_logits, sampled_logits], 1), concat(
            [ones / num_true, zeros_like(sampled_logits)], 1
        )


def _like(value: Tensor, inputs: Tensor) -> Tensor:
    return value if value.dtype == inputs.dtype else cast(value, inputs.dtype)


def _true_logits(inputs: Any, rows: Tensor, num_true: int) -> Any:
    """The products of each input with the rows of its own classes."""
    sizes: Any = shapes.shape(rows)
    units = sizes[1:2]
    shaped = reshape(rows, concat([[-1, num_true], units], 0))
    dots = multiply(expand_dims(inputs, 1), shaped)
    matrix = reshape(dots, concat([[-1], units], 0))
    return reshape(_row_sums(matrix), [-1, num_true])


def _lowered(hits: Any, labels: Tensor, num_sampled: int, dtype: dtypes.DType) -> Tensor:
    """A matrix that takes hits out of the sum: the lowest number where they are, else 0."""
    from tinytf.ops.sparse.dense import sparse_to_dense

    rows, ids, weights = hits
    rows = reshape(rows, [-1, 1])
    columns = reshape(cast(ids, dtypes.int32), [-1, 1])
    places = concat([rows, columns], 1, "sparse_indices")
    sizes: Any = shapes.shape(labels)
    shape = concat([sizes[:1], expand_dims(num_sampled, 0)], 0)
    weights = weights if weights.dtype == dtype else cast(weights, dtype)
    return sparse_to_dense(places, shape, weights, 0.0, validate_indices=False)
