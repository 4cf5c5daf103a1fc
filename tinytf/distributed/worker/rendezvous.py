"""The rendezvous of one step on one task: what its parts have sent, and who waits for it.

    a kernel sends  --> [ key: value ] --> RecvTensor of another task
    a kernel receives --> the table of the task that sends, asked by RecvTensor

TensorFlow: core/framework/local_rendezvous.cc, core/distributed_runtime/base_rendezvous_mgr.cc.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from tinytf.distributed.tasks.peers import Peers
from tinytf.framework.cancellation import CancellationManager
from tinytf.framework.dtypes import DType
from tinytf.framework.errors import AbortedError, OpError
from tinytf.framework.pending import Pending
from tinytf.framework.rendezvous import parse_key

#: Asks another task for tensors: (peers, task, keys, cancellation) -> a Pending for each.
Ask = Callable[[Peers, str, Sequence[str], CancellationManager], list[Pending]]


class Sent(NamedTuple):
    """A value on its way, or `DEAD`, and its type."""

    value: Any
    dtype: DType


class StepRendezvous:
    """See the module. Thread-safe; nothing here waits.

    Args:
      task: whose it is. peers: the other tasks, as the step's session has them.
      ask: how one of them is asked.
    """

    def __init__(self, task: str, peers: Peers, ask: Ask):
        self._task, self.peers, self._ask = task, peers, ask
        #: what is asked for together with a key, see `RegisteredGraph`
        self.groups: Mapping[str, Sequence[str]] = {}
        self._asking = threading.Lock()
        self._asked: dict[str, Pending] = {}  # and not received yet; guarded by self._asking
        self._lock = threading.Lock()
        # All below guarded by self._lock.
        self._sent: dict[str, Sent] = {}
        self._waiting: dict[str, Pending] = {}
        self._error: OpError | None = None

    def send(self, key: str, value: Any, dtype: DType) -> None:
        """See `framework.rendezvous.Rendezvous`; what is sent twice is an AbortedError."""
        sent = Sent(value, dtype)
        with self._lock:
            if self._error is not None:
                raise self._error
            waiting = self._waiting.pop(key, None)
            if waiting is None:
                if key in self._sent:
                    raise AbortedError(f"Duplicated send: {key}")
                self._sent[key] = sent
        if waiting is not None:
            waiting.set_result(sent)

    def receive(self, key: str, cancellation: CancellationManager) -> Any:
        """See `framework.rendezvous.Rendezvous`."""
        task = parse_key(key).source
        if task == self._task:
            return _value_of(self.take(key, cancellation))
        with self._lock:
            if self._error is not None:
                raise self._error
        group = self.groups.get(key, (key,))
        with self._asking:
            if key not in self._asked:
                asked = self._ask(self.peers, task, group, cancellation)
                self._asked.update(zip(group, asked, strict=True))
            return self._asked.pop(key)

    def take(self, key: str, cancellation: CancellationManager) -> Any:
        """What a part of this task sends, or has sent, under `key`: a `Sent`, or a `Pending`."""
        with self._lock:
            if self._error is not None:
                raise self._error
            if key in self._sent:
                return self._sent.pop(key)
            if key in self._waiting:
                raise AbortedError(f"Duplicated recv: {key}")
            pending = self._waiting[key] = Pending(f"{parse_key(key).tensor} of {self._task}")
        cancellation.when_cancelled(lambda: self._withdraw(key, pending, cancellation))
        return pending

    def _withdraw(self, key: str, pending: Pending, cancellation: CancellationManager) -> None:
        with self._lock:
            if self._waiting.get(key) is pending:
                del self._waiting[key]
        pending.set_error(cancellation.reason or AbortedError(f"Nobody waits for {key} any more"))

    @property
    def is_idle(self) -> bool:
        """Whether nothing is in it, and nobody waits."""
        with self._lock:
            return not self._sent and not self._waiting

    def abort(self, error: OpError) -> None:
        """End every wait with an error, and drop what was sent; later calls fail as well."""
        with self._lock:
            if self._error is not None:
                return
            self._error = error
            waiting, self._waiting = self._waiting, {}
            self._sent.clear()
        for pending in waiting.values():
            pending.set_error(error)


def _value_of(sent: Any) -> Any:
    """The value of a `Sent`, or a `Pending` for it."""
    if not isinstance(sent, Pending):
        return sent.value
    return sent.then(lambda found: found.value)
