"""Steps with a deadline: they run on a thread of their own, so that no kernel can keep the caller.

Between nodes a step looks at the clock itself; a node that waits is told. But a kernel that
computes cannot be stopped: past the deadline its step ends for the caller, and the kernel is
reported if it goes on (see `stragglers`). A step without a deadline stays on the thread of its
caller, where Ctrl-C reaches a kernel written in Python.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent import futures
from typing import Any

from tinytf.framework.cancellation import remaining
from tinytf.runtime import stragglers
from tinytf.runtime.step import Step

#: How long after its deadline a step may take to end by itself.
_GRACE_SECONDS = 0.05


def run_in_time(
    step: Step, run: Callable[[], Any], submit: Callable[[Callable[[], Any]], futures.Future[Any]]
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

    def run_and_close() -> Any:
        try:
            return run()
        finally:
            step.close()

    try:
        future = submit(run_and_close)
    except RuntimeError:
        return run_and_close()
    left = remaining(step.deadline)
    try:
        futures.wait([future], None if left is None else left + _GRACE_SECONDS)
        op = step.running
        if op is None or future.done():  # it waits, and knows what for
            return future.result()
        raise step.time_is_up(op)
    except BaseException as error:
        if not future.done():  # it is over for the caller: a kernel hangs, or Ctrl-C was pressed
            step.cancellation.start_cancel(step.as_reason(error))
            ops = [] if step.running is None else [step.running]
            straggler = stragglers.left_behind(step.thread, ops, begun)
            future.add_done_callback(lambda _: stragglers.ended(straggler))
        raise
