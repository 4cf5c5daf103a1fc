"""Who owns an array: nothing a program does to what it fed or fetched reaches the runtime."""

import gc
import threading
import weakref

import numpy as np
import pytest

import tinytf as tf


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


@pytest.fixture
def sess(graph):
    with tf.Session() as sess:
        yield sess


def scribble(value):
    """Write into an array, however it protests; False if it cannot be written to."""
    if not isinstance(value, np.ndarray) or not value.size:
        return False
    try:
        value.flags.writeable = True
    except ValueError:
        return False
    value[...] = b"spoilt" if value.dtype == object else 99
    return True


def views(x):
    """Tensors that a kernel may compute as views of `x`, a [2, 3] tensor."""
    return {
        "itself": x,
        "identity": tf.identity(tf.identity(x)),
        "reshape": tf.reshape(x, [3, 2]),
        "transpose": tf.transpose(x),
        "row": x[1],
        "slice": tf.slice(x, [0, 1], [2, 2]),
        "steps": x[:, ::2],
        "expanded": tf.expand_dims(x, 0),
        "squeezed": tf.squeeze(tf.expand_dims(x, 0)),
        "stopped": tf.stop_gradient(x),
        "broadcast": tf.broadcast_to(x, [2, 2, 3]),
        "unstacked": tf.unstack(x)[0],
        "split": tf.split(x, 3, axis=1)[1],
        "stacked": tf.stack([x])[0],
        "concatenated": tf.concat([x], 0),
        "checked": tf.placeholder_with_default(x, [None, 3]),
    }


START = np.arange(6, dtype=np.float32).reshape(2, 3)


@pytest.mark.parametrize("use_resource", [False, True], ids=["reference", "resource"])
def test_a_fetched_variable_is_a_copy(sess, use_resource):
    v = tf.Variable(START, use_resource=use_resource)
    tensors = {**views(v), "read": v.read_value(), "value": v.value(), "variable": v}
    sess.run(v.initializer)
    for name, tensor in tensors.items():
        fetched = sess.run(tensor)
        expected = fetched.copy()
        scribble(fetched)
        assert sess.run(tensor).tolist() == expected.tolist(), name
        assert sess.run(v).tolist() == START.tolist(), name


def test_a_fetched_constant_is_a_copy(sess):
    c = tf.constant(START)
    for name, tensor in views(c).items():
        fetched = sess.run(tensor)
        scribble(fetched)
        assert sess.run(c).tolist() == START.tolist(), name


def test_strings_likewise(sess):
    c = tf.constant(["a", "b"])
    v = tf.Variable(c)
    sess.run(v.initializer)
    for tensor in (c, v, tf.identity(v), tf.reshape(v, [2, 1])):
        scribble(sess.run(tensor))
    assert sess.run([c, v])[0].tolist() == [b"a", b"b"]
    assert sess.run(v).tolist() == [b"a", b"b"]


@pytest.mark.parametrize("use_resource", [False, True], ids=["reference", "resource"])
def test_what_assign_returns_is_a_copy(sess, use_resource):
    v = tf.Variable(START, use_resource=use_resource)
    sess.run(v.initializer)
    for change in (tf.assign(v, START), tf.assign_add(v, np.zeros_like(START))):
        scribble(sess.run(change))
        assert sess.run(v).tolist() == START.tolist()


@pytest.mark.parametrize("use_resource", [False, True], ids=["reference", "resource"])
@pytest.mark.parametrize("way", ["direct", "view", "fed view", "transposed"])
def test_an_array_that_was_fed_and_stored_may_change(sess, use_resource, way):
    v = tf.Variable(np.zeros([2, 3], np.float32), use_resource=use_resource)
    x = tf.placeholder(tf.float32, [None, None])
    stored = {
        "direct": x,
        "view": tf.reshape(tf.identity(x), [2, 3]),
        "fed view": x,
        "transposed": tf.transpose(x),
    }[way]
    sess.run(v.initializer)
    assign = tf.assign(v, stored)
    base = np.array(START)
    fed = base[:] if way == "fed view" else base
    if way == "transposed":
        fed = base = np.array(START.T)
    sess.run(assign, {x: fed})
    base[...] = 99
    assert sess.run(v).tolist() == START.tolist()
    sess.run(tf.assign_add(v, tf.ones([2, 3])))
    assert (base == 99).all()
    assert sess.run(v).tolist() == (START + 1).tolist()


def test_a_fed_value_that_is_fetched_is_a_copy(sess):
    x = tf.placeholder(tf.float32, [2, 3])
    for name, tensor in views(x).items():
        fed = np.array(START)
        scribble(sess.run(tensor, {x: fed}))
        assert fed.tolist() == START.tolist(), name


