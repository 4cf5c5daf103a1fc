"""The same model, with every operation a step of a session: those that wait have a thread each."""

import copy
import threading

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import initialize, precondition, rule, run_state_machine_as_test

import tinytf as tf
from tests.effort import examples
from tests.resources.queues import model as models
from tests.resources.queues.model import Close, Model, Put
from tests.resources.queues.test_queue_machine import QueueMachine, Real


class InSession(Real):
    """A queue of the graph, which steps put numbers into; `queue` is what is behind it."""

    def __init__(self, kind, capacity, minimum, seed):
        self.kind = kind
        shapes = {"shapes": [[None] if kind == models.PADDING else []]}
        if kind == models.FIFO:
            made = tf.FIFOQueue(capacity, tf.int64, **shapes)
        elif kind == models.PADDING:
            made = tf.PaddingFIFOQueue(capacity, tf.int64, **shapes)
        elif kind == models.PRIORITY:
            made = tf.PriorityQueue(capacity, tf.int64, **shapes)
        else:
            made = tf.RandomShuffleQueue(capacity, minimum, tf.int64, seed=seed, **shapes)
        self.values = [tf.placeholder(tf.int64) for _ in made.dtypes]
        self.n = tf.placeholder(tf.int32, [])
        self.put, self.put_many = made.enqueue(self.values), made.enqueue_many(self.values)
        self.take = made.dequeue()
        self.take_many, self.take_up_to = made.dequeue_many(self.n), made.dequeue_up_to(self.n)
        self.close, self.cancel = made.close(), made.close(cancel_pending_enqueues=True)
        self.session = tf.Session()
        self.session.run(made.size())
        resources = self.session._backend.resources.items()
        (self.queue,) = [resource for _, kind, _, resource in resources if kind == "Queue"]

    def begin(self, operation, cancellation):
        if isinstance(operation, Close):
            self.session.run(self.close)
        elif isinstance(operation, Put):
            self.session.run(self.put, self.feeds(self.element(operation.left[0])))
        elif operation.wanted == 1 and not operation.few:
            return self.taken(self.session.run(self.take))
        else:
            fetch = self.take_up_to if operation.few else self.take_many
            return self.taken(self.session.run(fetch, {self.n: operation.wanted}))
        return ()

    def put_rows(self, batches, cancellation):
        self.session.run(self.put_many, self.feeds(batches))
        return ()

    def feeds(self, values):
        return dict(zip(self.values, values, strict=True))

    def taken(self, value):
        return value if len(self.values) > 1 else [value]


class Step:
    """An operation on a thread of its own: see `Begun`."""

    def __init__(self, operation, start):
        self.operation = operation
        self.value = self.error = None
        self.thread = threading.Thread(target=self.run, args=[start], daemon=True)
        self.thread.start()

    def run(self, start):
        try:
            self.value = start(None)
        except tf.errors.OpError as error:
            self.error = error

    @property
    def is_over(self):
        return not self.thread.is_alive()

    def outcome(self):
        return self.value, self.error


class SessionMachine(QueueMachine):
    """Each step has reached the queue, and ended if the model says so, before the next begins."""

    @initialize(capacity=st.integers(1, 5), minimum=st.integers(0, 2), seed=st.integers(1, 99))
    def make(self, capacity, minimum, seed):
        minimum = min(minimum, capacity - 1) if self.kind == models.SHUFFLE else 0
        self.model = Model(self.kind, capacity, minimum)
        with tf.Graph().as_default():
            self.real = InSession(self.kind, capacity, minimum, seed)

    def begin(self, operation, start=None):
        as_it_is_now = copy.deepcopy(operation)  # the model goes on before the thread begins
        start = start or (lambda _: self.real.begin(as_it_is_now, None))
        self.begun.append(Step(operation, start))
        self.model.begin(operation)
        self.wait_for_all()

    def wait_for_all(self):
        for step in self.begun:
            if step.operation is None or step.operation.ended is not None:
                step.thread.join(30)
        for _ in range(30_000):
            seen = self.real.queue.snapshot()
            puts = [put for put in self.model.putting if put.left]
            if (len(seen.enqueues), len(seen.dequeues)) == (len(puts), len(self.model.taking)):
                if len(self.real.queue._enqueues) == len(self.model.putting):  # closes, too
                    return
            threading.Event().wait(0.001)
        raise AssertionError("a step has not come to the queue, or has not left it")

    @precondition(lambda self: self.operations > 5)
    @rule(really=st.integers(0, 4))
    def close_and_cancel(self, really):
        if really == 0:
            self.model.close_and_cancel()
            self.begun.append(Step(None, lambda _: self.real.session.run(self.real.cancel)))
            self.wait_for_all()

    @precondition(lambda self: False)
    @rule()
    def cancel(self):
        """A step of a session has no handle to cancel it by: see test_queue_schedules.py."""

    @precondition(lambda self: False)
    @rule()
    def begin_what_is_cancelled(self):
        """Likewise."""

    def teardown(self):
        if hasattr(self, "real"):
            self.real.session.close()
            for step in self.begun:
                step.thread.join(30)
                assert step.is_over


def machine(of_kind):
    return type(f"SessionMachine_{of_kind}", (SessionMachine,), {"kind": of_kind})


@pytest.mark.parametrize("kind", models.KINDS)
def test_steps_do_what_the_model_does(kind):
    run_state_machine_as_test(
        machine(kind), settings=settings(examples(10), stateful_step_count=20, deadline=None)
    )


@pytest.mark.slow
@pytest.mark.parametrize("kind", models.KINDS)
def test_steps_do_what_the_model_does_for_long(kind):
    run_state_machine_as_test(
        machine(kind), settings=settings(examples(60), stateful_step_count=40, deadline=None)
    )
