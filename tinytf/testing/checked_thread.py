"""A thread of a test: what it raises fails the test that joins it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any


class CheckedThread:
    """What `TestCase.checkedThread` makes; it has to be joined before the test ends.

    Args:
      testcase: the test. target: what the thread runs, with `args` and `kwargs`.
    """

    def __init__(
        self, testcase: Any, target: Callable[..., Any], args: Any = None, kwargs: Any = None
    ):
        self._testcase = testcase
        self._target, self._args, self._kwargs = target, args or (), kwargs or {}
        self._thread = threading.Thread(target=self._run, name="checked thread", daemon=True)
        self._error: Exception | None = None
        self._is_joined = False

    def _run(self) -> None:
        try:
            self._target(*self._args, **self._kwargs)
        except Exception as error:
            self._error = error

    def start(self) -> None:
        """Begin; once only."""
        self._thread.start()

    def join(self) -> None:
        """Wait for the end, and fail the test with what the thread has raised."""
        self._is_joined = True
        self._thread.join()
        if self._error is not None:
            text = f"Error in checkedThread: {self._error} ({type(self._error).__name__})"
            raise self._testcase.failureException(text) from self._error

    def is_alive(self) -> bool:
        """Whether it runs."""
        return self._thread.is_alive()

    def check_termination(self) -> None:
        """Fail the test unless the thread was joined; RuntimeError if it is still running."""
        if not self._is_joined:
            self._testcase.fail("A checked thread was not joined.")
        if self.is_alive():
            raise RuntimeError(
                "Thread was not joined with main thread, and is still running when the test "
                "finished."
            )