def test_the_array_of_a_constant_may_change(sess):
    array = np.array(START)
    c = tf.constant(array)
    array[...] = 99
    assert sess.run(c).tolist() == START.tolist()


def test_two_fetches_do_not_share_memory(sess):
    v = tf.Variable(START)
    sess.run(v.initializer)
    a, b, c = sess.run([v, tf.identity(v), tf.reshape(v, [6])])
    assert not np.shares_memory(a, b)
    assert not np.shares_memory(b, c)


def test_two_fetches_of_one_computed_value(sess):
    doubled = tf.concat([tf.constant(START), tf.constant(START)], 0)
    whole, flat, part = sess.run([doubled, tf.reshape(doubled, [12]), doubled[1]])
    whole[...] = 99
    part[...] = 98
    assert flat.tolist() == [*START.reshape(-1).tolist()] * 2
    assert whole[1].tolist() == [99, 99, 99]


def test_a_python_function_cannot_change_its_inputs(sess):
    v, c = tf.Variable(START), tf.constant(START)
    x = tf.placeholder(tf.float32, [2, 3])
    computed = tf.concat([c, c], 0)

    def spoil(*arrays):
        for array in arrays:
            with pytest.raises(ValueError, match="read-only"):
                array[...] = 99
        return np.float32(len(arrays))

    inputs = [v, c, x, tf.reshape(v, [6]), computed, tf.reshape(computed, [12])]
    with tf.control_dependencies([tf.py_func(spoil, inputs, tf.float32)]):
        after = [tf.identity(t) for t in inputs]
    sess.run(v.initializer)
    fed = np.array(START)
    for value in sess.run(after, {x: fed}):
        assert value.max() == 5
    assert sess.run(v).tolist() == START.tolist()
    assert sess.run(c).tolist() == START.tolist()
    assert fed.tolist() == START.tolist()


def test_an_array_that_a_python_function_keeps_is_not_state(sess):
    kept = np.array(START)
    v = tf.Variable(np.zeros([2, 3], np.float32))
    assign = tf.assign(v, tf.reshape(tf.py_func(lambda: kept, [], tf.float32), [2, 3]))
    sess.run(v.initializer)
    sess.run(assign)
    kept[...] = 99
    assert sess.run(v).tolist() == START.tolist()
    sess.run(tf.assign_add(v, tf.ones([2, 3])))
    assert (kept == 99).all()


@pytest.mark.parametrize("use_resource", [False, True], ids=["reference", "resource"])
def test_a_reader_beside_assign_add_sees_a_whole_value(sess, use_resource):
    v = tf.Variable(np.zeros(200_000), use_resource=use_resource)
    add = tf.assign_add(v, tf.ones([200_000], tf.float64))
    read = tf.identity(v)
    sess.run(v.initializer)
    seen, torn, stop = [], [], threading.Event()

    def reader():
        while not stop.is_set():
            value = sess.run(read)
            if value.min() != value.max():
                torn.append((value.min(), value.max()))
            seen.append(value[0])

    def writer():
        for _ in range(40):
            sess.run(add.op)

    readers = [threading.Thread(target=reader) for _ in range(2)]
    writers = [threading.Thread(target=writer) for _ in range(2)]
    for thread in [*readers, *writers]:
        thread.start()
    for thread in writers:
        thread.join()
    stop.set()
    for thread in readers:
        thread.join()
    assert torn == []
    assert seen
    assert (sess.run(v) == 80).all()  # and no addition was lost


def test_a_value_read_within_a_step_survives_a_later_update_in_it(sess):
    v = tf.Variable(START, use_resource=True)
    before = tf.reshape(v.read_value(), [6])
    with tf.control_dependencies([before]):
        add = tf.assign_add(v, tf.ones([2, 3]))
    with tf.control_dependencies([add]):
        after = tf.identity(before)
    sess.run(v.initializer)
    assert sess.run(after).tolist() == START.reshape(-1).tolist()
    assert sess.run(v).tolist() == (START + 1).tolist()


def test_a_fetched_value_is_freed_with_its_last_name(no_collector):
    """Not when the collector comes: a step with a conditional leaves nothing behind."""
    x = tf.placeholder(tf.float32, [None])
    y = tf.cond(tf.reduce_sum(x) > 0.0, lambda: x * 2.0, lambda: x * 3.0)
    with tf.Session() as sess:
        value = sess.run(y, {x: np.ones(1000)})
        known = weakref.ref(value if value.base is None else value.base)
        del value
        assert known() is None


@pytest.fixture
def no_collector():
    gc.collect()
    gc.disable()
    yield
    gc.enable()
