"""The widget's Python side, its fallbacks, and its JavaScript against the recording."""

import json
import shutil
import subprocess

import pytest

import tinytf as tf
import tinytf.jupyter
from tinytf.jupyter.counters import SCRIPTS, CountersWidget, as_html, as_text, counters_trace
from tinytf.jupyter.recording import record
from tinytf.jupyter.trace import script


@pytest.fixture
def session():
    with tf.Graph().as_default() as graph, tf.Session(graph=graph) as session:
        yield session


@pytest.fixture
def recording(session):
    x = tf.placeholder(tf.float32, (), name="x")
    a = tf.constant(3.0, name="a")
    return record(tf.add(tf.multiply(a, x, name="b"), a, name="total"), {x: 2.0}, session)


@pytest.fixture
def loop_recording(session):
    _, product = tf.while_loop(
        lambda i, p: tf.less(i, 3),
        lambda i, p: (tf.add(i, 1), tf.multiply(p, 2.0)),
        [tf.constant(0), tf.constant(1.0)],
    )
    return record(tf.cond(tf.constant(False), lambda: product, lambda: product * 2.0))


def test_one_call_makes_the_widget_and_gives_the_values(session):
    x = tf.placeholder(tf.float32, (), name="x")
    widget = tinytf.jupyter.watch([x * 2.0], {x: 4.0})
    assert widget.values == [8.0]
    assert repr(widget) == "Dependency counters of 2 operations, 4 events."
    assert widget.frame == 0
    widget.set_state({"frame": 3})  # what the browser does
    assert widget.frame == 3


def test_the_trace_is_sent_once_and_is_json(recording):
    widget = CountersWidget(recording)
    sent = json.loads(json.dumps(widget.get_state()["trace"]))
    assert sent == json.loads(json.dumps(counters_trace(recording)))
    assert [row[0] for row in sent["graph"]["nodes"]] == ["a", "b", "total", "feed of x:0"]
    assert sent["graph"]["outputs"] == ["float32 ()"]
    assert len(json.dumps(sent)) < 5000


def test_where_no_widget_is_shown_there_are_words_and_a_drawing(recording):
    bundle, _ = CountersWidget(recording)._repr_mimebundle_()
    assert set(bundle) >= {"text/plain", "text/html", "application/vnd.jupyter.widget-view+json"}
    text, html = bundle["text/plain"], bundle["text/html"]
    assert text.splitlines()[:4] == [
        "Dependency counters of 3 operations, 5 events.",
        "event  what   operation  ready next",
        "0      start             a",
        "1      run    a          b",
    ]
    assert "9.0" not in text  # the same whatever was computed: saved outputs can be compared
    assert "total:0 = float32 9.0" in html
    assert html.count('data-count="0" data-state="done"') == 3
    assert "unoptimised and one operation at a time" in html
    assert as_html(recording) == html  # nothing in it is random
    assert as_text(recording) == text


def test_names_are_escaped(session):
    v = tf.constant(b"<script>alert(1)</script>", name="v")
    html = as_html(record(tf.identity(v), session=session))
    assert "<script>" not in html
    assert "&lt;script&gt;" in html


def test_an_error_is_raised_after_the_part_that_ran_is_shown(session, monkeypatch):
    shown = []
    monkeypatch.setattr("IPython.display.display", shown.append)
    v = tf.Variable(1.0, name="v")
    with pytest.raises(tf.errors.FailedPreconditionError, match="uninitialized value v"):
        tinytf.jupyter.watch(v + 1.0)
    assert "uninitialized value v" in as_text(shown[0].recording)


def test_without_the_widgets_package_it_says_what_to_install(session, monkeypatch):
    monkeypatch.setattr("tinytf.jupyter.find_spec", lambda name: None)
    with pytest.raises(ModuleNotFoundError, match=r"pip install 'tinytf\[course\]'"):
        tinytf.jupyter.watch(tf.constant(1))


def test_with_several_threads_the_text_tells_what_is_the_same_each_time(session):
    x = tf.placeholder(tf.float32, (), name="x")
    widget = tinytf.jupyter.watch(tf.square(x) + tf.exp(x), {x: 0.0}, threads=4)
    assert as_text(widget.recording) == (
        "Dependency counters of 3 operations, 4 threads.\nThe step is over: 3 operations ran."
    )
    assert "on each of 4 threads" in as_html(widget.recording)
    assert widget.values == 1.0


def test_a_merge_is_explained_where_there_is_one(recording, loop_recording):
    assert "A Merge counts differently" in as_html(loop_recording)
    assert "Merge" not in as_html(recording)


def test_what_cannot_be_drawn_says_what_to_do_and_is_told_in_words(session):
    h = tf.constant(1.0)
    for _ in range(400):
        h = tf.square(h)
    many = record(h, session=session)
    assert "401 operations are too many to draw. Watch a part" in as_html(many)
    assert "<svg" not in as_html(many)
    assert counters_trace(many)["graph"] is None
    assert "Square_7" in as_text(many)
    nothing = record([], session=session)
    assert "It has no operations" in as_html(nothing)
    assert as_text(nothing).endswith("The step is over: 0 operations ran.")


def test_missing_feeds_and_closed_sessions_are_errors_as_in_run(session, monkeypatch):
    monkeypatch.setattr("IPython.display.display", lambda widget: None)
    x = tf.placeholder(tf.float32, (), name="x")
    with pytest.raises(tf.errors.InvalidArgumentError, match="You must feed a value for"):
        tinytf.jupyter.watch(x + 1.0)
    session.close()
    with pytest.raises(RuntimeError, match="closed Session"):
        tinytf.jupyter.watch(x + 1.0, {x: 1.0}, session)


needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="no node")
SHOW_ALL = """
import { readFileSync } from "node:fs";
import { stateAt } from "./counters.mjs";
const trace = JSON.parse(readFileSync("trace.json"));
const frames = [...trace.events.keys()];
const forward = frames.map((frame) => stateAt(trace, frame));
const backward = frames.toReversed().map((frame) => stateAt(trace, frame)).toReversed();
if (JSON.stringify(forward) !== JSON.stringify(backward)) throw new Error("stepping back differs");
console.log(JSON.stringify(forward));
"""


@needs_node
def test_the_javascript_is_valid(tmp_path):
    module = tmp_path / "counters.mjs"
    module.write_text(script(*SCRIPTS))
    subprocess.run(["node", "--check", module], check=True, timeout=30)


@needs_node
@pytest.mark.parametrize("which", ["recording", "loop_recording"])
def test_the_javascript_shows_what_the_recording_says(which, request, tmp_path):
    recorded = request.getfixturevalue(which)
    (tmp_path / "counters.mjs").write_text(script(*SCRIPTS))
    (tmp_path / "trace.json").write_text(json.dumps(counters_trace(recorded)))
    (tmp_path / "all.mjs").write_text(SHOW_ALL)
    done = subprocess.run(
        ["node", "all.mjs"], cwd=tmp_path, capture_output=True, text=True, timeout=30, check=True
    )
    frames = json.loads(done.stdout)
    assert len(frames) == len(recorded.events) > 4
    for number, frame in enumerate(frames):
        shown = dict(zip(recorded.names, frame["nodes"], strict=True))
        counts, states = recorded.counts_after(number), recorded.states_after(number)
        assert {name: node["count"] for name, node in shown.items()} == counts
        for name, node in shown.items():
            assert node["state"] == states[name]
        queue = [(recorded.names[n], iteration) for n, iteration in frame["queue"]]
        assert queue == recorded.queue_after(number)
