"""Waiting for what a step has left behind, and for steps to be too late."""

import threading
from collections.abc import Callable
from typing import Any

import pytest

import tinytf as tf
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


def past_deadline(
    run: Callable[[tf.RunOptions], Any], says: str = " waits", first: int = 50
) -> tf.errors.DeadlineExceededError:
    """The error of a step that ends only by its deadline.

    On a busy machine a short time can be over before the step has got to where it waits: as long
    as the error does not say what it should, the step gets more time.

    Args:
      run: begins the step, with these options. says: part of the error's text.
      first: milliseconds that should do.
    """
    for milliseconds in (first, 10 * first, 100 * first):
        with pytest.raises(tf.errors.DeadlineExceededError) as caught:
            run(tf.RunOptions(timeout_in_ms=milliseconds))
        if says in str(caught.value):
            break
    return caught.value
