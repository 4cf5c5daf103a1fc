"""Interrupts from the keyboard, one at each place where Python may let one in."""

import signal
import sys


class Interrupted:
    """A block in which an interrupt comes after so many places in some modules.

    Python lets one in after calls of C's, and as functions begin.
    """

    def __init__(self, number, *modules):
        self._left, self._files = number, {module.__file__ for module in modules}

    def __enter__(self):
        sys.setprofile(self._look)
        return self

    def __exit__(self, *exception):
        sys.setprofile(None)

    @property
    def came(self):
        """Whether there were so many places."""
        return self._left < 0

    def _look(self, frame, event, argument):
        if event in ("call", "c_return") and frame.f_code.co_filename in self._files:
            self._left -= 1
            if self._left == -1:
                signal.raise_signal(signal.SIGINT)
