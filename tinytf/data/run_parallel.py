"""Datasets whose elements are computed by several threads at once: map, batch, map_and_batch."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from itertools import islice
from typing import Any

from tinytf.data.batch import (
    check_batch_size,
    elements_of,
    gather,
    number_of_batches,
    stacker,
)
from tinytf.data.run_functions import FunctionDataset, MapDataset
from tinytf.data.stages import Next, Stage
from tinytf.data.value import Context, Dataset
from tinytf.data.workers import Failed, Workers, parallelism
from tinytf.framework.errors import InvalidArgumentError
from tinytf.framework.operation import Operation

AUTOTUNE = -1
#: So many results for each thread may be ready. (TensorFlow: one. Threads of Python that take turns
#: at every element cost more than the element.)
_READY = 16


def check_parallel_calls(calls: int) -> int:
    """`calls`; InvalidArgumentError if it is neither positive nor AUTOTUNE."""
    if calls <= 0 and calls != AUTOTUNE:
        raise InvalidArgumentError("num_parallel_calls must be greater than zero.")
    return calls


class _Slot:
    """The place of an element that is being computed."""

    __slots__ = ("is_done", "result")

    def __init__(self) -> None:
        self.is_done = False
        self.result: Any = None


class Parallel:
    """Threads that take inputs in turn and compute a result of each.

    Args:
      workers: of the stage. pull: gives the next input; called by one thread at a time.
      compute: the element that comes of an input; called by several at once.
      calls: how many threads; AUTOTUNE: some.
      is_ordered: whether results come in the order of their inputs.
    """

    def __init__(
        self, workers: Workers, pull: Callable[[], Any], compute: Callable[[Any], tuple],
        calls: int, is_ordered: bool,
    ):  # fmt: skip
        self._workers, self._pull, self._compute = workers, pull, compute
        self._threads = parallelism(calls)
        self.limit = _READY * self._threads
        self._is_ordered = is_ordered
        self.slots: deque[_Slot] = deque()  # guarded by workers.lock, but for taking the first one
        self._is_pulling = self._is_over = False  # guarded by workers.lock
        self._is_started = False

    def _may_pull(self) -> bool:
        return self._is_over or (not self._is_pulling and len(self.slots) < self.limit)

    def _work(self) -> None:
        """Each thread."""
        workers, slots = self._workers, self.slots
        while True:
            with workers.lock:
                if not self._may_pull():
                    workers.wait_for_room(self._may_pull)
                if workers.is_closed or self._is_over:
                    return
                self._is_pulling = True
            slot, value, failed, is_over = _Slot(), None, None, False
            try:
                value = self._pull()
            except StopIteration:
                is_over = True
            except BaseException as error:
                failed = Failed(error)
            with workers.lock:
                self._is_pulling, self._is_over = False, is_over
                if is_over:
                    workers.room.notify_all()
                    workers.ready.notify_all()
                    return
                slots.append(slot)
                if workers.are_waiting:
                    workers.room.notify()
            slot.result = self._computed(value) if failed is None else failed
            slot.is_done = True
            workers.say_ready()

    def _computed(self, value: Any) -> Any:
        try:
            return self._compute(value)
        except BaseException as error:
            return Failed(error)

    def next(self) -> tuple:
        """See `stages.Next`."""
        if not self._is_started:
            self._is_started = True
            self._workers.start(self._threads, self._work)
        slots, workers = self.slots, self._workers
        while True:
            if slots and slots[0].is_done:
                slot = slots.popleft()
                break
            found = None if self._is_ordered else self._any_done()
            if found is not None:
                slot = found
                break
            workers.wait_until_ready(self._is_ready)
            if self._has_ended():
                raise StopIteration
        if workers.are_waiting:
            workers.say_room()
        if type(slot.result) is Failed:
            raise slot.result.error
        return slot.result

    def _any_done(self) -> _Slot | None:
        with self._workers.lock:
            found = next((slot for slot in self.slots if slot.is_done), None)
            if found is not None:
                self.slots.remove(found)
            return found

    def _is_ready(self) -> bool:
        if self._has_ended():
            return True
        some = islice(self.slots, 1 if self._is_ordered else None)
        return any(slot.is_done for slot in some)

    def _has_ended(self) -> bool:
        return self._is_over and not self.slots

    def buffer(self) -> tuple[int, int]:
        """See `Stage.buffer`."""
        return sum(slot.is_done for slot in self.slots.copy()), self.limit


class ParallelMapDataset(MapDataset):
    """The results of a function for each element, several being computed at once.

    Args:
      calls: how many. is_ordered: whether they keep their order.

    Raises:
      InvalidArgumentError: if `calls` is neither positive nor AUTOTUNE.
    """

    __slots__ = ("_calls", "_is_ordered")

    def __init__(
        self, node: Operation, source: Dataset, function: Any, captured: Sequence[Any], calls: int,
        is_ordered: bool,
    ):  # fmt: skip
        super().__init__(node, source, function, captured)
        self._calls, self._is_ordered = check_parallel_calls(calls), is_ordered

    def start(self, context: Context, stage: Stage) -> Next:
        """See `Dataset.start`."""
        return _mapped(self, context, stage, self._calls, self._is_ordered)


def _mapped(
    dataset: FunctionDataset, context: Context, stage: Stage, calls: int, is_ordered: bool
) -> Next:
    workers = Workers(stage, context)
    advance = dataset.inputs[0].iterate(workers.context, stage).next
    function = dataset.prepared(workers.context)
    parallel = Parallel(
        workers, advance, lambda element: tuple(function(element)), calls, is_ordered
    )
    stage.buffer = parallel.buffer
    return parallel.next


class MapAndBatchDataset(FunctionDataset):
    """Batches of the results of a function, several of which are computed at once.

    Args:
      size: of a batch. calls: how many at once. whole_only: leave out the last batch if smaller.

    Raises:
      InvalidArgumentError: if `size` or `calls` is not positive.
    """

    __slots__ = ("_calls", "_size", "_whole_only")

    def __init__(
        self, node: Operation, source: Dataset, function: Any, captured: Sequence[Any], size: int,
        calls: int, whole_only: bool,
    ):  # fmt: skip
        super().__init__(node, source, function, captured)
        if size <= 0:
            raise InvalidArgumentError("batch_size must be greater than zero.")
        self._size, self._whole_only = size, whole_only
        self._calls = check_parallel_calls(calls)

    def start(self, context: Context, stage: Stage) -> Next:
        """See `Dataset.start`."""
        elements = elements_of(_mapped(self, context, stage, self._calls, True))
        least, stacked = self._size if self._whole_only else 1, stacker(self.types)

        def batch() -> tuple:
            gathered = gather(elements, self._size, context)
            if len(gathered) < least:
                raise StopIteration
            return stacked(gathered)

        return batch

    def cardinality(self) -> int:
        """See `Dataset.cardinality`."""
        return number_of_batches(self.inputs[0], self._size, self._whole_only)


class ParallelBatchDataset(Dataset):
    """Several elements as one, several batches being put together at once.

    Args:
      size: of a batch. calls: how many at once. whole_only: leave out the last batch if smaller.
      is_ordered: whether they keep their order.

    Raises:
      InvalidArgumentError: if `size` or `calls` is not positive.
    """

    __slots__ = ("_calls", "_is_ordered", "_size", "_whole_only")

    def __init__(
        self, node: Operation, source: Dataset, size: int, calls: int, whole_only: bool,
        is_ordered: bool,
    ):  # fmt: skip
        super().__init__(node, [source])
        self._size, self._calls = check_batch_size(size), check_parallel_calls(calls)
        self._whole_only, self._is_ordered = whole_only, is_ordered

    def start(self, context: Context, stage: Stage) -> Next:
        """See `Dataset.start`."""
        workers = Workers(stage, context)
        elements = elements_of(self.inputs[0].iterate(workers.context, stage).next)
        least = self._size if self._whole_only else 1

        def pull() -> list:
            gathered = gather(elements, self._size, workers.context)
            if len(gathered) < least:
                raise StopIteration
            return gathered

        parallel = Parallel(workers, pull, stacker(self.types), self._calls, self._is_ordered)
        stage.buffer = parallel.buffer
        return parallel.next

    def cardinality(self) -> int:
        """See `Dataset.cardinality`."""
        return number_of_batches(self.inputs[0], self._size, self._whole_only)
