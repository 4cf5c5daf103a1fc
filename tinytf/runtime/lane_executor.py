"""The executor of a plan with several devices: their lanes run side by side.

A lane is a queue, not a thread: whoever has nothing else to do takes the next unit of a lane that
nobody runs. The thread that called `sess.run` takes part; as long as one unit is ready at a time
it does everything, and nothing is handed from thread to thread. Only a surplus (a second lane with
work) wakes another thread, if the work is worth it: what each unit costs is measured as it runs.

The counters (`Propagation`) are guarded by one lock, which is never held while a kernel runs. The
first error ends the step for its caller at once; a unit that another thread is in the middle of is
left to end by itself, and what it gives is dropped. TensorFlow: core/common_runtime/executor.cc.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections import deque
from typing import Any

import numpy as np

from tinytf.framework.errors import OpError
from tinytf.framework.pending import Pending
from tinytf.runtime.executor import Executor, StartThread
from tinytf.runtime.iterations import Iteration, Ready
from tinytf.runtime.partition import leaves
from tinytf.runtime.plan import Plan, Unit
from tinytf.runtime.step import Step

#: Below this, handing a unit to another thread costs more than waiting for it.
WORTH_A_THREAD = 50e-6


class LaneExecutor(Executor):
    """One running step on several devices.

    Args:
      plan, step, values: as for `Executor`.
      start_thread: runs a function on another thread.
    """

    def __init__(self, plan: Plan, step: Step, values: list[Any], start_thread: StartThread):
        super().__init__(plan, step, values)
        self._start_thread = start_thread
        self._lock = threading.Lock()
        # All below guarded by self._lock.
        self._lanes: list[deque[Ready]] = [deque() for _ in plan.lanes]
        #: what each lane runs at the moment
        self._running: list[Ready | None] = [None] * len(plan.lanes)
        #: units that are queued, run, or are waited for
        self._open = 0
        self._helpers = 0
        self._is_home_waiting = False
        self._error: BaseException | None = None

    def advance(self) -> bool:
        """Work on whatever is ready; returns whether the step is done."""
        step = self._step
        if not self._started:
            self._started = True
            with self._lock:
                self._enqueue(self._propagation.start())
        while True:
            if self._error is not None:
                raise self._error
            if step.cancellation.is_cancelled:
                raise step.cancellation_error()
            if step.deadline is not None and time.monotonic() >= step.deadline:
                raise self._out_of_time()
            if not self._posted.empty():  # other devices may go on with what has come meanwhile
                self._wait(None)
            with self._lock:
                lane = self._take(home=True)
                if lane is None:
                    self._is_home_waiting = self._open > 0
                    return self._open == 0
            self._run_lane(lane)

    def run(self) -> None:
        """Run until nothing is ready and nothing is waited for."""
        try:
            super().run()
        except BaseException as error:
            with self._lock:  # helpers stop at the next unit
                self._error = self._error or error
            raise

    def end(self) -> None:
        """See `Executor`; another thread may be in the middle of a unit."""
        with self._lock:
            super().end()

    def _help(self) -> None:
        """What another thread does: it runs lanes while there are any, and goes."""
        with np.errstate(all="ignore"):
            while True:
                with self._lock:
                    lane = None if self._error is not None else self._take(home=False)
                    if lane is None:
                        self._helpers -= 1
                        return
                try:
                    self._run_lane(lane)
                except BaseException as error:
                    with self._lock:
                        self._error = self._error or error
                    self._posted.put(None)

    def _wait(self, deadline: float | None) -> None:
        super()._wait(deadline)
        with self._lock:
            self._is_home_waiting = False

    # Lanes: the lock is held --------------------------------------------------------------------

    def _enqueue(self, ready: list[Ready]) -> None:
        sends = list[Ready]()
        for item in ready:
            if item[0].ops and leaves(item[0].ops[-1]):
                sends.append(item)
            else:
                self._lanes[item[0].lane].append(item)
        for item in reversed(sends):  # another device waits for them: they go first
            self._lanes[item[0].lane].appendleft(item)
        self._open += len(ready)

    def _take(self, home: bool) -> int | None:
        """Take a unit of a lane that nobody runs; its lane, or None."""
        taken = None
        for lane, waiting in enumerate(self._lanes):
            if not waiting or self._running[lane] is not None:
                continue
            if taken is None and (home or not waiting[0][0].at_home):
                taken = lane
                self._running[lane] = waiting.popleft()
            elif taken is None or self._is_worth_it(taken, waiting[0][0]):
                self._wake(waiting[0][0])
        return taken

    def _is_worth_it(self, taken: int, surplus: Unit) -> bool:
        """Whether a second thread would save more than it costs."""
        running = self._running[taken]
        costs = (surplus.cost, None if running is None else running[0].cost)
        return any(cost is None or cost > WORTH_A_THREAD for cost in costs)

    def _wake(self, surplus: Unit) -> None:
        if self._is_home_waiting:
            self._is_home_waiting = False
            self._posted.put(None)
        elif not surplus.at_home and self._helpers < len(self._lanes) - 1:
            # No thread to be had, or the session was closed just now: this thread does it all.
            with contextlib.suppress(RuntimeError):
                self._start_thread(self._help)
                self._helpers += 1

    # One unit -------------------------------------------------------------------------------------

    def _run_lane(self, lane: int) -> None:
        item = self._running[lane]
        assert item is not None
        unit, iteration, dead = item
        results: Any = None
        if not dead:
            start = time.perf_counter()
            try:
                results = self._execute(unit, iteration)
            except BaseException:
                with self._lock:
                    self._running[lane] = None
                raise
            unit.cost = time.perf_counter() - start
        if isinstance(results, Pending):
            with self._lock:
                self._running[lane] = None
                self._pending[results] = unit
            results.when_done(lambda pending: self._posted.put((self, unit, iteration, pending)))
            return
        with self._lock:
            self._running[lane] = None
            ready = self._propagation.done(unit, iteration, results, dead)
            results = None  # whoever goes on from here must not find it kept by this thread
            self._go_on_with(ready)

    def _done(self, unit: Unit, iteration: Iteration, results: Any, dead: bool) -> None:
        with self._lock:  # something that was waited for has come
            self._go_on_with(self._propagation.done(unit, iteration, results, dead))

    def _go_on_with(self, ready: list[Ready]) -> None:
        """A unit is done, and `ready` have become ready. The lock is held."""
        self._enqueue(ready)
        self._open -= 1
        if self._is_home_waiting and self._open == 0:
            self._is_home_waiting = False
            self._posted.put(None)

    def _out_of_time(self) -> OpError:
        with self._lock:
            running = [item for item in self._running if item is not None]
            queued = [item for lane in self._lanes for item in lane]
        return self._deadline_exceeded(deque(running + queued))
