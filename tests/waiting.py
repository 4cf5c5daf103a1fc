"""Waiting for what a step has left behind."""

import threading
from collections.abc import Callable

from tinytf.runtime import stragglers

LONG = 60.0  # seconds; a test that is right never waits that long


def comes_true(condition: Callable[[], bool]) -> bool:
    """Wait until something is so; whether it came true."""
    pause = threading.Event()
    for _ in range(int(LONG / 0.005)):
        if condition():
            return True
        pause.wait(0.005)
    return condition()


def nothing_runs_on() -> bool:
    """Wait until no kernel runs any more whose step is over; whether that came true."""
    return comes_true(lambda: stragglers.still_running() == [])
