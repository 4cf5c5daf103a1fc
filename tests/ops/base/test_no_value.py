"""Where Python asks a tensor for its value: TensorFlow's class of error, and what to type."""

import math

import numpy as np
import pytest

import tinytf as tf


@pytest.fixture
def t():
    with tf.Graph().as_default():
        yield tf.constant([1.0, 2.0], name="t")


@pytest.fixture
def v():
    with tf.Graph().as_default():
        yield tf.Variable([1.0, 2.0], name="v")


def set_first(x):
    x[0] = 3.0


def delete_first(x):
    del x[0]


ASKED = [
    (float, "must be a string or a real number, not 'Tensor'", "float(sess.run(t))"),
    (math.sqrt, "must be a string or a real number, not 'Tensor'", "float(sess.run(t))"),
    (int, "or a real number, not 'Tensor'", "int(sess.run(t))"),
    (complex, "must be a string or a number, not 'Tensor'", "tf.complex64"),
    (round, "doesn't define __round__ method", "tf.round(t)"),
    (range, "'Tensor' object cannot be interpreted as an integer", "tf.range(t)"),
    (lambda t: [1, 2][t], "cannot be interpreted as an integer", "int(sess.run(t))"),
    (len, "Please call `x.shape` rather than `len(x)`", "tf.size(t)"),
    (bool, "as a Python `bool` is not allowed", "tf.cond"),
    (list, "Iterating over a symbolic `tf.Tensor` is not allowed", "tf.unstack(t)"),
    (lambda t: 1.0 in t, "argument of type 'Tensor' is not iterable", "tf.equal(t, x)"),
    (lambda t: f"{t:.2f}", "unsupported format string passed to Tensor", "sess.run(t):.3f"),
    (set_first, "does not support item assignment", "tf.tensor_scatter_update(t, [[0]], [3.0])"),
    (delete_first, "does not support item assignment", "tf.Variable"),
]


@pytest.mark.parametrize(("ask", "said", "instead"), ASKED)
def test_a_tensor_says_what_to_do_instead(t, ask, said, instead):
    with pytest.raises(TypeError) as info:
        ask(t)
    for words in (said, "t:0 has no value while the graph is built", instead):
        assert words in str(info.value)


@pytest.mark.parametrize("ask", [np.array, np.sqrt])
def test_numpy_is_told_so_too(t, ask):
    with pytest.raises(NotImplementedError, match=r"Cannot convert a symbolic Tensor \(t:0\)"):
        ask(t)


OF_VARIABLES = [
    (float, "must be a string or a real number, not 'RefVariable'", "sess.run("),
    (list, "'Variable' object is not iterable", "sess.run(v)"),
    (set_first, "does not support item assignment", "sess.run(v[0].assign(3.0))"),
    (lambda v: f"{v:.2f}", "unsupported format string", "sess.run("),
]


@pytest.mark.parametrize(("ask", "said", "instead"), OF_VARIABLES)
def test_a_variable_says_what_to_do_instead(v, ask, said, instead):
    with pytest.raises(TypeError) as info:
        ask(v)
    for words in (said, "v:0", instead):
        assert words in str(info.value)


def test_what_it_says_to_type_works(t, v):
    changed = tf.tensor_scatter_update(t, [[0]], [3.0])
    with tf.Session(graph=t.graph) as sess:
        assert sess.run(changed).tolist() == [3.0, 2.0]
    with tf.Session(graph=v.graph) as sess, v.graph.as_default():
        sess.run(v.initializer)
        assert sess.run(v[0].assign(3.0)).tolist() == [3.0, 2.0]
        assert sess.run(tf.scatter_update(v, [0], [4.0])).tolist() == [4.0, 2.0]


def test_what_has_an_answer_has_it_still(t, v):
    assert v  # as in TensorFlow: a variable is an object like others
    assert f"{t}" == str(t)
    assert not hasattr(v, "numpy")
    assert "numpy" not in dir(v)
    with pytest.raises(AttributeError, match=r"\(v:0\): .*sess\.run"):
        v.numpy()
    with pytest.raises(TypeError, match="Dimension value must be integer or None"):
        tf.TensorShape([tf.constant(1)])
    with tf.Session(graph=v.graph) as sess, v.graph.as_default():
        assert sess.run(tf.zeros([tf.constant(1), 2])).shape == (1, 2)
