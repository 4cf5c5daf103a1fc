"""Supervisors: their services, their end, and what they say to those who hold them wrongly.

What TensorFlow does, tests/behaviour/questions/supervisors.py has.
"""

import logging
import threading
from pathlib import Path

import pytest

import tinytf as tf
from tests.waiting import LONG
from tinytf.testing import leaks
from tinytf.training.managed import stopping, supervisor, supervisor_services


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch, caplog):
    monkeypatch.chdir(tmp_path)
    caplog.set_level(logging.WARNING, "tinytf")


def counter(**settings):
    """A supervisor whose graph counts; the operation that does."""
    count = tf.train.get_or_create_global_step().assign_add(1, name="count")
    return tf.train.Supervisor(logdir="logs", **settings), count


def events():
    """What is in the event files of the folder, but for graphs."""
    found = []
    for path in tf.gfile.Glob("logs/events*"):
        for event in tf.train.summary_iterator(path):
            if event.HasField("summary"):
                found += [(event.step, v.tag, v.simple_value) for v in event.summary.value]
            if event.HasField("session_log"):
                log = event.session_log
                name = tf.SessionLog.SessionStatus.Name(log.status)
                found.append((event.step, name, log.checkpoint_path))
    return found


def without_services(sv):
    return sv.managed_session(start_standard_services=False)


# Services ------------------------------------------------------------------------------------


def test_services_run_at_once_and_end_with_the_block():
    weight = tf.Variable(2.0, name="weight")
    tf.summary.scalar("weight_now", weight)
    with leaks.none_left():
        sv, _ = counter()
        began = {name: threading.Event() for name in ("summary", "checkpoint", "steps")}
        write, log = sv.summary_writer.add_summary, sv.summary_writer.add_session_log

        def add_summary(summary, step):
            write(summary, step)
            began["summary" if isinstance(summary, bytes) else "steps"].set()

        def add_session_log(message, step=None):
            log(message, step)
            if message.status == tf.SessionLog.CHECKPOINT:
                began["checkpoint"].set()

        sv.summary_writer.add_summary = add_summary
        sv.summary_writer.add_session_log = add_session_log
        with sv.managed_session():
            assert all(event.wait(LONG) for event in began.values())
            assert not sv.should_stop()
    kinds = [(step, name) for step, name, _ in events()]
    assert kinds[0] == (0, "START")
    assert kinds[-1] == (0, "STOP")
    assert sorted(kinds[1:-1]) == [(0, "CHECKPOINT"), (0, "global_step/sec"), (0, "weight_now")]
    assert tf.train.latest_checkpoint("logs") == "logs/model.ckpt-0"
    assert tf.gfile.Exists("logs/graph.pbtxt")
    assert tf.gfile.Exists("logs/model.ckpt-0.meta")


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({}, "SVSummaryThread SVStepCounterThread SVTimerCheckpointThread"),
        ({"save_summaries_secs": 0}, "SVTimerCheckpointThread"),
        ({"save_model_secs": 0}, "SVSummaryThread SVStepCounterThread"),
        ({"summary_op": None, "saver": None}, "SVStepCounterThread"),
        ({"global_step": None}, "SVSummaryThread SVTimerCheckpointThread"),
        ({"summary_writer": None}, "SVTimerCheckpointThread"),
    ],
)
def test_which_services_there_are(settings, expected):
    tf.summary.scalar("one", 1.0)
    sv, _ = counter(**settings)
    with without_services(sv) as sess:
        threads = sv.start_standard_services(sess)
    assert [type(thread).__name__ for thread in threads] == expected.split()
    assert not any(thread.is_alive() for thread in threads)


def test_without_a_folder_there_are_none_and_that_is_said(caplog):
    tf.Variable(1.0)
    sv = tf.train.Supervisor()
    with without_services(sv) as sess:
        assert sv.start_standard_services(sess) is None
    [message] = caplog.messages
    assert "Standard services need a 'logdir'" in message


