"""A server that has run many steps is as large as before them."""

import contextlib
import gc
import sys

import pytest

import tinytf as tf
from tinytf.distributed.cluster import ports
from tinytf.distributed.wire.requests import RecentNumbers, SeenRequests, new_request_id
from tinytf.framework.errors import AbortedError

STEPS = 1000
ROUNDS = 20


def test_numbers_are_remembered_without_growing():
    numbers = RecentNumbers(4096)
    first = [new_request_id() for _ in range(512)]
    for number in first:
        numbers.add(number)
    assert all(number in numbers for number in first)
    before = sys.getallocatedblocks()
    for _ in range(100_000):
        numbers.add(new_request_id())
    # One block for each would be 100,000; other threads of the process make some hundreds.
    assert sys.getallocatedblocks() - before < 10_000
    assert not any(number in numbers for number in first)


@pytest.mark.parametrize("number", [1, 2**62, 2**63 - 1, -1, -(2**63)])
def test_any_number_of_the_wire_is_one_request(number):
    seen = SeenRequests()
    seen.refuse_repeated(number, "RunStep")
    with pytest.raises(AbortedError, match="same RunStep request was received twice"):
        seen.refuse_repeated(number, "RunStep")


def test_requests_without_a_number_are_never_repeated():
    seen = SeenRequests()
    seen.refuse_repeated(0, "RunStep")
    seen.refuse_repeated(0, "RunStep")


@pytest.fixture
def cluster():
    """Two tasks of this process, which speak gRPC with each other and with the client."""
    with contextlib.ExitStack() as kept:
        sockets = [kept.enter_context(ports.reserve()) for _ in range(2)]
        addresses = [f"localhost:{each.getsockname()[1]}" for each in sockets]
    spec = {"ps": addresses[:1], "worker": addresses[1:]}
    with tf.train.Server(spec, "ps", 0), tf.train.Server(spec, "worker", 0) as worker:
        yield worker.target


def test_a_step_leaves_no_circle_to_the_garbage_collector(cluster):
    """What it made is freed when it is over; else the collector takes a good part of its time.

    Plans that others replace, and threads of other tests that end meanwhile, are garbage of some
    hundred objects now and then: a step's own would be found every time.
    """
    with tf.Graph().as_default():
        with tf.device("/job:ps"):
            variables = [
                tf.get_variable(name, initializer=1.0, use_resource=False) for name in "ab"
            ]
        with tf.device("/job:worker"):
            halves = [variable * 0.5 for variable in variables]
        with tf.device("/job:ps"):
            train = tf.group(*map(tf.assign_sub, variables, halves))
        with tf.Session(cluster) as session:
            session.run(tf.global_variables_initializer())
            session.run(train)
            gc.collect()
            gc.disable()
            found = []
            try:
                while len(found) < ROUNDS and min(found, default=STEPS) >= STEPS // 10:
                    for _ in range(STEPS // 10):
                        session.run(train)
                    found.append(gc.collect())
            finally:
                gc.enable()
            assert min(found) < STEPS // 10, found


@pytest.mark.slow
def test_steps_of_a_cluster_leave_nothing_behind(cluster):
    with tf.Graph().as_default():
        with tf.device("/job:ps"):
            v = tf.Variable(0.0, use_resource=False)
        with tf.device("/job:worker"):
            x = tf.placeholder(tf.float32, [10])
            update = tf.reduce_sum(x) + v
        with tf.device("/job:ps"):
            step = tf.assign(v, update)
        with tf.Session(cluster) as session:
            session.run(v.initializer)

            def run(count):
                for _ in range(count):
                    session.run(step.op, {x: [0.1] * 10})
                gc.collect()
                return sys.getallocatedblocks()

            before = run(200)
            assert run(STEPS) - before < STEPS / 2  # one number kept for each step is one more
