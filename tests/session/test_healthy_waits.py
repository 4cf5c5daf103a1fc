"""Long waits that somebody will end: nothing is printed, however often they are looked at."""

import contextlib
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import tinytf as tf
from tests.framework.temporary_ops import temporary_op
from tinytf.diagnosis import picture, stuck
from tinytf.framework import waiting

LONG = 60.0  # seconds; a test that is right never waits that long


class Looks:
    """Counts how often waits were looked at, so that others can take their time."""

    def __init__(self):
        self._changed = threading.Condition()
        self._count = 0

    def note(self):
        with self._changed:
            self._count += 1
            self._changed.notify_all()

    def several(self, more=4):
        """Block until somebody's wait has been looked at so many times more: it lasts."""
        with self._changed:
            wanted = self._count + more
            assert self._changed.wait_for(lambda: self._count >= wanted, LONG)


@pytest.fixture(autouse=True)
def looks(monkeypatch):
    """Waits are looked at all the time; what other tests have left running is nobody's hope."""
    monkeypatch.setattr(waiting, "patience_seconds", 0.01)
    before, matters = set(threading.enumerate()) - {threading.main_thread()}, picture.matters
    monkeypatch.setattr(
        picture, "matters", lambda thread, frame: thread not in before and matters(thread, frame)
    )
    looks, report = Looks(), stuck.report

    def counted(thread):
        printed = report(thread)
        looks.note()
        return printed

    monkeypatch.setattr(stuck, "report", counted)
    return looks


@pytest.fixture(autouse=True)
def silent(capfd):
    """Nothing was printed, and nothing went wrong in the looks."""
    yield
    assert capfd.readouterr().out == ""


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


@pytest.fixture
def queue():
    return tf.FIFOQueue(2, [tf.float32], shapes=[[]], name="q")


@contextlib.contextmanager
def thread(call, *arguments):
    made = threading.Thread(target=call, args=arguments)
    made.start()
    yield made
    made.join()


def test_backpressure(queue, looks):
    put, item = queue.enqueue(1.0), queue.dequeue()
    with tf.Session() as sess:

        def fill():
            for _ in range(6):
                sess.run(put)

        with thread(fill):
            for _ in range(4):
                looks.several()  # the consumer takes its time
                sess.run(item)


def slow_producer(queue, looks):
    put, item = queue.enqueue(1.0), queue.dequeue()
    with tf.Session() as sess:

        def produce():
            for _ in range(3):
                looks.several(2)
                sess.run(put)

        with thread(produce):
            for _ in range(3):
                assert sess.run(item) == 1.0


def test_a_slow_producer(queue, looks):
    slow_producer(queue, looks)


def test_a_producer_that_computes(queue, looks):
    """In one step, in tinytf's own code: no frame of the program but the call."""
    with temporary_op("TestSlow", "x: float -> y: float") as card:
        card.shape(lambda c: c.input(0))

        @card.kernel
        def _(x):
            looks.several()
            return x

        put, item = queue.enqueue(card(tf.constant(1.0))), queue.dequeue()
        with tf.Session() as sess, thread(sess.run, put):
            assert sess.run(item) == 1.0


def test_a_slow_function_of_python(queue, looks):
    def slow():
        looks.several()
        return np.float32(1)

    put, item = queue.enqueue(tf.py_func(slow, [], tf.float32)), queue.dequeue()
    with tf.Session() as sess, thread(sess.run, put):
        assert sess.run(item) == 1.0


def test_a_slow_generator_of_a_dataset(queue, looks):
    def numbers():
        looks.several()
        yield np.float32(1)

    dataset = tf.data.Dataset.from_generator(numbers, tf.float32, [])
    iterator = tf.data.make_initializable_iterator(dataset)
    put, item = queue.enqueue(iterator.get_next()), queue.dequeue()
    with tf.Session() as sess:
        sess.run(iterator.initializer)
        with thread(sess.run, put):
            assert sess.run(item) == 1.0


