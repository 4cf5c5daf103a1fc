"""Defun, and gradients of functions; what conformance cases cannot show."""

import gc
import weakref

import numpy as np
import pytest

import tinytf as tf
from tests.conformance.nodes import Function, node
from tests.framework.temporary_ops import temporary_op
from tinytf.api import function
from tinytf.testing.evaluator import evaluate
from tinytf.testing.gradient_checker import check_gradients


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


@pytest.fixture
def sess(graph):
    with tf.Session() as sess:
        yield sess


def cube(**settings):
    @function.Defun(tf.float32, func_name="Cube", **settings)
    def cube(x):
        return x * x * x

    return cube


def test_third_derivatives(sess):
    x = tf.constant(2.0)
    y = cube()(x)
    found = []
    for _ in range(4):
        found.append(y)
        (y,) = tf.gradients(y, x)
    assert sess.run(found) == [8.0, 12.0, 12.0, 6.0]
    assert evaluate(found) == [8.0, 12.0, 12.0, 6.0]


def test_derivatives_of_higher_order_travel(graph):
    """The function that is the first derivative is in the library, so that others have it."""
    x = tf.constant(2.0)
    (first,) = tf.gradients(cube()(x), x)
    tf.gradients(first, x, name="second")
    names = [f.signature.name for f in graph.as_graph_def().library.function]
    assert len(names) == 2
    assert names[1].startswith("Cube_grad_")
    with tf.Graph().as_default() as other, tf.Session() as sess:
        tf.import_graph_def(graph.as_graph_def(), name="")
        fetch = [op for op in other.get_operations() if op.type == "SymbolicGradient"]
        assert sess.run([op.outputs[0] for op in fetch]) == [12.0, 12.0]


def test_gradients_of_loops_inside(sess):
    """TensorFlow 2.15.1 gives 0 here: its runtime does not differentiate loops."""

    @function.Defun(tf.float32)
    def power(x):
        return tf.while_loop(
            lambda i, y: i < 5,
            lambda i, y: (i + 1, y * x),
            [0, 1.0],
            shape_invariants=[tf.TensorShape([]), tf.TensorShape(None)],
        )[1]

    x = tf.constant(2.0)
    y = power(x)
    (dx,) = tf.gradients(y, x)
    assert sess.run([y, dx]) == [32.0, 80.0]
    assert sess.run(y) == 32.0, "the function itself stays as it was"


def test_gradients_of_conditionals_inside(sess):
    @function.Defun(tf.float32)
    def absolute(x):
        return tf.cond(x > 0.0, lambda: x * 1.0, lambda: -x)

    x = tf.placeholder(tf.float32, [])
    (dx,) = tf.gradients(absolute(x), x)
    assert [sess.run(dx, {x: value}) for value in (3.0, -3.0)] == [1.0, -1.0]


@pytest.mark.parametrize("order", [1, 2])
def test_gradients_against_differences(order):
    @function.Defun(tf.float64, tf.float64)
    def inner(x, y):
        return tf.tanh(tf.matmul(x, y)), tf.reduce_sum(tf.square(y))

    @function.Defun(tf.float64, tf.float64)
    def outer(x, y):
        a, b = inner(x, y)
        return tf.exp(a) * b

    x, y = tf.placeholder(tf.float64, [2, 3]), tf.placeholder(tf.float64, [3, 2])
    z = outer(x, y)
    z.set_shape([2, 2])
    if order == 2:
        (z,) = tf.gradients(z, x)
        z.set_shape([2, 3])
    random = np.random.RandomState(7)
    check_gradients(z, [x, y], [random.uniform(-1, 1, [2, 3]), random.uniform(-1, 1, [3, 2])])


def test_gradient_with_respect_to_a_variable_inside(sess):
    v = tf.get_variable("v", initializer=[1.0, 2.0, 3.0], use_resource=True)

    @function.Defun(tf.int32)
    def lookup(i):
        return tf.gather(v, i) * 2.0

    y = lookup(tf.constant([0, 2, 2]))
    (dv,) = tf.gradients(y, v)
    sess.run(v.initializer)
    assert sess.run(y).tolist() == [2.0, 6.0, 6.0]
    assert sess.run(dv).tolist() == [2.0, 0.0, 4.0]