def test_steps_in_a_second(monkeypatch):
    sv, count = counter()
    times = iter([100.0, 104.0, 104.0])
    monkeypatch.setattr(supervisor_services, "monotonic", lambda: next(times))
    with without_services(sv) as sess:
        thread = supervisor_services.SVStepCounterThread(sv, sess)
        thread.start_loop()
        for _ in range(6):
            sess.run(count)
        thread.run_loop()
        thread.run_loop()
    assert events()[:2] == [(6, "global_step/sec", 1.5), (6, "global_step/sec", float("inf"))]


def test_a_step_that_nobody_counts_is_told_once(caplog):
    sv, count = counter()
    with without_services(sv) as sess:
        thread = supervisor_services.SVStepCounterThread(sv, sess)
        thread.start_loop()
        thread.run_loop()  # at once: nothing can have been done
        sess.run(count)
        thread.run_loop()
        assert caplog.messages == []
        thread.run_loop()
        thread.run_loop()
    [message] = caplog.messages
    assert message.startswith("The global step has been 1 for 0 seconds.")
    assert "minimize(loss, global_step=global_step)" in message


def test_another_counter():
    tokens = tf.Variable(5, name="tokens")
    sv, _ = counter()
    with without_services(sv) as sess:
        thread = supervisor_services.SVStepCounterThread(sv, sess, tokens)
        thread.start_loop()
        thread.run_loop()
    assert events()[0][:2] == (5, "tokens/sec")


def test_summaries_that_need_a_feed():
    """The thread cannot know it: what it raises says what to do."""
    rate = tf.placeholder(tf.float32, [], name="rate")
    tf.summary.scalar("rate_now", rate)
    sv, _ = counter()
    with pytest.raises(tf.errors.InvalidArgumentError) as raised, sv.managed_session():
        sv.wait_for_stop()
    text = raised.value.message
    assert text.startswith("The summaries need a feed, and a Supervisor's summary thread has none")
    assert "summary_op=None" in text
    assert "sv.summary_computed(sess, sess.run(summary, feed_dict))" in text
    assert 'tf.placeholder(tf.float32, [], name="rate")' in text
    assert raised.value.op is rate.op


def test_other_failures_of_summaries_are_what_they_are():
    tf.summary.scalar("bad", tf.check_numerics(tf.constant(float("nan")), "not this"))
    sv, _ = counter()
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"^not this"), sv.managed_session():
        sv.wait_for_stop()


def test_a_folder_that_cannot_be_written_stops_the_training():
    sv, _ = counter(save_summaries_secs=0)

    def train():
        with without_services(sv) as sess:
            tf.gfile.DeleteRecursively("logs")
            Path("logs").write_text("a file")
            sv.start_standard_services(sess)
            sv.wait_for_stop()

    with leaks.none_left(), pytest.raises(ValueError, match=r"can.t save: there is no folder logs"):
        train()


def test_what_fails_when_services_begin_leaves_nothing(monkeypatch):
    class Broken:
        def create_threads(self, *args, **kwargs):
            raise ValueError("no threads today")

    sv, _ = counter()
    closed = []
    close = tf.Session.close
    monkeypatch.setattr(tf.Session, "close", lambda sess: (closed.append(sess), close(sess)))
    monkeypatch.setattr(sv._graph, "get_collection", lambda key: [Broken()])
    with leaks.none_left(), pytest.raises(ValueError, match="no threads today"):
        sv.prepare_or_wait_for_session()
    assert len(closed) == 1


# The end -------------------------------------------------------------------------------------


def test_it_can_be_stopped_twice_and_used_again():
    sv, count = counter()
    for _ in range(2):
        with sv.managed_session() as sess:
            sess.run(count)
        sv.stop()
    assert [name for _, name, _ in events()].count("STOP") == 2


def test_a_writer_that_stays_open():
    sv, _ = counter()
    with sv.managed_session(start_standard_services=False, close_summary_writer=False):
        pass
    sv.summary_writer.add_summary(tf.Summary(), 1)
    sv.summary_writer.close()
    assert events() == []


def test_interrupts_end_the_threads_too():
    sv, _ = counter()
    with leaks.none_left(), pytest.raises(KeyboardInterrupt), sv.managed_session():
        raise KeyboardInterrupt


