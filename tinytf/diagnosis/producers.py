"""The QueueRunners of this process: whoever waits for their queues in vain can be told."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Sequence
from typing import Any, Protocol

from tinytf.framework.operation import Operation

_lock = threading.Lock()
_producers: weakref.WeakSet[Any] = weakref.WeakSet()  # guarded by _lock


class Producer(Protocol):
    """Runs operations again and again: a QueueRunner."""

    @property
    def name(self) -> str:
        """What it fills."""

    @property
    def enqueue_ops(self) -> Sequence[Operation]:
        """What it runs, one for each thread."""

    @property
    def was_started(self) -> bool:
        """Whether its threads were ever started."""

    @property
    def threads(self) -> Sequence[threading.Thread]:
        """Those that are alive."""

    @property
    def failures(self) -> Sequence[BaseException]:
        """The exceptions that ended threads of it."""

    @property
    def advice(self) -> str:
        """What to type to start it."""


def register(producer: Producer) -> None:
    """Note a QueueRunner for as long as it lives."""
    with _lock:
        _producers.add(producer)


def known() -> list[Producer]:
    """The QueueRunners of this process, by name."""
    with _lock:
        found = list(_producers)
    return sorted(found, key=lambda producer: producer.name)
