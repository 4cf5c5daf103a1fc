"""`interleave` by threads, and `tf.data.experimental.parallel_interleave`."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from typing import Any

from tinytf.data.base import Self, Transformation, int64, order
from tinytf.data.cards import CALLS, FORM, ORDER, dataset_op
from tinytf.data.functions import (
    Captured,
    FunctionDataset,
    StructuredFunction,
    dataset_of,
    dataset_spec,
)
from tinytf.data.parallel import check_parallel_calls, is_ordered
from tinytf.data.stages import AUTOTUNE, Context, Next, Stage
from tinytf.data.workers import Failed, Workers, parallelism
from tinytf.framework.errors import invalid

#: So many elements of each dataset are ready, at least, if nothing else is said.
_READY = 32


class _Stream:
    """One of the datasets that are open at once. Guarded by the lock of the workers.

    Attributes:
      elements: those that are ready. is_busy: a thread reads it. has_ended: there are no more.
    """

    def __init__(self, element: Any):
        self.element = element
        self.stage: Stage | None = None
        self.elements: deque[Any] = deque()
        self.is_busy = self.has_ended = False


class Turns:
    """How much is taken of whom.

    Attributes:
      streams: the places of those that are open; None where none is. place: whose turn it is.
    """

    def __init__(self, cycle: int, block: int, keeps_count: bool = False):
        self.streams: list[_Stream | None] = [None] * cycle
        self.place = 0
        self.keeps_count = keeps_count
        self._block, self._given, self._filled = block, 0, 0

    def pass_on(self) -> None:
        """It is the next one's turn."""
        self.place, self._given = (self.place + 1) % len(self.streams), 0

    def give(self) -> None:
        """The one whose turn it is has given an element."""
        self._given += 1
        if self._given >= self._block:
            self.pass_on()

    def end(self, following: _Stream | None = None) -> None:
        """The one whose turn it is has no more; another one may take its place."""
        given = self._given
        self.streams[self.place] = following
        self.pass_on()
        if self.keeps_count and following is None:
            self._given = given

    def fill(self, coming: deque[_Stream]) -> None:
        """Put the first ones into their places, before one can take the place of another."""
        while coming and self._filled < len(self.streams):
            self.streams[self._filled] = coming.popleft()
            self._filled += 1

    def in_turn(self) -> Iterable[_Stream]:
        """Those that are open, the one whose turn it is first."""
        for stream in self.streams[self.place :] + self.streams[: self.place]:
            if stream is not None:
                yield stream


