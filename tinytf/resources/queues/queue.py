"""What all queues share: who is served when, blocking, closing, cancelling, giving back.

An operation that can be served at once is, on the thread that asks. If it cannot, or if others were
there before, it waits in line as an `Attempt`: enqueues (and closes) in one line, dequeues in the
other, each served first come, first served. Whoever changes the queue serves the lines (`_serve`),
notes who is done, and tells them after letting go of the lock.

Ctrl-C may come at any line of the main thread. So elements move in single calls of C code, what
is done twice does no harm (`change`, `_serve`, `tell`), and who is interrupted in the middle brings
what was begun to its end for the others, and takes itself back. (Only the counts of all elements
that ever came and went may be off then.)

`dequeue_many` takes elements as they come, so that it may want more than the capacity, and
`enqueue_many` puts them in as there is room; neither lets others of its line pass. If a dequeue
ends without all its elements, those it took go back to where they came from.
TensorFlow: core/kernels/queue_base.cc, fifo_queue.cc.
"""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from tinytf.framework import waiting
from tinytf.framework.cancellation import CancellationManager
from tinytf.framework.dtypes import DType
from tinytf.framework.errors import CancelledError, OutOfRangeError
from tinytf.framework.locks import let_pass
from tinytf.framework.pending import Pending
from tinytf.framework.tensor_shape import TensorShape
from tinytf.resources.queues.attempts import Attempt
from tinytf.resources.queues.elements import Element, Signature

#: The capacity that stands for no limit, as in TensorFlow.
UNLIMITED = 2**31 - 1

ENQUEUES = frozenset(["QueueEnqueueV2", "QueueEnqueueManyV2", "QueueEnqueue", "QueueEnqueueMany"])
DEQUEUES = frozenset(
    """
    QueueDequeueV2 QueueDequeueManyV2 QueueDequeueUpToV2 QueueDequeue QueueDequeueMany
    QueueDequeueUpTo ReaderReadV2 ReaderReadUpToV2 ReaderRead ReaderReadUpTo
    """.split()
)
CLOSES = frozenset(["QueueCloseV2", "QueueClose"])

#: Called with the queue's lock held; adds whom it ended. Calling it once more does no harm.
Change = Callable[[list[Attempt]], None]


