"""The graph widget: what it knows of nodes, how they are grouped, its words and its message."""

import json
import xml.etree.ElementTree as ET

import pytest

import tinytf as tf
import tinytf.jupyter
from tinytf.jupyter.graph_view_tree import MOST_ITEMS, first_view, view_of
from tinytf.jupyter.graph_view_widget import GraphWidget
from tinytf.protos import graph_pb2


@pytest.fixture
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def two_layers():
    x = tf.placeholder(tf.float32, (None, 4), name="x")
    with tf.variable_scope("layer"):
        w = tf.get_variable("w", (4, 2))
        y = tf.matmul(x, w, name="y")
    with tf.name_scope("loss"):
        loss = tf.reduce_mean(tf.square(y, name="squared"), name="mean")
    return x, loss


def items(view, group=None):
    """Labels of what is in a group, by default in the root; what is set aside has a star."""
    tree = view.tree
    children = tree.group(tree.root if group is None else group).children
    return [tree.label(child) + "*" * (child in tree.aside) for child in children]


def group_named(view, path):
    [number] = [n for n, group in enumerate(view.tree.groups) if group.path == path]
    return number + len(view.nodes)


def node_named(view, name):
    [node] = [node for node in view.nodes if node.name == name]
    return node


# ------------------------------------------------------------------------------------ what is shown


def test_the_default_graph_is_shown_whole_and_in_words(graph):
    two_layers()
    view = tinytf.jupyter.graph()
    assert repr(view).splitlines() == [
        "A graph with 15 operations.",
        "  types    4 Const, 1 Placeholder, 1 RandomUniform, 1 Sub, 1 Mul, 1 AddV2, 1 VariableV2, "
        "1 Assign, 1 Identity, 1 MatMul, 1 Square, 1 Mean",
        "  devices  none asked for",
        "  scopes   layer/ 11 operations",
        "           loss/ 3 operations",
        "           x (Placeholder)",
    ]
    assert items(view) == ["x", "layer", "loss"]


def test_fetches_are_shown_with_what_they_need_and_no_more(graph):
    _, loss = two_layers()
    view = tinytf.jupyter.graph(loss)
    names = [node.name for node in view.nodes]
    assert view.caption == f"What loss/mean needs: {len(names)} operations."
    assert "layer/w/Assign" not in names
    assert node_named(view, "loss/mean").note == "fetched"
    fed = tinytf.jupyter.graph([loss], {"loss/squared:0": 1.0})
    assert [node.name for node in fed.nodes] == ["loss/squared", "loss/Const", "loss/mean"]
    assert node_named(fed, "loss/squared").note == "fed"
    assert node_named(fed, "loss/squared").inputs == []


def test_a_node_is_known_with_types_shapes_devices_and_the_line_that_built_it(graph):
    with tf.device("/cpu:0"):
        a = tf.constant([1.0, 2.0], name="a")
    tf.add(a, tf.placeholder(tf.float32, (None, 2), name="x"), name="total")
    view = tinytf.jupyter.graph()
    total, constant = node_named(view, "total"), node_named(view, "a")
    assert total.outputs == ["float32 (?, 2)"]
    assert [view.nodes[source].name for source, _ in total.inputs] == ["a", "x"]
    assert "test_graph_view.py" in total.line
    assert 'name="total"' in total.line
    assert (constant.value, constant.form, constant.device) == ("[1. 2.]", "constant", "cpu:0")
    assert ("T", "float32") in total.attrs


def test_a_sessions_placement_is_shown_if_one_is_given(graph):
    with tf.device("/cpu:1"):
        a = tf.constant(1.0, name="a")
    b = tf.add(a, 1.0, name="b")
    config = tf.ConfigProto(device_count={"CPU": 2})
    with tf.Session(graph=graph, config=config) as session:
        view = tinytf.jupyter.graph(b, session=session)
    assert node_named(view, "a").device == "CPU:1"
    assert node_named(view, "b").device == "CPU:0"
    assert "  devices  2 CPU:0, 1 CPU:1" in repr(view)
    assert node_named(tinytf.jupyter.graph(b), "b").device == ""


def test_what_a_session_cannot_place_is_shown_with_the_reason(graph):
    with tf.device("/gpu:7"):
        tf.constant(1.0, name="a")
    with tf.Session(graph=graph) as session:
        view = tinytf.jupyter.graph(session=session)
    assert view.remarks[0].startswith("The session cannot place it; devices are those asked for.")
    assert node_named(view, "a").device == "gpu:7"


def test_where_a_server_places_operations_that_is_said(graph):
    with tf.device("/job:worker/task:1"):
        tf.constant(1.0, name="a")
    server = tf.train.Server.create_local_server()
    with tf.Session(server.target, graph=graph) as session:
        view = tinytf.jupyter.graph(session=session)
    assert "server places operations" in view.remarks[0]
    assert node_named(view, "a").device == "worker:1"


