"""`tf.TensorArray` in a session; `tests/conformance` has what TensorFlow makes of it."""

import threading

import numpy as np
import pytest

import tinytf as tf


def test_an_array_lives_for_one_step():
    x = tf.placeholder(tf.float32, [])
    array = tf.TensorArray(tf.float32, 2).write(0, x)
    value = array.read(0)
    with tf.Session() as session:
        assert [session.run(value, {x: n}) for n in (1.0, 2.0, 3.0)] == [1.0, 2.0, 3.0]


def test_steps_at_the_same_time_have_an_array_each():
    x = tf.placeholder(tf.float32, [])
    _, array = tf.while_loop(
        lambda i, _: i < 200,
        lambda i, array: (i + 1, array.write(i, x)),
        (0, tf.TensorArray(tf.float32, 200)),
    )
    total = tf.reduce_sum(array.stack())
    results = {}
    with tf.Session() as session:

        def run(n):
            results[n] = [session.run(total, {x: n}) for _ in range(5)]

        threads = [threading.Thread(target=run, args=(float(n),)) for n in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert results == {float(n): [200.0 * n] * 5 for n in range(4)}


def test_a_new_array_in_every_iteration():
    def body(i, total):
        array = tf.TensorArray(tf.int32, 3).unstack([i, i + 1, i + 2])
        return i + 1, total + tf.reduce_sum(array.stack())

    with tf.Session() as session:
        assert session.run(tf.while_loop(lambda i, _: i < 4, body, (0, 0))[1]) == 30


def test_the_properties():
    array = tf.TensorArray("float32", 2, dynamic_size=True, element_shape=[None, 3])
    assert array.dtype is tf.float32
    assert array.dynamic_size
    assert array.element_shape.as_list() == [None, 3]
    assert array.handle.dtype == tf.resource
    later = array.write(0, tf.zeros([2, 3]))
    assert later.handle is array.handle
    assert later.flow is not array.flow
    assert array.element_shape.as_list() == [2, 3]  # shared: it is one array


def test_writes_go_to_the_device_of_the_first_value():
    with tf.device("/cpu:0"):
        first = tf.constant([1.0])
    array = tf.TensorArray(tf.float32, 2).write(0, first).write(1, tf.constant([2.0]))
    assert array.flow.op.colocation_groups() == first.op.colocation_groups()


def test_rows_are_read_from_one_array_and_written_to_another():
    values = tf.constant(np.arange(6, dtype=np.float32).reshape(3, 2))
    source = tf.TensorArray(tf.float32, 3).unstack(values)
    _, target = tf.while_loop(
        lambda i, _: i < 3,
        lambda i, target: (i + 1, target.write(2 - i, source.read(i))),
        (0, tf.TensorArray(tf.float32, 3)),
    )
    with tf.Session() as session:
        assert session.run(target.stack()).tolist() == [[4, 5], [2, 3], [0, 1]]


def test_another_resource_is_no_array():
    from tinytf.ops.tensor_array.op_types import tensor_array_size

    v = tf.get_variable("v", [], use_resource=True)
    with pytest.raises(ValueError, match="Shape must be rank 1 but is rank 0"):
        tensor_array_size(v.handle, 0.0)


def test_what_is_not_callable():
    for loop in (tf.map_fn, tf.scan, tf.foldl, tf.foldr):
        args = (3, tf.constant([1.0]))
        with pytest.raises(TypeError, match="3 is not callable"):
            loop(*args)


def test_a_variable_made_in_a_map_is_read_before_the_loop():
    def scaled(row):
        return row * tf.get_variable("scale", [], initializer=tf.constant_initializer(3.0))

    y = tf.map_fn(scaled, tf.constant([1.0, 2.0]))
    assert tf.get_variable_scope().caching_device is None
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert session.run(y).tolist() == [3.0, 6.0]


def test_maps_in_maps_in_conditionals_in_loops():
    x = tf.placeholder(tf.float64, [2, 2])

    def body(i, rows):
        squares = lambda: tf.map_fn(lambda row: tf.map_fn(lambda v: v * v, row), rows)  # noqa: E731
        return i + 1, tf.cond(tf.equal(i % 2, 0), squares, lambda: rows - 1.0)

    y = tf.while_loop(lambda i, _: i < 3, body, (0, x))[1]
    (slope,) = tf.gradients(y, x)
    start = np.array([[1.5, 2.0], [0.5, -1.0]])
    with tf.Session() as session:
        value, gradient = session.run([y, slope], {x: start})
    np.testing.assert_allclose(value, (start**2 - 1) ** 2)
    np.testing.assert_allclose(gradient, 4 * start * (start**2 - 1))


@pytest.mark.parametrize("size", [2**27, 2**31 - 1])
def test_sizes_beyond_measure_are_refused(size):
    made = tf.TensorArray(tf.float32, size).write(0, 1.0).flow
    grown = tf.TensorArray(tf.float32, 1, dynamic_size=True).write(size - 1, 1.0).size()
    with tf.Session() as session:
        for array in (made, grown):
            with pytest.raises(tf.errors.ResourceExhaustedError, match=f"{size} elements"):
                session.run(array)
