"""Requests that arrive twice: a retry must not run a step again."""

from __future__ import annotations

import secrets
import threading

from tinytf.framework.errors import AbortedError

#: How many are remembered.
REMEMBERED = 100_000


def new_request_id() -> int:
    """A number by which a server recognises a request that arrives twice; never 0."""
    return secrets.randbits(62) + 1


class SeenRequests:
    """The requests that a server has seen, by their numbers. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._seen: dict[int, None] = {}  # guarded by self._lock; in order of arrival

    def refuse_repeated(self, request_id: int, method: str) -> None:
        """AbortedError if a request arrives again: the first copy may have changed state."""
        if request_id == 0:  # of a peer that does not number its requests
            return
        with self._lock:
            if request_id in self._seen:
                raise AbortedError(
                    None, None,
                    f"The same {method} request was received twice. request_id: {request_id}",
                )  # fmt: skip
            self._seen[request_id] = None
            if len(self._seen) > REMEMBERED:
                del self._seen[next(iter(self._seen))]
