"""The cockpit in Python: one run in all views, the timeline of a recording, the cluster."""

import numpy as np
import pytest

import tinytf as tf
import tinytf.jupyter
from tinytf.jupyter.recording import record
from tinytf.jupyter.timelines import Timeline
from tinytf.tracing.recorded import stats_of


@pytest.fixture
def session():
    with tf.Graph().as_default() as graph, tf.Session(graph=graph) as session:
        yield session


def total_of_two():
    x = tf.constant(np.ones((4, 2), np.float32), name="x")
    return tf.add(tf.square(x, name="a"), tf.negative(x, name="b"), name="total")


def test_all_views_show_one_run(session):
    shown = tinytf.jupyter.cockpit(total_of_two(), session=session)
    np.testing.assert_array_equal(shown.values, np.zeros((4, 2)))
    transport, counters, pools, timeline = shown.children
    clocks = [view.trace["clock"] for view in (transport, counters, pools)]
    assert {*clocks, timeline.content["clock"]} == {counters.recording.clock}
    assert pools.recording is counters.recording
    assert transport.trace["events"] == counters.trace["events"]
    assert transport.trace["complete"]
    assert "tinytf-cockpit" in shown._dom_classes


def test_its_texts_are_those_of_its_views_and_the_same_each_time(session):
    total = total_of_two()
    shown, again = (tinytf.jupyter.cockpit(total, session=session) for _ in range(2))
    assert repr(shown) == repr(again)
    assert repr(shown).startswith("Dependency counters of 4 operations, 2 threads.\nThread pools: ")
    assert "Timeline of 1 step: 4 operations ran on 1 device." in repr(shown)
    data, _ = shown._repr_mimebundle_()
    assert data["text/plain"] == repr(shown)
    assert data["text/html"].count("<svg") == 3
    assert "application/vnd.jupyter.widget-view+json" in data


def test_the_timeline_of_a_recording_has_its_times_threads_values_and_sources(session):
    recording = record(total_of_two(), session=session, threads=2)
    picture = Timeline(stats_of(recording)).picture
    boxes = {box.activity.name: box for box in picture.boxes}
    runs = {recording.names[run.node]: run for run in recording.runs}
    assert set(boxes) == {"x", "a", "b", "total"}
    for name, box in boxes.items():
        assert (box.start, box.end) == (runs[name].taken, runs[name].ended)  # on one clock
        assert box.activity.scheduled is not None
    total = boxes["total"].activity
    assert total.op == "AddV2"
    assert sorted(source.name for _, source in total.sources) == ["a", "b"]
    assert [(made.name, made.size) for made in total.made] == [("total", 32)]
    titles = [lane.title for group in picture.groups for lane in group.lanes]
    assert "calling thread" in titles
    assert set(titles) <= {"calling thread", "inter-op thread 1"}


def test_loops_variables_and_skipped_operations_are_in_the_timeline(session):
    v = tf.get_variable("v", initializer=3.0, use_resource=False)
    session.run(v.initializer)
    loop = tf.while_loop(lambda i: i < 2, lambda i: tf.add(i, 1, name="next"), [0])
    taken = tf.cond(v > 0.0, lambda: tf.identity(v, name="yes"), lambda: tf.negative(v, name="no"))
    recording = record([loop, taken], session=session)
    boxes = Timeline(stats_of(recording)).picture.boxes
    names = [box.activity.name for box in boxes]
    assert [box.activity.iteration for box in boxes if box.activity.name == "while/next"] == [
        "0",
        "1",
    ]
    assert "cond/yes" in names
    assert "cond/no" not in names
    [variable] = [box.activity for box in boxes if box.activity.name == "v"]
    assert [made.size for made in variable.made] == [4]


def test_a_step_that_fails_shows_what_ran_and_raises(session, monkeypatch):
    shown = []
    monkeypatch.setattr("IPython.display.display", shown.append)
    bad = tf.matmul(tf.placeholder_with_default(np.ones((2, 3)), None), np.ones((2, 3)), name="bad")
    with pytest.raises(tf.errors.InvalidArgumentError, match="bad"):
        tinytf.jupyter.cockpit(bad, session=session)
    assert [widget.recording.count("fail") for widget in shown] == [1]


def test_a_step_that_is_too_long_says_so(session, monkeypatch):
    monkeypatch.setattr("tinytf.jupyter.recording.MOST_EVENTS", 20)
    loop = tf.while_loop(lambda i: i < 30, lambda i: i + 1, [0])
    shown = tinytf.jupyter.cockpit(loop, session=session)
    assert not shown.transport.trace["complete"]
    assert "more" in shown.transport.trace["events"][-1]["text"]


def test_a_session_of_another_graph_is_refused(session):
    with tf.Graph().as_default():
        other = tf.constant(1.0)
    with pytest.raises(ValueError, match="graph"):
        tinytf.jupyter.cockpit(other, session=session)


def test_a_step_on_a_cluster_has_its_parts_the_tasks_and_the_timeline():
    graph = tf.Graph()
    with tinytf.LocalCluster(ps=1, worker=1) as cluster:
        with graph.as_default(), tf.Session(cluster.target("worker:0")) as session:
            with tf.device("/job:ps/task:0"):
                v = tf.get_variable("v", initializer=[1.0, 2.0])
            with tf.device("/job:worker/task:0"):
                doubled = tf.multiply(v, 2.0, name="doubled")
            session.run(v.initializer)
            shown = tinytf.jupyter.cockpit(doubled, session=session)
            transport, parts, tasks, timeline = shown.children
            np.testing.assert_array_equal(shown.values, [2.0, 4.0])
            step = transport.trace
            assert step == parts.content["step"] == tasks.step
            assert step["clock"] == timeline.content["clock"]
            assert step["nodes"]["doubled"] == ["doubled", "worker:0"]
            assert "doubled" in [name for name, _, _ in step["runs"]]
            assert [way for way, _, _ in step["moved"]] == ["ps:0 worker:0"]
            assert tasks.state["steers"]  # by the session's address alone
            assert "Timeline of 1 step" in repr(shown)
            tasks.close()
