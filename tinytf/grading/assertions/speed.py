"""`speed_up_at_least`: one way is faster than another, by measuring."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from tinytf.grading.authoring import Wrong

#: A clock cannot tell less.
_SHORTEST = 1e-9


def speed_up_at_least(
    ratio: float,
    fast: Callable[[], Any],
    slow: Callable[[], Any],
    *,
    repeats: int = 7,
    clock: Callable[[], float] = time.perf_counter,
    hint: str = "",
) -> None:
    """One function takes at most so much less time than another.

    Both are called once to warm up, and then in turn, so that whatever else the machine does hits
    both; the median of the ratios of neighbours is compared. Times depend on the machine all the
    same: ask for much less than a right answer reaches (for 2, if it reaches 10), never for what
    it just reaches, and where a count says as much (operations, bytes, steps), count.

    Args:
      ratio: how many times as long `slow` must take. fast, slow: functions without arguments.
      repeats: how many pairs are measured. clock: gives seconds. hint: what to think about.

    Raises:
      Wrong: with all figures. ValueError: for less than one repeat.

    Example:
      >>> x = many = tf.random_uniform([100, 100])
      >>> for _ in range(60):
      ...     many = tf.matmul(many, x)
      >>> tinytf.grading.speed_up_at_least(2, lambda: sess.run(x), lambda: sess.run(many))
    """
    if repeats < 1:
        raise ValueError(f"repeats must be at least 1; got {repeats}")
    fast()
    slow()
    pairs = [_pair(fast, slow, clock, swapped=bool(n % 2)) for n in range(repeats)]
    ratios = sorted(two / max(one, _SHORTEST) for one, two in pairs)
    median = float(np.median(ratios))
    if median < ratio:
        one, two = (_milliseconds(float(np.median(times))) for times in zip(*pairs, strict=True))
        between = f"the median of {repeats} pairs, from {ratios[0]:.2f} to {ratios[-1]:.2f}"
        found = f"{median:.2f} times ({between}): {one} against {two}"
        what = "It is not as much faster as it should be"
        raise Wrong(what, f"{ratio:g} times as fast", found, hint=hint)


def _pair(
    fast: Callable[[], Any], slow: Callable[[], Any], clock: Callable[[], float], swapped: bool
) -> tuple[float, float]:
    was_on = gc.isenabled()
    gc.disable()  # the rubbish of one must not be cleared away in the time of the other
    try:
        times = [_time(each, clock) for each in ((slow, fast) if swapped else (fast, slow))]
    finally:
        if was_on:
            gc.enable()
    return (times[1], times[0]) if swapped else (times[0], times[1])


def _time(function: Callable[[], Any], clock: Callable[[], float]) -> float:
    begun = clock()
    function()
    return clock() - begun


def _milliseconds(seconds: float) -> str:
    return f"{seconds * 1e3:.3g} ms"