def test_the_end_of_the_input_before_the_block_is_an_error():
    def init_fn(sess):
        raise tf.errors.OutOfRangeError("no data at all")

    sv, _ = counter(init_fn=init_fn)
    with pytest.raises(tf.errors.OutOfRangeError, match="no data"), sv.managed_session():
        raise AssertionError("there is no session")


def test_who_keeps_it_from_ending_is_told_meanwhile(monkeypatch, capsys):
    monkeypatch.setattr(stopping, "PATIENCE_SECONDS", 0.01)
    queue = tf.FIFOQueue(1, tf.float32, [], name="empty")
    row, close = queue.dequeue(name="row"), queue.close()
    sv = tf.train.Supervisor()
    told = threading.Event()
    monkeypatch.setattr(
        stopping, "print", lambda text, flush: (print(text), told.set()), raising=False
    )
    with leaks.none_left(), sv.managed_session(start_standard_services=False) as sess:

        def end():
            told.wait(LONG)
            sess.run(close)

        helper = threading.Thread(target=end)
        helper.start()
        sv.loop(None, sess.run, (row,))
    helper.join()
    text = capsys.readouterr().out
    assert text.startswith("Waiting for threads to end, for at most 120 seconds (stop_grace_secs):")
    assert "waits in row (QueueDequeueV2)" in text


def test_threads_that_end_at_once_are_not_told_of(capsys):
    sv, _ = counter()
    with sv.managed_session():
        pass
    assert capsys.readouterr().out == ""


# What is forgotten ---------------------------------------------------------------------------


def test_operations_after_the_supervisor():
    counter()
    with pytest.raises(RuntimeError) as raised:
        tf.constant(1.0, name="late")
    text = str(raised.value)
    assert text.startswith("Graph is finalized and cannot be modified. The Supervisor has made it")
    assert "late (Const) would be new" in text
    assert text.endswith('return tf.train.Supervisor(logdir="logs", **settings), count')
    with pytest.raises(RuntimeError, match="Leave it out: the supervisor's session has initialis"):
        tf.global_variables_initializer()


def test_a_graph_that_was_final_before():
    tf.Variable(1.0, name="v")
    tf.get_default_graph().finalize()
    with pytest.raises(RuntimeError, match="Graph is finalized and cannot be modified"):
        tf.train.Supervisor()


def test_no_global_step(caplog):
    tf.Variable(1.0)
    sv = tf.train.Supervisor(logdir="logs")
    assert sv.global_step is None
    [message] = caplog.messages
    assert message.startswith("The graph has no global step")
    sv.stop()


def test_a_global_step_that_is_not_wanted(caplog):
    tf.Variable(1.0)
    tf.train.Supervisor(logdir="logs", global_step=None).stop()
    tf.train.Supervisor()
    assert caplog.messages == []


def test_variables_that_workers_would_not_share():
    tf.Variable(1.0, name="mine")
    with pytest.raises(ValueError, match="replica_device_setter") as raised:
        tf.train.Supervisor(is_chief=False)
    assert 'tf.Variable(1.0, name="mine")' in str(raised.value)


def test_summaries_without_a_writer():
    sv = tf.train.Supervisor()
    with pytest.raises(RuntimeError, match="this Supervisor was made without logdir"):
        sv.summary_computed(None, b"")
    other = tf.train.Supervisor(is_chief=False)
    with pytest.raises(RuntimeError, match=r"only the chief has one\. Ask `if sv\.is_chief:`"):
        other.summary_computed(None, b"")


def test_the_old_names():
    pairs = [
        ("PrepareSession", "prepare_or_wait_for_session"),
        ("StartQueueRunners", "start_queue_runners"),
        ("StartStandardServices", "start_standard_services"),
        ("Stop", "stop"),
        ("RequestStop", "request_stop"),
        ("Loop", "loop"),
        ("ShouldStop", "should_stop"),
        ("StopOnException", "stop_on_exception"),
        ("WaitForStop", "wait_for_stop"),
        ("SummaryComputed", "summary_computed"),
    ]
    for old, new in pairs:
        assert getattr(supervisor.Supervisor, old) is getattr(supervisor.Supervisor, new)
