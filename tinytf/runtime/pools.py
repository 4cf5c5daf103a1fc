"""The threads of a session: which pools there are, and which one a step uses.

The thread that calls `sess.run` is one of a step's inter-op threads, so a pool of four has three
more of its own. They are shared by all steps that use the pool; when none is free, the step's own
thread does the work. TensorFlow: `ConfigProto`, core/common_runtime/direct_session.cc.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from tinytf.framework.errors import InvalidArgumentError
from tinytf.framework.operation import Operation
from tinytf.runtime import blas
from tinytf.runtime.intra_op import IntraOpPool
from tinytf.runtime.thread_pool import ElasticPool

#: `RunOptions.inter_op_thread_pool` of a step that nobody helps.
CALLER_ONLY = -1
_MOST_THREADS = 1024


#: What says how many threads there are where a `ConfigProto` does not; TensorFlow's names.
INTER_OP_VARIABLE, INTRA_OP_VARIABLE = "TF_NUM_INTEROP_THREADS", "TF_NUM_INTRAOP_THREADS"


def cores() -> int:
    """How many processors this process may use; the size of a pool that nobody gave one."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def intra_op_threads(config: Any) -> int | None:
    """How many threads a kernel has by a `ConfigProto` or the environment; None: neither says it.

    Raises:
      InvalidArgumentError: for a number that cannot be.
    """
    asked = config.intra_op_parallelism_threads
    return _asked("intra_op_parallelism_threads", asked, INTRA_OP_VARIABLE) or None


@dataclass(frozen=True, slots=True)
class Helpers:
    """The threads that a step may use beside its own.

    Attributes:
      inter_op: how many threads work on CPUs at once, the step's own included.
      offer: runs a function on another thread, when one is free; whether it will.
      offer_stream: the same for the stream of a GPU.
      withdraw: a function that was offered, and has not begun, need not run any more.
    """

    inter_op: int
    offer: Callable[[Callable[[], None]], bool]
    offer_stream: Callable[[Callable[[], None]], bool]
    withdraw: Callable[[Callable[[], None]], None] = lambda function: None


class InterOpPool:
    """A bounded number of threads that help steps.

    Args:
      threads: how many work on one step at most, the calling thread included.
      name: of the pool, which its threads carry.

    Example:
      >>> InterOpPool(4, "mine").offer(print)  # False when all three threads are busy
      True
    """

    def __init__(self, threads: int, name: str = "tinytf-inter-op"):
        self.threads = threads
        self.name = name
        self._threads = ElasticPool(name)
        self._lock = threading.Lock()
        #: One for each function that runs, or is about to. Guarded by self._lock.
        self._busy = set[object]()
        self._is_closed = False  # guarded by self._lock
        #: What waits for a thread. Guarded by self._lock.
        self._next = deque[Callable[[], None]]()

    def offer(self, function: Callable[[], None]) -> bool:
        """Run a function on a thread of the pool, when one is free; whether it will run.

        The threads of the step before are often about to leave it only, so it is worth waiting for
        them. Who no longer needs the function calls `withdraw`.
        """
        place = object()
        try:
            with self._lock:
                if len(self._busy) >= self.threads - 1:
                    if self.threads > 1 and not self._is_closed:
                        self._next.append(function)
                        return True
                    return False
                self._busy.add(place)
            self._threads.submit(self._run, place, function)
        except RuntimeError:  # shut down, or no thread to be had: the step does it all itself
            self._give_back(place)
            return False
        except BaseException:  # Ctrl-C: the function may run all the same, and give it back, too
            self._give_back(place)
            raise
        return True

    def withdraw(self, function: Callable[[], None]) -> None:
        """It need not run any more, if it does not run yet, however often it was offered."""
        with self._lock:
            while function in self._next:
                self._next.remove(function)

    def _run(self, place: object, function: Callable[[], None]) -> None:
        todo: Callable[[], None] | None = function
        del function
        try:
            while todo is not None:
                todo()
                with self._lock:
                    todo = self._next.popleft() if self._next else None
                    if todo is None:
                        self._busy.discard(place)
        except BaseException:
            self._give_back(place)
            raise

    def _give_back(self, place: object) -> None:
        with self._lock:
            self._busy.discard(place)

    def close(self) -> None:
        """End its threads: idle ones now, busy ones when they are done."""
        with self._lock:
            self._is_closed = True
            self._next.clear()
        self._threads.shutdown()


_lock = threading.Lock()
#: Pools without a name that sessions share, by size. Guarded by _lock.
_shared: dict[int, InterOpPool] = {}
_shared_intra_op: dict[tuple[int, bool], IntraOpPool] = {}
#: Pools with a `global_name`; they live as long as a session uses them. Guarded by _lock.
_named: weakref.WeakValueDictionary[str, InterOpPool] = weakref.WeakValueDictionary()


