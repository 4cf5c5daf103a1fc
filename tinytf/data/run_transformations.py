"""Datasets that pass on elements of others as they are: fewer, more often, several together."""

from __future__ import annotations

from collections.abc import Sequence

from tinytf.data.run_sources import times
from tinytf.data.stages import Next, Stage
from tinytf.data.value import INFINITE, UNKNOWN, Context, Dataset
from tinytf.framework.errors import InvalidArgumentError
from tinytf.framework.operation import Operation


class TakeDataset(Dataset):
    """The first elements; all of them if `count` is below 0."""

    __slots__ = ("_count",)

    def __init__(self, node: Operation, source: Dataset, count: int):
        super().__init__(node, [source])
        self._count = count

    def start(self, context: Context, stage: Stage) -> Next:
        """See `Dataset.start`."""
        advance, left = self.inputs[0].iterate(context, stage).next, self._count

        def take() -> tuple:
            nonlocal left
            if left == 0:
                raise StopIteration
            element = advance()
            left -= 1
            return element

        stage.count = lambda: self._count - left
        return take

    def cardinality(self) -> int:
        """See `Dataset.cardinality`."""
        size, count = self.inputs[0].cardinality(), self._count
        if size == INFINITE:
            return INFINITE if count < 0 else count
        if size == UNKNOWN:
            return UNKNOWN
        return size if count < 0 else min(size, count)


class SkipDataset(Dataset):
    """What comes after the first elements; nothing if `count` is below 0."""

    __slots__ = ("_count",)

    def __init__(self, node: Operation, source: Dataset, count: int):
        super().__init__(node, [source])
        self._count = count

    def start(self, context: Context, stage: Stage) -> Next:
        """See `Dataset.start`."""
        if self._count < 0:
            return iter(()).__next__
        source, left = self.inputs[0].iterate(context, stage), self._count
        advance = source.next

        def skip() -> tuple:
            nonlocal left
            while left:
                if not left & 255:  # it may last
                    context.check()
                advance()
                left -= 1
            return advance()

        stage.count = lambda: source.produced - (self._count - left)
        return skip

    def cardinality(self) -> int:
        """See `Dataset.cardinality`."""
        size, count = self.inputs[0].cardinality(), self._count
        if size < 0:
            return size if count >= 0 else 0
        return 0 if count < 0 else max(size - count, 0)


class RepeatDataset(Dataset):
    """Its input again and again: `count` times, or for ever if that is below 0.

    An input without elements is not asked for ever: it is the end.
    """

    __slots__ = ("_count",)

    def __init__(self, node: Operation, source: Dataset, count: int):
        super().__init__(node, [source])
        self._count = count

    def start(self, context: Context, stage: Stage) -> Next:
        """See `Dataset.start`."""
        source, left = self.inputs[0], self._count
        running: Stage | None = None
        advance: Next | None = None
        is_first, produced = True, 0

        def repeat() -> tuple:
            nonlocal running, advance, left, is_first, produced
            while left:
                if advance is None:
                    context.check()  # an input may be empty very often
                    running = source.iterate(context, stage)
                    advance, is_first = running.next, True
                try:
                    element = advance()
                    is_first = False
                    produced += 1
                    return element
                except StopIteration:
                    if running is not None:
                        stage.drop(running)
                    running = advance = None
                    left -= 1
                    if is_first and left < 0:
                        left = 0
            raise StopIteration

        stage.count = lambda: produced
        return repeat

    def cardinality(self) -> int:
        """See `Dataset.cardinality`."""
        return times(self.inputs[0].cardinality(), self._count)


class ShardDataset(Dataset):
    """Every n-th element, beginning with number `index`.

    Raises:
      InvalidArgumentError: if there is no such shard.
    """

    __slots__ = ("_count", "_index", "_required")

    def __init__(
        self, node: Operation, source: Dataset, count: int, index: int, required: bool = False
    ):
        super().__init__(node, [source])
        if count < 1:
            raise InvalidArgumentError(
                f"Number of shards must be greater than zero (currently num_shards = {count}).",
            )
        if not 0 <= index < count:
            raise InvalidArgumentError(
                f"Index must be between 0 and {count - 1} (currently index = {index}).",
            )
        self._count, self._index, self._required = count, index, required

    def start(self, context: Context, stage: Stage) -> Next:
        """See `Dataset.start`."""
        advance, before = self.inputs[0].iterate(context, stage).next, self._index
        between, produced = self._count - 1, 0

        def shard() -> tuple:
            nonlocal before, produced
            while before > 255:  # it may last
                context.check()
                for _ in range(255):
                    advance()
                    before -= 1
            while before:
                advance()
                before -= 1
            element = advance()
            before = between
            produced += 1
            return element

        stage.count = lambda: produced
        return shard

    def cardinality(self) -> int:
        """See `Dataset.cardinality`."""
        size = self.inputs[0].cardinality()
        return size if size < 0 else (size - self._index + self._count - 1) // self._count


class ZipDataset(Dataset):
    """One element of each, side by side; as many as the shortest has."""

    __slots__ = ()

    def start(self, context: Context, stage: Stage) -> Next:
        """See `Dataset.start`."""
        advances = [source.iterate(context, stage).next for source in self.inputs]

        produced, is_over = 0, False

        def zipped() -> tuple:
            nonlocal produced, is_over
            element: tuple = ()
            for index, advance in enumerate(advances if not is_over else [_ended]):
                try:
                    element += advance()
                except Exception as error:
                    if not is_over:
                        met_end = _keep_in_step(advances[index + 1 :])
                        is_over = met_end or isinstance(error, StopIteration)
                    raise
            produced += 1
            return element

        stage.count = lambda: produced
        return zipped

    def cardinality(self) -> int:
        """See `Dataset.cardinality`."""
        sizes = [source.cardinality() for source in self.inputs]
        known = [size for size in sizes if size != INFINITE]
        if UNKNOWN in known:
            return UNKNOWN
        return min(known, default=INFINITE)


def _keep_in_step(advances: Sequence[Next]) -> bool:
    """After an error or the end, take one element of each of the others; whether one has no more.

    So they stay side by side, and a cache among inputs of one length learns that it is complete.
    """
    met_end = False
    for advance in advances:
        try:
            advance()
        except StopIteration:
            met_end = True
        except Exception:  # noqa: S112 - of several errors the first is told
            continue
    return met_end


def _ended() -> tuple:
    raise StopIteration


class ConcatenateDataset(Dataset):
    """All elements of one, then those of the next."""

    __slots__ = ()

    def start(self, context: Context, stage: Stage) -> Next:
        """See `Dataset.start`."""
        sources: Sequence[Dataset] = self.inputs
        number = produced = 0
        running = sources[0].iterate(context, stage)
        advance = running.next

        def concatenated() -> tuple:
            nonlocal number, running, advance, produced
            while True:
                try:
                    element = advance()
                    produced += 1
                    return element
                except StopIteration:
                    number += 1
                    if number >= len(sources):
                        raise
                    stage.drop(running)
                    running = sources[number].iterate(context, stage)
                    advance = running.next

        stage.count = lambda: produced
        return concatenated

    def cardinality(self) -> int:
        """See `Dataset.cardinality`."""
        sizes = [source.cardinality() for source in self.inputs]
        if INFINITE in sizes:
            return INFINITE
        return UNKNOWN if UNKNOWN in sizes else sum(sizes)
