"""One process's account on the memory of one GPU: what it has taken, and what its arrays hold.

Two steps, as in TensorFlow. The process takes memory from the card in *regions*: by default one
region, nearly all there is, at the first use; with `allow_growth` a small one, then larger ones.
It gives none back before it ends. Inside its regions it counts arrays.

An array is counted from the moment in which a kernel has returned it until the last reference to
it is gone: a weak reference tells. Such a callback comes on any thread, in the middle of anything,
also inside `hold` itself, so it takes no lock: it appends to a deque, which whoever holds the lock
works off before looking at the numbers.
"""

from __future__ import annotations

import gc
import threading
import weakref
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from tinytf.devices import memory_texts
from tinytf.devices.memory_texts import Holding, Situation
from tinytf.framework.errors import InternalError, InvalidArgumentError, ResourceExhaustedError

#: Every array takes a multiple of this.
BLOCK = 256
_FIRST_REGION = 2 << 20
_BACKPEDAL = 0.9
_MEGABYTE = 1 << 20


@dataclass(frozen=True, slots=True)
class Taken:
    """What came of taking a region.

    Attributes:
      size: its bytes, 0 for none. failed: sizes that were tried before, and were not free.
      free: what is free now. others: what other processes hold.
    """

    size: int
    failed: tuple[int, ...]
    free: int
    others: tuple[Holding, ...]


class Card(Protocol):
    """The GPU itself, which programs share.

    Attributes:
      total: its memory in bytes. label: what to call it in messages.
    """

    total: int
    label: str

    def free(self) -> int:
        """Bytes that no process has taken."""

    def take(self, sizes: Iterable[int]) -> Taken:
        """Take the first of these sizes that is free, for this process, until it ends."""


@dataclass(frozen=True, slots=True)
class Options:
    """How much a process may take, and when: from `ConfigProto.gpu_options`.

    Attributes:
      fraction: of the card's memory; 0 for all that is free. growth: take it as it is needed.
    """

    fraction: float = 0.0
    growth: bool = False

    @staticmethod
    def of(gpu_options: Any, force_growth: str | None = None) -> Options:
        """The options of a session; `force_growth` is the value of TF_FORCE_GPU_ALLOW_GROWTH.

        Raises:
          InvalidArgumentError, InternalError: for a fraction that a simulated GPU cannot give.
        """
        fraction = gpu_options.per_process_gpu_memory_fraction
        if not fraction >= 0:
            raise InvalidArgumentError(
                f"per_process_gpu_memory_fraction is {fraction}. It is a part of the "
                f"GPU's memory: 0.4 for 40 %, 0 for all that is free."
            )
        if fraction > 1:
            raise InternalError(
                f"Unified memory on GPUs with compute capability lower than 6.0 (pre-Pascal class "
                f"GPUs) does not support oversubscription. (per_process_gpu_memory_fraction is "
                f"{fraction}: a part of the GPU's memory, 0.4 for 40 %; 1 is all of it.)"
            )
        growth = gpu_options.allow_growth
        if force_growth in ("true", "false"):
            growth = force_growth == "true"
        return Options(fraction, growth)

    def limit(self, total: int, free: int) -> int:
        """What a process may take of a card, in bytes."""
        if self.fraction:
            return int(total * self.fraction) // BLOCK * BLOCK
        # TensorFlow takes what is free. Where that is little it asks for the whole card here, and
        # is refused in its own words: what two programs see that start at the same moment.
        available = free if free - _reserve(free) >= total // 2 else total
        return (available - _reserve(available)) // BLOCK * BLOCK


