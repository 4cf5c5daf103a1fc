"""Queue runners: what becomes of their threads, and who is told."""

import subprocess
import sys
import threading
import traceback

import pytest

import tinytf as tf
from tinytf.diagnosis import producers
from tinytf.framework import waiting
from tinytf.runtime import switch_interval
from tinytf.testing import leaks

#: For tests of threads that end by an error.
errors_in_threads = pytest.mark.filterwarnings(
    "ignore::pytest.PytestUnhandledThreadExceptionWarning"
)


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def endless(capacity=10, threads=1, name="q"):
    queue = tf.FIFOQueue(capacity, tf.float32, shapes=[[]], name=name)
    return queue, tf.train.QueueRunner(queue, [queue.enqueue(1.0)] * threads)


def failing(name="q"):
    queue = tf.FIFOQueue(10, tf.float32, shapes=[[]], name=name)
    bad = tf.check_numerics(tf.constant(1.0) / 0.0, "bad")  # the cause
    return queue, tf.train.QueueRunner(queue, [queue.enqueue(bad)])


def limited(times, threads=1):
    queue = tf.FIFOQueue(10, tf.float32, shapes=[[]], name="q")
    one = tf.train.limit_epochs(1.0, times)
    return queue, tf.train.QueueRunner(queue, [queue.enqueue(one)] * threads)


def until_blocked(thread):
    while not any(one.thread == thread.ident for one in waiting.blocked()):
        thread.join(0.001)


# What is noted of them ----------------------------------------------------------------------------


def test_a_runner_that_was_built_says_how_to_start_it():
    _, runner = endless()
    assert runner in producers.known()
    assert (runner.was_started, runner.threads, runner.failures) == (False, [], [])
    assert runner.advice == "queue_runner.create_threads(sess, coord=coord, start=True)"
    tf.train.add_queue_runner(runner)
    assert runner.advice == "tf.train.start_queue_runners(sess=sess, coord=coord)"
    with tf.Session() as sess:
        runner.create_threads(sess)
    assert runner.advice.startswith("thread.start()")


def test_threads_that_are_alive_are_known():
    _, runner = endless(capacity=1)
    with tf.Session() as sess:
        coord = tf.train.Coordinator()
        threads = runner.create_threads(sess, coord, start=True)
        until_blocked(threads[0])
        assert runner.was_started
        assert runner.threads == threads[:1]  # not the one that waits for the coordinator
        coord.request_stop()
        coord.join(threads)
        assert runner.threads == []
        assert runner.failures == []


def test_a_failure_is_known_and_told_to_who_dequeues():
    queue, runner = failing()
    item = queue.dequeue()
    with tf.Session() as sess:
        coord = tf.train.Coordinator()
        threads = runner.create_threads(sess, coord, start=True)
        with pytest.raises(tf.errors.InvalidArgumentError, match="bad") as joined:
            coord.join(threads)
        with pytest.raises(tf.errors.OutOfRangeError) as caught:
            sess.run(item)
    assert runner.failures == [joined.value]
    text = str(caught.value)
    assert "is closed and has insufficient elements (requested 1, current size 0)" in text
    assert "InvalidArgumentError: bad : Tensor had Inf values" in text
    assert "# the cause" in text


@errors_in_threads
def test_without_a_coordinator_it_keeps_and_logs_what_was_raised(caplog):
    caplog.set_level("ERROR", "tinytf")
    queue, runner = failing()
    with tf.Session() as sess:
        (thread,) = runner.create_threads(sess, start=True)
        thread.join()
        assert runner.exceptions_raised == runner.failures
        assert "Exception in QueueRunner: bad : Tensor had Inf values" in caplog.text
        assert "# the cause" not in caplog.text  # but where Python tells of the thread's end
        assert not sess.run(queue.is_closed())


def test_what_python_tells_of_a_dead_thread_has_the_users_line_and_no_inner_frames(monkeypatch):
    told = []
    monkeypatch.setattr(threading, "excepthook", lambda args: told.append(args))
    _, runner = failing()
    with tf.Session() as sess:
        (thread,) = runner.create_threads(sess, start=True)
        thread.join()
    (args,) = told
    assert args.thread is thread
    assert "# the cause" in str(args.exc_value)
    frames = traceback.extract_tb(args.exc_traceback)
    assert [frame.filename for frame in frames if "tinytf" in frame.filename] == []


def test_starting_before_there_is_a_runner_says_when_to_start(caplog):
    caplog.set_level("WARNING", "tinytf")
    with tf.Session() as sess:
        assert tf.train.start_queue_runners(sess) == []
    assert "when no queue runners were defined" in caplog.text
    assert "call it after you have built the producers and batches" in caplog.text