class Reading:
    """Threads that open datasets and read them, and whoever takes elements of them in turns.

    Args:
      workers: of the stage. advance: gives the next input. function: makes a dataset of it.
      turns: of the open ones. more: how many are opened before their turn comes.
      ready: how many elements of each are ready. is_ordered: whether nobody's turn is passed over.
    """

    def __init__(
        self,
        workers: Workers,
        advance: Next,
        function: Captured,
        turns: Turns,
        more: int,
        ready: int,
        threads: int,
        is_ordered: bool,
    ):
        self._workers, self._advance, self._function = workers, advance, function
        self._turns, self._ready, self._threads = turns, ready, threads
        self._most = len(turns.streams) + more
        self._is_ordered = is_ordered
        self._coming: deque[_Stream] = deque()  # guarded by workers.lock, as are these
        self._is_pulling = self._is_over = self._is_started = False

    # Threads --------------------------------------------------------------------------------------

    def _work(self) -> None:
        workers = self._workers
        while True:
            with workers.lock:
                if not self._has_work():
                    workers.wait_for_room(self._has_work)
                if workers.is_closed or self._is_finished():
                    return
                stream = self._next_to_work_at()
                if stream is None:
                    self._is_pulling = True
                else:
                    stream.is_busy = True
            if stream is None:
                self._pull()
            else:
                self._read(stream)

    def _has_work(self) -> bool:
        return self._is_finished() or self._may_pull() or self._next_to_read() is not None

    def _next_to_work_at(self) -> _Stream | None:
        """A stream to be read; None: take the next input."""
        turns = self._turns
        awaited = turns.streams[turns.place]
        is_urgent = awaited is not None and not (awaited.elements or awaited.has_ended)
        if awaited is not None and is_urgent and not awaited.is_busy:
            return awaited
        return None if self._may_pull() else self._next_to_read()

    def _may_pull(self) -> bool:
        opened = len(self._coming) + sum(1 for _ in self._turns.in_turn())
        return not self._is_pulling and not self._is_over and opened < self._most

    def _next_to_read(self) -> _Stream | None:
        for streams in (self._turns.in_turn(), self._coming):
            for stream in streams:
                is_free = not stream.is_busy and not stream.has_ended
                if is_free and 2 * len(stream.elements) <= self._ready:  # more than one at once
                    return stream
        return None

    def _is_finished(self) -> bool:
        if not self._is_over or self._is_pulling:
            return False
        return all(s.has_ended for s in (*self._coming, *self._turns.in_turn()))

    def _pull(self) -> None:
        """Take the next input."""
        made: _Stream | None = None
        try:
            made = _Stream(self._advance())
        except StopIteration:
            pass
        except BaseException as error:
            made = _Stream(None)
            made.elements.append(Failed(error))
            made.has_ended = True
        self._note(made, was_pulling=True)

    def _note(self, stream: _Stream | None, was_pulling: bool = False) -> None:
        """A thread has pulled, or read of, a stream; None: there are no more."""
        workers = self._workers
        with workers.lock:
            if was_pulling:
                self._is_pulling = False
                if stream is None:
                    self._is_over = True
                else:
                    self._coming.append(stream)
            elif stream is not None:
                stream.is_busy = False
            workers.room.notify_all()
            workers.ready.notify_all()

    def _read(self, stream: _Stream) -> None:
        """Fill the buffer of a stream."""
        workers, elements = self._workers, stream.elements
        try:
            if stream.stage is None:
                made = dataset_of(self._function(stream.element), "interleave")
                stream.stage = made.iterate(workers.context, workers)  # type: ignore[arg-type]
            advance = stream.stage.next
            while len(elements) < self._ready and not workers.is_closed:
                elements.append(advance())
                workers.say_ready()
        except BaseException as error:
            self._end(stream, error)
        self._note(stream)

    def _end(self, stream: _Stream, error: BaseException) -> None:
        """Reading a stream has raised something; a function's StopIteration ends the stream too."""
        if not isinstance(error, StopIteration):
            stream.elements.append(Failed(error))
            if stream.stage is not None:
                return
        stage = stream.stage
        stream.has_ended = True
        if stage is not None:
            with self._workers.lock:
                if stage in self._workers.inputs:
                    self._workers.inputs.remove(stage)
            stage.close()

    # Whoever takes elements -----------------------------------------------------------------------

    def next(self) -> tuple:
        """The next element."""
        workers = self._workers
        if not self._is_started:
            self._is_started = True
            workers.start(self._threads, self._work)
        while True:
            with workers.lock:
                element = self._take()
                if element is not None:
                    if workers.are_waiting and self._has_work():
                        workers.room.notify()
                    break
                if self._has_ended():
                    raise StopIteration
                if workers.are_waiting and self._has_work():
                    workers.room.notify()
                workers.wait_until_ready(self._is_ready)
        if type(element) is Failed:
            raise element.error
        return element

    def _settle(self) -> None:
        """Pass over places whose streams have ended; put those that come into empty places."""
        turns = self._turns
        if turns.keeps_count:
            turns.fill(self._coming)
        for _ in turns.streams:
            stream = turns.streams[turns.place]
            if stream is not None and stream.has_ended and not stream.elements:
                if not turns.keeps_count:
                    turns.end()
                elif self._knows_next():
                    turns.end(self._coming.popleft() if self._coming else None)
                else:
                    return
                continue
            if stream is not None:
                return
            if self._coming:
                turns.streams[turns.place] = self._coming.popleft()
            elif self._is_over and not self._is_pulling:
                turns.pass_on()
            else:
                return

    def _knows_next(self) -> bool:
        """Whether a stream is coming, or none ever will."""
        return bool(self._coming) or (self._is_over and not self._is_pulling)

    def _take(self) -> Any:
        """An element, or `Failed`; None if none is ready."""
        turns = self._turns
        self._settle()
        stream = turns.streams[turns.place]
        if stream is not None and stream.elements:
            turns.give()
            return stream.elements.popleft()
        if self._is_ordered:
            return None
        for other in turns.in_turn():
            if other.elements:
                return other.elements.popleft()
        return None

    def _is_ready(self) -> bool:
        if self._has_ended():
            return True
        turns = self._turns
        stream = turns.streams[turns.place]
        if stream is None:
            return bool(self._coming) or self._is_over
        if stream.elements:
            return True
        if stream.has_ended:
            return not turns.keeps_count or self._knows_next()
        return not self._is_ordered and any(one.elements for one in turns.in_turn())

    def _has_ended(self) -> bool:
        return self._is_finished() and not any(
            one.elements for one in (*self._coming, *self._turns.in_turn())
        )

    def buffer(self) -> tuple[int, int]:
        """How many elements are ready, and how many there may be."""
        with self._workers.lock:
            held = sum(len(one.elements) for one in (*self._coming, *self._turns.in_turn()))
        return held, self._most * self._ready


# ParallelInterleaveDatasetV4, ParallelInterleaveDatasetV3, LegacyParallelInterleaveDatasetV2 ------


_TURNS = f"{CALLS}, cycle_length: int64, block_length: int64"
_AHEAD = f"{_TURNS}, buffer_output_elements: int64, prefetch_input_elements: int64"
_CALLS = "num_parallel_calls: int64"
_ATTRS = f"f: func, {ORDER}, Targuments: list(type) >= 0, {FORM}"


