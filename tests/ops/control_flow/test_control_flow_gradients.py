"""Gradients through conditionals and loops, against formulas and finite differences."""

import numpy as np
import pytest

import tinytf as tf
from tinytf.testing.evaluator import evaluate


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def run(fetches, feed=None):
    """By the session, which must agree with the evaluator."""
    with tf.Session() as session:
        values = session.run(fetches, feed)
    for value, expected in zip(values, evaluate(fetches, feed)):
        np.testing.assert_array_equal(value, expected)
    return values


def power(x, n):
    """x ** n, by a loop."""
    return tf.while_loop(
        lambda i, s: tf.less(i, n),
        lambda i, s: (tf.add(i, 1), tf.multiply(s, x)),
        [tf.constant(0), tf.ones_like(x)],
    )[1]


@pytest.mark.parametrize("n", [0, 1, 2, 7])
def test_a_power_by_a_loop(n):
    x = tf.constant(1.5)
    (dx,) = tf.gradients(power(x, n), [x])
    assert run([dx])[0] == pytest.approx(n * 1.5 ** (n - 1))


def test_the_number_of_iterations_may_be_fed():
    x, n = tf.constant([1.0, 2.0]), tf.placeholder(tf.int32, [])
    (dx,) = tf.gradients(power(x, n), [x])
    for times in (0, 1, 3):
        expected = times * np.array([1.0, 2.0]) ** max(times - 1, 0)
        np.testing.assert_allclose(run([dx], {n: times})[0], expected)


def test_unknown_shapes():
    x = tf.placeholder(tf.float32, [None])
    (dx,) = tf.gradients(power(x, 3), [x])
    np.testing.assert_allclose(run([dx], {x: np.array([1.0, 2.0, 3.0])})[0], [3.0, 12.0, 27.0])


@pytest.mark.parametrize("taken", [True, False])
def test_both_branches(taken):
    x, y, pred = tf.constant(2.0), tf.constant(3.0), tf.placeholder(tf.bool, [])
    result = tf.cond(pred, lambda: tf.multiply(x, y), lambda: tf.multiply(y, y))
    dx, dy = tf.gradients(result, [x, y])
    assert run([dx, dy], {pred: taken}) == ([3.0, 2.0] if taken else [0.0, 6.0])


def test_a_cond_in_a_loop():
    x = tf.constant(1.5)

    def body(i, s):
        return tf.add(i, 1), tf.cond(
            tf.less(s, 3.0), lambda: tf.multiply(s, x), lambda: tf.add(s, x)
        )

    _, result = tf.while_loop(lambda i, s: tf.less(i, 5), body, [tf.constant(0), tf.constant(1.0)])
    (dx,) = tf.gradients(result, [x])
    # 1 -> x -> x^2 -> x^3 > 3 -> x^3 + x -> x^3 + 2 x
    value, slope = run([result, dx])
    assert value == pytest.approx(1.5**3 + 2 * 1.5)
    assert slope == pytest.approx(3 * 1.5**2 + 2)


def test_a_loop_in_a_loop():
    x = tf.constant(1.25)

    def body(i, s):
        _, inner = tf.while_loop(
            lambda j, t: tf.less(j, i),
            lambda j, t: (tf.add(j, 1), tf.multiply(t, x)),
            [tf.constant(0), s],
        )
        return tf.add(i, 1), inner

    _, result = tf.while_loop(lambda i, s: tf.less(i, 5), body, [tf.constant(0), tf.constant(2.0)])
    (dx,) = tf.gradients(result, [x])
    value, slope = run([result, dx])  # 2 x^(0 + 1 + 2 + 3 + 4)
    assert value == pytest.approx(2 * 1.25**10)
    assert slope == pytest.approx(20 * 1.25**9)


def test_a_loop_in_a_cond_in_a_loop():
    x = tf.constant(1.1)

    def body(i, s):
        return tf.add(i, 1), tf.cond(
            tf.less(i, 2), lambda: tf.multiply(s, power(x, 2)), lambda: tf.multiply(s, x)
        )

    _, result = tf.while_loop(lambda i, s: tf.less(i, 4), body, [tf.constant(0), tf.constant(1.0)])
    (dx,) = tf.gradients(result, [x])
    value, slope = run([result, dx])  # x^(2 + 2 + 1 + 1)
    assert value == pytest.approx(1.1**6)
    assert slope == pytest.approx(6 * 1.1**5, rel=1e-5)