def test_a_local_variable_that_was_not_initialised_names_both_initialisers():
    names = tf.train.match_filenames_once("*.none")
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        with pytest.raises(tf.errors.FailedPreconditionError) as caught:
            sess.run(names)
    assert "tf.local_variables_initializer() for a local variable" in str(caught.value)


def test_the_end_of_the_input_passes_through_the_queue():
    queue, runner = limited(2, threads=2)
    item = queue.dequeue()
    with tf.Session() as sess:
        sess.run(tf.local_variables_initializer())
        threads = runner.create_threads(sess, start=True)
        for thread in threads:
            thread.join()
        assert [sess.run(item), sess.run(item)] == [1.0, 1.0]
        with pytest.raises(tf.errors.OutOfRangeError, match="Reached limit of 2"):
            sess.run(item)
    assert runner.failures == []


def test_runners_of_forgotten_graphs_are_forgotten():
    import gc

    with tf.Graph().as_default():
        endless(name="forgotten")
    gc.collect()
    assert "forgotten" not in [producer.name for producer in producers.known()]


# Threads ------------------------------------------------------------------------------------------


def test_a_closed_session_ends_all_threads_quietly(caplog):
    _, runner = endless(capacity=1, threads=3)
    with leaks.none_left():
        coord = tf.train.Coordinator()
        with tf.Session() as sess:
            threads = runner.create_threads(sess, coord, daemon=True, start=True)
            for thread in threads[:3]:
                until_blocked(thread)
        for thread in threads:
            thread.join()
        with pytest.raises(tf.errors.CancelledError):
            coord.join(threads)
    assert caplog.text == ""


@pytest.mark.parametrize("closes", [True, False], ids=["closed", "stopped"])
def test_a_connection_that_ends_with_its_session_is_no_failure(monkeypatch, caplog, closes):
    """A server's session is closed by one thread; another's call on it fails in its own way."""
    _, runner = endless()
    coord = tf.train.Coordinator()
    sess = tf.Session()

    def enqueue():
        if closes:
            sess.close()
        coord.request_stop()
        coord.join([])
        raise tf.errors.UnavailableError(None, None, "Socket closed")

    # Nobody joins the thread as far as the coordinator knows, so that it is late.
    monkeypatch.setattr(runner, "_is_waited_for", False)
    monkeypatch.setattr(sess, "make_callable", lambda op: enqueue)
    monkeypatch.setattr(sess, "run", lambda op: None)  # so that each call is one of the above
    with leaks.none_left():
        threads = runner.create_threads(sess, daemon=True, coord=coord)
        threads[1].start()
        threads[0].start()
        for thread in threads:
            thread.join()
    sess.close()
    assert runner.failures == []
    assert caplog.text == ""


def test_without_a_coordinator_a_closed_session_is_no_failure_to_log(caplog):
    _, runner = endless(capacity=1)
    with tf.Session() as sess:
        threads = runner.create_threads(sess, daemon=True, start=True)
        until_blocked(threads[0])
    threads[0].join()
    assert caplog.text == ""
    assert [type(error).__name__ for error in runner.exceptions_raised] == ["CancelledError"]


def test_who_waits_for_a_coordinator_ends_with_the_session():
    """The book's program never stops its coordinator; in TensorFlow its process does not end."""
    queue, runner = limited(3)
    with leaks.none_left(), tf.Session() as sess:
        sess.run(tf.local_variables_initializer())
        coord = tf.train.Coordinator()
        threads = runner.create_threads(sess, coord, start=True)
        threads[0].join()
        assert sess.run(queue.dequeue_up_to(5)).tolist() == [1.0] * 3
        assert threads[1].is_alive()
        sess.close()
        threads[1].join()
    assert not coord.should_stop()


def test_threads_for_two_sessions():
    queue, runner = endless()
    item = queue.dequeue_many(3)
    coord = tf.train.Coordinator()
    with tf.Session() as one, tf.Session() as other:
        threads = runner.create_threads(one, coord, start=True)
        threads += runner.create_threads(other, coord, start=True)
        assert one.run(item).tolist() == other.run(item).tolist() == [1.0] * 3
        assert runner.create_threads(one, coord) == []
        coord.request_stop()
        coord.join(threads)


def test_several_operations_fill_one_queue():
    queue = tf.FIFOQueue(10, tf.int32, shapes=[[]])
    runner = tf.train.QueueRunner(
        queue, [queue.enqueue(tf.cast(tf.train.limit_epochs(n, 2), tf.int32)) for n in range(3)]
    )
    with tf.Session() as sess:
        sess.run(tf.local_variables_initializer())
        for thread in runner.create_threads(sess, start=True):
            thread.join()
        assert sorted(sess.run(queue.dequeue_many(6)).tolist()) == [0, 0, 1, 1, 2, 2]
        assert sess.run(queue.is_closed())