def _reserve(available: int) -> int:
    """What TensorFlow leaves to the driver and its libraries; little of a small card."""
    usual = 225 * _MEGABYTE if available < 1 << 31 else max(300 * _MEGABYTE, available // 20)
    return min(usual, available // 8)


class _Held(weakref.ref[np.ndarray]):
    """An array that is counted; `size` is 0 once it is no longer."""

    __slots__ = ("holder", "key", "owner", "size")

    holder: str
    key: int
    owner: int | None
    size: int


class GpuMemory:
    """What one process has taken of one GPU, and what of it is in use. Thread-safe.

    Args:
      card: the GPU. options: how much to take, and when.
      others: this process's accounts on its other GPUs. Whoever takes everything takes all of them
        together, when the first tensor comes to one of them.
    """

    def __init__(
        self, card: Card, options: Options, others: Callable[[], list[GpuMemory]] = lambda: []
    ):
        self.card, self._others = card, others
        #: Options of later sessions that were not heeded, and of which that has been said.
        self.refused: set[Options] = set()
        self._lock = threading.Lock()
        # All of these are guarded by the lock, but for appending to _freed.
        self._held: dict[int, _Held] = {}
        self._freed: deque[_Held] = deque()
        self._note_freed = self._freed.append
        self._in_use = self._peak = self._reserved = 0
        self._backpedalled = self._is_touched = False
        self._set_options(options)

    def _set_options(self, options: Options) -> None:
        self.options = options
        self._limit = options.limit(self.card.total, self.card.free())
        self._next_region = min(_FIRST_REGION, self._limit) if options.growth else self._limit

    def heeds(self, options: Options) -> bool:
        """Whether memory is taken by these options; those that are there first hold.

        Options of which nothing has come yet give way to others.
        """
        with self._lock:
            if self.options != options and not self._is_touched:
                self._set_options(options)
            return self.options == options

    @property
    def limit(self) -> int:
        """What the process may take at most, in bytes."""
        return self._limit

    @property
    def in_use(self) -> int:
        """What arrays hold now, in bytes."""
        with self._lock:
            self._settle()
            return self._in_use

    @property
    def peak(self) -> int:
        """The most that arrays have held at one time, in bytes."""
        return self._peak

    def restart_peak(self) -> int:
        """See `Memory.restart_peak`."""
        with self._lock:
            self._settle()
            earlier, self._peak = self._peak, self._in_use
            return earlier

    def restore_peak(self, earlier: int) -> None:
        """See `Memory.restore_peak`."""
        with self._lock:
            self._peak = max(self._peak, earlier)

    @property
    def reserved(self) -> int:
        """What the process has taken of the card, in bytes."""
        return self._reserved

    def holders(self) -> list[Holding]:
        """What is counted now, the largest first."""
        with self._lock:
            self._settle()
            held = list(self._held.values())
        return sorted(_described(held), key=lambda one: -one.size)

    def hold(self, array: Any, holder: str, allocator_of: str) -> None:
        """See `Memory.hold`."""
        owner = array if array.base is None else _owner(array)
        key = id(owner)
        record = self._held.get(key)
        if record is not None and record() is owner:
            return
        size = (owner.nbytes + BLOCK - 1) & -BLOCK
        if not size or not array.ndim or array.dtype.hasobject:
            self.touch()
            return  # nothing; a single number; texts, which stay in host memory
        record = _Held(owner, self._note_freed)
        record.holder, record.key, record.owner, record.size = holder, key, None, size
        with self._lock:
            if self._freed:
                self._settle()
            if key in self._held:
                return  # another thread was faster
            total = self._in_use + size
            if total <= self._reserved:
                # No call between these, so no interrupt from the keyboard comes between them.
                self._in_use = total
                self._held[key] = record
                if total > self._peak:
                    self._peak = total
                return
        self._hold_in_new_region(record, array, allocator_of)

    def hold_for(
        self, array: Any, holder: str, allocator_of: str, owner: int | None = None
    ) -> bool:
        """The same, for an array that belongs to `holder` from now on.

        Args:
          owner: the `id` of the variable that has it now.

        Returns:
          whether it may: what another variable has stays with that one.
        """
        self.hold(array, holder, allocator_of)
        record = self._held.get(id(array if array.base is None else _owner(array)))
        if record is None:
            return True
        if owner is not None and record.owner not in (None, owner):
            return False
        record.holder, record.owner = holder, owner
        return True

    def touch(self) -> None:
        """The GPU is used: memory is taken, if this is the first time, though nothing is counted.

        Whoever takes everything takes it on all GPUs.
        """
        if self._is_touched:
            return
        self._take_first_region(True)
        self._touch_others()

    def _touch_others(self) -> None:
        for other in () if self.options.growth else self._others():
            other._take_first_region(False)

    def _take_first_region(self, with_cures: bool) -> None:
        said = list[str]()
        with self._lock:
            if not self._is_touched:
                self._is_touched = True
                self._extend(BLOCK, said, with_cures)
        for line in said:
            print(line, flush=True)

    def _hold_in_new_region(
        self, record: _Held, array: Any, allocator_of: str, is_last_try: bool = False
    ) -> None:
        said, situation = list[str](), None
        with self._lock:
            self._settle()
            size, is_first, self._is_touched = record.size, not self._is_touched, True
            if record.key in self._held:
                return
            if self._in_use + size <= self._reserved or self._extend(size, said):
                self._in_use += size
                self._held[record.key] = record
                self._peak = max(self._peak, self._in_use)
            else:
                situation = self._situation()
        for line in said:
            print(line, flush=True)
        if is_first:
            self._touch_others()
        if situation is None:
            return
        if is_last_try:
            wanted = memory_texts.tensor(array.shape, array.dtype)
            raise self._exhausted(wanted, size, allocator_of, situation)
        # A session that was dropped without being closed is a cycle of objects with its variables.
        gc.collect()
        self._hold_in_new_region(record, array, allocator_of, is_last_try=True)

    def _settle(self) -> None:
        """Take what was freed out of the account. The caller has the lock.

        An interrupt may come at any call: what was worked off is marked by a size of 0.
        """
        freed, held = self._freed, self._held
        while freed:
            record = freed[0]
            if record.key in held and held[record.key] is record:
                del held[record.key]
                self._in_use -= record.size
            record.size = 0
            del freed[0]

    def _extend(self, size: int, said: list[str], with_cures: bool = True) -> bool:
        """Take another region, so that `size` bytes more can be counted. The caller has the lock.

        TensorFlow's rules: a region is at least as large as the one before, twice as large with
        growth; where the card refuses for the first time, nine tenths of it are tried, and so on.
        """
        missing = self._in_use + size - self._reserved
        available = self._limit - self._reserved
        if missing > available:
            return False
        increased = False
        while self._next_region < missing:
            self._next_region *= 2
            increased = True
        wish = min(self._next_region, available)
        sizes = [wish] if self._backpedalled else _smaller_and_smaller(wish, missing)
        taken = self.card.take(sizes)
        if taken.failed and not self._backpedalled:
            self._backpedalled = True
            said += memory_texts.refused(self.card.label, self.card.total, taken, with_cures)
        self._reserved += taken.size
        if taken.size and not increased:
            self._next_region *= 2
        return taken.size > 0

    def _situation(self) -> Situation:
        held = list(self._held.values())
        return Situation(
            label=self.card.label,
            total=self.card.total,
            limit=self._limit,
            reserved=self._reserved,
            in_use=self._in_use,
            peak=self._peak,
            fraction=self.options.fraction,
            holders=tuple(sorted(_described(held), key=lambda one: -one.size)),
            others=self.card.take(()).others,
        )

    def exhausted(
        self, shape: tuple[int, ...], dtype: Any, size: int, allocator_of: str
    ) -> ResourceExhaustedError:
        """The error for a tensor that the device is not even asked for."""
        with self._lock:
            self._settle()
            situation = self._situation()
        return self._exhausted(memory_texts.tensor(shape, dtype), size, allocator_of, situation)

    def _exhausted(
        self, wanted: str, size: int, allocator_of: str, situation: Situation
    ) -> ResourceExhaustedError:
        number = allocator_of.rpartition(":")[2]
        return ResourceExhaustedError(
            f"OOM when allocating tensor with {wanted} on {allocator_of} by allocator "
            f"GPU_{number}_bfc\n{memory_texts.explained(size, situation)}"
        )


def _owner(array: Any) -> Any:
    """The array whose memory this one is a view of; itself, if it is larger than that.

    Broadcasting makes such views. On a GPU nothing shares memory with itself.
    """
    owner = array
    while isinstance(base := owner.base, np.ndarray):
        owner = base
    return array if owner.nbytes < array.nbytes else owner


def _smaller_and_smaller(wish: int, least: int) -> Iterator[int]:
    size = wish
    while size >= least:
        yield size
        smaller = -(-int(size * _BACKPEDAL) // BLOCK) * BLOCK
        if smaller == size:
            return
        size = smaller


def _described(held: Iterable[_Held]) -> Iterator[Holding]:
    for record in held:
        array = record()
        if array is not None:
            yield Holding(record.holder, record.size, memory_texts.tensor(array.shape, array.dtype))
