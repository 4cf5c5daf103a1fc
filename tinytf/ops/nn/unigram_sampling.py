"""Classes picked by how often they are: from a list, from what was seen so far; or all of them."""

from __future__ import annotations

import bisect
import itertools
import threading
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from tinytf.framework.errors import invalid
from tinytf.framework.operation import Operation
from tinytf.framework.tensor import Tensor
from tinytf.ops.nn import candidate_sampling as sampling
from tinytf.ops.nn.candidate_sampling import sample
from tinytf.ops.random.philox import to_float32
from tinytf.resources import file_system
from tinytf.resources.manager import ResourceManager


def _numbers(resources: ResourceManager, node: Operation) -> Iterator[int]:
    """Random 32-bit numbers for one run, one by one."""
    chunks = sampling.random_bits(resources, node)
    return itertools.chain.from_iterable(bits.tolist() for bits in chunks)


def _below(count: int, numbers: Iterator[int]) -> int:
    """A number below `count`; the lowest are left out where they would favour some."""
    left_out = 0 if count & (count - 1) == 0 else (2**32 - 1) % count + 1
    number = next(numbers)
    while number < left_out:
        number = next(numbers)
    return number % count


# AllCandidateSampler ------------------------------------------------------------------------------

_all_sampler = sampling.define_sampler("AllCandidateSampler")


@_all_sampler.kernel
def _all_kernel(
    true_classes: Any, *, resources: ResourceManager, node: Operation
) -> list[np.ndarray]:
    count = node.attrs["num_sampled"]
    sampling.check_classes(true_classes, node, count)
    ones = np.ones(count, np.float32)
    return [np.arange(count), np.ones(true_classes.shape, np.float32), ones]


