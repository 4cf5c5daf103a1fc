"""Where operations are, and why: the text, the drawings, the widget's Python side and script."""

import importlib
import json
import re
import shutil
import subprocess
from html import escape

import pytest

import tinytf as tf
import tinytf.devices
import tinytf.jupyter
from tinytf.jupyter.placed_picture import by_scope
from tinytf.jupyter.reprs import explanation_html
from tinytf.jupyter.trace import script as module_of
from tinytf.placement.cost_model_switch import use_cost_model
from tinytf.simulation.rates import Rates


@pytest.fixture
def gpus():
    tinytf.devices.simulate_gpus(2)
    yield
    tinytf.devices.simulate_gpus(0)


@pytest.fixture
def session(gpus):
    with tf.Graph().as_default() as graph, tf.Session(graph=graph) as session:
        yield session


@pytest.fixture
def placed(session):
    """Two layers on two GPUs, fed from the CPU and fetched to it."""
    x = tf.placeholder(tf.float32, [None, 784], name="x")
    with tf.device("/gpu:0"):
        w = tf.Variable(tf.zeros([784, 100]), name="w")
        h = tf.nn.relu(tf.matmul(x, w, name="product"), name="h")
    with tf.device("/gpu:1"):
        y = tf.reduce_sum(h, name="y")
        also = tf.square(h, name="also")
    with tf.device("/cpu:0"):
        n = tf.constant([1, 2], name="n")
    tf.constant(0.0, name="unused")
    return tinytf.jupyter.placed([y, also, n])


def nodes_in(svg):
    return dict(re.findall(r'data-node="([^"]*)" data-form="([^"]*)"', svg))


def test_the_text_is_the_placement_and_what_crosses(placed):
    lines = repr(placed).splitlines()
    assert (
        lines[0]
        == "Simple placer: 9 operations on 3 devices, 4 transfers: 4 bytes and 3 of unknown size."
    )
    assert "  h" in [line[:3] for line in lines]
    assert any(re.match(r"  x:0 +CPU:0 -> GPU:0 \(simulated\), 3.1 KiB × \?$", t) for t in lines)
    assert not any("unused" in line for line in lines)  # the step does not need it
    assert lines[-1].startswith("Placed differently: ")
    assert repr(placed) == repr(placed)


def test_why_takes_operations_tensors_and_names(placed, session):
    h = session.graph.get_tensor_by_name("h:0")
    assert placed.why("h") == placed.why(h) == placed.why(h.op)
    with pytest.raises(KeyError, match="no operation 'nonsense'"):
        placed.why("nonsense")
    with pytest.raises(ValueError, match="'unused' is not among"):
        placed.why(session.graph.get_operation_by_name("unused"))


def test_the_drawing_has_rooms_copies_and_bytes(placed):
    svg = placed.svg
    assert svg.startswith("<svg")
    assert "<style>" in svg
    rooms = re.findall(r'tinytf-room-title"[^>]*>([^<]*)<', svg)
    assert rooms == ["CPU:0", "GPU:0 (simulated)", "GPU:1 (simulated)"]
    copies = sorted(key for key, form in nodes_in(svg).items() if form == "copy")
    assert [key.partition(" on ")[0] for key in copies] == [
        "copy of also:0",
        "copy of h:0",
        "copy of x:0",
        "copy of y:0",
    ]  # h:0 once, though two operations of GPU:1 take it
    assert [key.rpartition(", ")[2] for key in copies] == [
        "fetched",
        "received",
        "received",
        "fetched",
    ]
    labels = re.findall(r'tinytf-bytes"[^>]*>([^<]*)<', svg)
    assert sorted(labels) == ["3.1 KiB × ?", "4 bytes", "400 bytes × ?", "400 bytes × ?"]
    assert "Const, fetched" in svg  # on the CPU already: nothing is copied
    assert re.search(r'data-node="x" data-form="placeholder".*?>fed<', svg, re.DOTALL)


def test_members_of_a_group_have_the_same_letter(placed):
    groups = placed.groups_in(0)
    assert groups["w"] == groups["w/read"] == "A"
    assert "h" not in groups
    assert placed.svg.count('class="tinytf-badge"') == 2


