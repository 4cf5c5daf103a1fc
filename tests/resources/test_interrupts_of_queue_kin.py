"""Ctrl-C in steps that use accumulators and their kin: nobody is left in line, all goes on."""

import random

import pytest

import tinytf as tf
from tests.runtime.test_interrupts import interrupted_at
from tinytf.python.ops import data_flow_ops
from tinytf.resources.queues.lines import Served

FEW, MANY = 40, 400


def accumulator():
    """(what is run, what makes it as it was before, what must still work)"""
    total = tf.ConditionalAccumulator(tf.float32, [])
    add = total.apply_grad(2.0, local_step=10**6)
    # The take waits for the gradient of the same step.
    return [total.take_grad(1), add], [], [add, total.take_grad(1)]


def staging_area():
    area = data_flow_ops.StagingArea([tf.float32], capacity=1)
    put, get = area.put([tf.constant(1.0)]), area.get()
    return [put, get], [area.clear()], [put, get]


def critical_section():
    v = tf.get_variable("v", initializer=0, use_resource=True)
    section = tf.CriticalSection()
    numbers = [section.execute(lambda: v.assign_add(1) + 0) for _ in range(2)]
    return numbers, [v.initializer], numbers


def check(build, most):
    with tf.Graph().as_default(), tf.Session() as sess:
        what, before, works = build()

        def prepare():
            for op in before:
                sess.run(op)

        for _ in range(3):
            prepare()
            sess.run(what)
        prepare()
        with interrupted_at(0) as all_moments:
            sess.run(what)
        numbers = range(1, all_moments.count + 1)
        for number in sorted(random.Random(0).sample(numbers, min(most, len(numbers)))):
            prepare()
            where = "nowhere"
            try:
                with interrupted_at(number) as moments:
                    sess.run(what)
            except KeyboardInterrupt:
                where = moments.where
            for *_, resource in sess._backend.resources.items():
                if isinstance(resource, Served):
                    assert not resource._lock.locked(), where
                    assert resource.waiting() == 0, where
                    assert getattr(resource, "holder", None) is None, where
            prepare()
            sess.run(works, options=tf.RunOptions(timeout_in_ms=60000))


@pytest.mark.parametrize("build", [accumulator, staging_area, critical_section])
def test_interrupts_leave_nobody_waiting(build):
    check(build, FEW)


@pytest.mark.slow
@pytest.mark.parametrize("build", [accumulator, staging_area, critical_section])
def test_interrupts_leave_nobody_waiting_at_any_moment(build):
    check(build, MANY)
