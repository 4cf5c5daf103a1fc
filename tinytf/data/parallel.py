"""Threads that compute several elements at once: for `map`, `batch` and `map_and_batch`."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from itertools import islice
from typing import Any

from tinytf.data.functions import FunctionDataset
from tinytf.data.stages import AUTOTUNE, Context, Next, Stage
from tinytf.data.workers import Failed, Workers, parallelism
from tinytf.framework.errors import invalid

#: So many results for each thread may be ready. (TensorFlow: one. Threads of Python that take turns
#: at every element cost more than the element.)
_READY = 16


def check_parallel_calls(calls: int) -> int:
    """`calls`; InvalidArgumentError if it is neither positive nor AUTOTUNE."""
    if calls <= 0 and calls != AUTOTUNE:
        raise invalid("num_parallel_calls must be greater than zero.")
    return calls


def is_ordered(given: Any) -> bool:
    """Whether elements keep their order: what the attributes of an op say.

    Raises:
      InvalidArgumentError: for a text that says neither.
    """
    if hasattr(given, "sloppy"):
        return not given.sloppy
    if given.deterministic not in (b"true", b"false", b"default"):
        raise invalid(
            f"{given.deterministic.decode(errors='replace')} is not a valid value of "
            f"`deterministic`: 'true', 'false' or 'default'"
        )
    return given.deterministic != b"false"


class _Slot:
    """The place of an element that is being computed."""

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
        self,
        workers: Workers,
        pull: Callable[[], Any],
        compute: Callable[[Any], tuple],
        calls: int,
        is_ordered: bool,
    ):
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
        """The next element."""
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
        """How many elements are ready, and how many there may be."""
        return sum(slot.is_done for slot in self.slots.copy()), self.limit


def mapped_in_parallel(
    dataset: FunctionDataset, context: Context, stage: Stage, is_ordered: bool
) -> Next:
    """The results of a dataset's function for each element of its input."""
    workers = Workers(stage, context)
    advance = dataset.inputs[0].iterate(workers.context, stage).next
    function = dataset.prepared(workers.context)
    calls = dataset.given.num_parallel_calls
    parallel = Parallel(
        workers, advance, lambda element: tuple(function(element)), calls, is_ordered
    )
    stage.buffer = parallel.buffer
    return parallel.next
