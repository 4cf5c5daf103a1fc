"""What of `threading`, `queue` and `time` a schedule knows, and that all is put back."""

import collections
import concurrent.futures
import os
import queue
import threading
import time

import pytest

import tinytf as tf
import tinytf.testing
from tests.testing.fifo import fifo_ops
from tests.testing.test_schedules import broken_by, run_in_threads
from tinytf.runtime import schedule
from tinytf.testing import explore, run_with_seed
from tinytf.testing.schedules import patching
from tinytf.testing.schedules.choices import Choices
from tinytf.testing.schedules.exploring import is_equal

HOUR = 3600.0


def sleep(seconds):
    """In virtual time: no test takes longer for it."""
    time.sleep(seconds)  # noqa: TID251


def now_in_place():
    return [getattr(owner, name) for owner, name, _ in patching._PATCHES]


@pytest.fixture(autouse=True)
def everything_is_put_back():
    before, threads = now_in_place(), threading.active_count()
    yield
    assert now_in_place() == before
    assert schedule.active is None
    assert threading.active_count() == threads


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


# Ends ---------------------------------------------------------------------------------------------


def test_what_never_ends_is_ended():
    def program():
        while True:
            sleep(1.0)

    run = run_with_seed(program, 0, max_turns=500)
    assert "It has not ended after 500 turns" in run.broken
    assert run.trace.splitlines()[-1].startswith("-->  501")


def test_an_interrupt_ends_all_threads_and_is_raised():
    ended = []

    def program():
        def wait():
            try:
                threading.Event().wait()
            finally:
                ended.append(threading.current_thread().name)

        threading.Thread(target=wait, name="waits").start()
        sleep(1.0)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_with_seed(program, 0)
    assert ended == ["waits"]


def test_what_breaks_ends_steps_that_wait():
    withdrawn = []
    with fifo_ops() as ops:

        def program():
            ops.make(q=1)
            with tf.Graph().as_default():
                take = ops.take(queue="q")
                with tf.Session() as sess:
                    threading.Thread(target=lambda: sess.run(take), name="taker").start()
                    sleep(1.0)
                    withdrawn.extend(ops.queues[b"q"].takers)
                    raise ValueError("on purpose")

        assert isinstance(run_with_seed(program, 0).error, ValueError)
    assert [type(pending.error) for pending in withdrawn] == [tf.errors.CancelledError]


def test_closing_a_session_ends_the_wait_of_another_thread():
    with fifo_ops() as ops:

        def program():
            ops.make(q=1)
            errors = []
            with tf.Graph().as_default():
                take, sess = ops.take(queue="q"), tf.Session()

                def run():
                    try:
                        sess.run(take)
                    except tf.errors.CancelledError as error:
                        errors.append(error)
                    except RuntimeError as error:  # it was closed before
                        errors.append(error)

                run_in_threads(taker=run, closer=sess.close)
            return len(errors)

        assert set(explore(program, seeds=50).values) == {1}


def test_one_schedule_at_a_time():
    def program():
        with pytest.raises(RuntimeError, match="A schedule is running already"):
            run_with_seed(lambda: None, 1)
        return 1

    assert value(program) == 1


def test_another_result_is_a_break_if_asked_for():
    def program():
        seen = []
        run_in_threads(a=lambda: seen.append("a"), b=lambda: seen.append("b"))
        return seen

    assert explore(program, seeds=20).passed == 20
    text = str(broken_by(program, same_result=True))
    assert "Another result than with seed 0:\n  now:    ['b', 'a']\n  before: ['a', 'b']" in text


def test_a_program_that_the_seed_does_not_decide_is_told():
    calls = []

    def program():
        calls.append(1)
        assert len(calls) != 2, "the second time"

    broken = broken_by(program)
    assert "Seed 1 breaks the program, after 1 that did not. But not the second time" in str(broken)


# The world outside --------------------------------------------------------------------------------


def test_a_thread_that_blocks_outside_is_named_and_the_others_go_on():
    def program():
        reading, writing = os.pipe()
        got = []
        run_in_threads(
            reader=lambda: got.append(os.read(reading, 1)),
            writer=lambda: (sleep(1.0), os.write(writing, b"x")),
        )
        os.close(reading)
        os.close(writing)
        return got

    run = run_with_seed(program, 0)
    assert run.value == [b"x"]
    line = next(line for line in run.trace.splitlines() if "outside of the schedule" in line)
    assert "reader" in line
    assert "os.read(reading, 1)" in line


def test_a_lock_made_before_the_run_is_outside():
    lock = threading.Lock()

    def program():
        def work():
            with lock:
                sleep(1.0)

        run_in_threads(a=work, b=work)
        return lock.locked()

    assert value(program) is False


def test_threads_of_others_may_end_a_wait():
    asked, boxes = threading.Event(), []

    def serve():
        assert asked.wait(20)
        boxes[0].put("an answer")
        boxes[0].put("another")

    server = threading.Thread(target=serve)
    server.start()

    def program():
        boxes.append(queue.Queue())
        idle = threading.Thread(target=threading.Event().wait, daemon=True)
        idle.start()
        asked.set()
        first = boxes[0].get(timeout=HOUR)
        return first, boxes[0].get(timeout=HOUR)

    run = run_with_seed(program, 0)
    server.join()
    assert run.passed or isinstance(run.error, queue.Empty)  # an hour may pass before


def test_other_threads_do_not_notice():
    asked, answer = threading.Event(), []

    def ask():
        assert asked.wait(20)
        lock = threading.Lock()
        answer.append((type(lock), schedule.current(), time.monotonic() < 1e9))
        with tf.Graph().as_default(), tf.Session() as sess:
            answer.append(float(sess.run(tf.constant(1.0) + 1.0)))
        asked.clear()

    other = threading.Thread(target=ask)
    other.start()

    def program():
        asked.set()
        while asked.is_set():
            sleep(0.001)

    assert run_with_seed(program, 0, max_turns=10_000_000).passed
    other.join()
    assert answer == [(type(threading.Lock()), None, True), 2.0]


# Seeds --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("seed", "error"), [("1:x", ValueError), (True, TypeError), (1.5, TypeError)]
)
def test_seeds_that_are_none(seed, error):
    with pytest.raises(error, match=r"seed must be an int|A schedule as text"):
        run_with_seed(lambda: None, seed)


def test_choices_are_of_the_seed_alone():
    def draw(seed):
        choices = Choices(seed)
        return [choices.thread([1.0, 1.0, 0.05], True) for _ in range(50)], choices.taken

    assert draw(7) == draw(7)
    assert draw(7) != draw(8)
    assert set(draw(0)[0]) == {0}
