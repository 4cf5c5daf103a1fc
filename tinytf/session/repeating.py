"""The same step again and again on one thread, as a queue runner's threads run theirs.

Every call is a step as `session.run(fetches)` makes it, with its errors, its cancellation and its
number. What differs from one to the next is little, so one context serves them all as long as no
step leaves something in it; and what a step may have set aside for later (a mutex, a stack) does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from tinytf.runtime.step import Step
from tinytf.session.session import BaseSession


class Repeated:
    """A step to be called again and again, by one thread; `close` it afterwards.

    Args:
      session: also one of another class with `make_callable`, or with a `run` of its own: then
        that is what every call is.
      fetches: as in `session.run`, without feeds; what they give is dropped.

    Raises:
      what `session.make_callable` raises, and a call what `session.run` raises.

    Example:
      >>> enqueue = Repeated(sess, queue.enqueue(1.0))
      >>> enqueue()
      >>> enqueue.close()
    """

    def __init__(self, session: Any, fetches: Any):
        self._session, self._fetches = session, fetches
        self._run: Callable[[], Any] = session.make_callable(fetches)
        #: in the context that is given, if it is; see `local_runner`
        self._again: Callable[[Step | None], Step | Literal[False] | None] | None = None
        self._step: Step | None = None
        self._changes: Any = None
        # A run that is somebody else's stays that.
        self._is_plain = getattr(session.run, "__func__", None) is BaseSession.run

    def __call__(self) -> None:
        """Run it once."""
        session = self._session
        if not self._is_plain or session._closed:
            self._run()
            return
        if self._changes != session._graph._changes:  # or this is the first time
            signature = session._signature(self._fetches, ())
            self._changes, self._again = signature.changes, getattr(signature.runner, "again", None)
            self.close()
        step, self._step = self._step, None
        following = False if self._again is None else self._again(step)
        if following is False:
            self._run()
        else:
            self._step = following

    def close(self) -> None:
        """There are no more of them, or a while passes before the next one."""
        step, self._step = self._step, None
        if step is not None:
            step.close()