def test_an_exit_that_is_not_used_still_passes_its_gradient_on():
    x, y = tf.constant(2.0), tf.constant(1.5)
    _, s, _ = tf.while_loop(
        lambda i, s, q: tf.less(i, 3),
        lambda i, s, q: (tf.add(i, 1), tf.multiply(s, q), tf.multiply(q, q)),
        [tf.constant(0), x, y],
    )
    dx, dy = tf.gradients(s, [x, y])  # x y y^2 y^4
    assert run([dx, dy]) == [pytest.approx(1.5**7), pytest.approx(2 * 7 * 1.5**6)]


def test_a_variable_that_does_not_depend_on_itself():
    x = tf.constant(3.0)
    _, s = tf.while_loop(
        lambda i, s: tf.less(i, 4),
        lambda i, s: (tf.add(i, 1), tf.multiply(x, x)),
        [tf.constant(0), x],
    )
    assert run(tf.gradients(s, [x])) == [6.0]


def test_a_variable_that_does_not_depend_on_itself_of_unknown_shape():
    x = tf.placeholder(tf.float32, [None])
    _, s = tf.while_loop(
        lambda i, s: tf.less(i, 4),
        lambda i, s: (tf.add(i, 1), tf.multiply(x, x)),
        [tf.constant(0), x],
    )
    np.testing.assert_allclose(run(tf.gradients(s, [x]), {x: [1.0, 3.0]})[0], [2.0, 6.0])


def test_rows_of_a_table():
    table = tf.constant(np.arange(8.0, dtype=np.float32).reshape(4, 2))
    _, total = tf.while_loop(
        lambda i, s: tf.less(i, 3),
        lambda i, s: (tf.add(i, 1), tf.add(s, tf.reduce_sum(tf.gather(table, [i, 0])))),
        [tf.constant(0), tf.constant(0.0)],
    )
    (rows,) = tf.gradients(total, [table])
    assert isinstance(rows, tf.IndexedSlices)
    with tf.Session() as session:
        dense = session.run(tf.convert_to_tensor(rows))
    assert dense.tolist() == [[4.0, 4.0], [1.0, 1.0], [1.0, 1.0], [0.0, 0.0]]


def test_back_prop_false_stops_gradients():
    x = tf.constant(2.0)
    _, s = tf.while_loop(
        lambda i, s: tf.less(i, 3),
        lambda i, s: (tf.add(i, 1), tf.multiply(s, x)),
        [tf.constant(0), x],
        back_prop=False,
    )
    assert tf.gradients(s, [x]) == [None]


def test_gradients_asked_for_inside_the_body():
    x = tf.constant(3.0)

    def body(i, s):
        return tf.add(i, 1), tf.add(s, tf.gradients(tf.multiply(x, s), [x])[0])

    _, s = tf.while_loop(lambda i, s: tf.less(i, 3), body, [tf.constant(0), tf.constant(1.0)])
    assert run([s]) == [8.0]


def test_second_order_gradients_are_refused():
    x = tf.constant(2.0)
    (dx,) = tf.gradients(power(x, 3), [x])
    with pytest.raises(TypeError, match="Second-order gradient for while loops not supported"):
        tf.gradients(dx, [x])


def test_an_imported_loop_says_why_it_has_no_gradient():
    x = tf.constant(2.0, name="x")
    power(x, 3)
    graph_def = tf.get_default_graph().as_graph_def()
    with tf.Graph().as_default() as other:
        tf.import_graph_def(graph_def, name="")
        with pytest.raises(ValueError, match="was imported from a GraphDef"):
            tf.gradients(
                other.get_tensor_by_name("while/Exit_1:0"), [other.get_tensor_by_name("x:0")]
            )


@pytest.mark.parametrize("seed", range(5))
def test_random_loops_against_finite_differences(seed):
    """A recurrent computation with a branch, in double precision."""
    random = np.random.default_rng(seed)
    start = random.uniform(0.2, 0.8, [3])
    weights = random.uniform(-0.5, 0.5, [3])
    x = tf.placeholder(tf.float64, [3])
    w = tf.constant(weights)

    def body(i, s):
        high = tf.cond(
            tf.less(tf.reduce_sum(s), 1.0),
            lambda: tf.add(tf.multiply(s, w), x),
            lambda: tf.multiply(tf.multiply(s, s), w),
        )
        return tf.add(i, 1), high

    _, result = tf.while_loop(lambda i, s: tf.less(i, 4), body, [tf.constant(0), x])
    total = tf.reduce_sum(result)
    (dx,) = tf.gradients(total, [x])
    with tf.Session() as session:
        slope = session.run(dx, {x: start})
        step = 1e-6
        for k in range(3):
            shift = step * np.eye(3)[k]
            high, low = (session.run(total, {x: start + d}) for d in (shift, -shift))
            assert slope[k] == pytest.approx((high - low) / (2 * step), rel=1e-5, abs=1e-7)
