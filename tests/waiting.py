"""Waiting for what a step has left behind."""

import threading

from tinytf.runtime import stragglers

LONG = 60.0  # seconds; a test that is right never waits that long


def nothing_runs_on() -> bool:
    """Wait until no kernel runs any more whose step is over; whether that came true."""
    pause = threading.Event()
    for _ in range(int(LONG / 0.005)):
        if not stragglers.still_running():
            break
        pause.wait(0.005)
    return stragglers.still_running() == []
