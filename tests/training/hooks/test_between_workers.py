"""Hooks of a chief and of a worker whose steps are counted together, on a server."""

import threading

import pytest

import tinytf as tf


@pytest.fixture(autouse=True)
def graph(tmp_path, monkeypatch):
    """As for the other hooks; but servers share a thread for deadlines, which stays."""
    monkeypatch.chdir(tmp_path)
    yield
    tf.summary.FileWriterCache.clear()
    assert not [each for each in threading.enumerate() if each.name == "tinytf-event-file"]


@pytest.fixture
def server():
    with tf.train.Server.create_local_server() as server:
        yield server


def build():
    """The graph of a task, and what trains in it."""
    with tf.Graph().as_default() as graph:
        step = tf.train.get_or_create_global_step()
        tf.train.StopAtStepHook(1).begin()  # the global step is read before it is counted
        with tf.control_dependencies(tf.get_collection("global_step_read_op_cache")):
            return graph, tf.assign_add(step, 1, use_locking=True)


def session(graph, server, hooks, is_chief):
    kind = tf.train.ChiefSessionCreator if is_chief else tf.train.WorkerSessionCreator
    with graph.as_default():
        return tf.train.MonitoredSession(kind(master=server.target), hooks)


def test_the_chief_saves_and_counts_the_steps_of_all(server, clock):
    saved, rates = [], []

    class Note(tf.train.CheckpointSaverListener):
        def after_save(self, session, global_step_value):
            saved.append(int(global_step_value))

    class Count(tf.train.StepCounterHook):
        def _log_and_record(self, elapsed_steps, elapsed_time, global_step):
            rates.append((int(global_step), elapsed_steps / elapsed_time))

    graph, train_op = build()
    with graph.as_default():
        save = tf.train.CheckpointSaverHook(
            "model", save_steps=4, saver=tf.train.Saver(), listeners=[Note()]
        )
    chief = session(graph, server, [save, Count(every_n_steps=4)], is_chief=True)
    worker_graph, worker_op = build()
    worker = session(worker_graph, server, [], is_chief=False)
    with chief, worker:
        for _ in range(4):  # the worker is three times as fast
            clock.now += 2.0
            chief.run(train_op)
            for _ in range(3):
                worker.run(worker_op)
    # After the chief's own runs: at 1, 5, 9, 13; and at the end.
    assert saved == [0, 5, 9, 13, 16]
    assert rates == [(5, 2.0), (9, 2.0), (13, 2.0)]


def test_each_stops_when_the_steps_of_all_are_enough(server):
    graph, train_op = build()
    worker_graph, worker_op = build()
    last = {"last_step": 7}
    chief = session(graph, server, [tf.train.StopAtStepHook(**last)], is_chief=True)
    worker = session(worker_graph, server, [tf.train.StopAtStepHook(**last)], is_chief=False)
    values = []
    with chief, worker:
        while not (chief.should_stop() and worker.should_stop()):
            for sess, op in ((chief, train_op), (worker, worker_op)):
                if not sess.should_stop():
                    values.append(int(sess.run(op)))
    assert values == [1, 2, 3, 4, 5, 6, 7, 8]


def test_a_worker_that_waits_begins_when_the_others_have_trained(server, logged):
    graph, train_op = build()
    worker_graph, worker_op = build()
    wait = tf.train.GlobalStepWaiterHook(3)
    chief = session(graph, server, [], is_chief=True)
    worker = session(worker_graph, server, [wait], is_chief=False)
    with chief, worker:
        for _ in range(3):
            chief.run(train_op)
        assert worker.run(worker_op) == 4
    assert ("INFO", "Waiting for global step 3 before starting training.") in logged()
