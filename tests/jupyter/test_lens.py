"""What the view of asynchronous training shows: its state, its words, and its ends."""

import contextlib
import json
import shutil
import subprocess
import threading

import pytest

import tinytf as tf
import tinytf.jupyter
from tinytf.jupyter import lens_view
from tinytf.jupyter.trace import script
from tinytf.training.staleness import Gradient, StalenessLog, StalenessOptimizer

LOG = StalenessLog(
    [Gradient(0, 0, 0), Gradient(1, 0, 1), Gradient(0, 1, 2), Gradient(2, 0, 3, dropped=True)], 9
)


@pytest.fixture
def trained():
    """An optimizer, its training operation, and a session in which it has trained twice."""
    step = tf.train.create_global_step()
    optimizer = StalenessOptimizer(tf.train.GradientDescentOptimizer(0.1))
    train = optimizer.minimize(tf.square(tf.get_variable("v", initializer=3.0)), step)
    with contextlib.closing(tf.Session()) as sess:  # and not the default one
        sess.run(tf.global_variables_initializer())
        for _ in range(2):
            sess.run(train)
        yield optimizer, train, sess


def test_the_state_is_plain_values():
    state = lens_view.state_of(LOG)
    assert json.loads(json.dumps(state)) == state
    assert (state["workers"], state["total"], state["before"]) == ([0, 1, 2], 9, 5)
    assert (state["histogram"], state["mean"], state["dropped"]) == ([[0, 1], [1, 2]], 0.67, 1)
    assert [row["text"] for row in state["gradients"]] == [
        "Worker 0 read version 0, and its gradient changed just this version: it was fresh.",
        "Worker 1 read version 0, and its gradient changed version 1: 1 update had come between.",
        "Worker 0 read version 1, and its gradient changed version 2: 1 update had come between.",
        "Worker 2 read version 0; when its gradient was there, 3 updates had come between: "
        "too old, and dropped.",
    ]


def test_only_the_last_ones_are_played():
    log = StalenessLog([Gradient(0, n, n) for n in range(500)], 500)
    state = lens_view.state_of(log)
    assert len(state["gradients"]) == lens_view.MOST_GRADIENTS
    assert state["before"] == 500 - lens_view.MOST_GRADIENTS
    assert state["gradients"][-1]["read"] == 499


def test_before_the_first_gradient():
    state = lens_view.state_of(StalenessLog([], 0))
    assert (state["gradients"], state["mean"]) == ([], None)
    assert state["headline"] == "No gradient has come yet."


@pytest.mark.skipif(shutil.which("node") is None, reason="no node")
def test_bars_in_the_browser():
    """Those that came, and those that are computed: one for each worker."""
    module = script("page.js", "live.js", "player.js", "lens_page.js", "lens.js")
    module += f"\nconst state = {json.dumps(lens_view.state_of(LOG))};"
    module += "console.log(JSON.stringify([0, 2, 4].map((at) => barsAt(state, at))));"
    command = ["node", "--input-type=module", "-e", module]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    begun, then, end = json.loads(done.stdout)
    assert begun["version"] == 0
    assert [(b["worker"], b["isDone"]) for b in begun["bars"]] == [
        (0, False),
        (1, False),
        (2, False),
    ]
    assert then["version"] == 2
    assert [(b["worker"], b["to"], b["isDone"]) for b in then["bars"]] == [
        (0, 0, True),
        (1, 1, True),
        (0, 2, False),
        (2, 2, False),
    ]
    assert (end["version"], [b["dropped"] for b in end["bars"]]) == (3, [False] * 3 + [True])


def test_it_follows_until_the_session_is_closed(trained):
    optimizer, train, sess = trained
    widget = tinytf.jupyter.lens(optimizer, sess)
    assert widget.state["total"] == 2
    changed = threading.Event()
    widget.observe(lambda change: changed.set(), "state")
    sess.run(train)
    assert changed.wait(30)
    assert widget.state["total"] == 3
    assert "3 gradients of 1 worker" in repr(widget)
    changed.clear()
    sess.close()
    assert changed.wait(30)
    assert widget.state["ended"] == lens_view.CLOSED
    assert widget.state["total"] == 3  # what was seen stays
    widget.close()


def test_a_server_that_is_gone_is_said():
    with tf.LocalCluster(ps=1, worker=1) as cluster:
        with tf.device("/job:ps/task:0"):
            step = tf.train.create_global_step()
            optimizer = StalenessOptimizer(tf.train.GradientDescentOptimizer(0.1))
            optimizer.minimize(tf.square(tf.get_variable("v", initializer=3.0)), step)
        with tf.Session(cluster.target("worker")) as sess:
            sess.run(tf.global_variables_initializer())
            widget = tinytf.jupyter.lens(optimizer, sess)
            over = threading.Event()
            widget.observe(lambda change: "ended" in change.new and over.set(), "state")
            cluster.kill("ps:0")
            assert over.wait(30)
            assert "It is looked at no more" in widget.state["ended"]
            widget.close()


def test_mistakes_say_what_to_do(trained):
    optimizer, _, sess = trained
    with pytest.raises(TypeError, match=r"Wrap it: StalenessOptimizer\(AdamOptimizer\(...\)"):
        tinytf.jupyter.lens(tf.train.AdamOptimizer(), sess)
    with pytest.raises(TypeError, match=r"must be a tf.Session"):
        tinytf.jupyter.lens(optimizer, "grpc://")
    with pytest.raises(ValueError, match="Which session has the variables"):
        tinytf.jupyter.lens(optimizer)
