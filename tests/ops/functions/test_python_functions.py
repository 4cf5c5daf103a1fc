"""tf.py_func: what goes in and out, errors, and whose functions may be called."""

import gc
import weakref

import numpy as np
import pytest

import tinytf as tf


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def run(fetches, feed=None):
    with tf.Session() as session:
        return session.run(fetches, feed)


def test_arguments_are_read_only():
    seen = []

    def function(vector, number, text):
        seen.extend([vector, number, text])
        return np.float32(0)

    run(tf.py_func(function, [[1.0, 2.0], 3.0, "abc"], tf.float32))
    vector, number, text = seen
    assert not vector.flags.writeable
    assert isinstance(number, np.float32)
    assert text == b"abc"


def test_a_function_cannot_change_a_variable():
    v = tf.Variable([1.0, 2.0], use_resource=False)

    def function(value):
        value[0] = 99.0
        return value

    call = tf.py_func(function, [v], tf.float32)
    with tf.Session() as session:
        session.run(v.initializer)
        with pytest.raises(tf.errors.InvalidArgumentError, match="read-only"):
            session.run(call)
        assert session.run(v).tolist() == [1.0, 2.0]


def test_what_a_function_returns_is_copied():
    kept = np.array([1.0, 2.0], np.float32)
    v = tf.Variable([0.0, 0.0], use_resource=False)
    update = tf.assign(v, tf.py_func(lambda: kept, [], tf.float32), validate_shape=False)
    with tf.Session() as session:
        session.run(update)
        kept[0] = 99.0
        assert session.run(v).tolist() == [1.0, 2.0]


def test_one_result_or_several():
    one = tf.py_func(lambda x: x + np.int32(1), [1], tf.int32)
    several = tf.py_func(lambda x: (x, [b"a", "ü"]), [1], [tf.int32, tf.string])
    assert isinstance(one, tf.Tensor)
    assert run(one) == 2
    number, texts = run(several)
    assert number == 1
    assert texts.tolist() == [b"a", "ü".encode()]


def test_no_result_gives_the_operation():
    calls = []
    op = tf.py_func(lambda x: calls.append(int(x)), [7], [])
    assert isinstance(op, tf.Operation)
    run(op)
    assert calls == [7]


def test_bytes_keep_their_zeros():
    assert run(tf.py_func(lambda: b"a\x00\x00", [], tf.string)) == b"a\x00\x00"
    assert (
        run(tf.py_func(lambda: [np.array([b"a\x00"], object)], [], [tf.string]))[0][0] == b"a\x00"
    )


ERRORS = [
    (ValueError, tf.errors.InvalidArgumentError),
    (TypeError, tf.errors.InvalidArgumentError),
    (StopIteration, tf.errors.OutOfRangeError),
    (MemoryError, tf.errors.ResourceExhaustedError),
    (NotImplementedError, tf.errors.UnimplementedError),
    (KeyError, tf.errors.UnknownError),
    (RuntimeError, tf.errors.UnknownError),
    (ZeroDivisionError, tf.errors.UnknownError),
]


@pytest.mark.parametrize(("raised", "expected"), ERRORS)
def test_exceptions_become_tensorflows_errors(raised, expected):
    def function():
        raise raised("the reason")

    with pytest.raises(expected) as error:
        run(tf.py_func(function, [], tf.float32))
    assert type(error.value) is expected
    assert error.value.message.startswith(f"{raised.__name__}: ")
    assert "the reason" in error.value.message
    assert "in function" in error.value.message  # the line in the user's own function


def test_a_wrong_dtype_says_both_and_what_to_do():
    with pytest.raises(
        tf.errors.InvalidArgumentError,
        match=r"0-th value returned by .* is double, but expects float",
    ) as error:
        run(tf.py_func(lambda: 1.5, [], tf.float32))
    assert "np.float32" in error.value.message


def test_a_wrong_number_of_results():
    with pytest.raises(
        tf.errors.InvalidArgumentError, match="returns 2 values, but expects to see 1"
    ):
        run(tf.py_func(lambda: [1, 2], [], tf.int64))


def test_a_wrong_shape_says_both():
    result = tf.py_func(lambda: np.zeros([2], np.float32), [], tf.float32)
    result.set_shape([3])
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"shape \(2,\).* has shape \(3,\)"):
        run(result)


def test_a_result_that_is_no_array():
    with pytest.raises(tf.errors.InternalError, match="Unsupported object type object"):
        run(tf.py_func(lambda: object(), [], tf.float32))


def test_a_token_of_another_process_is_refused(graph):
    for token in (b"pyfunc_0", b"pyfunc_0_0000000000000000", b"\xff"):
        op = graph.create_op("PyFunc", [], attrs={"token": token, "Tin": [], "Tout": [tf.float32]})
        with pytest.raises(
            tf.errors.InvalidArgumentError, match="Could not find callback with key="
        ):
            run(op.outputs[0])


def test_a_function_lives_as_long_as_its_graph():
    def function():
        return np.float32(1)

    with tf.Graph().as_default() as other:
        call = tf.py_func(function, [], tf.float32)
        graph_def = other.as_graph_def()
        assert run(call) == 1
    alive = weakref.ref(function)
    del function
    assert alive() is not None
    del other, call
    gc.collect()
    assert alive() is None
    (copy,) = tf.import_graph_def(graph_def, return_elements=["PyFunc:0"])
    with pytest.raises(tf.errors.InvalidArgumentError, match="Could not find callback"):
        run(copy)


def test_a_py_func_has_no_gradient():
    x = tf.constant(1.0)
    assert tf.gradients(tf.py_func(lambda a: a, [x], tf.float32), [x]) == [None]


def test_the_traceback_shows_the_users_lines_and_none_of_this_package():
    def rows():
        yield 1
        raise ValueError("row 2 is broken")

    elements = tf.data.Dataset.from_generator(rows, tf.int32)
    element = elements.make_one_shot_iterator().get_next()
    with tf.Session() as session:
        session.run(element)
        with pytest.raises(tf.errors.InvalidArgumentError) as caught:
            session.run(element)
    message = str(caught.value)
    assert 'raise ValueError("row 2 is broken")' in message
    assert "generators.py" not in message


def test_a_traceback_without_a_line_of_the_user_is_left_out():
    elements = tf.data.Dataset.from_generator(lambda: iter(["two"]), tf.int32)
    element = elements.make_one_shot_iterator().get_next()
    with tf.Session() as session:
        with pytest.raises(tf.errors.InvalidArgumentError, match="yielded element was 'two'") as e:
            session.run(element)
    assert "Traceback" not in str(e.value)


def test_a_notebook_cell_has_its_number_in_the_traceback(monkeypatch):
    cells = {__file__: "In[3]"}
    monkeypatch.setattr(tf.framework.call_site, "name_of_cell", cells.get)

    def fail():
        raise ValueError("no")

    with pytest.raises(tf.errors.InvalidArgumentError, match=r'File "In\[3\]", line \d+, in fail'):
        run(tf.py_func(fail, [], tf.float32))
