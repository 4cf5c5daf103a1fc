"""A cluster as it is now: in words, drawn, told of each task, followed."""

import re

import pytest

import tinytf as tf
import tinytf.jupyter
from tinytf.jupyter import cluster_picture
from tinytf.jupyter.cluster_view import Known, as_text, facts_of, known_tasks, state_of


def answer(task, variables=(), sessions=(), traffic=()):
    return {
        "tasks": [
            {
                "devices": [{"name": f"{task_name(task)}/device:CPU:0"}],
                "threads": {"kernel": 2, "blas": 1},
                "transports": {task_name("ps:0"): "unix", task_name("worker:1"): "grpc"},
            }
        ],
        "variables": [
            {
                "name": name,
                "dtype": "float32",
                "shape": [size // 4],
                "bytes": size,
                "initialized": True,
            }
            for name, size in variables
        ],
        "sessions": list(sessions),
        "traffic": [
            {
                "source": task_name(a),
                "destination": task_name(b),
                "tensor": name,
                "times": 1,
                "bytes": size,
            }
            for a, b, name, size in traffic
        ],
    }


def task_name(short):
    job, _, index = short.partition(":")
    return f"/job:{job}/replica:0/task:{index}"


@pytest.fixture
def seen():
    opened = {
        "handle": "f00",
        "master": task_name("worker:0"),
        "operations": 9,
        "running": 1,
        "tasks": [task_name("ps:0"), task_name("worker:0")],
    }
    works = {"handle": "f00", "master": task_name("worker:0")}
    sent = [
        ("ps:0", "worker:0", "edge_1_v/read", 800),
        ("ps:0", "worker:0", "edge_9_v/read", 800),
        ("ps:0", "worker:0", "edge_2_^v", 0),
    ]
    return [
        (Known("ps:0", "host:1", "serving"), answer("ps:0", [("v", 800)], [works], sent)),
        (
            Known("worker:0", "host:2", "serving"),
            answer(
                "worker:0",
                (),
                [opened],
                [("worker:0", "ps:0", "edge_3_^w", 0), ("worker:0", "worker:1", "x:0", 12)],
            ),
        ),
        (Known("worker:1", "host:3", "paused"), {}),
        (Known("worker:2", "host:4", "ended", "ended by SIGKILL (return code -9)"), {}),
    ]


def test_a_cluster_in_words_has_neither_ports_nor_times(seen):
    assert as_text(state_of(seen)).splitlines() == [
        "Cluster of 4 tasks: 2 serving, 1 paused, 1 ended; 1 session; variables of 800 bytes.",
        "  ps:0      ● serving; CPU:0; 1 variable, 800 bytes",
        "              v: float32 (200), 800 bytes",
        "  worker:0  ● serving; CPU:0; no variables; master of session 1",
        "  worker:1  ⏸ paused",
        "  worker:2  ✗ ended; ended by SIGKILL (return code -9)",
        "  session 1: its master is worker:0, and ps:0 works for it",
        "What was sent:",
        "  ps:0 -> worker:0, 1.6 KiB: v/read",
        "  worker:0 -> ps:0, 0 bytes, signals only",
        "  worker:0 -> worker:1, 12 bytes: x",
    ]


def test_the_drawing_of_a_cluster_has_its_tasks_states_and_arrows(seen):
    state = state_of(seen)
    drawing = cluster_picture.draw(state, styled=False)
    assert re.findall(r'data-task="(\w+)"', drawing) == ["serving", "serving", "paused", "ended"]
    assert re.findall(r'tinytf-bytes"[^>]*>([^<]*)', drawing) == ["1.6 KiB", "signals", "12 bytes"]
    assert re.findall(r'tinytf-job"[^>]*>([^<]*)', drawing) == ["/job:ps", "/job:worker"]
    assert drawing == cluster_picture.draw(state, styled=False)
    empty = cluster_picture.draw(state_of([]), styled=False)
    assert "data-task" not in empty


def test_a_job_that_stands_alone_has_one_column():
    sent = answer("local:0", (), (), [("local:0", "local:1", "edge_1_a", 4)])
    drawing = cluster_picture.draw(
        state_of([(Known("local:0", "a", "serving"), sent), (Known("local:1", "b", "serving"), {})])
    )
    lefts = re.findall(r'<rect class="tinytf-shape" x="([\d.]+)"', drawing)
    assert len(set(lefts)) == 1
    assert float(lefts[0]) > 100  # there is room for the arrow beside it


def test_what_is_told_of_each_task(seen):
    facts = {name: dict(rows) for name, rows in facts_of(state_of(seen)).items()}
    assert facts["worker:2"]["state"] == ["✗ ended", "ended by SIGKILL (return code -9)"]
    assert facts["ps:0"]["variables"] == ["1 variable, 800 bytes", "v: float32 (200), 800 bytes"]
    assert facts["worker:0"]["threads"] == ["2 a kernel, 1 of BLAS"]
    assert facts["worker:0"]["calls"] == ["ps:0 by unix, worker:1 by grpc"]
    assert "calls" not in facts["worker:1"]
    assert facts["ps:0"]["received"] == ["worker:0 -> ps:0, 0 bytes, signals only"]


def test_clusters_are_given_as_specs_servers_and_addresses():
    spec = tf.train.ClusterSpec({"ps": ["a:1"], "worker": {2: "b:2"}})
    expected = [Known("ps:0", "a:1"), Known("worker:2", "b:2")]
    assert known_tasks(spec) == expected
    assert known_tasks({"ps": ["a:1"], "worker": {2: "b:2"}}) == expected
    with tf.train.Server.create_local_server() as server:
        by_server, by_address = known_tasks(server), known_tasks(server.target)
    assert (
        [task.name for task in by_server] == [task.name for task in by_address] == ["localhost:0"]
    )
    with pytest.raises(TypeError, match="This shows a cluster"):
        known_tasks(3)


def test_the_widget_follows_a_server_with_its_sessions_and_variables():
    with tf.Graph().as_default(), tf.train.Server.create_local_server() as server:
        v = tf.get_variable("v", [5], initializer=tf.zeros_initializer())
        widget = tinytf.jupyter.cluster(server.target)
        try:
            assert "no variables" in repr(widget)
            with tf.Session(server.target) as sess:
                sess.run(v.initializer)
                data, _ = widget._repr_mimebundle_()
            assert "v: float32 (5), 20 bytes" in data["text/plain"]
            assert "session 1: its master is localhost:0" in data["text/plain"]
            assert "<svg" in data["text/html"]
            assert server.target.rpartition(":")[2] not in data["text/plain"]
            assert list(widget.state["facts"]) == ["localhost:0"]
        finally:
            widget.close()


@pytest.mark.slow
def test_a_local_cluster_s_tasks_are_seen_paused_and_ended():
    with tinytf.LocalCluster(ps=1, worker=1) as cluster:
        widget = tinytf.jupyter.cluster(cluster)
        cluster.pause("ps:0")
        widget._sampler.once(widget)
        assert [task["state"] for task in widget.seen["tasks"]] == ["paused", "serving"]
        cluster.resume("ps:0")
        cluster.kill("worker:0")
        cluster.wait_for_end("worker:0")
        widget._sampler.once(widget)
        assert [task["state"] for task in widget.seen["tasks"]] == ["serving", "ended"]
        cluster.stop()
        widget._sampler.once(widget)
        assert {task["state"] for task in widget.seen["tasks"]} == {"ended"}
        widget.close()
