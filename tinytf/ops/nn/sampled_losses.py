"""Losses over very many classes, of which only a few that are drawn at random are looked at."""

from __future__ import annotations

from typing import Any

from tinytf import ops
from tinytf.framework import dtypes
from tinytf.framework.tensor import Tensor
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.linalg.matmul import matmul
from tinytf.ops.math.arithmetic import multiply
from tinytf.ops.math.cast import cast
from tinytf.ops.math.exp_log import log
from tinytf.ops.nn.candidate_sampling import compute_accidental_hits, log_uniform_candidate_sampler
from tinytf.ops.nn.cross_entropy import (
    sigmoid_cross_entropy_with_logits,
    softmax_cross_entropy_with_logits_v2,
)
from tinytf.ops.nn.embedding import embedding_lookup
from tinytf.ops.sparse.to_dense import sparse_to_dense


def nce_loss(
    weights: Any,
    biases: Any,
    labels: Any,
    inputs: Any,
    num_sampled: int,
    num_classes: int,
    num_true: int = 1,
    sampled_values: Any = None,
    remove_accidental_hits: bool = False,
    partition_strategy: str = "mod",
    name: str | None = "nce_loss",
) -> Tensor:
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
    given = weights, biases, labels, inputs
    counts = num_sampled, num_classes, num_true
    how = sampled_values, remove_accidental_hits, partition_strategy
    logits, targets = _sampled_logits(*given, *counts, *how, name, None)
    losses = sigmoid_cross_entropy_with_logits(labels=targets, logits=logits, name="sampled_losses")
    return _row_sums(losses)


def sampled_softmax_loss(
    weights: Any,
    biases: Any,
    labels: Any,
    inputs: Any,
    num_sampled: int,
    num_classes: int,
    num_true: int = 1,
    sampled_values: Any = None,
    remove_accidental_hits: bool = True,
    partition_strategy: str = "mod",
    name: str | None = "sampled_softmax_loss",
    seed: int | None = None,
) -> Tensor:
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
    given = weights, biases, labels, inputs
    counts = num_sampled, num_classes, num_true
    how = sampled_values, remove_accidental_hits, partition_strategy
    logits, targets = _sampled_logits(*given, *counts, *how, name, seed)
    targets = ops.stop_gradient(targets, name="labels_stop_gradient")
    return softmax_cross_entropy_with_logits_v2(labels=targets, logits=logits)


def _row_sums(x: Tensor) -> Tensor:
    """The sums of rows as a product, which is faster than a reduction in TensorFlow."""
    sizes: Any = ops.shape(x)
    ones = ops.ones(ops.stack([sizes[1], 1]), x.dtype)
    return ops.reshape(matmul(x, ones), [-1])


def _sampled_logits(
    weights: Any,
    biases: Any,
    labels: Any,
    inputs: Any,
    num_sampled: int,
    num_classes: int,
    num_true: int,
    sampled_values: Any,
    remove_hits: bool,
    strategy: str,
    name: str | None,
    seed: int | None,
) -> tuple[Tensor, Tensor]:
    """The logits of the right and of the drawn classes, side by side, and what they should be."""
    parts = list(weights) if hasattr(weights, "_get_partitions") else weights
    parts = parts if isinstance(parts, list) else [parts]
    with op_scope(name, "compute_sampled_logits", [*parts, biases, inputs, labels]):
        if not isinstance(labels, Tensor) or labels.dtype != dtypes.int64:
            labels = cast(labels, dtypes.int64)
        flat = ops.reshape(labels, [-1])
        if sampled_values is None:
            sampled_values = log_uniform_candidate_sampler(
                labels, num_true, num_sampled, unique=True, range_max=num_classes, seed=seed
            )
        sampled, true_count, sampled_count = (ops.stop_gradient(s) for s in sampled_values)
        sampled = cast(sampled, dtypes.int64)
        ids = ops.concat([flat, sampled], 0)
        rows = _like(embedding_lookup(parts, ids, partition_strategy=strategy), inputs)
        count: Any = ops.shape(flat)
        true_rows = ops.slice(rows, [0, 0], ops.stack([count[0], -1]))
        count = ops.shape(flat)
        sampled_rows = ops.slice(rows, ops.stack([count[0], 0]), [-1, -1])
        sampled_logits: Any = matmul(inputs, sampled_rows, transpose_b=True)
        own = _like(embedding_lookup(biases, ids, partition_strategy=strategy), inputs)
        true_biases = ops.slice(own, [0], ops.shape(flat))
        sampled_biases = ops.slice(own, ops.shape(flat), [-1])
        true_logits = _true_logits(inputs, true_rows, num_true)
        true_logits += ops.reshape(true_biases, [-1, num_true])
        sampled_logits += sampled_biases
        if remove_hits:
            hits = compute_accidental_hits(labels, sampled, num_true=num_true)
            sampled_logits += _lowered(hits, labels, num_sampled, sampled_logits.dtype)
        # What is drawn often would seem more likely than it is.
        true_logits -= log(true_count)
        sampled_logits -= log(sampled_count)
        ones: Any = ops.ones_like(true_logits)
        return ops.concat([true_logits, sampled_logits], 1), ops.concat(
            [ones / num_true, ops.zeros_like(sampled_logits)], 1
        )


def _like(value: Tensor, inputs: Tensor) -> Tensor:
    return value if value.dtype == inputs.dtype else cast(value, inputs.dtype)


def _true_logits(inputs: Any, rows: Tensor, num_true: int) -> Any:
    """The products of each input with the rows of its own classes."""
    sizes: Any = ops.shape(rows)
    units = sizes[1:2]
    shaped = ops.reshape(rows, ops.concat([[-1, num_true], units], 0))
    dots = multiply(ops.expand_dims(inputs, 1), shaped)
    matrix = ops.reshape(dots, ops.concat([[-1], units], 0))
    return ops.reshape(_row_sums(matrix), [-1, num_true])


def _lowered(hits: Any, labels: Tensor, num_sampled: int, dtype: dtypes.DType) -> Tensor:
    """A matrix that takes hits out of the sum: the lowest number where they are, else 0."""
    rows, ids, weights = hits
    rows = ops.reshape(rows, [-1, 1])
    columns = ops.reshape(cast(ids, dtypes.int32), [-1, 1])
    places = ops.concat([rows, columns], 1, "sparse_indices")
    sizes: Any = ops.shape(labels)
    shape = ops.concat([sizes[:1], ops.expand_dims(num_sampled, 0)], 0)
    weights = weights if weights.dtype == dtype else cast(weights, dtype)
    return sparse_to_dense(places, shape, weights, 0.0, validate_indices=False)
