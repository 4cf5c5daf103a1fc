"""Classes picked at random, to compare the right ones with: sampled losses need no others."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from tinytf.framework.array_types import Array
from tinytf.framework.cancellation import looking
from tinytf.framework.errors import invalid
from tinytf.framework.op_card import OpCard, define_op
from tinytf.framework.operation import Operation
from tinytf.framework.random_seed import get_seed
from tinytf.framework.shape_inference import InferenceContext, with_rank
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape, unknown_shape
from tinytf.ops.random.philox import to_float64
from tinytf.ops.random.sources import fresh_numbers, sequence_of
from tinytf.resources.manager import ResourceManager

#: As many numbers every run skips in its sequence, for each class it wants, used or not.
_RESERVED = 2048


def define_sampler(name: str, *attrs: str) -> OpCard:
    """The card of a sampler; `attrs` are its own attributes, beside those that all have."""
    return define_op(
        name,
        "true_classes: int64 -> sampled_candidates: int64, true_expected_count: float, "
        "sampled_expected_count: float",
        "num_true: int >= 1, num_sampled: int >= 1, unique: bool",
        *attrs,
        "seed: int = 0, seed2: int = 0",
        stateful=True,
        shape=_sampler_shape,
        no_gradient="classes are numbers of rows",
    )


def _sampler_shape(c: InferenceContext) -> list[TensorShape]:
    batch = (with_rank(c.input(0), 2).sizes or (None,))[0]
    sampled = TensorShape.of((c.attrs["num_sampled"],))
    return [sampled, TensorShape.of((batch, c.attrs["num_true"])), sampled]


# What the samplers differ in ----------------------------------------------------------------------


def _log_uniform(bits: np.ndarray, classes: int) -> np.ndarray:
    """The smaller a class, the more often: as for words that are sorted by frequency."""
    fractions = to_float64(bits[0::2], bits[1::2])
    return (np.exp(fractions * np.log1p(classes)).astype(np.int64) - 1) % classes


def _log_uniform_probability(values: np.ndarray, classes: int) -> np.ndarray:
    return np.log((values + 2.0) / (values + 1.0)) / np.log1p(classes)


def _uniform(bits: np.ndarray, classes: int) -> np.ndarray:
    """Every class as often; the lowest numbers are left out where they would favour some."""
    wide = bits[0::2] | bits[1::2].astype(np.uint64) << np.uint64(32)
    if classes & (classes - 1):
        wide = wide[wide >= np.uint64((2**64 - 1) % classes + 1)]
    return (wide % np.uint64(classes)).astype(np.int64)


def _uniform_probability(values: np.ndarray, classes: int) -> np.ndarray:
    return np.full(values.shape, 1.0 / classes)


# Kernels ------------------------------------------------------------------------------------------


def random_bits(resources: ResourceManager, node: Operation) -> Iterator[np.ndarray]:
    """Random 32-bit numbers for one run of a sampler, some hundred at a time, without end."""
    count, sequence = node.attrs["num_sampled"], sequence_of(resources, node)
    if sequence is None:
        while True:
            with fresh_numbers(resources) as generator:
                bits = generator.integers(0, 2**32, 4 * count + 64, np.uint32)
            yield bits
    blocks_at = sequence.reserve_blocks(_RESERVED * count // 4)
    start, size = 0, count + 16
    while True:
        yield blocks_at(np.arange(start, start + size, dtype=np.uint64)).reshape(-1)
        start += size


def check_classes(true_classes: Any, node: Operation, classes: int) -> None:
    """InvalidArgumentError unless they are such classes, and that many suffice."""
    num_true = node.attrs["num_true"]
    if true_classes.ndim != 2:
        raise invalid("true_classes must be a matrix")
    if true_classes.shape[1] != num_true:
        raise invalid(
            f"true_classes must have num_true columns, expected: {true_classes.shape[1]} was: "
            f"{num_true}"
        )
    if node.attrs["unique"] and node.attrs["num_sampled"] > classes:
        raise invalid("Sampler's range is too small.")
    outside = true_classes[(true_classes < 0) | (true_classes >= classes)]
    if outside.size:
        raise invalid(f"`true_candidate` out of range [0, {classes}), received {outside[0]}")


def sampled(
    true_classes: Any,
    node: Operation,
    values: Iterable[int],
    probability: Callable[[np.ndarray], np.ndarray],
) -> list[Any]:
    """What a sampler gives: classes, and how often they are to be expected.

    Args:
      values: drawn classes, without end. probability: of classes, to be drawn in one try.
    """
    count = node.attrs["num_sampled"]
    found, tries = _drawn(values, count, node.attrs["unique"])

    def expected(classes: Any) -> Any:
        p = probability(classes).astype(np.float32, copy=False)
        if tries == count:
            return p * np.float32(count)
        return -np.expm1(np.float32(tries) * np.log1p(-p))

    return [found, expected(true_classes), expected(found)]


def _drawn(drawn: Iterable[int], count: int, unique: bool) -> tuple[np.ndarray, int]:
    """The classes, and how many times it was tried until there were enough of them."""
    found: dict[int, None] = {}
    values: list[int] = []
    tries = 0
    for value in looking(drawn):  # of many classes, the last ones may take for ever
        tries += 1
        if unique:
            found[value] = None
        else:
            values.append(value)
        if len(found) == count or len(values) == count:
            break
    return np.array(list(found) if unique else values, np.int64), tries


def _kernel(draw: Callable[..., Any], probability: Callable[..., Any]) -> Callable[..., Any]:
    def kernel(true_classes: Any, *, resources: ResourceManager, node: Operation) -> list[Any]:
        classes = node.attrs["range_max"]
        check_classes(true_classes, node, classes)
        chunks = (draw(bits, classes).tolist() for bits in random_bits(resources, node))
        values = itertools.chain.from_iterable(chunks)
        return sampled(
            true_classes, node, values, lambda v: probability(v.astype(np.float64), classes)
        )

    return kernel


_RANGE = "range_max: int >= 1"
_log_uniform_sampler = define_sampler("LogUniformCandidateSampler", _RANGE)
_log_uniform_sampler.kernel(_kernel(_log_uniform, _log_uniform_probability))
_uniform_sampler = define_sampler("UniformCandidateSampler", _RANGE)
_uniform_sampler.kernel(_kernel(_uniform, _uniform_probability))


def sample(
    card: OpCard, true_classes: Any, seed: int | None, name: str | None, **attrs: Any
) -> Any:
    """A sampler's node, with both its seeds."""
    first, second = get_seed(seed)
    return card(true_classes, name=name, seed=first or 0, seed2=second or 0, **attrs)


