"""Steps with a deadline: they run on a thread of their own, so that no kernel can keep the caller.

Between nodes a step looks at the clock itself; a node that waits is told. But a kernel that
computes cannot be stopped: past the deadline its step ends for the caller, and the kernel is
reported if it goes on (see `stragglers`). A step without a deadline stays on the thread of its
caller, where Ctrl-C reaches a kernel written in Python.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable
from typing import Any

from tinytf.framework.cancellation import remaining
from tinytf.framework.waiting import keep_picture
from tinytf.runtime import stragglers
from tinytf.runtime.step import Step
from tinytf.runtime.stragglers import Straggler

#: How long after its deadline a step may take to end by itself, on a machine that is busy.
_GRACE_SECONDS = 0.25

_Outcome = tuple[Any, BaseException | None]


def run_in_time(
    step: Step, run: Callable[[], Any], submit: Callable[[Callable[[], None]], object]
) -> Any:
    """Run a step that has a deadline; what `run` returns.

    Args:
      step: its context; closed when `run` ends, however late.
      run: all of it.
      submit: starts a function on another thread; RuntimeError if there is none to be had.

    Raises:
      DeadlineExceededError: past the deadline; what `run` raises.
    """
    begun = time.perf_counter()
    # Not a future: Ctrl-C in the middle of a wait for one can leave it locked.
    outcome: queue.SimpleQueue[_Outcome] = queue.SimpleQueue()
    is_done = threading.Event()
    left: list[Straggler] = []

    def run_and_close() -> None:
        step.thread = threading.get_ident()
        result: _Outcome
        try:
            result = run(), None
        except BaseException as error:
            result = None, error
        finally:
            step.close()
        is_done.set()
        outcome.put(result)
        for straggler in left:
            stragglers.ended(straggler)

    try:
        try:
            submit(run_and_close)
        except RuntimeError:
            run_and_close()
        return _get(step, outcome)
    except BaseException as error:
        if not is_done.is_set():  # it is over for the caller: a kernel hangs, or Ctrl-C was pressed
            if isinstance(error, KeyboardInterrupt):
                keep_picture()
            step.cancellation.start_cancel(step.as_reason(error))
            step.cancellation.detach()
            if step.thread:  # else it has not begun, and will not
                ops = [] if step.running is None else [step.running]
                left.append(stragglers.left_behind(step.thread, ops, begun))
            if is_done.is_set():  # just now, before it could know of `left`
                for straggler in left:
                    stragglers.ended(straggler)
        raise


def _get(step: Step, outcome: queue.SimpleQueue[_Outcome]) -> Any:
    """The result of the step, or its error."""
    left = remaining(step.deadline)
    try:
        result, error = outcome.get(timeout=None if left is None else left + _GRACE_SECONDS)
    except queue.Empty:
        op = step.running
        if op is not None:
            raise step.time_is_up(op) from None
        result, error = outcome.get()  # it waits, and knows what for
    if error is None:
        return result
    try:
        raise error
    finally:
        error = None  # its traceback knows this frame
