"""The mutex of critical sections: whose turn it is, and what a failed step leaves."""

import threading

import pytest

import tinytf as tf
from tests.waiting import past_deadline
from tinytf.framework.cancellation import CancellationManager
from tinytf.framework.pending import Pending
from tinytf.resources.mutex import Mutex


class Step:
    """What the mutex sees of one."""

    def __init__(self, step_id):
        self.step_id = step_id
        self.cancellation = CancellationManager()


def test_one_at_a_time_in_their_order():
    mutex = Mutex("m")
    first = mutex.lock(Step(1), "a")
    second, third = mutex.lock(Step(2), "b"), mutex.lock(Step(3), "c")
    assert not isinstance(first, Pending)
    assert mutex.describe() == "the critical section 'm' (Mutex), held by a of step 1"
    first.release()
    assert second.done
    assert not third.done
    second.get().release()
    third.get().release()
    assert mutex.holder is None
    assert mutex.describe() == "the critical section 'm' (Mutex), free"


def test_giving_it_back_twice_takes_it_from_nobody():
    mutex = Mutex("m")
    first = mutex.lock(Step(1), "a")
    second = mutex.lock(Step(2), "b")
    first.release()
    first.release()
    assert mutex.holder is second.get()


def test_a_step_that_is_over_has_no_lock():
    mutex, step = Mutex("m"), Step(1)
    mutex.lock(step, "a")
    waiting = mutex.lock(Step(2), "b")
    step.cancellation.start_cancel()
    assert not waiting.done  # its operations may still be running
    step.cancellation.detach()
    assert waiting.done


def test_who_is_cancelled_in_line_is_passed_over():
    mutex, step = Mutex("m"), Step(2)
    first = mutex.lock(Step(1), "a")
    second, third = mutex.lock(step, "b"), mutex.lock(Step(3), "c")
    step.cancellation.start_cancel()
    with pytest.raises(tf.errors.CancelledError, match="Lock acquisition cancelled"):
        second.get()
    first.release()
    assert third.done


def test_a_lock_that_came_too_late_is_given_back():
    """It is given to a step that is over before it learns of it."""
    mutex, step = Mutex("m"), Step(2)
    first = mutex.lock(Step(1), "a")
    mutex.lock(step, "b")
    first.release()
    step.cancellation.detach()
    assert mutex.holder is None


# In sessions --------------------------------------------------------------------------------------


def counting():
    v = tf.get_variable("v", initializer=0, use_resource=True)

    def count():
        value = v.read_value()
        with tf.control_dependencies([value]), tf.control_dependencies([v.assign(value + 1)]):
            return tf.identity(value)

    return v, count


def test_steps_of_many_threads_count_each_once():
    with tf.Graph().as_default(), tf.Session() as sess:
        v, count = counting()
        number = tf.CriticalSection().execute(count)
        sess.run(v.initializer)
        seen = []

        def work():
            for _ in range(20):
                seen.append(int(sess.run(number)))

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(seen) == list(range(80))


def test_who_is_inside_is_named_and_a_deadline_frees_the_section():
    inside, errors = threading.Event(), []

    def enter(sess, stuck):
        try:
            sess.run(stuck)
        except tf.errors.OpError as error:
            errors.append(error)

    with tf.Graph().as_default(), tf.Session() as sess:
        queue = tf.FIFOQueue(1, tf.int32, shapes=[[]])
        section = tf.CriticalSection(name="section")

        def wait():
            with tf.control_dependencies([tf.py_func(inside.set, [], [])]):
                return queue.dequeue() + 0

        stuck = section.execute(wait, name="stuck")
        free = section.execute(lambda: tf.constant(1), name="free")
        error = past_deadline(lambda options: sess.run(stuck, options=options))
        assert "1 element" in str(error)
        assert sess.run(free) == 1

        inside.clear()
        thread = threading.Thread(target=enter, args=(sess, stuck))
        thread.start()
        assert inside.wait(60)
        error = past_deadline(lambda options: sess.run(free, options=options))
        assert "free/MutexLock (MutexLock) waits for the lock" in str(error)
        assert "held by stuck/MutexLock of step" in str(error)
        sess.run(queue.enqueue(5))
        thread.join()
        assert not errors
        assert sess.run(free) == 1


def test_a_failure_inside_frees_the_section():
    with tf.Graph().as_default(), tf.Session() as sess:
        x = tf.placeholder(tf.float32, [])
        section = tf.CriticalSection()
        checked = section.execute(lambda: tf.check_numerics(x, "not a number"))
        for _ in range(3):
            with pytest.raises(tf.errors.InvalidArgumentError, match="not a number"):
                sess.run(checked, {x: float("nan")})
        assert sess.run(checked, {x: 2.0}) == 2.0