def test_an_explanation_is_a_table_in_a_notebook(placed):
    why = placed.why("h")
    html = explanation_html(why)
    for title, lines in why.facts:
        assert f"<th>{title}</th><td>{escape(lines[0])}" in html
    assert not hasattr(why, "_repr_html_")  # attached in notebooks only


def test_both_placers_are_compared(session):
    x = tf.ones([200, 200], name="x")
    with tf.device("/cpu:0"):
        small = tf.add(1.0, 2.0, name="small")
    late = tf.multiply(small, 2.0, name="late")
    placed = tinytf.jupyter.placed([tf.matmul(x, x), late])
    assert [p.placer for p in placed.placements] == ["simple", "cost model"]
    one, two = placed.placements
    assert placed.differing == [n for n in placed.ops if one.device_of(n) != two.device_of(n)]
    assert placed.differing  # the simple placer prefers GPUs whatever it costs
    name = placed.differing[0]
    assert dict(placed.why(name).facts)["by contrast"][0].startswith("the cost model placer chose")
    assert "≠" in placed.draw(0, "operations")
    assert "≠" in placed.draw(1, "operations")
    alone = tinytf.jupyter.placed(late, compare=False)
    assert len(alone.placements) == 1
    assert alone.differing == []


def test_a_session_that_places_by_cost_comes_first_with_its_own_costs(gpus):
    slow = {"GPU": Rates(dense=1e3, functions=1e3, memory=1e3, start=1e-6, source="a test")}
    with tf.Graph().as_default(), tf.Session(config=use_cost_model(rates=slow)):
        x = tf.ones([50, 50])
        y = tf.matmul(x, x, name="y")
        placed = tinytf.jupyter.placed(y)
        assert [p.placer for p in placed.placements] == ["cost model", "simple"]
        assert placed.why(y).device.endswith("/device:CPU:0")
        seconds = placed.explainers[0].costs
        assert seconds("y", placed.placements[1].device_of("y")) > 1  # as slow as it was said to be


def test_without_fetches_the_whole_graph_is_shown(placed, session):
    whole = tinytf.jupyter.placed(session=session)
    assert "unused" in whole.ops
    assert "w/Assign" in whole.ops
    assert "no value" not in repr(tinytf.jupyter.placed("h", session))


def test_a_fed_tensor_comes_from_the_cpu_and_its_maker_is_not_needed(session):
    with tf.device("/gpu:0"):
        mid = tf.square(2.0, name="mid")
        y = tf.negative(mid, name="y")
    placed = tinytf.jupyter.placed(y, feeds={mid: 3.0}, compare=False)
    assert list(placed.ops) == ["y"]
    assert nodes_in(placed.svg)["feed of mid:0"] == "placeholder"
    assert dict(placed.why(y).facts)["comes in"] == ("mid:0 from CPU:0, 4 bytes (fed)",)


def test_without_a_session_a_new_one_is_asked():
    with tf.Graph().as_default():
        y = tf.add(1, 2, name="y")
        assert tinytf.jupyter.placed(y).why(y).device.endswith("/device:CPU:0")


def test_a_graph_that_cannot_be_placed_shows_the_error(session):
    with tf.device("/gpu:5"):
        y = tf.add(1, 2, name="y")
    placed = tinytf.jupyter.placed(y)
    assert placed.placements == ()
    assert placed.svg == ""
    assert repr(placed).startswith(
        "The graph cannot be placed. Running it raises:\n  Cannot assign"
    )
    assert any("asks for /device:GPU:5" in t for t in dict(placed.why(y).facts)["not possible"])
    bundle, _ = placed._repr_mimebundle_()
    assert set(bundle) == {"text/plain", "text/html"}
    assert "&#x27;/device:GPU:5&#x27;" in bundle["text/html"]
    with pytest.raises(tf.errors.InvalidArgumentError, match="Cannot assign a device"):
        session.run(y)


def test_sessions_of_servers_are_refused():
    class Remote:
        graph = tf.Graph()
        _backend = object()

    with pytest.raises(tf.errors.UnimplementedError, match="in a local session"):
        tinytf.jupyter.placed([], Remote())