def test_training_through_a_function(sess):
    @function.Defun(tf.float32, func_name="Layer")
    def layer(x):
        w = tf.get_variable("w", [2, 1], initializer=tf.zeros_initializer())
        return tf.matmul(x, w)

    inputs = np.array([[1, 0], [0, 1], [1, 1]], np.float32)
    loss = tf.reduce_mean(tf.square(layer(inputs) - inputs @ np.float32([[2], [-1]])))
    step = tf.train.GradientDescentOptimizer(0.5).minimize(loss)
    sess.run(tf.global_variables_initializer())
    for _ in range(60):
        sess.run(step)
    assert sess.run(loss) < 1e-6
    assert [v.name for v in tf.trainable_variables()] == ["w:0"]


def test_branches_are_differentiated(sess):
    names = {}
    for name, build in (("Double", lambda x: x * 2.0), ("Squared", lambda x: x * x)):
        defined = function.Defun(tf.float32, func_name=name)(_one_argument(build))
        defined.add_to_graph(tf.get_default_graph())
        names[name] = Function(name)
    which, x = tf.placeholder(tf.bool, []), tf.constant(5.0)
    kinds = {"Tin": ("float32",), "Tout": ("float32",)}
    (chosen,) = node(
        tf,
        "StatelessIf",
        [which, x],
        Tcond=tf.bool,
        then_branch=names["Double"],
        else_branch=names["Squared"],
        **kinds,
    )
    (listed,) = node(
        tf, "StatelessCase", [tf.cast(which, tf.int32), x], branches=list(names.values()), **kinds
    )
    slopes = [*tf.gradients(chosen, x), *tf.gradients(listed, x)]
    assert sess.run([chosen, listed, *slopes], {which: True}) == [10.0, 25.0, 2.0, 10.0]
    assert sess.run([chosen, listed, *slopes], {which: False}) == [25.0, 10.0, 10.0, 2.0]


def _one_argument(build):
    def function(x):
        return build(x)

    return function


def test_the_gradient_of_a_functional_while(sess):
    @function.Defun(tf.float32, func_name="Small")
    def small(x):
        return x < 10.0

    cube().add_to_graph(tf.get_default_graph())
    small.add_to_graph(tf.get_default_graph())
    x = tf.placeholder(tf.float32, [])
    (y,) = node(
        tf, "StatelessWhile", [x], T=("float32",), cond=Function("Small"), body=Function("Cube")
    )
    (dx,) = tf.gradients(y, x)
    assert sess.run([y, dx], {x: 2.0}) == [512.0, 2304.0], "x ** 9"
    assert sess.run([y, dx], {x: 20.0}) == [20.0, 1.0]


def test_an_operation_without_gradient_is_named(sess):
    with temporary_op("TestOpaque", "x: float -> y: float") as card:
        card.kernel(lambda x: x)

        @function.Defun(tf.float32, func_name="Opaque")
        def forward(x):
            return card(x, name="inside")

        x = tf.constant(2.0)
        (dx,) = tf.gradients(forward(x), x)
        with pytest.raises(tf.errors.InvalidArgumentError) as caught:
            sess.run(dx)
    text = str(caught.value)
    assert "The gradient of function 'Opaque': No gradient defined for operation 'inside'" in text
    assert "[[{{node gradients/Opaque_grad/SymbolicGradient}}]]" in text


def test_errors_show_both_lines(sess):
    @function.Defun(tf.int32, func_name="Divide")
    def divide(x):
        return 1 // x  # the line inside

    result = divide(tf.placeholder_with_default(0, []), name="call")  # the line of the call
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        sess.run(result)
    text = str(caught.value)
    assert "[[{{function_node Divide}}{{node floordiv}}]]" in text
    assert "# the line inside" in text
    assert "# the line of the call" in text
    assert caught.value.op is result.op
    assert caught.value.node_def.op == "Divide"


