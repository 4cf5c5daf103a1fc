"""Functions as tf.data traces them: what runs, in which order, and what a call costs."""

import pytest

import tinytf as tf
from tinytf.ops.functions.tracing import trace


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def traced(function, *kinds, graph):
    return trace(function, [(kind, tf.TensorShape(())) for kind in kinds], "f", graph)


def call(session, made, *arguments, graph):
    """Run a traced function as the iterators of a session do."""
    captured = session.run(made.captured) if made.captured else []
    prepared = session._backend.functions.prepare(made.function)
    return prepared([*arguments, *captured], None)


def test_captures_are_arguments_with_names(graph):
    c = tf.constant(2.0, name="outside")
    made = traced(lambda x: [x * c, x + c], tf.float32, graph=graph)
    signature = made.function.definition.signature
    assert [arg.name for arg in signature.input_arg] == ["args_0", "mul_outside"]
    assert made.captured == [c]
    with tf.Session() as sess:
        results = call(sess, made, tf.float32.as_numpy_dtype(3), graph=graph)
    assert [float(value) for value in results] == [6.0, 5.0]


def test_effects_happen_in_the_order_in_which_they_are_written(graph):
    notes = []

    def note(x, text):
        return tf.py_func(lambda value: notes.append(text) or value, [x], tf.float32)

    def function(x):
        note(x, "first")
        note(x, "second")
        tf.Print(x, [x])
        note(x, "third")
        return [x]

    made = traced(function, tf.float32, graph=graph)
    with tf.Session() as sess:
        for _ in range(3):
            call(sess, made, tf.float32.as_numpy_dtype(1), graph=graph)
    assert notes == ["first", "second", "third"] * 3
    controls = list(made.function.definition.signature.control_output)
    assert controls == ["Print", "PyFunc", "PyFunc_1", "PyFunc_2"]


def test_a_variable_is_read_before_and_after_it_changes(graph):
    v = tf.Variable(1.0, use_resource=True)

    def function(x):
        before = v.read_value()
        v.assign_add(x)
        between = v.read_value()
        v.assign(between * 10)
        return [before, between, v.read_value()]

    made = traced(function, tf.float32, graph=graph)
    iterator = tf.data.Dataset.from_tensors(2.0).repeat(2).map(function)
    iterator = iterator.make_initializable_iterator()
    element = iterator.get_next()
    with tf.Session() as sess:
        sess.run([v.initializer, iterator.initializer])
        assert [tuple(map(float, sess.run(element))) for _ in range(2)] == [
            (1.0, 3.0, 30.0),
            (30.0, 32.0, 320.0),
        ]
    assert made.captured == [v.handle]


def test_the_names_of_two_functions_differ(graph):
    one, other = (traced(lambda x: [x], tf.float32, graph=graph) for _ in range(2))
    assert one.function.name != other.function.name
    assert one.function.name.startswith("__inference_f_")


def test_the_seed_of_the_graph_holds_in_functions(graph):
    tf.set_random_seed(3)
    made = traced(lambda x: [tf.random_uniform([])], tf.float32, graph=graph)
    (node,) = (n for n in made.function.definition.node_def if n.op == "RandomUniform")
    assert (node.attr["seed"].i, node.attr["seed2"].i) == (3, 0)


def test_an_error_names_the_operation_and_the_function(graph):
    made = traced(lambda x: [7 // x], tf.int32, graph=graph)
    with tf.Session() as sess:
        with pytest.raises(tf.errors.InvalidArgumentError) as caught:
            call(sess, made, tf.int32.as_numpy_dtype(0), graph=graph)
        (result,) = call(sess, made, tf.int32.as_numpy_dtype(2), graph=graph)
    assert result == 3
    text = caught.value.message
    assert f"{{{{function_node {made.function.name}}}}}{{{{node floordiv}}}}" in text
    assert "made = traced(lambda x: [7 // x], tf.int32, graph=graph)" in text


def test_a_function_that_needs_a_step_is_prepared_as_well(graph):
    def function(x):
        return [tf.while_loop(lambda i: i < 10, lambda i: i * 2, [x])]

    made = traced(function, tf.int32, graph=graph)
    with tf.Session() as sess:
        prepared = sess._backend.functions.prepare(made.function)
        assert [int(prepared([tf.int32.as_numpy_dtype(n)], None)[0]) for n in (1, 3, 50)] == [
            16,
            12,
            50,
        ]


def test_what_nodes_own_is_new_for_each_preparation(graph):
    made = traced(lambda x: [tf.random_uniform([], seed=1)], tf.float32, graph=graph)
    argument = [tf.float32.as_numpy_dtype(0)]
    with tf.Session() as sess:
        functions = sess._backend.functions
        one, other = functions.prepare(made.function), functions.prepare(made.function)
        first = [float(one(argument, None)[0]) for _ in range(3)]
        assert [float(other(argument, None)[0]) for _ in range(3)] == first
        assert len(set(first)) == 3
        assert [r for *_, r in sess._backend.resources.items()] == []


def test_functions_of_datasets_run_on_the_host(graph, simulated_gpu):
    dataset = tf.data.Dataset.range(4).map(lambda x: tf.cast(x, tf.float32) * 2.0)
    element = dataset.make_one_shot_iterator().get_next()
    with tf.Session() as sess:
        assert sess.run(tf.reduce_sum(element)) == 0.0
        plans = list(sess._backend.functions._host_plans.values())
        assert [plan.lanes for plan in plans] == [[""]]


def test_a_function_of_a_dataset_may_ask_for_a_device(graph, simulated_gpu):
    def function(x):
        with tf.device("/gpu:0"):
            return tf.cast(x, tf.float32) * 2.0

    element = tf.data.Dataset.range(4).map(function).make_one_shot_iterator().get_next()
    with tf.Session() as sess:
        assert [sess.run(element), sess.run(element)] == [0.0, 2.0]
        (plan,) = sess._backend.functions._host_plans.values()
        assert any(lane.endswith("GPU:0") for lane in plan.lanes)