def network(layers):
    h = tf.placeholder(tf.float32, [64, 784], name="x")
    for layer in range(layers):
        with tf.device(f"/gpu:{layer % 2}"), tf.name_scope(f"layer{layer}"):
            w = tf.Variable(tf.zeros([int(h.shape[1]), 10]), name="w")
            h = tf.nn.relu(tf.matmul(h, w))
    loss = tf.reduce_mean(h, name="loss")
    return tf.train.GradientDescentOptimizer(0.1).minimize(loss)


def test_many_operations_are_drawn_by_name_scope_first(session):
    placed = tinytf.jupyter.placed(network(6))
    assert 60 < len(placed.ops) <= 200
    assert list(placed.pictures[0]) == ["operations", "overview"]
    every = nodes_in(placed.draw(0, "operations"))
    assert set(placed.ops) <= set(every)
    overview = placed.pictures[0]["overview"]
    assert len(overview.members) <= 24
    assert {op.name for ops in overview.members.values() for op in ops} == set(placed.ops)
    for key, ops in overview.members.items():  # a scope on two devices is two nodes
        assert len({placed.placements[0].device_of(op.name) for op in ops}) == 1, key


def test_too_many_operations_have_only_the_overview(session):
    placed = tinytf.jupyter.placed(network(20), compare=False)
    assert len(placed.ops) > 200
    assert list(placed.pictures[0]) == ["overview"]
    assert placed.pictures[0]["overview"].cut == ""
    assert placed.svg.count("tinytf-node") < 120


def test_operations_without_scopes_are_gathered_by_type():
    with tf.Graph().as_default() as graph:
        for number in range(100):
            tf.constant(number, name=f"c{number}")
        key = by_scope(graph.get_operations())
        assert {key(op) for op in graph.get_operations()} == {"Const operations"}


def test_what_is_beyond_the_limit_is_said(session, monkeypatch):
    monkeypatch.setattr("tinytf.jupyter.placed_picture.MOST_OPERATIONS", 3)
    for number in range(5):
        last = tf.constant(float(number), name=f"c{number}")
    picture = tinytf.jupyter.placed(session=session, compare=False).pictures[0]["operations"]
    assert picture.cut == "2 operations are not drawn."
    assert list(picture.members) == ["c0", "c1", "c2"]
    assert last.op.name == "c4"


def test_loops_are_drawn_with_their_way_back(session):
    with tf.device("/gpu:0"):
        _, product = tf.while_loop(
            lambda i, p: tf.less(i, 3), lambda i, p: (i + 1, p * 2.0), [0, 1.0]
        )
    svg = tinytf.jupyter.placed(product).svg
    assert svg.count('data-form="control-flow"') >= 8


def test_the_widget_gets_everything_once_and_is_json(placed):
    bundle, _ = placed._repr_mimebundle_()
    assert set(bundle) >= {"text/plain", "text/html", "application/vnd.jupyter.widget-view+json"}
    assert bundle["text/plain"] == repr(placed) == repr(placed.widget)
    assert "<svg" in bundle["text/html"]
    content = json.loads(json.dumps(placed.widget.get_state()["content"]))
    assert [placer["name"] for placer in content["placers"]] == [
        "Simple placer",
        "Cost model placer",
    ]
    headline, facts = content["placers"][0]["why"]["h"]
    assert headline == placed.why("h").headline
    assert [(title, tuple(lines)) for title, lines in facts] == list(placed.why("h").facts)
    assert "<style>" not in content["placers"][0]["views"]["operations"]["svg"]


def test_without_the_widgets_package_there_are_a_drawing_and_words(placed, monkeypatch):
    module = importlib.import_module("tinytf.jupyter.placed")  # the name is the function's
    monkeypatch.setattr(module, "find_spec", lambda name: None)
    bundle, _ = placed._repr_mimebundle_()
    assert set(bundle) == {"text/plain", "text/html"}
    assert bundle["text/html"].count("<svg") == 2


@pytest.mark.skipif(shutil.which("node") is None, reason="no node")
def test_the_javascript_is_valid(tmp_path):
    script = tmp_path / "rooms.mjs"
    script.write_text(module_of("page.js", "rooms_plan.js", "rooms.js"))
    subprocess.run(["node", "--check", script], check=True, timeout=30)