def test_the_switch_interval_is_short_while_threads_live():
    before = sys.getswitchinterval()
    queue, runner = endless(capacity=1, threads=2)
    with tf.Session() as sess:
        coord = tf.train.Coordinator()
        threads = runner.create_threads(sess, coord, start=True)
        sess.run(queue.dequeue())
        assert sys.getswitchinterval() == pytest.approx(switch_interval.SECONDS)
        coord.request_stop()
        coord.join(threads)
    assert sys.getswitchinterval() == before


def test_an_interrupted_step_leaves_the_runners_alone(interrupt_when):
    """Ctrl-C in a dequeue, then the same program goes on."""
    slow = tf.FIFOQueue(2, tf.float32, shapes=[[]])
    fed = tf.placeholder(tf.float32, [])
    put = slow.enqueue(fed)
    batch = tf.train.batch([slow.dequeue()], 2)
    with tf.Session() as sess:
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess, coord)
        interrupt_when(lambda: until_blocked(threading.main_thread()))
        with pytest.raises(KeyboardInterrupt):
            sess.run(batch)
        for value in (1.0, 2.0):
            sess.run(put, {fed: value})
        assert sess.run(batch).tolist() == [1.0, 2.0]
        coord.request_stop()
        sess.run(slow.close(cancel_pending_enqueues=True))
        coord.join(threads)


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({"sess": None}, TypeError, "Given class: <class 'NoneType'>"),
        ({"sess": "sess"}, TypeError, "sess must be a `tf.Session` object"),
        ({"sess": 0, "coord": 3}, TypeError, "coord must be a tf.train.Coordinator"),
    ],
)
def test_wrong_arguments(arguments, error, words):
    _, runner = endless()
    if arguments["sess"] == 0:
        arguments = {**arguments, "sess": tf.Session()}
    with pytest.raises(error, match=words):
        runner.create_threads(**arguments)


def test_one_operation_is_no_list():
    queue = tf.FIFOQueue(1, tf.float32)
    with pytest.raises(TypeError, match="enqueue_ops must be a list of operations"):
        tf.train.QueueRunner(queue, queue.enqueue(1.0))
    with pytest.raises(TypeError, match="queue_runner_def must be a QueueRunnerDef"):
        tf.train.QueueRunner(queue_runner_def="text")


def test_runners_travel_in_files(tmp_path):
    path = str(tmp_path / "graph.meta")
    tf.train.string_input_producer(["a", "b"], num_epochs=1, shuffle=False, name="files")
    tf.train.export_meta_graph(path)
    with tf.Graph().as_default() as graph, tf.Session() as sess:
        tf.train.import_meta_graph(path)
        take = graph.get_operation_by_name("files").outputs[0]
        sess.run(tf.local_variables_initializer())
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess, coord)
        threads[0].join()
        queue = tf.QueueBase([tf.string], [[]], None, take)
        assert sess.run(queue.dequeue_many(2)).tolist() == [b"a", b"b"]
        coord.request_stop()
        coord.join(threads)


# The end of a program -----------------------------------------------------------------------------

FORGOTTEN = """
import tinytf as tf
from tinytf.framework import waiting
waiting.patience_seconds = 0.05
queue = tf.FIFOQueue(2, tf.float32, shapes=[[]], name="q")
runner = tf.train.QueueRunner(queue, [queue.enqueue(1.0)] * 2)
sess = tf.Session()
runner.create_threads(sess, start=True{coord})
print(sess.run(queue.dequeue()))
"""


@pytest.mark.slow
@pytest.mark.parametrize("coord", ["", ", coord=tf.train.Coordinator()"])
def test_a_program_that_forgets_its_runners_says_so_and_ends(coord):
    done = subprocess.run(
        [sys.executable, "-c", FORGOTTEN.format(coord=coord)],
        capture_output=True,
        text=True,
        timeout=50,
    )
    assert done.returncode == 0
    assert done.stdout.startswith("1.0\n")
    assert "waits for room for 1 element in the queue '_0_q'" in done.stdout
    assert "only these threads of QueueRunners are left" in done.stdout
    assert "coord.request_stop(), coord.join(threads)" in done.stdout
    assert done.stderr == ""


STOPPED = """
import tinytf as tf
queue = tf.FIFOQueue(2, tf.float32, shapes=[[]], name="q")
runner = tf.train.QueueRunner(queue, [queue.enqueue(1.0)] * 2)
sess, coord = tf.Session(), tf.train.Coordinator()
runner.create_threads(sess, start=True, coord=coord)
print(sess.run(queue.dequeue()))
coord.request_stop()
"""


@pytest.mark.slow
def test_a_program_that_stops_its_runners_ends_without_a_word():
    done = subprocess.run(
        [sys.executable, "-c", STOPPED], capture_output=True, text=True, timeout=50
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "1.0\n", "")
