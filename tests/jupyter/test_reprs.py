"""What graphs, tensors and operations show in a notebook, and drawings."""

import re
import xml.etree.ElementTree as ET

import pytest

import tinytf as tf
from tinytf.jupyter import draw, reprs
from tinytf.jupyter.picture import Form, form_of, short_device, shorten


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


@pytest.fixture
def attached():
    reprs.attach()
    yield
    reprs.detach()


def nodes_of(svg):
    root = ET.fromstring(svg)
    return {e.get("data-node"): e for e in root.iter() if e.get("data-node")}


def test_a_tensor_says_what_a_learner_wants_to_know():
    x = tf.placeholder(tf.float32, (None, 3), name="x")
    total = tf.add(x, 1.0, name="total")
    html = reprs.tensor_html(total)
    for words in (
        "total:0",
        "float32",
        "(?, 3)",
        "? is known only when it runs",
        "AddV2",
        "x:0",
        "test_reprs.py, line",
        "total = tf.add(x, 1.0, name=&quot;total&quot;)",
        "It has no value until a session runs it: sess.run(&#x27;total:0&#x27;)",
    ):
        assert words in html
    assert "feed_dict" in reprs.tensor_html(x)
    assert "A constant, 7" in reprs.tensor_html(tf.constant(7))


def test_an_operation_shows_its_edges():
    a = tf.constant(1.0, name="a")
    c = tf.constant(2.0, name="c")
    with tf.control_dependencies([a]):
        b = tf.identity(c, name="b")
    html = reprs.operation_html(b.op)
    assert re.search(r"inputs.*c:0, float32, shape \(\)", html)
    assert re.search(r"runs after</th><td><code>a</code>", html)
    assert "sess.run(&#x27;b&#x27;)" in html


def test_the_text_repr_stays_as_it_is(graph, attached):
    a = tf.constant(1.0, name="a")
    assert repr(a) == "<tf.Tensor 'a:0' shape=() dtype=float32>"
    assert str(a) == 'Tensor("a:0", shape=(), dtype=float32)'
    for shown in (a, a.op, graph):
        assert shown._repr_html_().count("tinytf-") > 2
    reprs.detach()
    assert not hasattr(a, "_repr_html_")


def test_a_small_graph_is_drawn_with_every_node_and_edge(graph):
    a = tf.constant(1.0, name="a")
    b = tf.add(a, a, name="b")
    with tf.control_dependencies([b]):
        tf.no_op("after")
    svg = draw(graph).svg
    assert set(nodes_of(svg)) == {"a", "b", "after"}
    edges = [e for e in ET.fromstring(svg).iter() if e.get("data-source")]
    assert [(e.get("data-source"), e.get("data-target")) for e in edges] == [
        ("a", "b"),
        ("a", "b"),
        ("b", "after"),
    ]
    assert [e.get("data-control") for e in edges] == ["false", "false", "true"]
    titles = [e.find("{*}title").text for e in edges]
    assert titles[0] == "a:0, float32, shape ()\ninput 0 of b"
    assert draw(graph).svg == svg


def test_a_drawing_of_a_tensor_shows_only_what_it_needs():
    a = tf.constant(1.0, name="a")
    tf.add(a, 2.0, name="useless")
    b = tf.negative(a, name="b")
    drawing = draw([b])
    assert set(nodes_of(drawing.svg)) == {"a", "b"}
    assert drawing.caption == "What b depends on: 2 operations."


def test_kinds_of_nodes_have_outlines_of_their_own():
    noise = tf.random_uniform(())
    made = {
        Form.CONSTANT: tf.constant(1.0).op,
        Form.PLACEHOLDER: tf.placeholder(tf.float32).op,
        Form.STATE: tf.Variable(1.0).op,
        Form.SIDE_EFFECT: next(
            op for op in noise.graph.get_operations() if op.type == "RandomUniform"
        ),
        Form.OPERATION: tf.negative(1.0).op,
    }
    assert {form: form_of(op.type, op.attrs, op.op_def) for form, op in made.items()} == {
        form: form for form in made
    }
    shapes = set()
    for op in made.values():
        group = nodes_of(draw(op).svg)[op.name]
        parts = [e for e in group if str(e.get("class")) in ("tinytf-shape", "tinytf-line")]
        shapes.add(tuple((e.tag, e.get("rx")) for e in parts))
    assert len(shapes) == len(made)


def test_a_big_graph_is_summarised_by_scope():
    for layer in ("first", "second"):
        with tf.name_scope(layer):
            value = tf.constant(1.0)
            for _ in range(50):
                value = tf.add(value, 1.0)
    drawing = draw()
    nodes = nodes_of(drawing.svg)
    assert set(nodes) == {"first/", "second/"}
    assert "101 ops" in "".join(nodes["first/"].itertext())
    assert "202 operations" in drawing.caption
    assert "Drawn by name scope" in drawing.caption


def test_a_big_graph_without_scopes_is_drawn_in_parts():
    for _ in range(70):
        tf.constant(1.0)
    drawing = draw()
    nodes = nodes_of(drawing.svg)
    assert 2 <= len(nodes) <= 30
    counts = ("".join(node.itertext()).partition(" operations")[0] for node in nodes.values())
    assert sum(int(text.rpartition(" ")[2]) for text in counts) == 70
    assert "70 Const" in drawing.caption
    assert "tinytf.jupyter.draw(tensor)" in drawing._repr_html_()


def test_what_is_empty_cannot_be_saved():
    with pytest.raises(ValueError, match="no drawing to save"):
        draw().save("never.svg")


def test_an_empty_graph_and_a_finalized_one(graph):
    assert "empty graph" in draw()._repr_html_()
    tf.constant(1)
    graph.finalize()
    assert "finalized" in draw().caption


def test_drawings_are_saved_as_complete_files(tmp_path):
    tf.constant(1.0)
    path = tmp_path / "graph.svg"
    draw().save(path)
    assert ET.parse(path).getroot().tag == "{http://www.w3.org/2000/svg}svg"


def test_only_graph_things_are_drawn():
    with pytest.raises(TypeError, match="got int"):
        draw(3)


def test_devices_and_long_names_are_shortened():
    assert short_device("/job:ps/task:1/device:GPU:0") == "ps:1 gpu:0"
    assert short_device("/device:CPU:1") == "cpu:1"
    assert shorten("a/very/deep/scope/of/names/add") == "…/add"
    assert len(shorten("x" * 50)) <= 20
    with tf.device("/job:worker/task:3"):
        a = tf.constant(1.0)
    assert "worker:3" in draw(a).svg
