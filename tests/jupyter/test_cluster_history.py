"""What happened to a cluster, in frames; and what the buttons of its view do."""

import json
import threading

import pytest

import tinytf as tf
import tinytf.jupyter
from tests.jupyter.test_cluster_picture import answer, task_name
from tinytf.jupyter import cluster_widget
from tinytf.jupyter.cluster_history import STOPPED, frame_of
from tinytf.jupyter.cluster_view import Known, state_of


def state(ps=(), worker="serving", note="", sent=(), session=False):
    master = task_name("worker:0")
    own = {"handle": "f", "master": master, "operations": 3, "running": 0, "tasks": []}
    told = answer("worker:0", (), [own] if session else [], sent)
    asked = worker in ("serving", "paused")
    return state_of(
        [
            (Known("ps:0", "a:1", "serving"), answer("ps:0", ps)),
            (Known("worker:0", "b:2", worker, note), told if asked else {}),
        ]
    )


def way(times=1, size=8):
    return [("worker:0", "ps:0", "edge_1_y", size)] * times


def news(before, now):
    return frame_of(now, before)["text"]


def test_the_first_frame_says_who_serves():
    frame = frame_of(state(worker="ended"), None)
    assert frame["text"] == "ps:0 serves; worker:0 is ended."
    assert frame["tasks"]["worker:0"] == ["✗ ended", "", "", "ended"]
    assert json.loads(json.dumps(frame)) == frame


@pytest.mark.parametrize(
    ("before", "now", "text", "kind"),
    [
        (
            {},
            {"worker": "ended", "note": "ended by SIGKILL (return code -9)"},
            "worker:0 ended by SIGKILL (return code -9). What it held is gone.",
            "fail",
        ),
        (
            {"worker": "ended"},
            {"note": "restarted"},
            "worker:0 serves again: a new process, which has no sessions and no variables.",
            "news",
        ),
        (
            {},
            {"worker": "paused"},
            "worker:0 is paused: its process is there, and does not answer.",
            "news",
        ),
        ({"worker": "paused"}, {}, "worker:0 answers again.", "news"),
        ({}, {"worker": "unreachable"}, "worker:0 cannot be reached.", "fail"),
        ({}, {"ps": [("v", 8)]}, "ps:0 now holds 1 variable, 8 bytes.", "news"),
        ({}, {"session": True}, "Session 1 was opened; its master is worker:0.", "news"),
        ({"session": True}, {}, "A session was closed.", "news"),
        ({}, {}, "", "news"),
    ],
)
def test_a_frame_says_what_has_changed(before, now, text, kind):
    frame = frame_of(state(**now), state(**before))
    assert (frame["text"], frame["kind"]) == (text, kind)


def test_what_was_sent_since_the_last_frame_is_told():
    frame = frame_of(state(sent=way(3)), state(sent=way(1)))
    assert frame["text"] == "worker:0 sent ps:0 16 bytes (y)."
    assert frame["sent"] == ["worker:0 ps:0"]
    assert frame["edges"] == {"worker:0 ps:0": "24 bytes"}
    # A task that was started again counts anew.
    assert news(state(sent=way(3)), state(sent=way(1))) == "worker:0 sent ps:0 8 bytes (y)."
    signal = [("worker:0", "ps:0", "edge_2_^w", 0)]
    assert news(state(), state(sent=signal)) == "worker:0 sent ps:0 a signal."


def test_old_frames_go_and_who_follows_goes_on_following(monkeypatch):
    monkeypatch.setattr(cluster_widget, "MOST_FRAMES", 8)
    with tf.train.Server.create_local_server() as server:
        widget = tinytf.jupyter.cluster(server.target)
        for number in range(20):
            widget._add(widget.frames[0] | {"text": str(number)})
            assert widget.frame == len(widget.frames) - 1 < 9
        widget.frame = 3
        before = widget.frames[3]["text"]
        while len(widget.frames) < 8:
            widget._add(widget.frames[0])
        widget._add(widget.frames[0])
        assert widget.frames[widget.frame]["text"] == before
        widget.close()


@pytest.mark.slow
def test_a_task_is_killed_and_started_again_by_its_buttons():
    with tinytf.LocalCluster(ps=1, worker=1) as cluster:
        widget = tinytf.jupyter.cluster(cluster)
        done = threading.Semaphore(0)
        widget.send = lambda content, *_: done.release() if "done" in content else None

        def press(what, task="worker:0"):
            widget._asked({"do": what, "task": task}, [])
            assert done.acquire(timeout=60)
            return {each["name"]: each["state"] for each in widget.seen["tasks"]}

        answers = []
        widget.send, send = lambda content, *_: answers.append(content), widget.send
        widget._asked({"do": "hello"}, [])
        assert answers == [{"ready": False}]  # heard, but not beside the main thread
        widget.send = send
        assert press("kill") == {"ps:0": "serving", "worker:0": "ended"}
        assert "worker:0 ended by SIGKILL" in widget.frames[-1]["text"]
        assert press("restart") == {"ps:0": "serving", "worker:0": "serving"}
        told = " ".join(frame["text"] for frame in widget.frames)
        assert "worker:0 serves again" in told
        failed = []
        widget.send = lambda content, *_: (failed.append(content), done.release())
        widget._asked({"do": "kill", "task": "worker:7"}, [])
        assert done.acquire(timeout=60)
        assert "no task worker:7" in failed[0]["failed"]
        assert done.acquire(timeout=60)

        cluster.stop()
        widget._sampler.once(widget)
        assert widget.state["headline"] == STOPPED
        assert (widget.state["ended"], widget.state["steers"]) == (True, False)
        assert widget.frames[-1]["text"] == STOPPED
        assert STOPPED in widget.as_html()
        widget.close()


def test_the_drawing_is_the_same_for_all_frames():
    with tf.train.Server.create_local_server() as server:
        widget = tinytf.jupyter.cluster(server.target)
        widget._tell(state(sent=way()))
        widget._tell(state())  # a task that was started again has forgotten what it sent
        for drawing in (widget.state["svg"], widget.state["narrow"]):
            assert 'data-from="worker:0" data-to="ps:0"' in drawing
        assert widget.frames[-1]["edges"] == {}
        widget.close()