class Queue(ABC):
    """A queue of tuples of tensors, shared by steps and threads. Thread-safe.

    Its methods never block: what has to wait returns a `Pending`.

    Args:
      name: of the resource, as in messages.
      dtypes: of the components. shapes: of the components; none at all for any.
      capacity: how many elements it holds; negative for no limit.

    Attributes:
      closed_because: the exception that closed it, if it was one.
      capacity: as given; `UNLIMITED` for no limit.
    """

    #: TensorFlow's name of the kind, as in messages.
    kind = "Queue"
    #: Whether a dequeue of many takes elements before all of them are there.
    takes_as_they_come = True
    served_by = {"elements": ENQUEUES | CLOSES, "room": DEQUEUES, "close": DEQUEUES}

    def __init__(
        self,
        name: str,
        dtypes: Sequence[DType],
        shapes: Sequence[TensorShape] = (),
        capacity: int = -1,
    ):
        self.name = name
        self.capacity = UNLIMITED if capacity < 0 else capacity
        self.signature = Signature(dtypes, shapes)
        self._lock = threading.Lock()
        # All below guarded by self._lock.
        self._closed = False
        self.closed_because: BaseException | None = None
        self._enqueues: deque[Attempt] = deque()
        self._dequeues: deque[Attempt] = deque()
        self._put_in = self._taken_out = 0

    # How elements are stored: the lock is held -------------------------------------------------

    @abstractmethod
    def _count(self) -> int:
        """How many elements there are."""

    @abstractmethod
    def _put_one(self, element: Element) -> None:
        """Store an element."""

    @abstractmethod
    def _put(self, source: deque[Any], count: int) -> None:
        """Move so many elements from the front of `source`, which `_prepared` made."""

    @abstractmethod
    def _take_one(self) -> Element:
        """The next element; there is one."""

    @abstractmethod
    def _take(self, target: list[Any], count: int) -> None:
        """Move the next elements to the end of `target`; there are so many."""

    @abstractmethod
    def _give_back(self, source: list[Any]) -> None:
        """Move all of what `_take` has given back to where it was."""

    def _prepared(self, elements: list[Element]) -> deque[Any]:
        """Elements as they are stored."""
        return deque(elements)

    def _elements_of(self, taken: list[Any]) -> list[Element]:
        """The elements of what `_take` has given."""
        return taken

    @abstractmethod
    def _contents(self) -> list[Element]:
        """The elements, in the order in which they would be taken if that is known."""

    def _available(self) -> int:
        """How many elements may be taken now."""
        return self._count()

    def _batch(self, elements: list[Element]) -> tuple[Any, ...]:
        """Elements as `dequeue_many` gives them."""
        return self.signature.batch(elements)

    # Operations -----------------------------------------------------------------------------------

    def enqueue(self, values: Sequence[Any], cancellation: CancellationManager) -> Any:
        """Put one element in.

        Args:
          values: its components.
          cancellation: ends the wait for room.

        Returns:
          (), or a `Pending` for it, if the queue is full.

        Raises:
          InvalidArgumentError: for wrong types or shapes. CancelledError: if it is closed.
        """
        element = self.signature.element(values)
        if self._lock.locked():
            let_pass(self._lock)
        ended: list[Attempt] = []
        try:
            with self._lock:
                can = not (self._enqueues or self._closed) and self._count() < self.capacity
                if can:
                    self._put_one(element)
                    self._put_in += 1
                    if self._dequeues:
                        self._serve(ended)
            _tell(ended)
        except KeyboardInterrupt:
            with self._lock:
                self._serve(ended)
            _tell(ended)
            raise
        if can:
            return ()
        attempt = Attempt(self._try_enqueue, self._prepared([element]))
        return self._attempt(attempt, self._enqueues, cancellation)

    def enqueue_many(self, batches: Sequence[Any], cancellation: CancellationManager) -> Any:
        """Put in one element for each row of the components; as `enqueue`."""
        rows = self.signature.rows(batches)
        if not rows:
            return ()
        attempt = Attempt(self._try_enqueue, self._prepared(rows))
        return self._attempt(attempt, self._enqueues, cancellation)

    def dequeue(self, cancellation: CancellationManager) -> Any:
        """Take one element.

        Returns:
          its components, or a `Pending` for them, if there is none.

        Raises:
          OutOfRangeError: if the queue is closed and empty.
        """
        if self._lock.locked():
            let_pass(self._lock)
        with self._lock:
            if not (self._dequeues or self._enqueues) and self._available():
                self._taken_out += 1
                element = self._take_one()
                return element  # not at once: an interrupt between call and return keeps the lock
        attempt = Attempt(self._try_dequeue, wanted=1, finish=self._only)
        return self._attempt(attempt, self._dequeues, cancellation)

    def dequeue_many(self, count: int, cancellation: CancellationManager, few: bool = False) -> Any:
        """Take so many elements as a batch; a closed queue gives fewer if they are `few`.

        Raises:
          OutOfRangeError: if it is closed and has not so many (none at all, if `few`).
          InvalidArgumentError: for elements of different shapes.
        """
        if count == 0:
            return self._batch([])
        attempt = Attempt(self._try_dequeue, wanted=count, few=few, finish=self._as_batch)
        return self._attempt(attempt, self._dequeues, cancellation)

    def _only(self, taken: list[Any]) -> Element:
        return self._elements_of(taken)[0]

    def _as_batch(self, taken: list[Any]) -> tuple[Any, ...]:
        return self._batch(self._elements_of(taken))

    def close(
        self, cancel_pending_enqueues: bool = False, cancellation: CancellationManager | None = None
    ) -> Any:
        """No more elements are put in.

        Args:
          cancel_pending_enqueues: whether blocked enqueues fail; else it waits until they are done.
          cancellation: ends the wait; without one it does not wait.

        Returns:
          (), or a `Pending` for it.

        Raises:
          CancelledError: if it is closed already; not with `cancel_pending_enqueues`, as in
            TensorFlow.
        """
        reason = waiting.reason()

        def close_now(ended: list[Attempt]) -> None:
            self._mark_closed(reason)
            while self._enqueues:
                self._enqueues[0].end(error=_cancelled("Enqueue"))
                ended.append(self._enqueues[0])
                self._enqueues.popleft()

        if cancel_pending_enqueues or cancellation is None:
            self._change(close_now)
            return ()

        def try_close(attempt: Attempt) -> bool:
            if self._closed:
                text = f"Queue '{self.name}' is already closed."
                return attempt.end(error=CancelledError(text))
            self._mark_closed(reason)
            return attempt.end()

        return self._attempt(Attempt(try_close), self._enqueues, cancellation)

    def _mark_closed(self, reason: BaseException | None) -> None:
        if not self._closed:
            self._closed, self.closed_because = True, reason

    @property
    def is_closed(self) -> bool:
        """Whether it was closed."""
        return self._closed

    def size(self) -> int:
        """How many elements are in it."""
        with self._lock:
            count = self._count()
        return count

    @property
    def can_batch(self) -> bool:
        """Whether elements can be taken as a batch: their shapes are known."""
        return bool(self.signature.shapes)

    # The lines ------------------------------------------------------------------------------------

    def _attempt(
        self, attempt: Attempt, line: deque[Attempt], cancellation: CancellationManager
    ) -> Any:
        """Serve an operation in its turn: its result, or a Pending for it."""
        # Registered before it stands in line, and with no lock held that a cancellation takes.
        attempt.listen(cancellation, self._give_up)

        def stand_in_line(ended: list[Attempt]) -> None:
            line.append(attempt)

        def wait(ended: list[Attempt]) -> None:
            if not attempt.is_over:
                needs, what = self._need_of(attempt)
                attempt.pending = Pending(what, self, needs)

        def take_back(ended: list[Attempt]) -> None:
            self._leave(attempt, line, ended)

        self._change(stand_in_line, wait, take_back)
        if attempt.pending is not None:
            if cancellation.is_cancelled:  # between registering and standing in line
                self._give_up(attempt)
            return attempt.pending
        return attempt.outcome()

    def _need_of(self, attempt: Attempt) -> tuple[str, str]:
        if attempt.finish is not None:
            return "elements", f"{_counted(attempt.wanted)}"
        if attempt.waiting:
            return "room", f"room for {_counted(len(attempt.waiting))}"
        return "close", "the enqueues before it"

    def _change(
        self, change: Change, then: Change | None = None, if_interrupted: Change | None = None
    ) -> None:
        """Change the queue, serve whom that lets be served, and tell them.

        Args:
          change: called with the lock held; it notes whom it has ended. then: likewise, after that.
          if_interrupted: instead of both, if Ctrl-C comes in the middle; by default `change` again.
        """
        ended: list[Attempt] = []
        if self._lock.locked():
            let_pass(self._lock)
        try:
            with self._lock:
                change(ended)
                self._serve(ended)
                if then is not None:
                    then(ended)
            _tell(ended)
        except KeyboardInterrupt:
            with self._lock:
                (if_interrupted or change)(ended)
                self._serve(ended)
            _tell(ended)
            raise

    def _serve(self, ended: list[Attempt]) -> None:
        """Serve both lines as far as possible; the lock is held. Who is done goes to `ended`."""
        progress = True
        while progress:
            progress = False
            for line in (self._enqueues, self._dequeues):
                while line:
                    before = self._put_in + self._taken_out
                    attempt = line[0]
                    if attempt.is_over or attempt.serve(attempt):
                        ended.append(attempt)
                        line.popleft()
                        progress = True
                        continue
                    progress = progress or self._put_in + self._taken_out != before
                    break

    def _try_enqueue(self, attempt: Attempt) -> bool:
        if self._closed:
            because = self._because()
            text = (
                f"{self.kind} '{self.name}' is closed. Nothing can be put in any more: it stays "
                f"closed as long as its session, and a new session has a new one.{because}"
            )
            return attempt.end(error=CancelledError(text))
        count = min(self.capacity - self._count(), len(attempt.waiting))
        if count > 0:
            self._put(attempt.waiting, count)
            self._put_in += count
        return not attempt.waiting and attempt.end()

    def _try_dequeue(self, attempt: Attempt) -> bool:
        missing = attempt.wanted - len(attempt.taken)
        if self._closed and self._count() < missing:
            missing = self._count()
            if not attempt.few or not missing + len(attempt.taken):
                return attempt.end(error=self._too_few(attempt))
            attempt.wanted = missing + len(attempt.taken)
        count = min(missing, self._available())
        if count < missing and not self.takes_as_they_come:
            return False
        if count > 0:
            self._take(attempt.taken, count)
            self._taken_out += count
        return len(attempt.taken) == attempt.wanted and attempt.end()

    def _too_few(self, attempt: Attempt) -> OutOfRangeError:
        self._return(attempt)
        return OutOfRangeError(
            f"{self.kind} '{self.name}' is closed and has insufficient elements (requested "
            f"{attempt.wanted}, current size {self._count()}){self._because()}"
        )

    def _return(self, attempt: Attempt) -> None:
        """Put back what a dequeue took; the lock is held."""
        count = len(attempt.taken)
        if count:
            self._give_back(attempt.taken)
            self._taken_out -= count

    def _give_up(self, attempt: Attempt) -> None:
        """The step of an attempt was cancelled."""
        line = self._enqueues if attempt.finish is None else self._dequeues

        def leave(ended: list[Attempt]) -> None:
            if attempt in line:  # or it is not yet, or was served
                self._leave(attempt, line, ended)

        self._change(leave)  # who stood behind it may be served now

    def _leave(self, attempt: Attempt, line: deque[Attempt], ended: list[Attempt]) -> None:
        """End an attempt, wherever it is, as cancelled; the lock is held."""
        self._return(attempt)
        attempt.end(error=_cancelled("Enqueue" if attempt.finish is None else "Dequeue"))
        ended.append(attempt)
        if attempt in line:
            line.remove(attempt)

    # What it looks like -------------------------------------------------------------------------

    def _because(self) -> str:
        if self.closed_because is None:
            return ""
        kind = type(self.closed_because).__name__
        if isinstance(self.closed_because, OutOfRangeError):  # no error, the end
            first = str(self.closed_because).splitlines()[0]
            return f"\nIt was closed because what fills it came to its end: {first}"
        return f"\nIt was closed because of an error: {kind}: {self.closed_because}"

    def describe(self) -> str:
        """See `waiting.Waitable`."""
        with self._lock:
            count, closed = self._count(), self._closed
        return f"the queue '{self.name}' ({self.kind}), {self._amount(count)}, {_open(closed)}"

    def _amount(self, count: int) -> str:
        if self.capacity == UNLIMITED:
            return _counted(count)
        return f"{count} of {_counted(self.capacity)}"

    def snapshot(self) -> Snapshot:
        """What is in it and who waits, for instruments."""
        with self._lock:
            seen = Snapshot(
                self.name,
                self.kind,
                self.capacity,
                self._contents(),
                self._closed,
                [len(a.waiting) for a in self._enqueues if a.waiting],
                [(a.wanted - len(a.taken), len(a.taken)) for a in self._dequeues],
                self._put_in,
                self._taken_out,
            )
        return seen


class Snapshot(NamedTuple):
    """A queue at one moment.

    Attributes:
      name, kind, capacity: of the queue. contents: its elements. is_closed: whether it is closed.
      enqueues: of each blocked enqueue, how many elements it has left.
      dequeues: of each blocked dequeue, how many are missing and how many it has taken.
      put_in, taken_out: how many elements so far.
    """

    name: str
    kind: str
    capacity: int
    contents: list[Element]
    is_closed: bool
    enqueues: list[int]
    dequeues: list[tuple[int, int]]
    put_in: int
    taken_out: int


def _tell(ended: list[Attempt]) -> None:
    for attempt in ended:
        attempt.tell()


def _cancelled(which: str) -> CancelledError:
    return CancelledError(f"{which} operation was cancelled")


def _counted(count: int) -> str:
    return "1 element" if count == 1 else f"{count} elements"


def _open(is_closed: bool) -> str:
    return "closed" if is_closed else "open"
