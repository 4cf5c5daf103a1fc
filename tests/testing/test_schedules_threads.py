"""What of `threading`, `queue` and `time` a schedule knows, and that all is put back."""

import collections
import concurrent.futures
import queue
import threading
import time

import pytest

import tinytf as tf
import tinytf.testing
from tests.testing.fifo import fifo_ops
from tests.testing.test_schedules import broken_by, run_in_threads
from tinytf.runtime import schedule
from tinytf.testing.schedules import patching
from tinytf.testing.schedules.exploring import explore, is_equal
from tinytf.testing.schedules.running import run_with_seed

HOUR = 3600.0


def sleep(seconds):
    """In virtual time: no test takes longer for it."""
    time.sleep(seconds)  # noqa: TID251


def now_in_place():
    return [getattr(owner, name) for owner, name, _ in patching._PATCHES]


@pytest.fixture(autouse=True)
def everything_is_put_back():
    before, threads = now_in_place(), set(threading.enumerate())
    yield
    assert now_in_place() == before
    assert schedule.active is None
    for thread in set(threading.enumerate()) - threads:
        thread.join(5.0)
        assert not thread.is_alive()


def value(program, seed=0):
    run = run_with_seed(program, seed)
    assert run.passed, run
    return run.value


# Interleavings ------------------------------------------------------------------------------------


def test_all_interleavings_are_reached():
    def program():
        seen = []

        def append(name):
            for _ in range(2):
                sleep(0)
                seen.append(name)

        run_in_threads(a=lambda: append("a"), b=lambda: append("b"))
        return "".join(seen)

    values = collections.Counter(explore(program, seeds=300).values)
    assert set(values) == {"aabb", "abab", "abba", "baab", "baba", "bbaa"}


def test_python_between_switching_points_is_not_disturbed():
    def program():
        counter = [0]

        def count():
            for _ in range(1000):
                counter[0] += 1

        run_in_threads(a=count, b=count)
        return counter[0]

    assert set(explore(program, seeds=20).values) == {2000}


def test_seed_zero_changes_threads_only_where_one_waits():
    def program():
        seen = []

        def work(name):
            with tf.Session(graph=graph) as sess:
                for _ in range(3):
                    seen.append((name, float(sess.run(y))))

        run_in_threads(a=lambda: work("a"), b=lambda: work("b"))
        return [name for name, _ in seen]

    graph = tf.Graph()
    with graph.as_default():
        y = tf.constant(1.0) + 2.0
    run = run_with_seed(program, 0)
    assert run.value == list("aaabbb")
    assert (run.switches, run.choices) == (0, "")
    assert run_with_seed(program, "").trace == run.trace


# Waits --------------------------------------------------------------------------------------------


def test_locks_in_different_orders_are_a_deadlock():
    def program():
        first, second = threading.Lock(), threading.RLock()

        def forth():
            with first, second:
                pass

        def back():
            with second, first:
                pass

        run_in_threads(forth=forth, back=back)

    broken = broken_by(program)
    assert broken.smallest.switches == 1
    text = broken.smallest.broken
    assert "forth       waits for lock 2 (made at test_schedules_threads.py:" in text
    assert "which back has" in text
    assert "which forth has" in text
    assert "with second, first:" in text


def test_a_lock_orders_what_it_guards():
    def program():
        counter, lock = [0], threading.Lock()

        def count():
            for _ in range(3):
                with lock:
                    before = counter[0]
                    sleep(0.1)
                    counter[0] = before + 1

        run_in_threads(a=count, b=count, c=count)
        return counter[0]

    assert set(explore(program, seeds=50).values) == {9}


def test_conditions_events_semaphores_barriers_and_queues():
    def program():
        seen = []
        condition, is_there = threading.Condition(), threading.Event()
        places, both = threading.Semaphore(1), threading.Barrier(2)
        items, results = queue.Queue(maxsize=1), queue.SimpleQueue()

        def produce():
            for i in range(3):
                items.put(i)
            with condition:
                seen.append("produced")
                condition.notify_all()
            both.wait()
            is_there.set()

        def consume():
            for _ in range(3):
                with places:
                    results.put(items.get(timeout=HOUR))
                items.task_done()
            with condition:
                condition.wait_for(lambda: "produced" in seen)
            both.wait()

        run_in_threads(producer=produce, consumer=consume)
        items.join()
        assert is_there.wait(HOUR)
        return [results.get() for _ in range(3)], results.empty(), seen

    assert is_equal(
        explore(program, seeds=100, same_result=True).values[0], ([0, 1, 2], True, ["produced"])
    )


def test_an_if_where_a_while_is_needed():
    """Whoever was notified need not be the first to come: the textbook's bug."""

    def program():
        condition, items = threading.Condition(), []

        def consume():
            with condition:
                if not items:
                    condition.wait()
                items.pop()

        def produce():
            for i in range(2):
                with condition:
                    items.append(i)
                    condition.notify_all()

        run_in_threads(a=consume, b=consume, producer=produce)

    broken = broken_by(program, seeds=300)
    assert isinstance(broken.run.error, IndexError) or "Deadlock" in broken.run.broken