def test_a_slow_stage_of_a_dataset(queue, looks):
    def slow(x):
        looks.several()
        return x

    dataset = tf.data.Dataset.from_tensors(np.float32(1)).map(
        lambda x: tf.reshape(tf.py_func(slow, [x], tf.float32), [])
    )
    iterator = tf.data.make_initializable_iterator(dataset)
    put, item = queue.enqueue(iterator.get_next()), queue.dequeue()
    with tf.Session() as sess:
        sess.run(iterator.initializer)
        with thread(sess.run, put):
            assert sess.run(item) == 1.0


def test_a_slow_prefetch(looks):
    def slow(x):
        looks.several()
        return x

    numbers = tf.data.Dataset.range(2).map(lambda x: tf.py_func(slow, [x], tf.int64)).prefetch(1)
    iterator = tf.data.make_initializable_iterator(numbers)
    number = iterator.get_next()
    with tf.Session() as sess:
        sess.run(iterator.initializer)
        assert [sess.run(number) for _ in range(2)] == [0, 1]


def test_a_thread_of_a_pool(queue, looks):
    put, item = queue.enqueue(1.0), queue.dequeue()
    with tf.Session() as sess, ThreadPoolExecutor(1) as pool:
        pool.submit(looks.several)
        pool.submit(sess.run, put)
        assert sess.run(item) == 1.0


def test_a_timer(queue, looks):
    put, item = queue.enqueue(1.0), queue.dequeue()
    with tf.Session() as sess:
        timer = threading.Timer(0.1, sess.run, [put])  # ten looks
        timer.start()
        assert sess.run(item) == 1.0
        timer.join()


def test_a_thread_between_two_steps(looks):
    a = tf.FIFOQueue(2, [tf.float32], shapes=[[]], name="a")
    b = tf.FIFOQueue(2, [tf.float32], shapes=[[]], name="b")
    there, back, take_a = a.enqueue(1.0), b.enqueue(2.0), a.dequeue()
    with tf.Session() as sess:

        def answer():
            sess.run(take_a)
            looks.several()
            sess.run(back)

        with thread(answer):
            sess.run(there)
            assert sess.run(b.dequeue()) == 2.0


def test_a_coordinator_with_live_threads(looks):
    coord, queue = tf.train.Coordinator(), tf.FIFOQueue(1, tf.float32)

    def work():
        with coord.stop_on_exception():
            looks.several()
            raise ValueError("done")

    with thread(work) as worker:
        assert coord.wait_for_stop()
        with pytest.raises(ValueError, match="done"):
            coord.join([worker])
    assert queue.name


def test_a_join_of_a_thread_that_works(looks):
    coord = tf.train.Coordinator()
    worker = threading.Thread(target=looks.several)
    worker.start()
    coord.join([worker])


def test_a_chain_of_three_queue_runners(looks):
    def slow():
        looks.several(2)
        return np.float32(1)

    first, second, third = (
        tf.FIFOQueue(1, [tf.float32], shapes=[[]], name=name) for name in ("a", "b", "c")
    )
    puts = [
        (first, first.enqueue(tf.py_func(slow, [], tf.float32))),
        (second, second.enqueue(first.dequeue() + 1.0)),
        (third, third.enqueue(second.dequeue() + 1.0)),
    ]
    coord = tf.train.Coordinator()
    with tf.Session() as sess:
        threads = []
        for queue, put in puts:
            runner = tf.train.QueueRunner(queue, [put])
            threads += runner.create_threads(sess, coord=coord, start=True)
        for _ in range(3):
            assert sess.run(third.dequeue()) == 3.0
        looks.several = lambda more: None
        coord.request_stop()
        coord.join(threads)


def test_a_step_on_two_devices(looks):
    with temporary_op("TestSlow", "x: float -> y: float") as card:
        card.shape(lambda c: c.input(0))

        @card.kernel
        def _(x):
            if threading.current_thread() is not threading.main_thread():
                looks.several()
            return x

        with tf.device("/cpu:0"):
            here = card(tf.constant(1.0))
        with tf.device("/cpu:1"):
            there = card(tf.constant(2.0))
        config = tf.ConfigProto(device_count={"CPU": 2}, inter_op_parallelism_threads=2)
        with tf.Session(config=config) as sess:
            assert sess.run([here, there]) == [1.0, 2.0]


