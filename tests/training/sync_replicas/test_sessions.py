"""Synchronous training with monitored sessions and with supervisors, from begin to end."""

import logging
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

import tinytf as tf
from tests.training.sync_replicas.conftest import Replica
from tests.training.sync_replicas.test_steps import alone, part, same

STEPS = 6


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch, caplog):
    monkeypatch.chdir(tmp_path)
    caplog.set_level(logging.WARNING, "tinytf")


def runners():
    return [thread for thread in threading.enumerate() if thread.name.startswith("QueueRunner")]


class Together:
    """Lets the replicas begin each gradient at the same time: none takes two tokens."""

    def __init__(self, count):
        self.barrier = threading.Barrier(count)

    def wait(self):
        self.barrier.wait(60)


def monitored(replica, server, together):
    """A replica's program."""
    with replica.graph.as_default():
        hooks = [
            replica.optimizer.make_session_run_hook(replica.is_chief, num_tokens=0),
            tf.train.StopAtStepHook(last_step=STEPS),
        ]
        with tf.train.MonitoredTrainingSession(
            server.target, is_chief=replica.is_chief, hooks=hooks
        ) as sess:
            while not sess.should_stop():
                together.wait()
                sess.run(replica.train)


def supervised(replica, server, together):
    """The same with a supervisor, as programs of the time have it."""
    optimizer = replica.optimizer
    with replica.graph.as_default():
        chief_runner = optimizer.get_chief_queue_runner()
        local_init = optimizer.chief_init_op if replica.is_chief else optimizer.local_step_init_op
        tokens = optimizer.get_init_tokens_op(0)
        sv = tf.train.Supervisor(
            is_chief=replica.is_chief,
            init_op=tf.global_variables_initializer(),
            local_init_op=local_init,
            ready_for_local_init_op=optimizer.ready_for_local_init_op,
            recovery_wait_secs=1,
            global_step=replica.step,
        )
        sess = sv.prepare_or_wait_for_session(server.target, start_standard_services=False)
        if replica.is_chief:
            sv.start_queue_runners(sess, [chief_runner])
            sess.run(tokens)
        while not sv.should_stop():
            together.wait()
            if sess.run(replica.train) >= STEPS:
                break
        sv.stop()
        sess.close()


@pytest.mark.parametrize("program", [monitored, supervised])
def test_programs_train_as_one_and_end(server, program, caplog):
    count = 2
    replicas = [Replica(number, part(count), count) for number in range(count)]
    with ThreadPoolExecutor(count) as pool:
        together = Together(count)
        for future in [pool.submit(program, each, server, together) for each in replicas]:
            future.result()
    for thread in runners():
        thread.join()
    assert caplog.text == ""
    with replicas[0].graph.as_default(), tf.Session(server.target) as replicas[0].session:
        same(replicas[0].values(), alone(STEPS))


def test_when_the_chief_stops_the_others_stop(server):
    """Its end closes the token queue: who waits for a token learns that there are no more."""
    chief, worker = (Replica(number, part(2), 2) for number in range(2))
    waits = threading.Event()

    def train():
        with worker.graph.as_default():
            hook = worker.optimizer.make_session_run_hook(False)
            with tf.train.MonitoredTrainingSession(
                server.target, is_chief=False, hooks=[hook]
            ) as sess:
                waits.set()
                while not sess.should_stop():
                    sess.run(worker.train)

    with chief.graph.as_default():
        hook = chief.optimizer.make_session_run_hook(True)
        with tf.train.MonitoredTrainingSession(server.target, hooks=[hook]) as sess:
            thread = threading.Thread(target=train)
            thread.start()
            waits.wait()
            sess.run(chief.train)
    thread.join()


def test_a_variable_that_the_hook_finds_without_a_value(server):
    chief = Replica(0, part(1), 1)
    with chief.graph.as_default():
        late = tf.get_variable("late", initializer=1.0, collections=["global_variables"])
        chief.optimizer.ready_for_local_init_op = tf.report_uninitialized_variables([late])
        scaffold = tf.train.Scaffold(
            init_op=tf.variables_initializer([v for v in tf.global_variables() if v is not late]),
            ready_op=tf.constant([], tf.string),
            ready_for_local_init_op=tf.constant([], tf.string),
        )
        hook = chief.optimizer.make_session_run_hook(True)
        with pytest.raises(RuntimeError) as raised:
            tf.train.MonitoredTrainingSession(server.target, scaffold=scaffold, hooks=[hook])
    text = str(raised.value)
    assert text.startswith(
        "Init operations did not make model ready for SyncReplicasOptimizer local_init. Init op: "
    )
    assert "Variables not initialized: late\ntf.global_variables_initializer() initialises" in text


def test_hooks_before_the_graph():
    optimizer = tf.train.SyncReplicasOptimizer(tf.train.GradientDescentOptimizer(0.1), 1)
    with pytest.raises(ValueError, match="should be called before using the hook"):
        optimizer.make_session_run_hook(True).begin()
