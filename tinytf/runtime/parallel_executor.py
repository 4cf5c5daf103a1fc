"""Steps on several threads: on the cores of a CPU, and on several devices.

Ready units queue in *lanes*, one for each device. The thread that called `sess.run` works on them;
as long as one unit is ready at a time it does everything, and nothing is handed from thread to
thread. Only a surplus wakes a helper, if the work is worth it: what each unit costs is measured as
it runs. All CPUs of a task share the inter-op threads; a GPU's lane is a stream: one unit at a
time, in the order in which they became ready. Whoever has nothing else to do runs either.

The counters (`Propagation`) are guarded by one lock, which is never held while a kernel runs. The
first error ends the step for its caller at once; a unit that another thread is in the middle of is
left to end by itself, and what it gives is dropped. TensorFlow: core/common_runtime/executor.cc.
"""

from __future__ import annotations

import math
import threading
import time
from collections import deque
from collections.abc import Callable
from itertools import islice
from typing import Any

import numpy as np

from tinytf.framework.cancellation import this_thread
from tinytf.framework.errors import OpError
from tinytf.framework.pending import Pending
from tinytf.framework.rendezvous import DEAD
from tinytf.framework.waiting import Wait
from tinytf.runtime import stragglers
from tinytf.runtime.executor import Executor, Observer
from tinytf.runtime.iterations import Iteration, Ready
from tinytf.runtime.partition import leaves
from tinytf.runtime.plan import Kind, Plan, Unit
from tinytf.runtime.pools import Helpers
from tinytf.runtime.step import Step
from tinytf.runtime.stragglers import Straggler

#: Below this, handing a unit to another thread costs more than waiting for it.
WORTH_A_THREAD = 50e-6