@dataset_op(f"{_AHEAD}, {_CALLS}", _ATTRS, name="ParallelInterleaveDatasetV4")
@dataset_op(f"{_TURNS}, {_CALLS}", _ATTRS, name="ParallelInterleaveDatasetV3")
class ParallelInterleaveDataset(FunctionDataset):
    """The elements of several datasets that a function makes, in turns, read by threads.

    Raises:
      InvalidArgumentError: for numbers that make no sense.
    """

    def check(self) -> None:
        given = vars(self.given)
        cycle, block = given["cycle_length"], given["block_length"]
        ready = given.get("buffer_output_elements", AUTOTUNE)
        more = given.get("prefetch_input_elements", AUTOTUNE)
        calls = given.get("num_parallel_calls", max(1, cycle + more))
        self._keeps_count = "num_parallel_calls" not in given
        if cycle <= 0 and cycle != AUTOTUNE:
            wanted = "> 0" if self._keeps_count else "`tf.data.AUTOTUNE` or greater than 0"
            raise invalid(f"`cycle_length` must be {wanted} but is {cycle}")
        if block <= 0:
            raise invalid(f"`block_length` must be > 0 but is {block}")
        self._calls, self._block = check_parallel_calls(calls), block
        least = {"buffer_output_elements": (ready, 1), "prefetch_input_elements": (more, 0)}
        for name, (value, smallest) in least.items():
            if value < smallest and value != AUTOTUNE:
                raise invalid(f"`{name}` must be > 0, or -1: {value}")
        if AUTOTUNE not in (cycle, calls) and calls > cycle and not self._keeps_count:
            raise invalid(
                f"If `cycle_length` is set to a fixed value, `num_parallel_calls` must be either "
                f"`tf.data.AUTOTUNE` or a value less than or equal to `cycle_length`. However, "
                f"`num_parallel_calls` is {calls} and `cycle_length` is {cycle}"
            )
        self._cycle = parallelism(calls) if cycle == AUTOTUNE else cycle
        self._ready = max(2 * block, _READY) if ready == AUTOTUNE else ready
        self._more = self._cycle if more == AUTOTUNE else more
        self._is_ordered = is_ordered(self.given)

    def start(self, context: Context, stage: Stage) -> Next:
        workers = Workers(stage, context)
        advance = self.inputs[0].iterate(workers.context, stage).next
        reading = Reading(
            workers,
            advance,
            self.prepared(workers.context),
            Turns(self._cycle, self._block, self._keeps_count),
            self._more,
            self._ready,
            min(parallelism(self._calls), self._cycle + self._more),
            self._is_ordered,
        )
        stage.buffer = reading.buffer
        return reading.next


@dataset_op(_AHEAD, _ATTRS, name="LegacyParallelInterleaveDatasetV2")
class LegacyParallelInterleaveDataset(ParallelInterleaveDataset):
    """One whose number of threads follows from how many datasets are open.

    One that ends in its turn, with none to take its place, leaves the rest of it to the next one.
    """


# Functions ----------------------------------------------------------------------------------------


def interleaved(
    dataset: Self,
    function: Callable[..., Any],
    cycle: Any,
    block: Any,
    deterministic: bool | None,
    ready: Any = None,
    more: Any = None,
    name: str | None = None,
) -> Self:
    """The elements of the datasets that a function makes, read by a thread each, in turns.

    Args:
      cycle: how many are open at once. block: how many elements each gives in its turn.
      ready: how many of each are got ready; more: how many are opened ahead; None: twice those.
    """
    made = StructuredFunction(
        function, "tf.data.experimental.parallel_interleave()", dataset.element_spec
    )
    numbers = [
        int64(cycle, "cycle_length"),
        int64(block, "block_length"),
        int64(2 * block if ready is None else ready, "buffer_output_elements"),
        int64(2 * cycle if more is None else more, "prefetch_input_elements"),
    ]
    return dataset._derived(
        LegacyParallelInterleaveDataset.card,
        made.captured,
        *numbers,
        f=made.attr,
        deterministic=order(deterministic),
        spec=dataset_spec(made, "interleave"),
        name=name,
    )


def parallel_interleave(
    map_func: Callable[..., Any],
    cycle_length: Any,
    block_length: Any = 1,
    sloppy: bool | None = False,
    buffer_output_elements: Any = None,
    prefetch_input_elements: Any = None,
) -> Transformation:
    """`interleave` with a thread for each dataset.

    TensorFlow: `tf.data.experimental.parallel_interleave`.

    Args:
      cycle_length: how many are open at once. block_length: how many elements each gives in turn.
      sloppy: whether those that are ready come first. buffer_output_elements: how many of each
        are got ready. prefetch_input_elements: how many are opened ahead.

    Example:
      >>> names.apply(tf.data.experimental.parallel_interleave(tf.data.TextLineDataset, 4))
    """

    def apply(dataset: Any) -> Any:
        return interleaved(
            dataset,
            map_func,
            cycle_length,
            block_length,
            None if sloppy is None else not sloppy,
            buffer_output_elements,
            prefetch_input_elements,
        )

    return apply
