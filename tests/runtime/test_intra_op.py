"""The intra-op pool: every shard once, on several threads, whatever happens."""

import gc
import threading
import time
import weakref

import numpy as np
import pytest

from tests.runtime.blas_library import Library
from tinytf.runtime import blas, intra_op
from tinytf.runtime.intra_op import IntraOpPool, take_shards

DEADLINE = 30


@pytest.fixture
def pool():
    pool = IntraOpPool(3, name="test-pool")
    yield pool
    pool.close()
    assert wait_for(lambda: threads_of("test-pool") == [])


def threads_of(name):
    return [thread.name for thread in threading.enumerate() if thread.name.startswith(name)]


def wait_for(condition):
    """Whether a condition that nothing signals comes true in time."""
    end = time.monotonic() + DEADLINE
    turn = threading.Event()
    while not condition() and time.monotonic() < end:
        turn.wait(0.001)
    return condition()


def in_threads(count, function):
    """Run `function(i)` on threads, and give what they raised."""
    errors = []

    def run(index):
        try:
            function(index)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(i,)) for i in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(DEADLINE)
    assert not any(thread.is_alive() for thread in threads)
    return errors


@pytest.mark.parametrize("count", [0, 1, 2, 3, 7, 100])
def test_every_shard_runs_once(pool, count):
    ran = []
    pool.run(count, ran.append)
    assert sorted(ran) == list(range(count))


def test_shards_meet_on_all_threads(pool):
    together = threading.Barrier(3)
    names = set()

    def work(index):
        together.wait(DEADLINE)  # no shard ends before three threads run one each
        names.add(threading.current_thread().name)

    pool.run(3, work)
    assert names == {threading.current_thread().name, "test-pool_0", "test-pool_1"}


def test_threads_are_started_when_needed_and_kept(pool):
    assert threads_of("test-pool") == []
    pool.run(1, lambda index: None)
    assert threads_of("test-pool") == []
    for _ in range(20):
        pool.run(3, lambda index: None)
    assert sorted(threads_of("test-pool")) == ["test-pool_0", "test-pool_1"]


def test_idle_threads_end_and_others_begin(monkeypatch):
    monkeypatch.setattr(intra_op, "IDLE_SECONDS", 0.001)
    pool = IntraOpPool(2, name="idle-pool")
    pool.run(2, lambda index: None)
    assert wait_for(lambda: threads_of("idle-pool") == [])
    monkeypatch.setattr(intra_op, "IDLE_SECONDS", 10.0)
    together = threading.Barrier(2)
    pool.run(2, lambda index: together.wait(DEADLINE))
    assert threads_of("idle-pool") == ["idle-pool_0"]
    pool.close()


def test_a_forgotten_pool_ends_its_threads():
    pool = IntraOpPool(2, name="lost-pool")
    pool.run(2, lambda index: None)
    del pool
    gc.collect()
    assert wait_for(lambda: threads_of("lost-pool") == [])


def test_a_closed_pool_works_on_the_calling_thread(pool):
    pool.run(3, lambda index: None)
    pool.close()
    pool.close()
    threads = set()
    pool.run(5, lambda index: threads.add(threading.get_ident()))
    assert threads == {threading.get_ident()}


def test_closing_while_shards_run(pool):
    together, closed = threading.Barrier(3), threading.Event()
    ran = []

    def work(index):
        if index < 3:
            together.wait(DEADLINE)
            if index == 0:
                pool.close()
                closed.set()
            closed.wait(DEADLINE)
        ran.append(index)

    pool.run(6, work)
    assert sorted(ran) == list(range(6))


def test_the_first_error_is_raised_and_the_rest_left_out(pool):
    together = threading.Barrier(3)
    ran = []

    def work(index):
        ran.append(index)
        if index < 3:
            together.wait(DEADLINE)
            raise KeyError(index)

    with pytest.raises(KeyError) as caught:
        pool.run(100, work)
    assert caught.value.args[0] in (0, 1, 2)
    assert sorted(ran) == [0, 1, 2]
    pool.run(3, ran.append)
    assert len(ran) == 6


def test_an_error_of_a_helper_is_raised_by_the_caller(pool):
    caller, together = threading.get_ident(), threading.Barrier(2)

    def work(index):
        together.wait(DEADLINE)
        if threading.get_ident() != caller:
            raise ValueError("of a helper")

    with pytest.raises(ValueError, match="of a helper"):
        pool.run(2, work)


def test_a_shard_that_splits_its_own_work_does_it_alone(pool):
    inner = []
    together = threading.Barrier(3)

    def work(index):
        together.wait(DEADLINE)
        mine = threading.get_ident()
        pool.run(4, lambda i: inner.append((index, i, threading.get_ident() == mine)))

    pool.run(3, work)
    assert sorted(inner) == [(i, j, True) for i in range(3) for j in range(4)]


def test_many_callers_at_once(pool):
    results = [[] for _ in range(8)]

    def call(index):
        for _ in range(100):
            total = np.zeros(5)
            pool.run(5, lambda i, total=total: total.__setitem__(i, i + index))
            results[index].append(total.sum())

    assert in_threads(8, call) == []
    assert results == [[10 + 5 * i] * 100 for i in range(8)]
    assert len(threads_of("test-pool")) == 2


