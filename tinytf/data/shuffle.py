"""Shuffling with a buffer, in TensorFlow's own order for a given seed.

The buffer is filled; then each element is drawn from it at random, and its place filled again. Each
iteration over the input takes a new pair of seeds, out of a sequence that begins with those of the
node, unless the order is to stay. Mirrors core/kernels/data/shuffle_dataset_op.cc.
"""

from __future__ import annotations

import secrets
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

from tinytf.data.run_sources import times
from tinytf.data.stages import Next, Stage
from tinytf.data.value import UNKNOWN, Context, Dataset
from tinytf.framework.errors import InvalidArgumentError
from tinytf.framework.operation import Operation

#: Random numbers of 32 bits, one after the other, for a pair of seeds.
Numbers = Callable[[int, int], Iterator[int]]


class Seeds:
    """The pairs of seeds for one iteration after the other. Thread-safe.

    Args:
      seed, seed2: the first pair; 0 and 0: any. numbers: makes a sequence of random numbers.
      changes: whether each iteration gets a pair of its own.
    """

    def __init__(self, seed: int, seed2: int, numbers: Numbers, changes: bool):
        self._given = seed, seed2, numbers, changes
        if seed == seed2 == 0:
            seed, seed2 = secrets.randbits(63), secrets.randbits(63)
        self._pair = seed, seed2
        self._numbers = numbers(seed, seed2) if changes else None
        self._lock = threading.Lock()

    def from_the_start(self) -> Seeds:
        """The same seeds, none of which is used yet; without seeds, others."""
        return Seeds(*self._given)

    def next_pair(self) -> tuple[int, int]:
        """The seeds of one more iteration."""
        if self._numbers is None:
            return self._pair
        with self._lock:
            return next(self._numbers), next(self._numbers)


class ShuffleDataset(Dataset):
    """The elements of its input in random order.

    Args:
      size: of the buffer. seeds: of the iterations. numbers: makes sequences of random numbers.
      count: how often to repeat it, across which the buffer stays full; below 0: for ever.

    Raises:
      InvalidArgumentError: if the buffer has no room.
    """

    __slots__ = ("_count", "_numbers", "_seeds", "_size")
    keeps_state = True

    def __init__(
        self, node: Operation, source: Dataset, size: int, seeds: Seeds, numbers: Numbers,
        count: int = 1,
    ):  # fmt: skip
        super().__init__(node, [source])
        if size <= 0 and size != UNKNOWN:
            raise InvalidArgumentError(
                f"buffer_size must be greater than zero or UNKNOWN_CARDINALITY (-2), and is {size}",
            )
        if size == UNKNOWN:
            size = sys.maxsize  # all there are
        self._size, self._seeds, self._numbers, self._count = size, seeds, numbers, count

    def start(self, context: Context, stage: Stage) -> Next:
        """See `Dataset.start`."""
        buffer = _Buffer(self, context, stage)
        capacity = self._size
        stage.buffer = lambda: (buffer.held, capacity)
        stage.count = lambda: buffer.given
        return buffer.next

    def copied(self, numbers: Iterator[int]) -> Dataset:
        """See `Dataset.copied`."""
        twin = super().copied(numbers)
        assert isinstance(twin, ShuffleDataset)
        twin._seeds = self._seeds.from_the_start()
        return twin

    def cardinality(self) -> int:
        """See `Dataset.cardinality`."""
        return times(self.inputs[0].cardinality(), self._count)


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
        self._draw = dataset._numbers(*dataset._seeds.next_pair())
        self.held = self.given = 0

    def next(self) -> tuple:
        """See `stages.Next`."""
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
            self._draw = self._dataset._numbers(*self._dataset._seeds.next_pair())
        oldest = epochs[0]
        first, end = oldest
        chosen, front = (first + next(self._draw) % (end - first)) % size, first % size
        element = ring[chosen]
        ring[chosen], ring[front] = ring[front], None
        oldest[0] = first + 1
        self.held -= 1
        self.given += 1
        return element
