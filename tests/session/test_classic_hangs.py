"""The learners' ten classic hangs, each with the message that it gets; and some of their kin."""

import contextlib
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import tinytf as tf
from tinytf.diagnosis import picture, texts
from tinytf.framework import waiting
from tinytf.ops.functions.defun import Defun
from tinytf.ops.queues.staging_classes import StagingArea

#: For tests of threads that end by an error.
errors_in_threads = pytest.mark.filterwarnings(
    "ignore::pytest.PytestUnhandledThreadExceptionWarning"
)


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


@pytest.fixture(autouse=True)
def impatient(monkeypatch):
    """Reports come soon, and what other tests have left running is nobody's hope."""
    monkeypatch.setattr(waiting, "patience_seconds", 0.05)
    before, matters = set(threading.enumerate()) - {threading.main_thread()}, picture.matters
    monkeypatch.setattr(
        picture, "matters", lambda thread, frame: thread not in before and matters(thread, frame)
    )


@pytest.fixture
def report_of(monkeypatch, capfd):
    """What is printed by a call that hangs; after the report the session is closed."""

    def report_of(sess, call, *arguments):
        of_stuck = texts.of_stuck

        def and_end(*about):
            text = of_stuck(*about)
            sess.close()
            return text

        monkeypatch.setattr(texts, "of_stuck", and_end)
        with pytest.raises((tf.errors.OpError, RuntimeError)):
            call(*arguments)
        printed = capfd.readouterr().out
        assert printed.count("nothing that runs can end it") == 1 or "Deadlock" in printed
        assert "Interrupt it to go on (Ctrl-C; in a notebook: Interrupt the kernel)" in printed
        return printed

    return report_of


def line_number(path, text):
    """The line of a file that ends with this comment."""
    with open(path) as file:
        return next(n for n, line in enumerate(file, 1) if line.rstrip().endswith(f"# {text}"))


def line_of(text):
    """Where this file says that; a comment marks the line."""
    return f"{__file__}, line {line_number(__file__, text)}: "


def in_thread(call, *arguments, name="mine"):
    """Run something in a thread that ends, even by an error, which is nobody's here."""

    def run():
        with contextlib.suppress(tf.errors.OpError):
            call(*arguments)

    thread = threading.Thread(target=run, name=name, daemon=True)
    thread.start()
    return thread


def input_lines(path, num_epochs=None):
    names = tf.train.string_input_producer([str(path)], num_epochs=num_epochs)  # the names
    _, line = tf.TextLineReader().read(names)  # the reader
    return tf.train.batch([line], 2)


# The ten -----------------------------------------------------------------------------------------


def test_no_runners_started(report_of, tmp_path):
    lines = input_lines(tmp_path / "lines.txt")
    sess = tf.Session()
    text = report_of(sess, sess.run, lines)
    assert "batch (QueueDequeueManyV2), built at " in text
    assert "waits for 2 elements in the queue '_0_batch/fifo_queue' (FIFOQueue)" in text
    assert "0 of 32 elements, open. Nothing was ever put in." in text
    assert "A QueueRunner for it was built, but its threads were never started." in text
    assert "Type this before the step that waits: tf.train.start_queue_runners(sess=sess" in text


def test_too_few_elements(report_of):
    queue = tf.FIFOQueue(10, [tf.float32], shapes=[[]], name="q")
    put = queue.enqueue_many([[1.0, 2.0, 3.0]])  # puts in
    batch = queue.dequeue_many(5)  # takes out
    sess = tf.Session()
    sess.run(put)
    text = report_of(sess, sess.run, batch)
    assert f"q_DequeueMany (QueueDequeueManyV2), built at {line_of('takes out')}" in text
    assert "waits for 5 elements in the queue '_0_q' (FIFOQueue), 0 of 10 elements, open" in text
    assert "3 were put in so far, and this holds 3 until it has all" in text
    assert f"q_EnqueueMany (QueueEnqueueManyV2), built at {line_of('puts in')}" in text
    assert "It was last run by this thread, MainThread." in text
    assert "another session" not in text
    assert 'Run it before this step, or in another thread: sess.run("q_EnqueueMany")' in text
    assert "close the queue: sess.run(queue.close())" in text
    assert "dequeue_up_to takes the rest" in text


