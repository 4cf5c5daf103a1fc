"""A simple model of a queue: lists, and everything looked at again after each operation.

It knows what TensorFlow's documentation and recordings say of queues, and nothing of ours. Elements
are whole numbers, each put in once. Of a shuffled queue it does not say which elements leave.
"""

from __future__ import annotations

FIFO, PADDING, SHUFFLE, PRIORITY = "fifo", "padding", "shuffle", "priority"
KINDS = (FIFO, PADDING, SHUFFLE, PRIORITY)
#: How an operation can have ended.
DONE, CANCELLED, CLOSED, OUT_OF_RANGE = "done", "cancelled", "closed", "out of range"


def priority(number: int) -> int:
    """Of an element in a priority queue: few, so that there are equal ones."""
    return (number * 7) % 4


class Put:
    """An enqueue, or an enqueue of many: `left` are those that are not in the queue yet."""

    def __init__(self, numbers):
        self.left = list(numbers)
        self.ended = None


class Close:
    """A close that waits for the enqueues before it."""

    def __init__(self):
        self.left = []
        self.ended = None


class Take:
    """A dequeue: of `wanted` elements, or up to so many; `held` are those it has taken."""

    def __init__(self, wanted, few=False):
        self.wanted = wanted
        self.few = few
        self.held = []
        self.ended = None


class Model:
    """See the module.

    Attributes:
      inside: the elements, the next one first. taken_in: all that ever were.
        Of a shuffled queue only the number of those inside, and of those held, counts.
    """

    def __init__(self, kind, capacity, minimum=0):
        self.kind = kind
        self.capacity = capacity
        self.minimum = minimum
        self.inside = []
        self.taken_in = []
        self.is_closed = False
        self.putting = []
        self.taking = []

    def blocked(self):
        """The operations that wait."""
        return self.putting + self.taking

    def begin(self, operation):
        """An operation comes, and is served if it is its turn."""
        if isinstance(operation, Take) and operation.wanted == 0:
            operation.ended = DONE
        elif isinstance(operation, Put) and not operation.left:
            operation.ended = DONE
        else:
            (self.taking if isinstance(operation, Take) else self.putting).append(operation)
            self.settle()

    def close_and_cancel(self):
        """`close(cancel_pending_enqueues=True)`."""
        self.is_closed = True
        for put in self.putting:
            put.ended = CANCELLED
        self.putting = []
        self.settle()

    def cancel(self, operation):
        """The step of an operation that waits is cancelled."""
        line = self.taking if isinstance(operation, Take) else self.putting
        line.remove(operation)
        operation.ended = CANCELLED
        if isinstance(operation, Take):
            self._give_back(operation)
        self.settle()

    def settle(self):
        """Serve everybody as far as possible."""
        while self._serve_puts() | self._serve_takes():
            pass

    def _serve_puts(self):
        moved = False
        while self.putting:
            first = self.putting[0]
            if isinstance(first, Close):
                first.ended = CLOSED if self.is_closed else DONE
                self.is_closed = True
            elif self.is_closed:
                first.ended = CLOSED
            else:
                while first.left and len(self.inside) < self.capacity:
                    self._insert(first.left.pop(0))
                    moved = True
                if first.left:
                    return moved
                first.ended = DONE
            self.putting.pop(0)
            moved = True
        return moved

    def _serve_takes(self):
        moved = False
        while self.taking:
            first = self.taking[0]
            if self.is_closed and len(first.held) + len(self.inside) < first.wanted:
                if first.few and first.held + self.inside:
                    first.wanted = len(first.held) + len(self.inside)
                    continue
                self._give_back(first)
                first.ended = OUT_OF_RANGE
            else:
                missing = first.wanted - len(first.held)
                there = len(self.inside) - (0 if self.is_closed else self.minimum)
                if self.kind == PRIORITY and there < missing:
                    return moved
                while missing and there > 0:
                    first.held.append(self.inside.pop(0))
                    missing, there, moved = missing - 1, there - 1, True
                if missing:
                    return moved
                first.ended = DONE
            self.taking.pop(0)
            moved = True
        return moved

    def _insert(self, number):
        self.taken_in.append(number)
        self.inside.append(number)
        if self.kind == PRIORITY:
            self.inside.sort(key=priority)  # stable

    def _give_back(self, take):
        self.inside[:0] = take.held
        take.held = []
