"""The threads that share the work of one kernel: TensorFlow's intra-op pool.

A kernel that can be split calls `run(count, work)`. The calling thread works as well: it takes
shards until none is left unclaimed, so it never waits for a shard that nobody has begun, and a pool
whose threads are all busy (or gone) costs time only, never the result.

A hand-off is one `SimpleQueue.put`, and one `Lock.acquire` for the caller to wait for what others
still run. The lock-free parts lean on what is one step under the interpreter lock: `next()` of an
`itertools.count`, `put` and `get`. An interrupt from the keyboard may therefore come anywhere.
"""

from __future__ import annotations

import itertools
import queue
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

import numpy as np

from tinytf.runtime import blas, processors

#: A thread without work ends after so many seconds.
IDLE_SECONDS = 10.0

#: After so many losses in a row (see `_Luck`) no helper is called for twice as many calls, then
#: four times ..., but never for more than `_LONG_REST`.
_FEW_LOSSES, _LONG_REST = 3, 64
#: So much longer is a loss.
_LOSS = 1.3

#: One shard that ran: native id of its thread, start, end (of `time.perf_counter_ns`).
Shard = tuple[int, int, int]


class _ThisThread(threading.local):
    """What a thread knows of itself."""

    inside = False  # whether it runs a shard now
    shards: tuple[Shard, ...] = ()  # of the kernel that it called last


_this = _ThisThread()


class IntraOpPool:
    """A fixed number of threads, started when they are first needed; any thread may call `run`.

    Args:
      threads: how many work on one kernel, the calling thread included.
      name: of the threads, before "_0", "_1" ...
      holds_blas: whether steps that use it hold BLAS to one thread; see `ShardPool`.

    Raises:
      ValueError: for a number of threads below 1.

    Example:
      >>> pool = IntraOpPool(2)
      >>> pool.run(2, lambda i: np.sqrt(halves[i], out=roots[i]))

    TensorFlow: the `Eigen::ThreadPool` of core/common_runtime/local_device.cc.
    """

    def __init__(self, threads: int, name: str = "tinytf-intra-op", holds_blas: bool = False):
        if threads < 1:
            raise ValueError(
                f"An intra-op pool has at least 1 thread, the caller's. Got: {threads}"
            )
        self.threads = threads
        self.holds_blas = holds_blas
        self._name = name
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._workers: set[int] = set()  # guarded by self._lock; numbers in use
        self._helpers = processors.Helpers()
        self._closed = False  # guarded by self._lock
        self._luck = _Luck()
        # A pool that was forgotten is closed: its threads hold the queue, not the pool.
        self._finalizer = weakref.finalize(self, _end, self._jobs, threads - 1)
        self._finalizer.atexit = False  # daemon threads need no goodbye

    def run(self, count: int, work: Callable[[int], object]) -> None:
        """Run `work(0)` to `work(count - 1)` on this thread and on free ones of the pool.

        Calls from several threads share the pool, first come first served. A shard that calls
        `run` itself runs the shards of that call alone. So does everybody once the pool is closed.

        Raises:
          what a shard raised: the first one; shards that had not begun are left out then.
          KeyboardInterrupt: at once; shards that other threads run go on to their end.
        """
        if _this.inside or self.threads == 1 or count < 2 or self._closed:
            for index in range(count):
                work(index)
            return
        begin = time.perf_counter_ns()
        job = _Job(count, work)
        self._helpers.make_room()
        for _ in range(self._luck.helpers(min(count, self.threads) - 1)):
            if len(self._workers) == self.threads - 1 or self._start_worker():
                self._jobs.put(job)
        try:
            job.take_part(Exception)
            job.wait()
        finally:
            job.failed = True  # nobody begins another shard, should this be an interrupt
            shards, job.work = job.shards, _nothing
        _this.shards = tuple(sorted(shards, key=_start_of))
        self._luck.learn(time.perf_counter_ns() - begin, shards, count)
        if job.error is not None:
            try:
                raise job.error
            finally:
                job.error = None  # a traceback holds frames, and these the job

    def one_blas_thread(self) -> AbstractContextManager[bool]:
        """`blas.limit(1)`, with whether there is something that could be limited."""
        return _one_blas_thread()

    def close(self) -> None:
        """End the threads, busy ones after their shard. `run` works on, with its caller alone."""
        with self._lock:
            if not self._closed:
                self._closed = True
                _end(self._jobs, self.threads - 1)

    def _start_worker(self) -> bool:
        """Start one more thread; whether there is at least one then."""
        with self._lock:
            free = (number for number in range(self.threads - 1) if number not in self._workers)
            number = next(free, None)
            if number is None or self._closed:
                return number is None
            arguments = (weakref.ref(self), self._jobs, number)
            thread = threading.Thread(
                target=_serve, args=arguments, name=f"{self._name}_{number}", daemon=True
            )
            try:
                thread.start()
            except RuntimeError:  # no more threads on this machine: with fewer it works, too
                return bool(self._workers)
            self._workers.add(number)
            return True

    def _ended(self, number: int) -> None:
        self._helpers.discard_me()
        with self._lock:
            self._workers.discard(number)