def test_a_queue_closed_by_an_error(capfd):
    queue = tf.FIFOQueue(10, [tf.float32], shapes=[[]], name="q")
    value = tf.check_numerics(tf.constant(float("nan")), "bad")  # fails
    runner = tf.train.QueueRunner(queue, [queue.enqueue(value)])
    item, coord = queue.dequeue(), tf.train.Coordinator()
    with tf.Session() as sess:
        threads = runner.create_threads(sess, coord=coord, daemon=True, start=True)
        with pytest.raises(tf.errors.OutOfRangeError) as caught:
            sess.run(item)
        with pytest.raises(tf.errors.InvalidArgumentError, match="Tensor had NaN values"):
            coord.join(threads)
    text = str(caught.value)
    assert "FIFOQueue '_0_q' is closed and has insufficient elements (requested 1, current" in text
    assert "It was closed because of an error: InvalidArgumentError: bad : Tensor had NaN" in text
    assert f"{line_of('fails').split(', ')[1][:-2]}, in test_a_queue_closed_by_an_error" in text
    assert capfd.readouterr().out == ""


def test_a_dead_reader_thread(report_of):
    queue = tf.FIFOQueue(10, [tf.float32], shapes=[[]], name="q")
    value = tf.check_numerics(tf.constant(float("nan")), "bad")  # kills the reader
    put = queue.enqueue(value)
    item = queue.dequeue()
    sess = tf.Session()
    in_thread(sess.run, put, name="reader").join()
    text = report_of(sess, sess.run, item)
    assert "Its last run, in the thread reader, which has ended, failed:" in text
    assert "InvalidArgumentError: bad : Tensor had NaN values" in text
    assert f"in CheckNumerics (CheckNumerics), built at {line_of('kills the reader')}" in text
    assert 'Mend that, and run it again, in a thread or before this step: sess.run("q_enq' in text


def test_a_full_queue(report_of):
    queue = tf.FIFOQueue(2, [tf.float32], shapes=[[]], name="q")
    put, _item = queue.enqueue(1.0), queue.dequeue()
    sess = tf.Session()
    sess.run(put)
    sess.run(put)
    text = report_of(sess, sess.run, put)
    assert "waits for room for 1 element in the queue '_0_q' (FIFOQueue), 2 of 2 elements" in text
    assert "2 were put in so far, and 0 taken out" in text
    assert "No thread runs what takes elements out:\n    q_Dequeue (QueueDequeueV2), built" in text
    assert 'Run it before this step, or in another thread: sess.run("q_Dequeue")' in text
    assert "make the queue larger (capacity=...)" in text
    assert "sess.run(queue.close(cancel_pending_enqueues=True))" in text


def test_a_deadlock_between_two_queues(report_of):
    a = tf.FIFOQueue(2, [tf.float32], shapes=[[]], name="a")
    b = tf.FIFOQueue(2, [tf.float32], shapes=[[]], name="b")
    a_to_b = b.enqueue(a.dequeue())
    b_to_a = a.enqueue(b.dequeue())
    sess = tf.Session()
    in_thread(sess.run, b_to_a, name="other")
    text = report_of(sess, sess.run, a_to_b)
    assert text.startswith("Deadlock: ")
    assert "MainThread and other wait for each other" in text or "other and MainThread" in text
    assert "  MainThread:\n    a_Dequeue (QueueDequeueV2), built at " in text
    assert "other puts elements in, with a_enqueue (QueueEnqueueV2), but it waits itself." in text
    assert "  other:\n    b_Dequeue (QueueDequeueV2), built at " in text
    assert "MainThread puts elements in, with b_enqueue (QueueEnqueueV2), but it waits" in text
    assert "To break the circle: have one of them do what the other waits for" in text
    assert "Run it before" not in text


