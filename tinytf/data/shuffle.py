"""`shuffle`: elements in random order, in TensorFlow's own for a given seed.

A buffer is filled; then each element is drawn from it at random, and its place filled again. Each
iteration over the input takes a new pair of seeds, out of a sequence that begins with those of the
node, unless the order is to stay. Mirrors core/kernels/data/shuffle_dataset_op.cc.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from typing import Any

from tinytf.data.base import Self, Transformation, int64
from tinytf.data.cards import FORM, METADATA, TYPES, dataset_op
from tinytf.data.random import any_seeds, dataset_seeds, numbers
from tinytf.data.repeat import times
from tinytf.data.stages import UNKNOWN, Context, DatasetValue, Next, Stage
from tinytf.framework.errors import invalid


class Seeds:
    """The pairs of seeds for one iteration after the other. Thread-safe.

    Args:
      seed, seed2: the first pair; 0 and 0: any. changes: whether each iteration gets its own.
    """

    def __init__(self, seed: int, seed2: int, changes: bool):
        self._given = seed, seed2, changes
        self._pair = (seed, seed2) if seed or seed2 else any_seeds()
        self._numbers = numbers(*self._pair) if changes else None
        self._lock = threading.Lock()

    def from_the_start(self) -> Seeds:
        """The same seeds, none of which is used yet; without seeds, others."""
        return Seeds(*self._given)

    def draws(self) -> Iterator[int]:
        """The random numbers of one more iteration."""
        if self._numbers is None:
            return numbers(*self._pair)
        with self._lock:
            return numbers(next(self._numbers), next(self._numbers))


# ShuffleDataset, ShuffleAndRepeatDataset ----------------------------------------------------------


_SHUFFLE = "input_dataset: variant, buffer_size: int64, seed: int64, seed2: int64"
_CHANGES = "reshuffle_each_iteration: bool = true"


@dataset_op(_SHUFFLE, _CHANGES, FORM)
class ShuffleDataset(DatasetValue):
    """The elements of its input in random order.

    Raises:
      InvalidArgumentError: if the buffer has no room.
    """

    keeps_state = True

    def check(self) -> None:
        given, size = self.given, self.given.buffer_size
        if size <= 0 and size != UNKNOWN:
            raise invalid(
                f"buffer_size must be greater than zero or UNKNOWN_CARDINALITY (-2), and is {size}"
            )
        self._size = sys.maxsize if size == UNKNOWN else size
        self._count = getattr(given, "count", 1)
        self._seeds = Seeds(given.seed, given.seed2, given.reshuffle_each_iteration)

    def start(self, context: Context, stage: Stage) -> Next:
        buffer = _Buffer(self, context, stage)
        capacity = self._size
        stage.buffer = lambda: (buffer.held, capacity)
        stage.count = lambda: buffer.given
        return buffer.next

    def copied(self, numbers: Iterator[int]) -> DatasetValue:
        twin = super().copied(numbers)
        assert isinstance(twin, ShuffleDataset)
        twin._seeds = self._seeds.from_the_start()
        return twin

    def cardinality(self) -> int:
        return times(self.inputs[0].cardinality(), self._count)


@dataset_op(f"{_SHUFFLE}, count: int64", TYPES, _CHANGES, METADATA)
class ShuffleAndRepeatDataset(ShuffleDataset):
    """Its input so often, shuffled across the ends."""


class _Buffer:
    """The elements to draw from: a ring, in which those of one epoch lie side by side.

    Attributes:
      held: how many elements there are. given: how many were taken out.
    """

    def __init__(self, dataset: ShuffleDataset, context: Context, stage: Stage):
        self._dataset, self._context, self._stage = dataset, context, stage
        self._left = dataset._count
        self._ring: list[Any] = [None] * min(dataset._size, 1024)
        self._size = dataset._size
        #: [first, one past the last] of each epoch, as if the ring had no end.
        self._epochs: list[list[int]] = [[0, 0]]
        self._running: Stage | None = None
        self._draw = dataset._seeds.draws()
        self.held = self.given = 0

    def next(self) -> tuple:
        if self.held < self._size:
            running, size = self._running, self._size
            if running is not None and self.held == size - 1 == len(self._ring) - 1:
                # A full buffer from which one was taken: what happens nearly always.
                try:
                    element = running.next()
                except StopIteration:
                    self._next_epoch()
                    self._fill()
                else:
                    epoch = self._epochs[-1]
                    self._ring[epoch[1] % size] = element
                    epoch[1] += 1
                    self.held = size
            else:
                self._fill()
        return self._take()

    def _fill(self) -> None:
        """Take elements from the input until the buffer is full, or there are no more."""
        while self.held < self._size and self._left:
            if not self.held & 255:  # filling may last
                self._context.check()
            if self._running is None:
                self._running = self._dataset.inputs[0].iterate(self._context, self._stage)
            try:
                element = self._running.next()
            except StopIteration:
                self._context.check()  # an input may be empty very often
                self._next_epoch()
                continue
            epoch = self._epochs[-1]
            place = epoch[1] % self._size
            if place >= len(self._ring):
                self._ring += [None] * (min(2 * len(self._ring), self._size) - len(self._ring))
            self._ring[place] = element
            epoch[1] += 1
            self.held += 1

    def _next_epoch(self) -> None:
        if self._running is not None:
            is_empty = self._running.produced == 0
            self._stage.drop(self._running)
            self._running = None
            self._left = 0 if is_empty and self._left < 0 else self._left - 1
        end = self._epochs[-1][1]
        self._epochs.append([end, end])

    def _take(self) -> tuple:
        """An element of the oldest epoch, by the next random number; StopIteration at the end."""
        if not self.held:
            raise StopIteration
        epochs, ring, size = self._epochs, self._ring, self._size
        while epochs[0][0] == epochs[0][1]:
            del epochs[0]
            self._draw = self._dataset._seeds.draws()
        oldest = epochs[0]
        first, end = oldest
        chosen, front = (first + next(self._draw) % (end - first)) % size, first % size
        element = ring[chosen]
        ring[chosen], ring[front] = ring[front], None
        oldest[0] = first + 1
        self.held -= 1
        self.given += 1
        return element


def shuffle(
    self: Self,
    buffer_size: Any,
    seed: Any = None,
    reshuffle_each_iteration: bool | None = None,
    name: str | None = None,
) -> Self:
    """The elements in random order, each drawn from a buffer (TensorFlow: `Dataset.shuffle`).

    Args:
      buffer_size: how many elements there are to draw from: as many as the dataset has, for an
        order that is random altogether.
      seed: with it (or a graph-level seed) the order is the same in every run: TensorFlow's.
      reshuffle_each_iteration: whether each `repeat` gets an order of its own; None: yes.
      name: kept in the graph.

    Example:
      >>> tf.data.Dataset.range(5).shuffle(5, seed=1)  # [0, 4, 3, 1, 2]
    """
    size = int64(buffer_size, "buffer_size")
    changes = reshuffle_each_iteration is None or bool(reshuffle_each_iteration)
    return self._derived(
        ShuffleDataset.card, size, *dataset_seeds(seed), reshuffle_each_iteration=changes, name=name
    )


def shuffle_and_repeat(buffer_size: Any, count: Any = None, seed: Any = None) -> Transformation:
    """`shuffle` and `repeat` in one (TensorFlow: `tf.data.experimental.shuffle_and_repeat`).

    Example:
      >>> tf.data.Dataset.range(3).apply(tf.data.experimental.shuffle_and_repeat(3, 2, seed=1))
    """

    def apply(dataset: Any) -> Any:
        size = int64(buffer_size, "buffer_size")
        times = int64(-1 if count is None else count, "count")
        return dataset._derived(ShuffleAndRepeatDataset.card, size, *dataset_seeds(seed), times)

    return apply