def take_shards(since: int = 0) -> list[Shard]:
    """The shards of the kernel that this thread ran last, and forget them.

    Args:
      since: when the kernel began (`time.perf_counter_ns`): shards of an earlier one are left out.

    Returns:
      (native thread id, start, end) of each in the order in which they began; [] for a kernel that
      did not split its work.
    """
    shards, _this.shards = _this.shards, ()
    return [shard for shard in shards if shard[1] >= since]


class _Luck:
    """Whether the processors have time for helpers: if not, kernels are better off alone.

    Where other programs keep the processors busy, a helper that was called comes late, or stops in
    the middle of a shard for milliseconds, and the caller waits. After a few calls in a row that
    took clearly longer than their shards would have taken the caller alone, no helper is called for
    a while. Several threads may count at once: what they lose of each other's counts does no harm.
    """

    def __init__(self) -> None:
        self._losses = 0  # calls in a row that lost
        self._rest = 0  # calls for which no helper is called

    def helpers(self, wanted: int) -> int:
        """How many helpers to call, of so many."""
        if self._rest == 0:
            return wanted
        self._rest -= 1
        return 0

    def learn(self, nanoseconds: int, shards: list[Shard], count: int) -> None:
        """A call took so long, for these shards of `count`."""
        mine = threading.get_native_id()
        own = [end - start for thread, start, end in shards if thread == mine]
        if not own or len(own) == len(shards):
            return  # nobody came, or nobody was needed: nothing to compare
        if nanoseconds < _LOSS * sum(own) * count / len(own):
            self._losses = 0
            return
        self._losses += 1
        if self._losses >= _FEW_LOSSES:
            self._rest = min(2**self._losses, _LONG_REST)


@contextmanager
def _one_blas_thread() -> Iterator[bool]:
    with blas.limit(1):
        yield blas.has_switch()


class _Job:
    """One call of `run`."""

    __slots__ = ("_claims", "_count", "_done", "_ends", "error", "failed", "shards", "work")

    def __init__(self, count: int, work: Callable[[int], object]):
        self._count, self.work = count, work
        self._claims, self._ends = itertools.count(), itertools.count(1)
        self._done = threading.Lock()
        self._done.acquire()
        self.error: BaseException | None = None
        self.failed = False
        self.shards: list[Shard] = []

    def take_part(self, kept: type[BaseException] = BaseException) -> None:
        """Run shards until none is left that nobody has begun; errors of the kind `kept` stay."""
        claims, count = self._claims, self._count
        thread, clock = threading.get_native_id(), time.perf_counter_ns
        try:
            _this.inside = True
            while (index := next(claims)) < count:
                try:
                    if not self.failed:
                        start = clock()
                        self.work(index)
                        self.shards.append((thread, start, clock()))
                except kept as error:
                    self._fail(error)
                finally:
                    if next(self._ends) == count:
                        self._done.release()
        finally:
            _this.inside = False

    def _fail(self, error: BaseException) -> None:
        if not self.failed:
            self.error, self.failed = error, True

    def wait(self) -> None:
        """Wait until all shards have ended."""
        self._done.acquire()


def _start_of(shard: Shard) -> int:
    return shard[1]


def _nothing(index: int) -> None:
    """The work of a call that is over."""


def _serve(
    pool: weakref.ref[IntraOpPool], jobs: queue.SimpleQueue[_Job | None], number: int
) -> None:
    """What a thread of a pool does: jobs, until none comes for a while, or None does."""
    owner = pool()
    if owner is not None:
        owner._helpers.add_me()
    del owner  # a thread that waits does not keep the pool
    try:
        # Warnings of numpy's are settings of a thread: kernels run without them, as in a step.
        with np.errstate(all="ignore"):
            while True:
                job = jobs.get(timeout=IDLE_SECONDS)
                if job is None:
                    return
                job.take_part()
                del job  # it holds arrays
    except queue.Empty:
        return
    finally:
        owner = pool()
        if owner is not None:
            owner._ended(number)


def _end(jobs: queue.SimpleQueue[_Job | None], threads: int) -> None:
    for _ in range(threads):
        jobs.put(None)