class ParallelExecutor(Executor):
    """One running step on several threads.

    Args:
      plan, step, values, observer, choose: as for `Executor`; an observer is told with the lock
        held, on the thread that runs the unit.
      helpers: the other threads.
    """

    def __init__(
        self,
        plan: Plan,
        step: Step,
        values: list[Any],
        helpers: Helpers,
        observer: Observer | None = None,
        choose: Callable[[list[Ready]], int] | None = None,
    ):
        super().__init__(plan, step, values, observer, choose)
        self._threads = helpers
        self._lock = threading.Lock()
        # All below guarded by self._lock.
        self._lanes: list[deque[Ready]] = [deque() for _ in plan.lanes]
        #: how many units of each lane run at the moment
        self._running = [0] * len(plan.lanes)
        #: how many more threads may work on CPUs
        self._free = helpers.inter_op
        #: what each thread runs, and since when
        self._now: dict[int, tuple[Ready, float]] = {}
        #: units that are queued, run, or are waited for
        self._open = 0
        self._helpers = 0
        self._most_helpers = helpers.inter_op - 1 + sum(plan.is_stream)
        #: helpers that were called and have not begun
        self._coming = 0
        self._is_home_waiting = False
        self._error: BaseException | None = None
        self._left: dict[int, Straggler] = {}

    def advance(self) -> bool:
        """Work on whatever is ready; returns whether the step is done."""
        step = self._step
        if not self._started:
            self._started = True
            with self._lock:
                ready = self._propagation.start()
                self._enqueue(ready)
                if self._observer is not None:
                    self._observer.started(self._propagation, ready)
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
                taken = self._take(home=True)
                if taken is None:
                    self._is_home_waiting = self._open > 0
                    return self._open == 0
            try:
                self._run(taken)
            except Exception as error:
                with self._lock:
                    self._error = self._error or error  # another thread's may have come first
                raise self._error from None

    def run(self) -> None:
        """Run until nothing is ready and nothing is waited for."""
        try:
            super().run()
        except BaseException as error:
            with self._lock:  # helpers stop at the next unit
                self._error = self._error or error
                self._left = {
                    thread: stragglers.left_behind(thread, item[0].ops, since)
                    for thread, (item, since) in self._now.items()
                    if thread != threading.get_ident()
                }
            raise

    def end(self) -> None:
        """See `Executor`; another thread may be in the middle of a unit."""
        with self._lock:
            super().end()
            is_awaited = self._coming > 0
        if is_awaited:
            self._threads.withdraw(self._help)

    def _help(self) -> None:
        """What another thread does: it runs lanes while there are any, and goes."""
        with self._lock:
            self._coming -= 1
        this_thread.under(self._step)
        with np.errstate(all="ignore"):
            while True:
                try:
                    with self._lock:
                        taken = None if self._error is not None else self._take(home=False)
                        if taken is None:
                            self._helpers -= 1
                            this_thread.manager = None
                            return
                    self._run(taken)
                except BaseException as error:  # of a kernel, or of an observer
                    with self._lock:
                        self._error = self._error or error
                    self._posted.put(None)

    def waits(self) -> list[Wait]:
        """See `waiting.Waiter`: also for what other threads are in the middle of."""
        busy = tuple(thread for thread in self._now.copy() if thread != self._step.owner)
        found = super().waits()
        if busy and (found or not self._pending):
            found.append(Wait("kernels that run in other threads", threads=busy))
        return found

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
        if self._is_traced:
            self._note_ready(ready)

    def _take(self, home: bool) -> Ready | None:
        """Take a unit that may run now, and call for help if there are more; the unit, or None."""
        item = self._next_of_order(home) if self._choose is None else self._chosen(home)
        if item is None:
            if not home:
                self._wake_home()
            return None
        unit = item[0]
        self._running[unit.lane] += 1
        if not self._plan.is_stream[unit.lane]:
            self._free -= 1
        self._now[threading.get_ident()] = item, time.perf_counter()
        self._call_for_help(item)
        if self._observer is not None:
            self._observer.running(*item)
        return item

    def _wake_home(self) -> None:
        """A helper has nothing to do: what only the thread of the step may run is for that one."""
        if self._is_home_waiting and any(
            waiting and self._may_start(lane) for lane, waiting in enumerate(self._lanes)
        ):
            self._is_home_waiting = False
            self._posted.put(None)

    def _may_start(self, lane: int) -> bool:
        return not self._running[lane] if self._plan.is_stream[lane] else self._free > 0

    def _next_of_order(self, home: bool) -> Ready | None:
        """Of the device that does least at the moment what came first."""
        best = None
        for lane, waiting in enumerate(self._lanes):
            if not waiting or not self._may_start(lane):
                continue
            if best is None or self._running[lane] < self._running[best]:
                if home or any(not item[0].at_home for item in waiting):
                    best = lane
        if best is None:
            return None
        waiting = self._lanes[best]
        if home or not waiting[0][0].at_home:
            return waiting.popleft()
        item = next(item for item in waiting if not item[0].at_home)
        waiting.remove(item)
        return item

    def _chosen(self, home: bool) -> Ready | None:
        """What whoever steers the step wants next."""
        assert self._choose is not None
        candidates = list[Ready]()
        for lane, waiting in enumerate(self._lanes):
            if waiting and self._may_start(lane):
                items = islice(waiting, 1) if self._plan.is_stream[lane] else waiting
                candidates.extend(item for item in items if home or not item[0].at_home)
        if not candidates:
            return None
        item = candidates[self._choose(candidates)]
        self._lanes[item[0].lane].remove(item)
        return item

    def _call_for_help(self, taken: Ready) -> None:
        """Wake a thread for each further unit that could run now and is worth it."""
        room, seen = self._free, 0
        for lane, waiting in enumerate(self._lanes):
            if not waiting or not self._may_start(lane):
                continue
            most = 1 if self._plan.is_stream[lane] else room
            for surplus in islice(waiting, most):
                seen += 1
                if seen > self._coming and self._is_worth_it(taken, surplus):
                    self._wake(surplus[0])
            if not self._plan.is_stream[lane]:
                room -= min(room, len(waiting))

    def _is_worth_it(self, taken: Ready, surplus: Ready) -> bool:
        """Whether a second thread would save more than it costs."""
        if self._observer is not None:
            return True
        return any(
            not dead and (unit.cost is None or unit.cost > WORTH_A_THREAD)
            for unit, _, dead in (surplus, taken)
        )

    def _wake(self, surplus: Unit) -> None:
        if self._is_home_waiting:
            self._is_home_waiting = False
            self._posted.put(None)
        elif not surplus.at_home and self._helpers < self._most_helpers:
            is_stream = self._plan.is_stream[surplus.lane]
            offer = self._threads.offer_stream if is_stream else self._threads.offer
            if offer(self._help):  # if not, this thread does it all
                self._helpers += 1
                self._coming += 1

    # One unit -------------------------------------------------------------------------------------

    def _run(self, item: Ready) -> None:
        unit, iteration, dead = item
        results: Any = None
        if not dead or unit.kind is Kind.SEND:
            start = time.perf_counter()
            try:
                results = self._execute(unit, iteration, dead)
            except BaseException:
                with self._lock:
                    self._leave(unit)
                raise
            if unit.cost != math.inf:
                unit.cost = time.perf_counter() - start
            if results is DEAD:
                results, dead = None, True
        if isinstance(results, Pending):
            with self._lock:
                self._leave(unit)
                self._pending[results] = unit
            results.when_done(lambda pending: self._posted.put((self, unit, iteration, pending)))
            return
        with self._lock:
            self._leave(unit)
            ready = self._propagation.done(unit, iteration, results, dead)
            if self._observer is not None:
                self._observer.finished(unit, iteration, results, dead, ready)
            results = None  # whoever goes on from here must not find it kept by this thread
            self._go_on_with(ready)

    def _leave(self, unit: Unit) -> None:
        """A thread is done with a unit. The lock is held."""
        self._running[unit.lane] -= 1
        if not self._plan.is_stream[unit.lane]:
            self._free += 1
        del self._now[threading.get_ident()]
        if self._left:
            stragglers.ended(self._left.pop(threading.get_ident(), None))

    def _done(self, unit: Unit, iteration: Iteration, results: Any, dead: bool) -> None:
        with self._lock:  # something that was waited for has come
            ready = self._propagation.done(unit, iteration, results, dead)
            if self._observer is not None:
                self._observer.finished(unit, iteration, results, dead, ready)
            self._go_on_with(ready)

    def _go_on_with(self, ready: list[Ready]) -> None:
        """A unit is done, and `ready` have become ready. The lock is held."""
        self._enqueue(ready)
        self._open -= 1
        if self._is_home_waiting and self._open == 0:
            self._is_home_waiting = False
            self._posted.put(None)

    def _out_of_time(self) -> OpError:
        with self._lock:
            running = [item for item, _ in self._now.values()]
            queued = [item for lane in self._lanes for item in lane]
        return self._deadline_exceeded(deque(running + queued))
