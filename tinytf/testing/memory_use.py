"""How much memory the tensors of one step take at most, on any device: by counting them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tinytf.devices.asking import readable
from tinytf.devices.memory import GpuMemory, Options, Taken
from tinytf.framework.stacks import default_sessions
from tinytf.runtime.iterations import Iteration, Propagation, Ready
from tinytf.runtime.plan import Unit


@dataclass(frozen=True, slots=True)
class MemoryUse:
    """What a step took.

    Attributes:
      bytes: the most that its tensors took at one time, by device: "/device:CPU:0".
      largest_at: the operation that was computed then. values: what was fetched.

    Example:
      >>> from tinytf.testing.memory_use import memory_use
      >>> with tf.Session():
      ...     used = memory_use(tf.random_uniform([1024, 1024]))
      >>> used.bytes
      {'/device:CPU:0': 4194304}
    """

    bytes: dict[str, int]
    largest_at: dict[str, str]
    values: Any = field(repr=False)

    def __repr__(self) -> str:
        if not self.bytes:
            return "No tensor of the step takes memory for itself."
        return "\n".join(
            f"{device}: at most {readable(size)} at one time, at {self.largest_at[device]}"
            for device, size in self.bytes.items()
        )


def memory_use(
    fetches: Any, feed_dict: Any = None, session: Any = None, threads: int = 1
) -> MemoryUse:
    """Run a step once and count the bytes of the tensors that are there at the same time.

    The step runs as instruments run it: node by node and unoptimised, so that the graph is what was
    built. Counted is what operations compute, from then until nobody needs it any more, each array
    once however many look at it; not what was there before: feeds, constants, variables. Single
    numbers count for nothing. For what GPUs really hold in any step, see `tf.devices.peak_memory`.

    Args:
      fetches, feed_dict: as for `Session.run`. threads: how many inter-op threads work on it.
      session: a local session; by default the default one.

    Raises:
      ValueError: without a session. Otherwise what `Session.run` raises.

    Example:
      >>> x = tf.placeholder(tf.float32, [1024, 1024])
      >>> y = tf.tanh(tf.tanh(tf.tanh(x)))
      >>> with tf.Session():
      ...     tinytf.testing.memory_use.memory_use(y, {x: np.ones([1024, 1024])})
      /device:CPU:0: at most 8 MiB at one time, at Tanh_1
    """
    session = session or default_sessions.top()
    if session is None:
        raise ValueError(
            "memory_use: there is no default session to run the step in. Use `with "
            "sess.as_default():` or pass one: memory_use(fetches, feed_dict, sess)."
        )
    counts = _Counts()
    values = session.observe(fetches, lambda plan: counts, feed_dict, threads)
    return MemoryUse(counts.most, counts.largest_at, values)


class _Endless:
    """A card on which everything fits."""

    total, label = 1 << 62, "memory"

    def free(self) -> int:
        return self.total

    def take(self, sizes: Iterable[int]) -> Taken:
        return Taken(next(iter(sizes), 0), (), self.total, ())


class _Counts:
    """The observer of the step: an account for each device; see `runtime.executor.Observer`."""

    def __init__(self) -> None:
        self.most: dict[str, int] = {}
        self.largest_at: dict[str, str] = {}
        self._accounts: dict[str, GpuMemory] = {}
        #: What a device held when an operation began: its inputs go when it is done.
        self._held: dict[tuple[int, int], int] = {}

    def started(self, propagation: Propagation, ready: list[Ready]) -> None:
        """See `Observer`."""

    def running(self, unit: Unit, iteration: Iteration, dead: bool) -> None:
        """See `Observer`."""
        self._held[id(unit), id(iteration)] = self._account(unit).in_use

    def finished(
        self, unit: Unit, iteration: Iteration, results: Any, dead: bool, ready: list[Ready]
    ) -> None:
        """See `Observer`."""
        held = self._held.pop((id(unit), id(iteration)), 0)
        account, device = self._account(unit), _device(unit)
        account.restart_peak()
        before = account.in_use
        for value in results if isinstance(results, list | tuple) else ():
            # What may not be written to was there before: it is fed, constant or a variable's.
            if isinstance(value, np.ndarray) and value.flags.writeable:
                account.hold(value, unit.op.name, device)
        most = held + account.in_use - before
        if most > self.most.get(device, 0):
            self.most[device], self.largest_at[device] = most, unit.op.name

    def _account(self, unit: Unit) -> GpuMemory:
        device = _device(unit)
        if device not in self._accounts:
            self._accounts[device] = GpuMemory(_Endless(), Options())
        return self._accounts[device]


def _device(unit: Unit) -> str:
    name = "" if unit.feed is not None else unit.op.device
    _, device, number = name.partition("/device:")
    return f"{device}{number}" if device else "/device:CPU:0"