def test_an_empty_graph_says_so(graph):
    view = tinytf.jupyter.graph()
    assert repr(view) == "An empty graph: build operations inside `with graph.as_default():`."
    assert view.svg() == ""
    bundle, _ = view._repr_mimebundle_()
    assert set(bundle) == {"text/plain", "text/html"}
    assert repr(tinytf.jupyter.graph(graph_pb2.GraphDef())) == "An empty GraphDef: it has no nodes."
    assert "no fetches" in repr(tinytf.jupyter.graph([])).lower()


def test_what_is_no_graph_is_refused_as_session_run_does(graph):
    with pytest.raises(TypeError, match="Fetch argument"):
        tinytf.jupyter.graph(3)


# ----------------------------------------------------------------------------------------- groups


def test_a_variable_opens_to_its_parts(graph):
    two_layers()
    view = tinytf.jupyter.graph()
    group = view.tree.group(group_named(view, "layer/w/"))
    assert view.nodes[group.core].type == "VariableV2"
    assert "(w)" in items(view, group_named(view, "layer/w/"))


def test_scopes_of_one_operation_are_not_boxes(graph):
    with tf.name_scope("outer"), tf.name_scope("inner"):
        tf.constant(1.0, name="c")
    tf.constant(2.0, name="d")
    assert items(tinytf.jupyter.graph()) == ["outer/inner/c", "d"]


def test_initialisers_summaries_and_hubs_are_set_aside(graph):
    previous = tf.placeholder(tf.float32, (2,), name="x")
    scale = tf.placeholder(tf.float32, (2,), name="scale")
    for number in range(12):
        previous = tf.multiply(previous, scale, name=f"step{number}")
    tf.summary.scalar("mean", tf.reduce_sum(previous, name="sum"))
    for name in "abc":
        tf.Variable(1.0, name=name)
    tf.global_variables_initializer()
    view = tinytf.jupyter.graph()
    aside = [label for label in items(view) if label.endswith("*")]
    assert set(aside) == {"scale*", "mean*", "init*"}


def test_the_fetched_operation_is_never_set_aside(graph):
    for name in "abc":
        tf.Variable(1.0, name=name)
    view = tinytf.jupyter.graph(tf.global_variables_initializer())
    assert "init" in items(view)


def test_loops_and_functions_are_boxes(graph):
    tf.while_loop(lambda i: tf.less(i, 3), lambda i: tf.add(i, 1), [tf.constant(0)], name="loop")
    view = tinytf.jupyter.graph()
    group = view.tree.group(group_named(view, "loop/"))
    assert (group.kind, group.loop) == ("loop", "loop/while_context")

    from tinytf.api.function import Defun

    @Defun(tf.float32)
    def twice(x):
        return tf.add(x, x, name="doubled")

    tf.identity(twice(tf.constant(2.0)), name="result")
    view = tinytf.jupyter.graph()
    [body] = [group for group in view.tree.groups if group.kind == "function"]
    [caller] = [node for node in view.nodes if node.calls]
    assert caller.calls == (body.label,)
    assert "doubled" in [view.tree.label(child) for child in body.children]


def test_a_loop_without_a_scope_of_its_own_is_boxed(graph):
    tf.while_loop(lambda i: tf.less(i, 3), lambda i: tf.add(i, 1), [tf.constant(0)], name="loop")
    flat = graph.as_graph_def()
    for node in flat.node:
        node.name = node.name.replace("/", "_")
        for number, text in enumerate(node.input):
            node.input[number] = text.replace("/", "_")
    view = tinytf.jupyter.graph(flat)
    [box] = [group for group in view.tree.groups if group.kind == "loop"]
    inside = {view.nodes[child].type for child in box.children}
    assert {"Enter", "Merge", "Switch", "NextIteration", "Exit"} <= inside


def test_the_steps_of_a_flat_graph_become_parts_along_their_rounds(graph):
    h = tf.placeholder(tf.float32, (2, 2), name="h")
    for _ in range(40):
        h = tf.tanh(tf.add(tf.matmul(h, h), h))
    view = tinytf.jupyter.graph()
    tree = view.tree
    assert max(len(group.children) for group in tree.groups) <= MOST_ITEMS
    parts = [group for group in tree.groups if group.kind == "part"]
    smallest = [group for group in parts if not any(map(tree.is_group, group.children))]
    for group in smallest[1:]:
        types = [tree.nodes[child].type for child in group.children]
        assert types[:3] == ["MatMul", "AddV2", "Tanh"]


# ------------------------------------------------------------------------------- imported GraphDefs


def graph_def_of(*nodes):
    graph_def = graph_pb2.GraphDef()
    for name, op, *inputs in nodes:
        graph_def.node.add(name=name, op=op, input=inputs)
    return graph_def


