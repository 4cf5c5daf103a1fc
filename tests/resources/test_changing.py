"""Writing into parts of variables: whoever holds a value keeps it, and errors change nothing."""

import threading

import numpy as np
import pytest

import tinytf as tf
from tinytf.resources.changing import replace, writable
from tinytf.resources.variable import Variable


def variable(value, name="v"):
    made = Variable(name, tf.float32, tf.TensorShape(None))
    if value is not None:
        made.assign(np.array(value, np.float32))
    return made


def address(of):
    return of.read().__array_interface__["data"][0]


def test_memory_that_nobody_holds_is_written_in_place():
    v = variable([1.0, 2.0, 3.0])
    before = address(v)
    with writable(v) as (array,):
        array[1:] = 9.0
    del array
    assert address(v) == before
    assert v.read().tolist() == [1.0, 9.0, 9.0]
    assert not v.read().flags.writeable


def test_a_value_that_was_read_stays():
    v = variable([1.0, 2.0, 3.0])
    held = v.read()
    with writable(v) as (array,):
        array[0] = 9.0
    assert held.tolist() == [1.0, 2.0, 3.0]
    assert v.read().tolist() == [9.0, 2.0, 3.0]


def test_arrays_can_be_reshaped_without_a_copy():
    v = variable(None)
    v.assign(np.asfortranarray(np.arange(6, dtype=np.float32).reshape(2, 3)))
    with writable(v) as (array,):
        array.reshape(-1)[1] = 9.0
    assert v.read().tolist() == [[0.0, 9.0, 2.0], [3.0, 4.0, 5.0]]


def test_an_error_leaves_the_value():
    v = variable([1.0, 2.0])
    with pytest.raises(ZeroDivisionError):
        with writable(v) as (array,):
            array[0] = 1 // 0
    assert v.read().tolist() == [1.0, 2.0]
    assert not v.read().flags.writeable
    v.assign(np.zeros(2, np.float32))  # and the lock is free


def test_one_variable_in_two_places():
    v = variable([1.0, 2.0])
    with writable(v, v) as (first, second):
        assert first is second
    replace([v, v], lambda a, b: (a + 1.0, b))
    assert v.read().tolist() == [1.0, 2.0]  # the last one counts


def test_several_values_change_together():
    a, b = variable([1.0], "a"), variable([2.0], "b")
    replace([a, b], lambda x, y: (y, x + y))
    assert (a.read().tolist(), b.read().tolist()) == ([2.0], [3.0])
    with pytest.raises(ZeroDivisionError):
        replace([a, b], lambda x, y: (x + 1.0, 1 // 0))
    assert (a.read().tolist(), b.read().tolist()) == ([2.0], [3.0])


def test_variables_without_a_value():
    a, b = variable([1.0], "a"), variable(None, "b")
    for change in (
        lambda: replace([a, b], lambda x, y: (y, x)),
        lambda: writable(a, b).__enter__(),
    ):
        with pytest.raises(tf.errors.FailedPreconditionError, match="uninitialized value b"):
            change()
    assert a.read().tolist() == [1.0]


def test_threads_that_lock_in_other_orders_do_not_wait_for_each_other():
    a, b = variable([0.0], "a"), variable([0.0], "b")

    def swap(first, second):
        for _ in range(300):
            replace([first, second], lambda x, y: (x + 1.0, y + 1.0))

    threads = [threading.Thread(target=swap, args=order) for order in [(a, b), (b, a)] * 2]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert not any(thread.is_alive() for thread in threads)
    assert (a.read().tolist(), b.read().tolist()) == ([1200.0], [1200.0])