def test_a_caller_does_not_wait_for_helpers_that_are_busy(pool):
    started, go_on = threading.Barrier(4), threading.Event()

    def block(index):
        started.wait(DEADLINE)
        go_on.wait(DEADLINE)

    blocked = threading.Thread(target=pool.run, args=(3, block))
    blocked.start()
    started.wait(DEADLINE)  # both helpers, and the thread that called them, wait now
    ran = []
    pool.run(10, ran.append)
    assert sorted(ran) == list(range(10))
    go_on.set()
    blocked.join(DEADLINE)
    assert not blocked.is_alive()


def test_an_interrupt_leaves_at_once_and_the_pool_works_on(pool):
    caller = threading.get_ident()
    helper_runs, go_on = threading.Event(), threading.Event()
    ended = []

    def work(index):
        if threading.get_ident() == caller:
            helper_runs.wait(DEADLINE)
            raise KeyboardInterrupt
        helper_runs.set()
        go_on.wait(DEADLINE)
        ended.append(index)

    with pytest.raises(KeyboardInterrupt):
        pool.run(50, work)
    assert ended == []  # nobody waited for the helpers
    go_on.set()
    together = threading.Barrier(3)
    pool.run(3, lambda index: together.wait(DEADLINE))
    # What had begun ended, and nothing else began.
    assert len(ended) in (1, 2)


def test_nothing_is_kept_alive(pool):
    class Work:
        def __call__(self, index):
            together.wait(DEADLINE)

    together = threading.Barrier(3)
    work = Work()
    gone = weakref.ref(work)
    pool.run(3, work)
    del work
    assert wait_for(lambda: gone() is None)


def test_no_error_is_kept_alive(pool):
    class Broken(Exception):
        pass

    gone = []

    def work(index):
        error = Broken()
        gone.append(weakref.ref(error))
        raise error

    with pytest.raises(Broken):
        pool.run(3, work)

    def all_gone():
        gc.collect()
        return not any(reference() for reference in gone)

    assert wait_for(all_gone)


def test_shards_are_told(pool):
    together = threading.Barrier(3)
    native = set()

    def work(index):
        together.wait(DEADLINE)
        native.add(threading.get_native_id())

    take_shards()
    before = time.perf_counter_ns()
    pool.run(3, work)
    shards = take_shards(before)
    assert {thread for thread, _, _ in shards} == native
    assert len(native) == 3
    assert all(before <= start <= end for _, start, end in shards)
    assert [start for _, start, _ in shards] == sorted(start for _, start, _ in shards)
    assert take_shards() == []


def test_shards_of_an_earlier_kernel_are_not_told(pool):
    pool.run(2, lambda index: None)
    assert take_shards(time.perf_counter_ns()) == []


def test_shards_of_other_threads_are_not_told(pool):
    take_shards()
    assert in_threads(1, lambda _: pool.run(2, lambda index: None)) == []
    assert take_shards() == []


def test_helpers_do_not_warn(pool):
    together = threading.Barrier(3)

    def work(index):
        together.wait(DEADLINE)
        with np.errstate(all="ignore") if threading.get_ident() == caller else nothing():
            np.divide(np.ones(3), 0.0)

    import contextlib

    caller, nothing = threading.get_ident(), contextlib.nullcontext
    pool.run(3, work)  # pytest makes errors of warnings


def test_one_blas_thread(monkeypatch, pool):
    library = Library(4)
    monkeypatch.setattr(blas, "_libraries", [library])
    with pool.one_blas_thread() as held:
        assert held
        assert library.threads == 1
    assert library.threads == 4
    monkeypatch.setattr(blas, "_libraries", [])
    with pool.one_blas_thread() as held:
        assert not held


def test_helpers_that_only_delay_are_given_a_rest():
    luck = intra_op._Luck()
    mine = threading.get_native_id()
    lost = [(mine, 0, 10), (mine + 1, 0, 1000)]  # the caller would have needed 20
    won = [(mine, 0, 10), (mine + 1, 2, 12)]
    for _ in range(2):
        luck.learn(1000, lost, 2)
        assert luck.helpers(1) == 1
    luck.learn(15, won, 2)
    for _ in range(3):
        luck.learn(1000, lost, 2)
    asked = [luck.helpers(1) for _ in range(9)]
    assert asked == [0] * 8 + [1]
    luck.learn(1000, lost, 2)
    assert [luck.helpers(1) for _ in range(17)] == [0] * 16 + [1]
    luck.learn(15, won, 2)
    assert luck.helpers(1) == 1


def test_calls_that_nobody_helped_say_nothing():
    luck = intra_op._Luck()
    mine = threading.get_native_id()
    for _ in range(10):
        luck.learn(1000, [(mine, 0, 10), (mine, 10, 20)], 2)
        luck.learn(1000, [(mine + 1, 0, 10)], 1)
    assert luck.helpers(2) == 2


@pytest.mark.parametrize("threads", [0, -3])
def test_a_pool_without_threads(threads):
    with pytest.raises(ValueError, match=f"at least 1 thread, the caller's. Got: {threads}"):
        IntraOpPool(threads)


def test_a_machine_without_more_threads(monkeypatch):
    def start(self):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", start)
    pool = IntraOpPool(4)
    ran = []
    pool.run(6, ran.append)
    assert sorted(ran) == list(range(6))