def test_thread_pools():
    def program():
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            futures = [pool.submit(lambda i=i: (sleep(0.01), i)[1]) for i in range(4)]
            return [future.result(timeout=HOUR) for future in futures]

    assert explore(program, seeds=30, same_result=True).values[0] == [0, 1, 2, 3]


def test_daemons_may_wait_for_ever_others_may_not():
    def program(daemon):
        threading.Thread(target=threading.Event().wait, name="left", daemon=daemon).start()
        return 1

    assert value(lambda: program(True)) == 1
    broken = run_with_seed(lambda: program(False), 0).broken
    assert "MainThread  waits for left to end: the program has" in broken
    assert "left        waits for an Event to be set" in broken


def test_an_error_on_a_thread_breaks_the_program():
    def program():
        threading.Thread(target=lambda: [][1], name="faulty").start()

    run = run_with_seed(program, 3)
    assert isinstance(run.error, IndexError)
    assert run.broken == "faulty raised IndexError: list index out of range"
    assert 'target=lambda: [][1], name="faulty"' in run.trace.splitlines()[-1]


def test_threads_that_ended_are_not_alive():
    def program():
        thread = threading.Thread(target=lambda: None)
        thread.start()
        before = thread.is_alive()
        thread.join(timeout=HOUR)
        return before, thread.is_alive(), thread.name

    assert value(program) == (True, False, "Thread-1 (<lambda>)")


# Time ---------------------------------------------------------------------------------------------


def test_sleeping_takes_no_time_and_is_in_order():
    def program():
        seen = []

        def wake(seconds):
            sleep(seconds)
            seen.append(seconds)

        start = time.monotonic()
        run_in_threads(a=lambda: wake(HOUR), b=lambda: wake(60.0), c=lambda: wake(1.0))
        return seen, round(time.monotonic() - start)

    assert value(program) == ([1.0, 60.0, HOUR], HOUR)


def test_a_sleep_is_not_an_order():
    """Sleeping until others are surely done is a bug, and is found."""

    def program():
        done = []
        thread = threading.Thread(target=lambda: (sleep(0), sleep(0), done.append(1)))
        thread.start()
        sleep(5.0)
        assert done, "it was not done"
        thread.join()

    assert str(broken_by(program).run.error).startswith("it was not done")


def test_timeouts_come_when_nobody_can_go_on():
    def program():
        start, event, items = time.monotonic(), threading.Event(), queue.Queue()
        assert not event.wait(2.0)
        with pytest.raises(queue.Empty):
            items.get(timeout=3.0)
        assert not threading.Semaphore(0).acquire(timeout=4.0)
        lock = threading.Lock()
        assert lock.acquire()
        assert not lock.acquire(timeout=5.0)
        assert not lock.acquire(False)
        return round(time.monotonic() - start)

    assert value(program) == 2 + 3 + 4 + 5


def test_a_loop_until_a_moment_gets_there():
    def program():
        end = time.monotonic() + 0.01
        while time.monotonic() < end:
            pass
        return True

    assert value(program)


def test_the_deadline_of_a_step_is_in_virtual_time():
    with fifo_ops() as ops:

        def program():
            ops.make(q=1)
            with tf.Graph().as_default(), tf.Session() as sess:
                sess.run(ops.take(queue="q"), options=tf.RunOptions(timeout_in_ms=3_600_000))

        run = run_with_seed(program, 1)
    assert isinstance(run.error, tf.errors.DeadlineExceededError)
    assert "waits for an element of the queue q, which is empty" in str(run.error)


# Coordinators and queue runners -------------------------------------------------------------------


def read_with_runners(close=True):
    """A pipeline of three runners; the numbers it gives, and the threads that are left."""
    with tf.Graph().as_default(), tf.Session() as sess:
        numbers = tf.FIFOQueue(10, tf.int32, shapes=[[]])
        squares = tf.FIFOQueue(2, tf.int32, shapes=[[]])
        runner = tf.train.QueueRunner(squares, [squares.enqueue(numbers.dequeue() ** 2)] * 3)
        square = squares.dequeue()
        sess.run(numbers.enqueue_many([list(range(7))]))
        if close:
            sess.run(numbers.close())
        coord = tf.train.Coordinator()
        threads = runner.create_threads(sess, coord, start=True)
        taken = []
        try:
            while True:
                taken.append(int(sess.run(square)))
        except tf.errors.OutOfRangeError:
            pass
        finally:
            coord.request_stop()
            coord.join(threads)
        return sorted(taken), [thread for thread in threads if thread.is_alive()]


def test_a_coordinator_does_not_lead_out_of_the_schedule():
    traces = set()
    for seed in range(20):
        run = run_with_seed(read_with_runners, seed)
        assert run.value == ([0, 1, 4, 9, 16, 25, 36], []), run
        assert "outside of the schedule" not in run.trace
        assert run_with_seed(read_with_runners, seed).trace == run.trace
        traces.add(run.trace)
    assert len(traces) == 20


def test_a_queue_that_nobody_closes_is_a_deadlock_of_everybody_with_a_coordinator_too():
    for seed in range(5):
        run = run_with_seed(lambda: read_with_runners(close=False), seed)
        assert run.broken.startswith("Deadlock: nobody can go on.")
        assert "MainThread" in run.broken
        assert "waits for 1 element, in fifo_queue_1_Dequeue" in run.broken
