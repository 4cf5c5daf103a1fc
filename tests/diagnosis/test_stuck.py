"""Which of several threads are stuck: the analysis alone, on threads and waits that are made up."""

import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

import tinytf as tf
from tinytf.diagnosis import picture, stuck, texts, threads
from tinytf.diagnosis.picture import Actor, Picture
from tinytf.framework import waiting
from tinytf.framework.thread_frames import thread_frames
from tinytf.framework.waiting import Blocked, Wait

ENQUEUES, DEQUEUES = frozenset(["QueueEnqueueV2"]), frozenset(["QueueDequeueV2"])


class Thing:
    """Something to wait on, known by the name of a queue in the graph."""

    kind = "FIFOQueue"
    served_by = {"elements": ENQUEUES, "room": DEQUEUES}

    def __init__(self, name):
        self.name = f"_0_{name}"

    def describe(self):
        return f"the queue '{self.name}'"


class Waiter:
    def waits(self):
        return []

    def is_in_step(self, op):
        return False


class InStep(Waiter):
    def is_in_step(self, op):
        return op.name == "put"


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def queue(name):
    """A queue's enqueue and dequeue operations, and the thing to wait on."""
    made = tf.FIFOQueue(3, [tf.float32], shapes=[[]], name=name)
    return made.enqueue(1.0), made.dequeue().op, Thing(name)


def elements(thing):
    return Wait("1 element", thing, "elements")


def room(thing):
    return Wait("room for 1 element", thing, "room")


def user(number, *waits):
    return Actor(number, f"user {number}", None, None, list(waits))


def runner(number, ops, *waits):
    return Actor(number, f"runner {number}", frozenset(ops), None, list(waits))


def live(*actors, but=None):
    return sorted(Picture(list(actors), []).find_live(but))


def test_a_lone_thread_that_waits_is_stuck():
    assert live(user(1, elements(queue("q")[2]))) == []


def test_whoever_does_not_wait_keeps_others_alive():
    assert live(user(1, elements(queue("q")[2])), user(2)) == [1, 2]


def test_a_runner_helps_only_with_what_it_runs():
    enqueue, _, thing = queue("q")
    other, _, _ = queue("other")
    assert live(user(1, elements(thing)), runner(2, [enqueue])) == [1, 2]
    assert live(user(1, elements(thing)), runner(2, [other])) == [2]


def test_a_queue_whose_name_ends_likewise_is_another():
    other, _, _ = queue("my_q")
    _, _, thing = queue("q")
    assert live(user(1, elements(thing)), runner(2, [other])) == [2]


def test_a_queue_of_the_same_name_in_another_container_is_another():
    def queue_in(container):
        with tf.container(container):
            return tf.FIFOQueue(3, [tf.float32], shapes=[[]], shared_name="q", name="same")

    mine, other, default = map(queue_in, ("mine", "other", ""))
    with tf.Session() as session:
        session.run([queue.size() for queue in (mine, other, default)])
        found = {
            c: thing for c, _, name, thing in session._backend.resources.items() if name == "q"
        }
    thing = found["mine"]
    assert live(user(1, elements(thing)), runner(2, [mine.enqueue(1.0)])) == [1, 2]
    assert live(user(1, elements(thing)), runner(2, [other.enqueue(1.0)])) == [2]
    assert live(user(1, elements(thing)), runner(2, [default.enqueue(1.0)])) == [2]
    assert picture.serves(default.enqueue(1.0), elements(found["localhost"]))


@pytest.mark.parametrize(("container", "is_deadlock"), [("mine", True), ("other", False)])
def test_two_sessions_of_one_program_are_in_each_other_s_way_in_one_container(
    container, is_deadlock
):
    def waits(number, container):
        thing = Thing("q")
        thing.name, thing.containers = "q", (container,)
        with tf.Graph().as_default() as graph, tf.container(container):
            queue = tf.FIFOQueue(3, [tf.float32], shapes=[[]], shared_name="q", name="q")
            take = queue.dequeue(name="take").op
            queue.enqueue(1.0, name="put")
        blocked = Blocked(number, InStep(), graph)
        return Actor(number, f"u{number}", None, blocked, [Wait("one", thing, "elements", take)])

    actors = [waits(1, "mine"), waits(2, container)]
    text = texts.of_stuck(actors[0], Picture(actors, []), actors)
    assert ("Deadlock: u1 and u2 wait for each other" in text) == is_deadlock
    assert ("u2 puts elements in, with put" in text) == is_deadlock


def test_a_value_that_is_put_in_is_no_queue():
    names = tf.FIFOQueue(3, [tf.string], shapes=[[]], name="names")
    enqueue = names.enqueue(tf.identity(tf.constant("q")))
    _, _, thing = queue("q")
    assert not picture.serves(enqueue, elements(thing))
    assert picture.serves(enqueue, elements(Thing("names")))