def test_missing_init_tokens(report_of):
    # As tf.train.SyncReplicasOptimizer has it: each step takes a token, the chief puts them in.
    tokens = tf.FIFOQueue(
        -1, [tf.int64], shapes=[[]], name="sync_token_q", shared_name="sync_token_q"
    )
    tokens.enqueue_many([tf.zeros([2], tf.int64)], name="init_tokens")
    step = tokens.dequeue()
    sess = tf.Session()
    text = report_of(sess, sess.run, step)
    assert "waits for 1 element in the queue 'sync_token_q' (FIFOQueue), 0 elements, open" in text
    assert "This is the token queue of tf.train.SyncReplicasOptimizer" in text
    assert "sess.run(optimizer.get_init_tokens_op())" in text
    assert 'sess.run("init_tokens")' in text


def synchronous(needed, total):
    """A session that is ready for synchronous training, the optimizer, what a replica runs."""
    w, step = tf.Variable(5.0, name="w"), tf.train.get_or_create_global_step()
    sgd = tf.train.GradientDescentOptimizer(0.1)
    optimizer = tf.train.SyncReplicasOptimizer(sgd, needed, total)
    train = optimizer.minimize(w * w, step)
    sess = tf.Session()
    sess.run(tf.global_variables_initializer())
    sess.run(optimizer.chief_init_op)
    return sess, optimizer, train


def test_a_chief_whose_runner_was_never_started(report_of):
    sess, _, train = synchronous(1, 1)
    text = report_of(sess, sess.run, train)
    assert "A QueueRunner for it was built, but its threads were never started." in text
    assert "Type this before the step that waits: optimizer.get_chief_queue_runner()." in text
    assert "optimizer.make_session_run_hook(is_chief=True)" in text


def test_replicas_that_never_come_or_forgotten_tokens(report_of):
    sess, optimizer, train = synchronous(2, 1)
    coord = tf.train.Coordinator()
    optimizer.get_chief_queue_runner().create_threads(sess, coord, daemon=True, start=True)
    text = report_of(sess, sess.run, train)
    assert "waits for 2 gradients in the accumulator 'w:0/grad_accum'" in text
    assert "The others never came, or have ended: start them" in text
    assert "sess.run(optimizer.get_init_tokens_op()) in the chief" in text


@errors_in_threads
def test_forgotten_initialisation_of_epochs(report_of, tmp_path):
    path = tmp_path / "lines.txt"
    path.write_text("1\n2\n3\n")
    lines = input_lines(path, num_epochs=1)
    sess = tf.Session()
    sess.run(tf.global_variables_initializer())
    threads = tf.train.start_queue_runners(sess)
    text = report_of(sess, sess.run, lines)
    assert "The threads of its QueueRunner have died, because of this error:" in text
    assert "FailedPreconditionError: Attempting to use uninitialized value" in text
    assert "tf.local_variables_initializer()" in text
    assert "tf.train.start_queue_runners(sess=sess, coord=coord)" in text
    assert line_of("the names")[:-2] in text
    for thread in threads:
        thread.join()


def test_a_blocked_enqueue_at_shutdown():
    queue = tf.FIFOQueue(1, [tf.float32], shapes=[[]], name="q")
    put = queue.enqueue(1.0)  # waits at the end
    coord = tf.train.Coordinator()
    with tf.Session() as sess:
        sess.run(put)
        thread = in_thread(sess.run, put, name="filler")
        until_waiting(thread)
        coord.request_stop()
        with pytest.raises(RuntimeError) as caught:
            coord.join([thread], stop_grace_period_secs=0.05)
    thread.join()
    text = str(caught.value)
    assert "Coordinator stopped with threads still running: filler" in text
    assert "q_enqueue (QueueEnqueueV2)" in text
    assert "room for 1 element in the queue '_0_q' (FIFOQueue), 1 of 1 element, open" in text
    assert line_of("waits at the end").split(", ")[1].rstrip(": ") in text
    assert "sess.run(queue.close(cancel_pending_enqueues=True))" in text