def test_a_cycle_outside_of_loops_is_drawn_and_named():
    graph_def = graph_def_of(
        ("a", "Neg", "c"), ("b", "Neg", "a"), ("c", "Neg", "b", "^d"), ("d", "NoOp")
    )
    view = tinytf.jupyter.graph(graph_def)
    assert "A cycle that is no loop, so it can never run: a → b → c → a." in repr(view)
    assert "a cycle" in view.remarks[0]
    lines = view_of(view.tree, ()).lines
    assert len(lines) == 4
    assert [[view.nodes[n].name for n in cycle] for cycle in view.tree.cycles] == [["a", "b", "c"]]
    ET.fromstring(view.svg())


def test_a_node_that_needs_itself_is_a_cycle_and_a_while_loop_is_none(graph):
    view = tinytf.jupyter.graph(graph_def_of(("a", "Neg", "a")))
    assert view.tree.cycles == [[0]]
    tf.while_loop(lambda i: tf.less(i, 3), lambda i: tf.add(i, 1), [tf.constant(0)])
    assert tinytf.jupyter.graph().tree.cycles == []


def test_a_graph_def_is_shown_with_shapes_if_it_can_be_imported(graph):
    two_layers()
    view = tinytf.jupyter.graph(graph.as_graph_def())
    assert node_named(view, "layer/y").outputs == ["float32 (?, 2)"]
    assert view.caption == f"A GraphDef with {len(view.nodes)} nodes."


def test_unknown_types_and_missing_inputs_are_shown_and_said():
    view = tinytf.jupyter.graph(graph_def_of(("a", "NoSuchOp", "x:1"), ("b", "Neg", "a:2")))
    assert [node.type for node in view.nodes] == ["NoSuchOp", "Neg"]
    assert "NoSuchOp" in view.remarks[0]
    assert view.remarks[1] == "Inputs that no node gives: 'x:1' of 'a'."
    assert view.tree.edges == [(0, 1, 2)]


# ----------------------------------------------------------------------------- the widget's message


def test_everything_is_sent_once_as_json(graph):
    two_layers()
    view = tinytf.jupyter.graph()
    widget = GraphWidget(view)
    content = widget.get_state()["content"]
    assert json.loads(json.dumps(content)) == json.loads(json.dumps(view.content()))
    assert [row[0] for row in content["nodes"]] == [node.name for node in view.nodes]
    assert set(widget.traits(sync=True)) >= {"content"}
    assert repr(widget) == repr(view)


def test_there_are_words_and_a_drawing_where_no_widget_is_shown(graph):
    two_layers()
    bundle, _ = tinytf.jupyter.graph()._repr_mimebundle_()
    assert set(bundle) >= {"text/plain", "text/html", "application/vnd.jupyter.widget-view+json"}
    assert 'data-node="layer/"' in bundle["text/html"]
    assert ET.fromstring(tinytf.jupyter.graph().svg()).tag.endswith("svg")


def test_without_the_widgets_package_there_are_words_and_a_drawing(graph, monkeypatch):
    two_layers()
    monkeypatch.setattr("tinytf.jupyter.graph_view.find_spec", lambda name: None)
    bundle, _ = tinytf.jupyter.graph()._repr_mimebundle_()
    assert set(bundle) == {"text/plain", "text/html"}


def test_names_are_escaped(graph):
    graph_def = graph_def_of(('<script>alert("1")</script>', "Neg"))
    html = tinytf.jupyter.graph(graph_def).as_html()
    assert "<script>" not in html


def test_a_large_graph_opens_closed_and_its_message_is_small(graph):
    x = tf.placeholder(tf.float32, (None, 8), name="x")
    for layer in range(60):
        with tf.name_scope(f"layer{layer}"):
            for _ in range(5):
                x = tf.nn.relu(tf.add(tf.matmul(x, tf.ones((8, 8))), 1.0))
    view = tinytf.jupyter.graph()
    assert len(view.nodes) > 1000
    opened = first_view(view.tree)
    children = [child for item in opened for child in view.tree.group(item).children]
    assert len(set(children) - opened) <= MOST_ITEMS
    assert len(json.dumps(view.content())) < 300_000


def test_beyond_what_can_be_sent_details_are_left_out_and_that_is_said(graph, monkeypatch):
    monkeypatch.setattr("tinytf.jupyter.graph_view.MOST_DETAILED", 3)
    two_layers()
    view = tinytf.jupyter.graph()
    assert "attributes and lines of code are left out" in view.remarks[0]
    assert view.content()["lines"] == [""]


def test_a_session_that_is_none_or_in_the_wrong_place_is_refused():
    with tf.Graph().as_default() as graph:
        y = tf.constant(1.0)
        with pytest.raises(TypeError, match=r"must be a tf\.Session, got <tf\.Graph"):
            tinytf.jupyter.graph(y, session=graph)
        with tf.Session() as sess, pytest.raises(TypeError, match="Name the session: session="):
            tinytf.jupyter.graph(y, sess)