def test_a_reader_takes_out_of_the_queue_of_names():
    names = tf.FIFOQueue(3, [tf.string], shapes=[[]], name="names")
    read = tf.TextLineReader().read(names)[0].op
    thing = Thing("names")
    thing.served_by = {"room": frozenset(["ReaderReadV2"])}
    assert picture.serves(read, room(thing))


def test_a_chosen_queue_may_be_any():
    first, second = (tf.FIFOQueue(3, [tf.float32], shapes=[[]], name=n) for n in ("a", "b"))
    which = tf.placeholder(tf.int32, [])
    enqueue = tf.QueueBase.from_list(which, [first, second]).enqueue(1.0)
    assert live(user(1, elements(Thing("b"))), runner(2, [enqueue])) == [1, 2]


def test_a_chain_is_alive_if_its_end_is():
    fill_a, take_a, a = queue("a")
    fill_b, _, b = queue("b")
    main, middle = user(1, elements(b)), runner(2, [fill_b, take_a], elements(a))
    assert live(main, middle, runner(3, [fill_a])) == [1, 2, 3]
    assert live(main, middle) == []


def test_a_circle_of_runners_and_a_thread_are_stuck():
    fill_a, take_a, a = queue("a")
    fill_b, take_b, b = queue("b")
    assert (
        live(
            user(1, elements(a)),
            runner(2, [fill_a, take_b], elements(b)),
            runner(3, [fill_b, take_a], elements(a)),
        )
        == []
    )


def test_two_threads_in_a_circle_are_stuck_though_each_could_do_anything():
    _, _, a = queue("a")
    _, _, b = queue("b")
    assert live(user(1, elements(a)), user(2, room(b))) == []
    assert live(user(1, elements(a)), user(2, room(b)), user(3)) == [1, 2, 3]


def test_one_of_several_waits_is_enough():
    fill_a, _, a = queue("a")
    _, _, b = queue("b")
    assert live(user(1, elements(b), elements(a)), runner(2, [fill_a])) == [1, 2]


def test_it_cannot_help_itself():
    _, _, a = queue("a")
    waits = user(1, elements(a))
    waits.runs = None
    assert live(waits) == []


@pytest.mark.parametrize("wait", [Wait("its result"), Wait("its turn", might_end=True)])
def test_in_doubt_a_wait_ends(wait):
    assert live(user(1, wait)) == [1]


def test_a_wait_for_threads_ends_with_one_that_goes_on():
    _, _, a = queue("a")
    join = Wait("threads to end: 2", threads=(2,))
    assert live(user(1, join), user(2)) == [1, 2]
    assert live(user(1, join), user(2, elements(a))) == []


def test_a_wait_for_threads_that_nobody_knows_may_end():
    assert live(user(1, Wait("kernels in other threads", threads=(77,)))) == [1]


def test_a_deadline_ends_a_wait_for_others_but_not_for_its_own_report():
    _, _, a = queue("a")
    waits = user(1, elements(a))
    waits.blocked = Blocked(1, Waiter(), deadline=1e12)
    joins = user(2, Wait("threads to end: 1", threads=(1,)))
    assert live(waits, joins) == [1, 2]
    assert live(waits, joins, but=1) == []


def test_a_step_with_python_in_it_can_do_anything():
    other = tf.FIFOQueue(3, [tf.float32], shapes=[[]], name="other")
    plain, python = other.enqueue(1.0), other.enqueue(tf.py_func(lambda: 1.0, [], tf.float32))

    class Runner:
        def __init__(self, op):
            self.enqueue_ops = [op]

    assert plain in picture.what_it_runs(Runner(plain))
    assert picture.what_it_runs(Runner(python)) is None


# Which threads matter ----------------------------------------------------------------------------


def frame_of(thread):
    return thread_frames().get(thread.ident)  # None: it has not begun


@pytest.fixture
def released():
    event = threading.Event()
    yield event
    event.set()


def until(condition):
    """Let other threads run until something is so, which it will be soon."""
    while not condition():
        os.sched_yield()


def started(target, *arguments, **how):
    inside = threading.Event()

    def run():
        inside.set()
        target(*arguments)

    thread = threading.Thread(target=run, daemon=True, **how)
    thread.start()
    assert inside.wait(20)
    return thread


def test_a_thread_with_code_of_the_user_matters(released):
    thread = started(released.wait)
    assert threads.matters(thread, frame_of(thread))


def test_a_timer_matters(released):
    timer = threading.Timer(1000, released.set)
    timer.daemon = True
    timer.start()
    try:
        assert threads.matters(timer, frame_of(timer))
    finally:
        timer.cancel()
        timer.join()


