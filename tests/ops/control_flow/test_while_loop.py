"""tf.while_loop and the context of its body."""

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


def count_to(n, **options):
    return tf.while_loop(
        lambda i: tf.less(i, n), lambda i: tf.add(i, 1), [tf.constant(0)], **options
    )


def test_the_functions_are_called_once_each():
    calls = []

    def body(i):
        calls.append(i)
        return tf.add(i, 1)

    loop = tf.while_loop(lambda i: tf.less(i, 5), body, [tf.constant(0)])
    assert run(loop) == 5
    assert len(calls) == 1


@pytest.mark.parametrize("parallel_iterations", [1, 2, 10])
def test_results_do_not_depend_on_parallel_iterations(parallel_iterations):
    i, total = tf.while_loop(
        lambda i, total: tf.less(i, 100),
        lambda i, total: (tf.add(i, 1), tf.add(total, i)),
        [tf.constant(0), tf.constant(0)],
        parallel_iterations=parallel_iterations,
    )
    assert run([i, total]) == [100, 4950]


def test_one_variable_is_unpacked():
    assert isinstance(count_to(3), tf.Tensor)
    kept = count_to(3, return_same_structure=True)
    assert isinstance(kept, list)
    assert run(kept) == [3]


def test_python_values_become_tensors():
    i, x = tf.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x * 2.0), (0, np.float32(1.5)))
    assert run([i, x]) == [3, 12.0]


def test_variables_are_read_before_the_loop():
    v = tf.Variable(2.0)
    result = tf.while_loop(lambda x: tf.less(x, 10.0), lambda x: tf.multiply(x, v), [v])
    with tf.Session() as session:
        session.run(v.initializer)
        assert session.run(result) == 16.0


def test_maximum_iterations():
    assert run(count_to(10, maximum_iterations=4)) == 4
    assert run(count_to(3, maximum_iterations=4)) == 3
    limit = tf.placeholder(tf.int32, [])
    assert run(count_to(10, maximum_iterations=limit), {limit: 0}) == 0


def test_maximum_iterations_with_shape_invariants():
    _, rows = tf.while_loop(
        lambda i, rows: tf.less(i, 10),
        lambda i, rows: [tf.add(i, 1), tf.concat([rows, rows], 0)],
        [tf.constant(0), tf.ones([1, 2])],
        shape_invariants=[tf.TensorShape([]), tf.TensorShape([None, 2])],
        maximum_iterations=3,
    )
    assert rows.shape.as_list() == [None, 2]
    assert run(rows).shape == (8, 2)


def test_shape_invariants_must_be_shapes():
    with pytest.raises(TypeError, match="'shape' must be one of TensorShape or None"):
        tf.while_loop(lambda x: tf.less(x, 3), lambda x: x, [tf.constant(1)], shape_invariants=[3])


def test_a_change_of_type_is_refused_while_the_graph_is_built():
    """TensorFlow notices it only when the graph runs."""
    with pytest.raises(
        TypeError, match=r"was passed int32 from .* incompatible with expected float32"
    ):
        tf.while_loop(lambda x: tf.less(x, 3.0), lambda x: tf.constant(1), [tf.constant(1.0)])


def test_operations_in_the_loop_are_neither_fed_nor_fetched(graph):
    inside = []

    def body(i):
        inside.append(tf.add(i, 1))
        return inside[0]

    tf.while_loop(lambda i: tf.less(i, 3), body, [tf.constant(0)])
    assert not graph.is_fetchable(inside[0])
    assert not graph.is_feedable(inside[0])
    with pytest.raises(ValueError, match="marked as not fetchable"):
        run(inside[0])


def test_a_tensor_of_the_loop_is_refused_outside():
    inside = []

    def body(i):
        inside.append(tf.add(i, 1, name="inside"))
        return inside[0]

    tf.while_loop(lambda i: tf.less(i, 3), body, [tf.constant(0)])
    with pytest.raises(ValueError, match="is in a while loop") as error:
        tf.negative(inside[0])
    assert "what tf.while_loop returns" in str(error.value)
    assert "test_while_loop.py" in str(error.value)  # where it was built


def test_a_refused_operation_leaves_no_trace(graph):
    inside = []

    def body(i):
        inside.append(tf.add(i, 1))
        return inside[0]

    tf.while_loop(lambda i: tf.less(i, 3), body, [tf.constant(0)])
    before = graph.version
    consumers = inside[0].consumers()
    with pytest.raises(ValueError, match="is in a while loop"):
        tf.identity(inside[0])
    assert graph.version == before
    assert inside[0].consumers() == consumers


def test_loop_invariants_enter_once(graph):
    x = tf.constant(2.0, name="x")
    tf.while_loop(lambda s: tf.less(s, 9.0), lambda s: tf.add(tf.add(s, x), x), [tf.constant(1.0)])
    enters = [op for op in graph.get_operations() if op.type == "Enter" and x in op.inputs]
    assert len(enters) == 1
    assert enters[0].attrs["is_constant"] is True


def test_the_collection_knows_the_outermost_loops(graph):
    def body(i):
        return tf.add(i, tf.while_loop(lambda j: tf.less(j, 2), lambda j: tf.add(j, 1), [i]))

    tf.while_loop(lambda i: tf.less(i, 3), body, [tf.constant(0)])
    assert [c.name for c in graph.get_collection(tf.GraphKeys.WHILE_CONTEXT)] == [
        "while/while_context"
    ]


def test_an_exception_in_the_body_leaves_the_context(graph):
    def body(i):
        raise RuntimeError("mine")

    with pytest.raises(RuntimeError, match="mine"):
        tf.while_loop(lambda i: tf.less(i, 3), body, [tf.constant(0)])
    after = tf.constant(1)
    assert after.op.control_inputs == []
    assert graph.is_fetchable(after)


def test_effects_happen_in_every_iteration():
    v = tf.Variable(0, use_resource=False)

    def body(i):
        with tf.control_dependencies([tf.assign_add(v, 3)]):
            return tf.identity(tf.add(i, 1))

    loop = tf.while_loop(lambda i: tf.less(i, 4), body, [tf.constant(0)])
    with tf.Session() as session:
        session.run(v.initializer)
        assert session.run(loop) == 4
        assert session.run(v) == 12


def test_a_loop_cannot_be_fed_a_list_of_nothing():
    with pytest.raises(ValueError, match="'loop_vars' must be provided"):
        tf.while_loop(lambda: True, lambda: [], [])
    with pytest.raises(ValueError, match="list or tuple of initial values"):
        tf.while_loop(lambda x: tf.less(x, 1), lambda x: x, tf.constant(1))
