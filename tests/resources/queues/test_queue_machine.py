"""Every kind of queue does what a simple model does, whatever is done in whatever order.

Also when operations wait, are cancelled, and the queue is closed. The queues are used directly:
they never block.
"""

import itertools

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

import tinytf as tf
from tests.effort import examples
from tests.resources.queues import model as models
from tests.resources.queues.model import (
    CANCELLED,
    CLOSED,
    DONE,
    OUT_OF_RANGE,
    Close,
    Model,
    Put,
    Take,
)
from tinytf.framework.cancellation import CancellationManager
from tinytf.framework.pending import Pending
from tinytf.framework.tensor_shape import TensorShape
from tinytf.resources.queues.kinds import (
    FIFOQueue,
    PaddingFIFOQueue,
    PriorityQueue,
    RandomShuffleQueue,
)

#: What an operation that ends so raises.
ERRORS = {
    CANCELLED: (tf.errors.CancelledError, "operation was cancelled"),
    CLOSED: (tf.errors.CancelledError, "closed"),
    OUT_OF_RANGE: (tf.errors.OutOfRangeError, "is closed and has insufficient elements"),
}


class Real:
    """A queue of one kind, which numbers are put into."""

    def __init__(self, kind, capacity, minimum, seed):
        self.kind = kind
        scalar = [tf.int64], [TensorShape(())]
        if kind == models.FIFO:
            self.queue = FIFOQueue("q", *scalar, capacity)
        elif kind == models.PADDING:
            self.queue = PaddingFIFOQueue("q", [tf.int64], [TensorShape([None])], capacity)
        elif kind == models.PRIORITY:
            self.queue = PriorityQueue(
                "q", [tf.int64] * 2, [TensorShape(()), TensorShape(())], capacity
            )
        else:
            numbers = np.random.default_rng(seed)
            self.queue = RandomShuffleQueue(
                "q",
                *scalar,
                capacity,
                min_after_dequeue=minimum,
                draw=lambda: int(numbers.integers(2**32)),
            )

    def element(self, number):
        if self.kind == models.PADDING:  # number 5 is [5, 5, 5]: of different lengths
            return (np.full(1 + number % 3, number, np.int64),)
        if self.kind == models.PRIORITY:
            return np.int64(models.priority(number)), np.int64(number)
        return (np.int64(number),)

    def begin(self, operation, cancellation):
        if isinstance(operation, Close):
            return self.queue.close(False, cancellation)
        if isinstance(operation, Put):
            return self.queue.enqueue(self.element(operation.left[0]), cancellation)
        if operation.wanted == 1 and not operation.few:
            return self.queue.dequeue(cancellation)
        return self.queue.dequeue_many(operation.wanted, cancellation, operation.few)

    def begin_many(self, numbers, cancellation):
        return self.put_rows(self.rows(numbers), cancellation)

    def put_rows(self, batches, cancellation):
        return self.queue.enqueue_many(batches, cancellation)

    def rows(self, numbers):
        columns = [self.element(number) for number in numbers]
        if self.kind == models.PADDING:  # the rows of a batch are of one length
            return [np.array([[number] * 2 for number in numbers], np.int64).reshape(-1, 2)]
        count = len(self.queue.signature.dtypes)
        return [np.array([c[i] for c in columns], np.int64) for i in range(count)]

    def numbers(self, values):
        """Which elements a dequeue has given; of a batch, each with what was filled up."""
        value = values[-1]
        if self.kind == models.PADDING and value.size == 0:
            return []
        if self.kind == models.PADDING:
            for row in value if value.ndim == 2 else [value]:
                assert set(row.tolist()) <= {int(row[0]), 0}
            value = value[..., 0]
        numbers = np.atleast_1d(value).tolist()
        if self.kind == models.PRIORITY:
            assert np.atleast_1d(values[0]).tolist() == [models.priority(n) for n in numbers]
        return numbers


class Begun:
    """An operation of the model and the real one, which has the same to say."""

    def __init__(self, operation, start):
        self.operation = operation
        self.cancellation = CancellationManager()
        self.error = self.value = self.pending = None
        try:
            self.value = start(self.cancellation)
        except tf.errors.OpError as error:
            self.error = error
        if isinstance(self.value, Pending):
            self.pending, self.value = self.value, None

    @property
    def is_over(self):
        return self.pending is None or self.pending.done

    def outcome(self):
        if self.pending is not None:
            return self.pending.result, self.pending.error
        return self.value, self.error