def all_candidate_sampler(
    true_classes: Any,
    num_true: int,
    num_sampled: int,
    unique: bool,
    seed: int | None = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """All classes, to try a sampled loss (TensorFlow: `tf.nn.all_candidate_sampler`).

    Args:
      true_classes, num_true, seed, name: as for `tf.nn.log_uniform_candidate_sampler`, and so are
        the results: each class is expected once.
      num_sampled: the number of classes.
      unique: without meaning here.

    Example:
      >>> tf.nn.all_candidate_sampler([[0]], 1, 3, True)  # ([0, 1, 2], [[1.]], [1., 1., 1.])
    """
    return sample(_all_sampler, **locals())


# LearnedUnigramCandidateSampler -------------------------------------------------------------------

_learned_sampler = sampling.define_sampler("LearnedUnigramCandidateSampler", "range_max: int >= 1")


class _Seen:
    """How often each class was a right one, and once more: of one node in a session."""

    def __init__(self, classes: int):
        self.counts = np.ones(classes, np.int64)
        self.lock = threading.Lock()


@_learned_sampler.kernel
def _learned_kernel(
    true_classes: Any, *, resources: ResourceManager, node: Operation
) -> list[np.ndarray]:
    classes = node.attrs["range_max"]
    sampling.check_classes(true_classes, node, classes)
    seen = resources.of_node(node.name, _Seen, lambda: _Seen(classes))
    numbers = _numbers(resources, node)
    with seen.lock:
        counts, upto = seen.counts, np.cumsum(seen.counts).tolist()
        values = (bisect.bisect_right(upto, _below(upto[-1], numbers)) for _ in itertools.count())
        shares = counts.astype(np.float32) / np.float32(upto[-1])
        result = sampling.sampled(true_classes, node, values, lambda classes: shares[classes])
        np.add.at(counts, true_classes.reshape(-1), 1)
    return result


def learned_unigram_candidate_sampler(
    true_classes: Any,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    seed: int | None = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """Classes as often as they were right (TensorFlow: `tf.nn.learned_unigram_candidate_sampler`).

    In the first run all are as likely; each run counts the right classes that it is given.

    Args:
      true_classes, num_true, num_sampled, unique, range_max, seed, name: as for
        `tf.nn.log_uniform_candidate_sampler`, and so are the results.

    Raises:
      InvalidArgumentError: in a run, for right classes that there are not.

    Example:
      >>> classes, _, _ = tf.nn.learned_unigram_candidate_sampler([[0]], 1, 3, True, 3)
      >>> tf.sort(classes)  # [0, 1, 2]
    """
    if range_max > 2**31 - 1:
        raise ValueError(f"Value of range_max:{range_max} is too large to handle")
    return sample(_learned_sampler, **locals())


# FixedUnigramCandidateSampler ---------------------------------------------------------------------

_fixed_sampler = sampling.define_sampler(
    "FixedUnigramCandidateSampler",
    "range_max: int >= 1, vocab_file: string = '', distortion: float = 1.0",
    "num_reserved_ids: int = 0, num_shards: int >= 1 = 1, shard: int >= 0 = 0",
    "unigrams: list(float) = []",
)


class _Unigrams:
    """How often classes are, and the table that they are picked from.

    Each place of the table belongs to a class, with some probability, and to another one
    otherwise (Walker's alias method): one number chooses the place, another one the class.
    """

    def __init__(self, weights: np.ndarray):
        self.weights, self.total = weights, np.float32(0)
        for weight in weights:  # in float32, one after the other
            self.total += weight
        count, whole = len(weights), float(np.sum(weights, dtype=np.float64))
        share = ((weights * np.float32(count)) / whole).tolist()
        other = list(range(count))
        low = [place for place in range(count) if share[place] < 1]
        high = [place for place in range(count) if not share[place] < 1]
        while low and high:
            small, large = low.pop(), high.pop()
            other[small] = large
            share[large] -= 1.0 - share[small]
            (low if share[large] < 1 else high).append(large)
        for place in (*low, *high):  # 1, but for rounding
            share[place] = 1.0
        self.share, self.other = np.array(share, np.float32).tolist(), other

    def picks(self, numbers: Iterator[int]) -> Iterator[int]:
        """Classes, without end."""
        while True:
            chance = float(to_float32(np.array([next(numbers)], np.uint32))[0])
            place = _below(len(self.other), numbers)
            yield place if chance < self.share[place] else self.other[place]

    def probability(self, classes: np.ndarray) -> np.ndarray:
        """Of each class."""
        return self.weights[classes] / self.total


@_fixed_sampler.kernel
def _fixed_kernel(
    true_classes: Any, *, resources: ResourceManager, node: Operation
) -> list[np.ndarray]:
    unigrams = resources.of_node(node.name, _Unigrams, lambda: _unigrams(node, resources))
    sampling.check_classes(true_classes, node, node.attrs["range_max"])
    values = unigrams.picks(_numbers(resources, node))
    return sampling.sampled(true_classes, node, values, unigrams.probability)


def _unigrams(node: Operation, resources: ResourceManager) -> _Unigrams:
    """The weights of a node's attributes, in its shard.

    Raises:
      InvalidArgumentError: if they do not fit one another.
    """
    attrs = node.attrs
    shards, shard, reserved = attrs["num_shards"], attrs["shard"], attrs["num_reserved_ids"]
    name, listed = attrs["vocab_file"], attrs["unigrams"]
    if name and listed:
        raise invalid("Must only provide one of vocab_file and unigrams.")
    if not (name or listed):
        raise invalid("Must provide either vocab_file or unigrams.")
    weights = [0.0 for number in range(reserved) if number % shards == shard]
    if name:
        listed = _weights_in_file(resources.files.path(name.decode()))
    distortion = np.float64(np.float32(attrs["distortion"]))
    for number, weight in enumerate(listed, len(weights)):
        if number % shards == shard:
            weights.append(np.float64(np.float32(weight)) ** distortion)
    if len(weights) != attrs["range_max"]:
        raise invalid(
            f"range is {attrs['range_max']} must be equal to weights size  {len(weights)}: "
            "range_max counts the reserved classes and those of the list, in this shard."
        )
    return _Unigrams(np.array(weights, np.float32))


def _weights_in_file(path: str) -> list[float]:
    """The last number of each line, after a comma."""
    found = []
    for line in filter(None, file_system.read(path).decode().splitlines()):
        try:
            found.append(float(line.rpartition(",")[2]))
        except ValueError:
            raise invalid(
                f"Wrong vocabulary format at line: {line}. A line is a word, a comma, and how "
                "often the word is."
            ) from None
    return found


def fixed_unigram_candidate_sampler(
    true_classes: Any,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    vocab_file: str = "",
    distortion: float = 1.0,
    num_reserved_ids: int = 0,
    num_shards: int = 1,
    shard: int = 0,
    unigrams: Sequence[float] = (),
    seed: int | None = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """Classes as often as is said (TensorFlow: `tf.nn.fixed_unigram_candidate_sampler`).

    Args:
      true_classes, num_true, num_sampled, unique, range_max, seed, name: as for
        `tf.nn.log_uniform_candidate_sampler`, and so are the results.
      vocab_file: of lines that end with a comma and a number: how often the class is.
      distortion: the power that these numbers are raised to: 1 as they are, 0 all as often.
      num_reserved_ids: how many classes come before, and are never drawn.
      num_shards, shard: to draw only every `num_shards`th class, `shard` being the first.
      unigrams: the numbers themselves, instead of a file.

    Raises:
      InvalidArgumentError: in a run, if there are not `range_max` numbers, neither or both of file
        and numbers, or lines of another kind.

    Example:
      >>> classes, _, _ = tf.nn.fixed_unigram_candidate_sampler(
      ...     [[0]], 1, 3, False, 3, unigrams=[0.0, 0.0, 1.0])
      >>> classes  # [2, 2, 2]
    """
    return sample(_fixed_sampler, **locals())