def log_uniform_candidate_sampler(
    true_classes: Any,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    seed: int | None = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """Random classes, small ones more often (TensorFlow: `tf.nn.log_uniform_candidate_sampler`).

    Class k has the probability `log((k + 2) / (k + 1)) / log(range_max + 1)`: like words sorted
    by frequency.

    Args:
      true_classes: int64, of shape (batch, num_true): the right classes.
      num_true: how many right classes an example has.
      num_sampled: how many classes to draw, for the whole batch.
      unique: whether they differ from one another.
      range_max: the number of classes.
      seed: of the random numbers. name: of the operation.

    Returns:
      the classes, and how often they are to be expected: the right ones, and those drawn.

    Raises:
      InvalidArgumentError: in a run, if there are not as many different classes.

    Example:
      >>> classes, _, _ = tf.nn.log_uniform_candidate_sampler([[0]], 1, 3, True, 3)
      >>> tf.sort(classes)  # [0, 1, 2]
    """
    return sample(_log_uniform_sampler, **locals())


def uniform_candidate_sampler(
    true_classes: Any,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    seed: int | None = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """Random classes, all equally often (TensorFlow: `tf.nn.uniform_candidate_sampler`).

    Args:
      true_classes, num_true, num_sampled, unique, range_max, seed, name: as for
        `tf.nn.log_uniform_candidate_sampler`, and so are the results.

    Example:
      >>> classes, _, _ = tf.nn.uniform_candidate_sampler([[0]], 1, 3, True, 3)
      >>> tf.sort(classes)  # [0, 1, 2]
    """
    return sample(_uniform_sampler, **locals())


# ComputeAccidentalHits ----------------------------------------------------------------------------

_compute_accidental_hits = define_op(
    "ComputeAccidentalHits",
    "true_classes: int64, sampled_candidates: int64 -> indices: int32, ids: int64, weights: float",
    "num_true: int, seed: int = 0, seed2: int = 0",
    no_gradient="the results are places",
)


@_compute_accidental_hits.shape
def _accidental_hits_shape(c: InferenceContext) -> list[TensorShape]:
    sizes = with_rank(c.input(0), 2).sizes
    wanted = c.attrs["num_true"]
    if sizes and sizes[1] not in (None, wanted):
        raise ValueError(f"Dimension must be {wanted} but is {sizes[1]}")
    return [unknown_shape(1)] * 3


@_compute_accidental_hits.kernel
def _accidental_hits_kernel(
    true_classes: Array, sampled_candidates: Array, *, num_true: int
) -> list[Array]:
    if true_classes.ndim != 2 or true_classes.shape[1] != num_true:
        raise invalid("true_candidates must be a batch_size * num_true matrix")
    if sampled_candidates.ndim != 1:
        raise invalid(
            "sampled_candidates must be a vector, which is typically an output from "
            "CandidateSampler"
        )
    position = {value: place for place, value in enumerate(sampled_candidates.tolist())}
    hits = [
        (row, position[value])
        for row, values in enumerate(true_classes.tolist())
        for value in values
        if value in position
    ]
    rows = np.array([row for row, _ in hits], np.int32)
    ids = np.array([place for _, place in hits], np.int64)
    return [rows, ids, np.full(len(hits), -np.finfo(np.float32).max, np.float32)]


def compute_accidental_hits(
    true_classes: Any,
    sampled_candidates: Any,
    num_true: int,
    seed: int | None = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """Where right classes were drawn by chance (TensorFlow: `tf.nn.compute_accidental_hits`).

    Args:
      true_classes: int64, of shape (batch, num_true).
      sampled_candidates: int64, the classes drawn.
      num_true: how many right classes an example has.
      seed: not used. name: of the operation.

    Returns:
      vectors: the row of each hit, its place among the drawn classes, and the lowest float32, to
      be added to its logit.

    Example:
      >>> rows, places, _ = tf.nn.compute_accidental_hits([[3], [7]], [5, 7], 1)
      >>> rows, places  # [1], [1]
    """
    first, second = get_seed(seed)
    result: tuple[Tensor, Tensor, Tensor] = _compute_accidental_hits(
        true_classes,
        sampled_candidates,
        name=name,
        num_true=num_true,
        seed=first or 0,
        seed2=second or 0,
    )
    return result