@errors_in_threads
def test_a_wrong_filename(report_of, tmp_path):
    lines = input_lines(tmp_path / "no_such_file.txt")
    sess = tf.Session()
    threads = tf.train.start_queue_runners(sess)
    text = report_of(sess, sess.run, lines)
    assert "The threads of its QueueRunner have died, because of this error:" in text
    assert "NotFoundError: " in text
    assert "no_such_file.txt" in text
    assert f"built at {line_of('the reader')}" in text
    for thread in threads:
        thread.join()


# Their kin ---------------------------------------------------------------------------------------


def test_elements_that_stay_in_a_shuffle_queue(report_of):
    queue = tf.RandomShuffleQueue(10, 2, [tf.float32], shapes=[[]], name="q")
    put, item = queue.enqueue_many([[1.0, 2.0]]), queue.dequeue()
    sess = tf.Session()
    sess.run(put)
    text = report_of(sess, sess.run, item)
    assert "2 of 10 elements, open, of which 2 stay (min_after_dequeue)" in text
    assert "keeps min_after_dequeue=2 elements to choose from, until it is closed" in text


def test_a_join_of_threads_that_nobody_has_stopped(report_of):
    queue = tf.FIFOQueue(1, [tf.float32], shapes=[[]], name="q")
    runner = tf.train.QueueRunner(queue, [queue.enqueue(1.0)])
    coord, sess = tf.train.Coordinator(), tf.Session()
    threads = runner.create_threads(sess, coord=coord, daemon=True, start=True)

    def join():
        coord.join(threads)  # for ever
        raise RuntimeError("it has ended")

    text = report_of(sess, join)
    assert f"  MainThread:\n    {line_of('for ever')}" in text
    assert "Nobody has asked them to stop: call coord.request_stop() before coord.join" in text
    assert "q_enqueue (QueueEnqueueV2), built at " in text
    assert "waits for room for 1 element in the queue '_0_q'" in text


def test_a_join_of_pythons_own(report_of):
    queue = tf.FIFOQueue(1, [tf.float32], shapes=[[]], name="q")
    item, sess = queue.dequeue(), tf.Session()
    thread = in_thread(sess.run, item, name="taker")

    def join():
        thread.join()
        raise RuntimeError("it has ended")

    text = report_of(sess, join)
    assert "q_Dequeue (QueueDequeueV2), built at " in text
    assert "Nothing in this graph puts elements in: it has no QueueEnqueueManyV2 or" in text


def test_a_program_that_is_over_but_for_a_thread(tmp_path):
    program = (
        "import tinytf as tf, threading\n"
        "from tinytf.framework import waiting\n"
        "waiting.patience_seconds = 0.1\n"
        "item = tf.FIFOQueue(1, tf.float32, shapes=[()], name='q').dequeue()\n"
        "threading.Thread(target=tf.Session().run, args=[item]).start()\n"
    )
    path = tmp_path / "program.py"
    path.write_text(program)
    environment = {"PYTHONPATH": str(Path(__file__).parents[2])}
    with subprocess.Popen(
        [sys.executable, path], env=environment, stdout=subprocess.PIPE, text=True
    ) as process:
        text = ""
        while "shows all threads." not in text:
            line = process.stdout.readline()
            assert line, text
            text += line
        process.kill()
    assert "nothing that runs can end it" in text
    assert f"q_Dequeue (QueueDequeueV2), built at {path}, line 4: item = " in text


def test_a_producer_that_has_ended(report_of):
    queue = tf.FIFOQueue(10, [tf.float32], shapes=[[]], name="q")
    put, item = queue.enqueue(1.0), queue.dequeue()
    sess = tf.Session()
    in_thread(sess.run, put, name="loader").join()
    sess.run(item)
    text = report_of(sess, sess.run, item)
    assert "1 was put in so far, and 1 taken out." in text
    assert "It was last run by the thread loader, which has ended." in text
    assert "If no more will come, close the queue: sess.run(queue.close())" in text