class SessionPools:
    """What a `ConfigProto` says about threads.

    Attributes:
      inter_op: the pools, in the order that `RunOptions.inter_op_thread_pool` counts.
      intra_op: how many threads one kernel may use. intra_op_pool: these threads; None for one.
      holds_blas: whether BLAS is held to one thread while steps run: where a number of intra-op
        threads was asked for, these do the work. Otherwise BLAS keeps the threads that it has in
        this process, but for steps with convolutions, which have threads of the pool multiply.
        Either way a product has the same bits in every run of a step.

    Raises:
      InvalidArgumentError: for numbers of threads that cannot be. (TensorFlow ends the process.)
    """

    def __init__(self, config: Any):
        self.has_own = bool(config.use_per_session_threads)
        self._owned: list[InterOpPool | IntraOpPool] = []
        threads = intra_op_threads(config)
        self.intra_op, self.holds_blas = threads or cores(), threads is not None
        self.intra_op_pool = self._intra_op_pool(self.holds_blas)
        self._splitting: IntraOpPool | None = None  # for steps with convolutions
        asked = config.session_inter_op_thread_pool
        if asked:
            self.inter_op = [self._of_option(number, option) for number, option in enumerate(asked)]
            return
        threads = config.inter_op_parallelism_threads
        # As in TensorFlow: below zero, the thread that called `run` does it all.
        if threads < 0:
            threads = 1
        threads = _asked("inter_op_parallelism_threads", threads, INTER_OP_VARIABLE) or cores()
        self.inter_op = [self._owns(threads) if self.has_own else _shared_pool(threads)]

    def _of_option(self, number: int, option: Any) -> InterOpPool:
        what = f"session_inter_op_thread_pool[{number}].num_threads"
        threads = _asked(what, option.num_threads, INTER_OP_VARIABLE) or cores()
        if not option.global_name:
            return self._owns(threads)
        with _lock:
            pool = _named.get(option.global_name)
            if pool is None:
                pool = _named[option.global_name] = InterOpPool(
                    threads, f"tinytf-inter-op-{option.global_name}"
                )
        if pool.threads != threads:
            raise InvalidArgumentError(
                f"The thread pool '{option.global_name}' has {pool.threads} threads in another "
                f"session, and {what} asks for {threads}. Pools of one name are one pool: ask for "
                f"the same number, or use another global_name."
            )
        return pool

    def _intra_op_pool(self, holds_blas: bool) -> IntraOpPool | None:
        if self.intra_op == 1:
            return None
        pool = IntraOpPool(self.intra_op, holds_blas=holds_blas)
        if self.has_own:
            self._owned.append(pool)
            return pool
        with _lock:
            return _shared_intra_op.setdefault((self.intra_op, holds_blas), pool)

    def holds_blas_for(self, ops: Iterable[Operation]) -> bool:
        """Whether BLAS is held to one thread while steps of these operations run."""
        if self.holds_blas:
            return any(map(blas.is_used_by, ops))
        return self.intra_op > 1 and any(map(blas.works_in_blocks, ops))

    def intra_op_pool_for(self, ops: Iterable[Operation]) -> IntraOpPool | None:
        """The threads that kernels of these operations may split their work over, if any."""
        if self.holds_blas or not self.holds_blas_for(ops):
            return self.intra_op_pool
        if self._splitting is None:
            self._splitting = self._intra_op_pool(holds_blas=True)
        return self._splitting

    def _owns(self, threads: int) -> InterOpPool:
        pool = InterOpPool(threads)
        self._owned.append(pool)
        return pool

    def of_step(self, options: Any) -> InterOpPool | None:
        """The pool of a step under `options` (a `RunOptions` or None); None: nobody helps."""
        number = 0 if options is None else options.inter_op_thread_pool
        if number == CALLER_ONLY:
            return None
        if not 0 <= number < len(self.inter_op):
            raise InvalidArgumentError(
                f"Invalid inter_op_thread_pool: {number}. This session has "
                f"{len(self.inter_op)}, counted from 0 (ConfigProto.session_inter_op_thread_pool); "
                f"-1 runs the step in the thread that calls run."
            )
        pool = self.inter_op[number]
        return pool if pool.threads > 1 else None

    def close(self) -> None:
        """End the threads of pools that no other session uses."""
        for pool in self._owned:
            pool.close()


def _shared_pool(threads: int) -> InterOpPool:
    with _lock:
        return _shared.setdefault(threads, InterOpPool(threads))


def _asked(what: str, asked: int, variable: str) -> int:
    """The number of threads that was asked for, here or in the environment; 0: none was."""
    if asked == 0:
        text = os.environ.get(variable, "").strip()
        # As in TensorFlow: what is no number of threads says nothing.
        given = int(text) if text.isdecimal() else 0
        if given > 0:
            what, asked = f"The environment's {variable}", given
    if asked < 0 or asked > _MOST_THREADS:
        raise InvalidArgumentError(
            f"{what} is {asked}: it must be a number of threads from 1 to "
            f"{_MOST_THREADS}, or 0 for one for each of the {cores()} processors."
        )
    return asked