def test_every_call_has_sequences_of_random_numbers_of_its_own(sess):
    """The numbers are those of TensorFlow 2.15.1 with its usual optimisations."""

    @function.Defun(func_name="Chance")
    def chance():
        return tf.random_uniform([], seed=3)

    a, b, c = chance(), chance(), tf.random_uniform([], seed=3)
    stream = [0.3869294, 0.6633445, 0.1957511, 0.9421699, 0.9180825]
    np.testing.assert_allclose(sess.run([a, b, c]), stream[:1] * 3, rtol=1e-6)
    np.testing.assert_allclose(sess.run(a), stream[1], rtol=1e-6)
    np.testing.assert_allclose(sess.run([a, b, c]), [stream[2], *stream[1:2] * 2], rtol=1e-6)


def test_recursion_is_refused():
    @function.Defun(tf.float32)
    def endless(x):
        return endless(x)

    with pytest.raises(RecursionError, match="endless calls itself while it is traced"):
        endless(1.0)


def test_a_function_that_fails_while_it_is_traced_leaves_no_trace(graph):
    @function.Defun(tf.float32)
    def broken(x):
        return tf.matmul(tf.ones([2, 3]), tf.ones([2, 3]))

    with pytest.raises(ValueError, match="Dimensions must be equal"):
        broken(1.0)
    assert graph._functions == {}
    assert graph.get_operations() == []


def test_one_function_in_two_graphs():
    triple = cube()
    for _ in range(2):
        with tf.Graph().as_default(), tf.Session() as sess:
            assert sess.run(triple(2.0)) == 8.0


def test_a_graph_forgets_its_functions_with_itself():
    with tf.Graph().as_default() as graph:
        x = tf.constant(2.0)
        tf.gradients(cube()(x), x)
    known = weakref.ref(graph)
    del graph, x
    gc.collect()
    assert known() is None


def test_a_finalized_graph_takes_no_new_function(graph):
    triple = cube()
    graph.finalize()
    with pytest.raises(RuntimeError, match="Graph is finalized and cannot be modified"):
        triple.add_to_graph(graph)
    assert not graph._is_function("Cube")


def test_facts_about_a_function():
    outside = tf.constant(1.0)

    @function.Defun(tf.float32, tf.int32)
    def several(x, y):
        tf.random_uniform([], name="chance")
        return x + outside, y

    assert several.name.startswith("several_")
    assert len(several.name) == len("several_") + 11
    assert several.declared_input_types == (tf.float32, tf.int32)
    assert several.captured_inputs == [outside]
    assert several.stateful_ops == [("chance/RandomUniform", "RandomUniform")]
    assert several.grad_func_name is None
    assert several.definition.signature.is_stateful


def test_equal_functions_have_equal_names():
    first, second = (function.Defun(tf.float32)(_one_argument(lambda x: x + 1.0)) for _ in range(2))
    other = function.Defun(tf.float32)(_one_argument(lambda x: x + 2.0))
    assert first.name == second.name != other.name


def test_declared_before_it_is_defined(sess):
    double = function.Declare("Double", [("x", tf.float32)], [("y", tf.float32)])
    y = double(tf.constant(4.0))
    with pytest.raises(tf.errors.InvalidArgumentError, match="Double"):
        sess.run(y)

    @function.Defun(tf.float32, func_name="Double", out_names=["y"])
    def implementation(x):
        return x + x

    implementation.add_to_graph(tf.get_default_graph())
    assert sess.run(y) == 8.0


def test_names_of_results_have_to_fit():
    @function.Defun(tf.float32, out_names=["a"])
    def two(x):
        return x, x

    with pytest.raises(ValueError, match="output names size = 1 outputs size = 2"):
        two(1.0)

    @function.Defun(tf.float32, out_names=["a", "a"])
    def same(x):
        return x, x

    with pytest.raises(ValueError, match="Name 'a' appears twice"):
        same(1.0)


def test_a_gradient_given_twice():
    wrong = cube(grad_func=cube(), python_grad_func=lambda op, dy: dy)
    with pytest.raises(ValueError, match="Gradient defined twice"):
        wrong(1.0)