def until_it_lasts(graph):
    """Until a step on a server has waited for several times the patience."""
    end = time.monotonic() + LONG
    while time.monotonic() < end:
        entries = [one for one in waiting.blocked() if one.waiter.waits()]
        now = time.monotonic()
        if any(now - one.since > 5 * waiting.patience_seconds for one in entries):
            return
        threading.Event().wait(0.002)
    raise AssertionError("nobody waits")


def test_another_client_of_a_server(graph):
    queue = tf.FIFOQueue(2, [tf.float32], shapes=[[]], shared_name="shared")
    put, item = queue.enqueue(1.0), queue.dequeue()
    server = tf.train.Server.create_local_server()
    try:
        with tf.Session(server.target) as sess, tf.Session(server.target) as other:

            def serve():
                until_it_lasts(graph)
                other.run(put)

            with thread(serve):
                assert sess.run(item) == 1.0
    finally:
        server.stop()


def test_a_joined_server(queue, graph):
    """Its steps wait while the program does nothing but join it."""
    item = queue.dequeue()
    server = tf.train.Server.create_local_server()
    with tf.Session(server.target) as sess:

        def run():
            with contextlib.suppress(tf.errors.OpError):
                sess.run(item)

        def stop():
            until_it_lasts(graph)
            server.stop()

        with thread(run), thread(stop):
            server.join()


class Buffer:
    """A buffer that a thread of the library's fills, as a prefetch has it."""

    kind, name = "Prefetch", "prefetch"
    served_by = {"elements": frozenset()}

    def __init__(self):
        self.changed = threading.Condition()
        self.elements = []
        self.filler = None

    def describe(self):
        return f"the buffer, {len(self.elements)} elements"

    def waits(self):
        threads = (self.filler.ident,)
        return [waiting.Wait("1 element", self, "elements", threads=threads)]

    def fill(self, looks):
        looks.several()
        with self.changed:
            self.elements.append(1)
            self.changed.notify_all()


def test_a_buffer_that_a_thread_fills(looks):
    buffer = Buffer()
    with thread(buffer.fill, looks) as buffer.filler, buffer.changed:
        waiting.wait_until(lambda: buffer.elements, buffer.changed, buffer.waits)
    assert buffer.elements == [1]


def test_a_picture_can_be_taken_at_any_moment(looks):
    a = tf.FIFOQueue(1, [tf.float32], shapes=[[]], name="a")
    b = tf.RandomShuffleQueue(2, 1, [tf.float32], shapes=[[]], name="b")
    ops = [a.enqueue(1.0), b.enqueue(a.dequeue()), a.size(), b.dequeue(), a.dequeue_many(2)]
    enough = threading.Event()
    with tf.Session() as sess:

        def work(op):
            while not enough.is_set():
                with contextlib.suppress(tf.errors.OpError):
                    sess.run(op, options=tf.RunOptions(timeout_in_ms=20))

        with contextlib.ExitStack() as stack:
            for op in ops:
                stack.enter_context(thread(work, op))
            end, count, seen = time.monotonic() + LONG, 0, False
            while (count < 100 or not seen) and time.monotonic() < end:
                count += 1
                seen = seen or "may go on" in repr(tf.why_stuck())
            enough.set()
    assert seen


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_under_load_there_is_no_false_alarm(looks):
    """Threads that compete for the processor, and looks at any moment."""
    idle = threading.Event()

    def burn():
        while not idle.is_set():
            sum(range(1000))

    with thread(burn), thread(burn):
        try:
            for _ in range(200):
                with tf.Graph().as_default():
                    ping_pong(looks)
        finally:
            idle.set()


def ping_pong(looks):
    a = tf.FIFOQueue(1, [tf.float32], shapes=[[]], name="a")
    b = tf.FIFOQueue(1, [tf.float32], shapes=[[]], name="b")
    put_a, put_b, take_a, take_b = a.enqueue(1.0), b.enqueue(1.0), a.dequeue(), b.dequeue()
    coord = tf.train.Coordinator()
    with tf.Session() as sess:

        def answer():
            for _ in range(20):
                sess.run(take_a)
                sess.run(put_b)

        runner = tf.train.QueueRunner(a, [put_a])
        with thread(answer):
            threads = runner.create_threads(sess, coord=coord, start=True)
            for _ in range(20):
                sess.run(take_b)
        coord.request_stop()
        coord.join(threads)