def test_an_accumulator_with_too_few_gradients(report_of):
    total = tf.ConditionalAccumulator(tf.float32, shape=[], name="total")
    give, take = total.apply_grad(1.0, local_step=0, name="give"), total.take_grad(2)
    sess = tf.Session()
    sess.run(give)
    text = report_of(sess, sess.run, take)
    assert "waits for 2 gradients in the accumulator '_0_total' (ConditionalAccumulator), 1" in text
    assert 'Run it before this step, or in another thread: sess.run("give")' in text


def test_a_staging_area_that_nobody_fills(report_of):
    area = StagingArea([tf.float32], shapes=[[]])
    put, take = area.put([1.0]), area.get()
    sess = tf.Session()
    text = report_of(sess, sess.run, take)
    assert f"No thread runs what puts elements in:\n    {put.name} (Stage), built at " in text


def test_a_prefetch_that_is_full_is_no_hope(report_of):
    numbers = tf.data.Dataset.range(1000).prefetch(2)
    number = tf.data.make_one_shot_iterator(numbers).get_next()
    queue = tf.FIFOQueue(3, tf.int64, shapes=[()], name="q")
    put, item = queue.enqueue(number), queue.dequeue()
    sess = tf.Session()
    sess.run(put)
    sess.run(item)
    text = report_of(sess, sess.run, item)
    assert "It was last run by this thread, MainThread." in text
    assert "PrefetchDataset" not in text


def test_a_dataset_whose_thread_waits(report_of):
    queue = tf.FIFOQueue(3, tf.int64, shapes=[()], name="q")
    item, sess = queue.dequeue(), tf.Session()

    def take(_):
        return sess.run(item)

    numbers = tf.data.Dataset.range(3).map(lambda x: tf.py_func(take, [x], tf.int64)).prefetch(1)
    iterator = tf.data.make_initializable_iterator(numbers)
    number = iterator.get_next()
    sess.run(iterator.initializer)
    text = report_of(sess, lambda: sess.run(number))  # asks for it
    assert f"  MainThread:\n    {line_of('asks for it')}" in text
    assert "waits for an element that the threads of the stage PrefetchDataset" in text
    assert "q_Dequeue (QueueDequeueV2), built at " in text


def test_of_many_operations_few_are_named(report_of):
    queue = tf.FIFOQueue(10, [tf.float32], shapes=[[]], name="q")
    for _ in range(20):
        queue.enqueue(1.0)
    sess = tf.Session()
    text = report_of(sess, sess.run, queue.dequeue())
    assert text.count("q_enqueue") == 4
    assert "and 17 more" in text
    assert len(text.splitlines()) < 15


def test_a_wait_inside_a_function(report_of):
    queue = tf.FIFOQueue(10, [tf.float32], shapes=[[]], name="q")

    @Defun(noinline=True)
    def take():
        return queue.dequeue()  # inside

    sess = tf.Session()
    text = report_of(sess, sess.run, [take(name="outer"), tf.FIFOQueue(1, tf.int32).dequeue()])
    assert "outer (" in text
    assert f"(QueueDequeueV2), built at {line_of('inside')}" in text
    assert "waits for 1 element in the queue '_0_q'" in text
    assert "waits for 1 element in the queue '_1_fifo_queue'" in text


def until_waiting(thread):
    """Until a thread waits in a step."""
    while not any(one.thread == thread.ident and one.waiter.waits() for one in waiting.blocked()):
        assert thread.is_alive()
        thread.join(0.001)


def test_what_another_session_has_put_in_is_not_in_this_ones_queue(report_of):
    queue = tf.FIFOQueue(3, tf.float32, shared_name="shared")
    put, take = queue.enqueue(1.0), queue.dequeue()
    sess = tf.Session()
    with tf.Session() as other:
        other.run(put)
    text = report_of(sess, sess.run, take)
    assert "Nothing was ever put in." in text
    assert "It was last run by this thread, MainThread." in text
    assert "Was it in another session? Each has queues\n" in text
