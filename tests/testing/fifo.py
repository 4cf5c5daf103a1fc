"""A small blocking queue as ops of one's own: what programs under schedules wait in."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace

from tests.framework.temporary_ops import temporary_op
from tinytf.framework.pending import Pending
from tinytf.framework.tensor_shape import TensorShape


class Fifo:
    """Elements, and who waits for one or for a place."""

    def __init__(self, name: str, capacity: int):
        self.name, self.capacity = name, capacity
        self.items, self.takers, self.putters = deque(), deque(), deque()

    def put(self, step, x):
        """The element, or a Pending for it while the queue is full."""
        pending = Pending(f"a place in the queue {self.name}, which is full")
        self.putters.append((pending, x))
        return self._served(step, pending)

    def take(self, step):
        """An element, or a Pending while the queue is empty."""
        pending = Pending(f"an element of the queue {self.name}, which is empty")
        self.takers.append(pending)
        return self._served(step, pending)

    def _served(self, step, pending):
        step.cancellation.register(lambda: pending.set_error(step.cancellation_error()))
        moved = True
        while moved:
            moved = False
            if self.putters and len(self.items) < self.capacity:
                putter, x = self.putters.popleft()
                if putter.set_result(x):
                    self.items.append(x)
                moved = True
            if self.takers and self.items:
                if self.takers.popleft().set_result(self.items[0]):
                    self.items.popleft()
                moved = True
        return pending.get() if pending.done else pending


class LossyFifo(Fifo):
    """The bug: it can remember only one who waits for a place; the one before is told "done"."""

    def put(self, step, x):
        """See `Fifo`."""
        if len(self.items) == self.capacity and self.putters:
            putter, lost = self.putters.pop()
            putter.set_result(lost)
        return super().put(step, x)


@contextmanager
def fifo_ops() -> Iterator[SimpleNamespace]:
    """`put(x, queue="a")` and `take(queue="a")`; `make(kind, a=capacity)` makes all queues anew."""
    queues: dict[bytes, Fifo] = {}

    def make(kind: type[Fifo] = Fifo, **capacities: int) -> None:
        queues.clear()
        for name, capacity in capacities.items():
            queues[name.encode()] = kind(name, capacity)

    with (
        temporary_op("FifoPut", "x: float -> y: float", "queue: string") as put,
        temporary_op("FifoTake", "-> y: float", "queue: string") as take,
    ):
        put.shape(lambda c: c.input(0))
        take.shape(lambda c: TensorShape([]))

        @put.kernel(blocking=True)
        def _(step, x, *, queue):
            return queues[queue].put(step, x)

        @take.kernel(blocking=True)
        def _(step, *, queue):
            return queues[queue].take(step)

        yield SimpleNamespace(put=put, take=take, make=make, queues=queues)