class QueueMachine(RuleBasedStateMachine):
    """Does the same to a queue and to its model."""

    kind = models.FIFO

    def __init__(self):
        super().__init__()
        self.begun = []
        self.given = set()
        self.operations = 0
        self.fresh = itertools.count(1)  # zeros are what padding fills up with

    @initialize(capacity=st.integers(1, 5), minimum=st.integers(0, 2), seed=st.integers(0, 99))
    def make(self, capacity, minimum, seed):
        minimum = min(minimum, capacity - 1) if self.kind == models.SHUFFLE else 0
        self.model = Model(self.kind, capacity, minimum)
        self.real = Real(self.kind, capacity, minimum, seed)

    def begin(self, operation, start=None):
        start = start or (lambda cancellation: self.real.begin(operation, cancellation))
        self.begun.append(Begun(operation, start))
        self.model.begin(operation)

    @rule()
    def enqueue(self):
        self.begin(Put([next(self.fresh)]))

    @rule(count=st.integers(0, 7))
    def enqueue_many(self, count):
        numbers = list(itertools.islice(self.fresh, count))
        self.begin(Put(numbers), lambda cancellation: self.real.begin_many(numbers, cancellation))

    @rule()
    def dequeue(self):
        self.begin(Take(1))

    @rule(count=st.integers(0, 7), few=st.booleans())
    def dequeue_many(self, count, few):
        self.begin(Take(count, few))

    # Two of three times nothing: a closed queue has little to show.
    @precondition(lambda self: self.operations > 5)
    @rule(really=st.integers(0, 2))
    def close(self, really):
        if really == 0:
            self.begin(Close())

    @precondition(lambda self: self.operations > 5)
    @rule(really=st.integers(0, 4))
    def close_and_cancel(self, really):
        if really == 0:
            self.begun.append(Begun(None, lambda _: self.real.queue.close(True, None)))
            self.model.close_and_cancel()

    @precondition(lambda self: self.model.blocked())
    @rule(data=st.data())
    def cancel(self, data):
        waiting = [each for each in self.begun if not each.is_over]
        chosen = data.draw(st.sampled_from(waiting))
        self.model.cancel(chosen.operation)
        chosen.cancellation.start_cancel()

    @rule()
    def begin_what_is_cancelled(self):
        """It neither waits nor changes anything."""
        cancellation = CancellationManager()
        cancellation.start_cancel()
        before = self.real.queue.size()
        with pytest.raises(tf.errors.CancelledError):
            self.real.queue.dequeue_many(1, cancellation)
        assert self.real.queue.size() == before

    @invariant()
    def does_what_the_model_does(self):
        # In the order in which they began: who is served earlier has chosen earlier.
        self.operations += 1
        still = []
        for begun in self.begun:
            if begun.operation is not None:
                self.check(begun)
            if not begun.is_over:
                still.append(begun)
        self.begun = still

    def check(self, begun):
        operation = begun.operation
        assert begun.is_over == (operation.ended is not None), vars(operation)
        if not begun.is_over:
            return
        value, error = begun.outcome()
        if operation.ended != DONE:
            kind, words = ERRORS[operation.ended]
            assert isinstance(error, kind)
            assert words in str(error)
            return
        assert error is None
        if not isinstance(operation, Take):
            assert value == ()
            return
        numbers = self.real.numbers(value)
        if self.kind == models.SHUFFLE:
            assert len(numbers) == len(operation.held)
        else:
            assert numbers == operation.held
        for number in numbers:
            assert number in self.model.taken_in
            assert number not in self.given, "twice"
            self.given.add(number)

    @invariant()
    def holds_what_the_model_holds(self):
        queue, model = self.real.queue, self.model
        assert queue.size() == len(model.inside)
        assert queue.is_closed == model.is_closed
        seen = queue.snapshot()
        assert seen.enqueues == [len(put.left) for put in model.putting if put.left]
        assert seen.dequeues == [(t.wanted - len(t.held), len(t.held)) for t in model.taking]
        contents = [int(element[-1].flat[0]) for element in map(self.arrays, seen.contents)]
        if self.kind != models.SHUFFLE:
            assert contents == model.inside
        else:
            assert set(contents) <= set(model.taken_in) - self.given
        assert f"{len(contents)} of " in queue.describe()

    @staticmethod
    def arrays(element):
        return [np.asarray(part) for part in element]


def machine(of_kind):
    return type(f"Machine_{of_kind}", (QueueMachine,), {"kind": of_kind})


@pytest.mark.parametrize("kind", models.KINDS)
def test_a_queue_does_what_its_model_does(kind):
    run_state_machine_as_test(
        machine(kind), settings=settings(examples(100), stateful_step_count=30)
    )


@pytest.mark.slow
@pytest.mark.parametrize("kind", models.KINDS)
def test_a_queue_does_what_its_model_does_for_long(kind):
    run_state_machine_as_test(
        machine(kind), settings=settings(examples(300), stateful_step_count=50)
    )
