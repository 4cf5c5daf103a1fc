"""The view of a step's graph before and after optimisation."""

import pytest

import tinytf as tf
from tinytf.jupyter import optimised


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


@pytest.fixture
def step():
    x = tf.placeholder(tf.float32, [None, 3], name="x")
    return x, tf.add(tf.tanh(x * 1.0), tf.tanh(x) + tf.constant(2.0) * 3.0, name="y")


def test_text(step):
    x, y = step
    text = repr(optimised(y, {x: None}))
    assert text.startswith("Before: The step as it was built: 9 operations.\nAfter: What runs: ")
    assert "arithmetic (1):\n  mul: gives back x:0" in text
    assert "common subexpressions (1):\n  Tanh_1: is the same as Tanh" in text
    assert "constant folding (1):" in text
    assert "fusion (1):\n  y: writes over Tanh:0" in text


def test_html_draws_both(step):
    x, y = step
    html = optimised(y, [x])._repr_html_()
    assert html.count('aria-label="The step as it was built: 9 operations."') == 1
    assert html.count('aria-label="What runs: 4 operations."') == 1
    assert "<li><code>Tanh_1</code> is the same as Tanh</li>" in html


def test_a_configuration_switches_optimisations_off(step):
    x, y = step
    config = tf.ConfigProto()
    config.graph_options.optimizer_options.opt_level = tf.OptimizerOptions.L0
    result = optimised(y, [x], config)
    assert result.changes == []
    assert "There was nothing to optimise" in repr(result)
    assert repr(result).count("9 operations") == 2


def test_the_graph_is_not_changed(step, graph):
    before = graph.as_graph_def().SerializeToString()
    optimised(step[1], [step[0]])
    assert graph.as_graph_def().SerializeToString() == before


def test_mistakes_are_those_of_run():
    with pytest.raises(TypeError, match="Fetch argument None"):
        optimised(None)
    with pytest.raises(TypeError, match="Cannot interpret feed_dict key"):
        optimised(tf.constant(1), [object()])