def test_idle_threads_of_pools_do_not_matter():
    with ThreadPoolExecutor(1) as pool:
        pool.submit(int).result()
        (thread,) = pool._threads
        # It has given its result and is about to ask for more work.
        assert not threads.matters(thread, frame_of(thread))


def test_threads_of_ours_do_not_matter(released):
    thread = started(released.wait)
    coord = tf.train.Coordinator()
    joiner = started(coord.join, [thread], name="joiner")

    def does_not_matter():  # once it has begun: a thread that begins might do anything
        watchers = [t for t in threading.enumerate() if t.name == "Coordinator.join"]
        return watchers and not threads.matters(watchers[0], frame_of(watchers[0]))

    until(does_not_matter)
    released.set()
    joiner.join()


def test_a_join_of_pythons_own_is_a_wait(released):
    thread = started(released.wait, name="joined")
    joiner = started(thread.join)
    patient = started(thread.join, 1000)
    until(lambda: threads.waits_of(frame_of(joiner)))
    (wait,) = threads.waits_of(frame_of(joiner))
    assert wait.threads == (thread.ident,)
    assert wait.what == "threads to end: joined"
    assert threads.waits_of(frame_of(patient)) == []
    released.set()
    joiner.join()
    patient.join()


def test_the_line_is_the_programs_own(released):
    thread = started(released.wait)
    assert "test_stuck.py, line " in threads.line_of(frame_of(thread))


# The table ---------------------------------------------------------------------------------------


def test_a_wait_inside_a_wait_puts_the_outer_one_back():
    me = threading.get_ident()
    outer, inner = Blocked(me, Waiter()), Blocked(me, Waiter())
    with outer:
        with inner:
            assert [one for one in waiting.blocked() if one.thread == me] == [inner]
        assert [one for one in waiting.blocked() if one.thread == me] == [outer]
    assert [one for one in waiting.blocked() if one.thread == me] == []


def test_of_a_wait_that_is_interrupted_the_picture_is_kept(monkeypatch):
    monkeypatch.setattr(stuck, "_interrupted", None)
    with pytest.raises(KeyboardInterrupt), Blocked(threading.get_ident(), Waiter()):
        raise KeyboardInterrupt
    assert "When a wait was interrupted, " in repr(tf.why_stuck())
    assert not [one for one in waiting.blocked() if one.thread == threading.get_ident()]


def test_a_report_that_fails_says_so_and_lets_the_wait_go_on(monkeypatch, capfd):
    def fail():
        raise ZeroDivisionError("of the test")

    monkeypatch.setattr(stuck, "take_picture", fail)
    me = threading.get_ident()
    with Blocked(me, Waiter()):
        assert stuck.report(me)
        assert not stuck.report(me)  # once
    assert "why could not be found out: ZeroDivisionError: of the test" in capfd.readouterr().out


def test_an_interrupt_counts_more_than_its_picture(monkeypatch):
    def fail():
        raise ZeroDivisionError("of the test")

    monkeypatch.setattr(stuck, "take_picture", fail)
    with pytest.raises(KeyboardInterrupt), Blocked(threading.get_ident(), Waiter()):
        raise KeyboardInterrupt
    assert "of the test" in stuck._interrupted[1]


class Stuck(Waiter):
    def __init__(self, *waits):
        self.given = list(waits)

    def waits(self):
        return self.given


@pytest.fixture
def alone(monkeypatch):
    """No other thread of the tests' process counts."""
    monkeypatch.setattr(picture, "matters", lambda thread, frame: False)


def test_a_report_needs_two_looks_that_agree(alone, capfd):
    _, _, thing = queue("q")
    me = threading.get_ident()
    entry = Blocked(me, Stuck(elements(thing)))
    patience = entry.patience
    with entry:
        assert not stuck.report(me)
        assert entry.patience < patience  # the second look comes soon
        assert stuck.report(me)
        assert entry.patience == patience
        assert not stuck.report(me)
    assert capfd.readouterr().out.count("This has waited for 0.0 seconds") == 1


def test_a_wait_that_ends_meanwhile_is_not_reported(alone, capfd):
    _, _, thing = queue("q")
    me, waiter = threading.get_ident(), Stuck(elements(thing))
    with Blocked(me, waiter) as _:
        assert not stuck.report(me)
        waiter.given = []
        assert not stuck.report(me)
    with Blocked(me, waiter):
        waiter.given = [elements(thing)]
        assert not stuck.report(me)  # another wait: the first look at it
    assert capfd.readouterr().out == ""


def test_the_report_about_a_wait_with_a_deadline_says_when_it_ends(alone, capfd):
    _, _, thing = queue("q")
    me = threading.get_ident()
    with Blocked(me, Stuck(elements(thing)), deadline=time.monotonic() + 1000):
        stuck.report(me)
        assert stuck.report(me)
    assert "ends by itself at its deadline, in " in capfd.readouterr().out
