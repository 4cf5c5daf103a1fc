"""Requests: where they go, and those that arrive twice: a retry must not run a step again."""

from __future__ import annotations

import itertools
import os
import secrets
import threading

import numpy as np

from tinytf.framework.errors import AbortedError

#: What comes before the names of a service's methods.
MASTER_SERVICE = "/tensorflow.MasterService/"
WORKER_SERVICE = "/tensorflow.WorkerService/"
#: One request for several tensors, whose keys stand in lines: among tasks of ours, where a request
#: may have several answers.
RECEIVE_SEVERAL = "/tinytf.WorkerService/RecvTensors"
#: Methods whose handlers never wait: their answer comes at once, or when it is there.
QUICK = frozenset(
    WORKER_SERVICE + method for method in ("RecvTensor", "CleanupGraph", "GetStatus")
) | {RECEIVE_SEVERAL}
#: How many requests are remembered. (Of 65,000 that came since, one in a hundred is forgotten.)
REMEMBERED = 131_072
_WAYS = 16  # so many numbers share a bucket, in which the latest stay


#: Of this process, from a random one on: asking the system for each would cost microseconds.
_ids = itertools.count(secrets.randbits(62))


def _after_fork() -> None:
    """In a child by fork: its requests are others than its parent's."""
    global _ids
    _ids = itertools.count(secrets.randbits(62))


os.register_at_fork(after_in_child=_after_fork)


def new_request_id() -> int:
    """A number by which a server recognises a request that arrives twice; never 0.

    It is one of a row; see `random_request_id`.
    """
    return next(_ids) + 1


def random_request_id() -> int:
    """The same, for who counts on from it: another row than everybody else's."""
    return secrets.randbits(62) + 1


class RecentNumbers:
    """The numbers that were added lately, in 8 bytes each: a server that runs for long stays small.

    A number stands in one bucket, out of which the oldest goes when it is full. Not thread-safe.

    Args:
      count: how many there is room for.
    """

    def __init__(self, count: int):
        self._buckets = max(count // _WAYS, 1)
        self._numbers = np.zeros(self._buckets * _WAYS, np.uint64).data
        self._key = secrets.randbits(64)  # nobody can know what falls into one bucket, or is 0

    def __contains__(self, number: int) -> bool:
        stored, first = self._place(number)
        return stored in self._numbers[first : first + _WAYS].tolist()

    def add(self, number: int) -> bool:
        """Remember a number; whether it is new."""
        stored, first = self._place(number)
        numbers, last = self._numbers, first + _WAYS - 1
        if stored in numbers[first : last + 1].tolist():
            return False
        numbers[first + 1 : last + 1] = numbers[first:last]
        numbers[first] = stored
        return True

    def _place(self, number: int) -> tuple[int, int]:
        """What stands for it, and where its bucket begins."""
        stored = (number ^ self._key) & 0xFFFF_FFFF_FFFF_FFFF
        return stored, stored % self._buckets * _WAYS


class SeenRequests:
    """The requests that a server has seen, by their numbers. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._seen = RecentNumbers(REMEMBERED)  # guarded by self._lock

    def refuse_repeated(self, request_id: int, method: str) -> None:
        """AbortedError if a request arrives again: the first copy may have changed state."""
        if request_id == 0:  # of a peer that does not number its requests
            return
        with self._lock:
            is_new = self._seen.add(request_id)
        if not is_new:
            raise AbortedError(
                f"The same {method} request was received twice. request_id: {request_id}"
            )
