"""When a kernel is worth splitting, and into how many shards.

All numbers here were measured by `benchmarks/sharding.py` (two cores of an AMD EPYC 9004 in a
virtual machine, numpy 2.4, OpenBLAS 0.3.31). There, a thread that sleeps begins its first shard
45 us after it is called, and the caller, if it has to sleep until the last shard of another ends,
wakes up 45 us after that. So splitting pays from about 200 us on; and many small shards are better
than two halves: who begins late does fewer, and the end is not waited for long.
"""

from __future__ import annotations

#: Nothing that takes less time than this is split.
WORTH_NS = 220_000
#: A shard takes about this long ...
SHARD_NS = 45_000
#: ... but there are not more of them than this for each thread: calling numpy costs, too.
SHARDS_PER_THREAD = 6

#: Nanoseconds for an element of the result, on one thread, in 32 bits; twice as long in 64.
#: What is not here costs DEFAULT_NS: hardly more than reading and writing memory.
DEFAULT_NS = 0.35
NS_PER_ELEMENT: dict[str, float] = {}

#: Multiplications in a nanosecond, by dtype, of matrices; of others (integers) 1.
PRODUCTS_PER_NS = {"float32": 45.0, "float64": 22.0, "complex64": 11.0, "complex128": 5.5}


def cost_of(op_type: str, item_size: int = 4) -> float:
    """Nanoseconds for an element of the result of an op type."""
    return NS_PER_ELEMENT.get(op_type, DEFAULT_NS) * max(1.0, item_size / 4)


def shards_for(nanoseconds: float, threads: int) -> int:
    """How many shards something is worth that takes so long on one thread; 1: leave it whole."""
    if nanoseconds < WORTH_NS or threads < 2:
        return 1
    return max(2, min(int(nanoseconds / SHARD_NS), SHARDS_PER_THREAD * threads))


def edges(size: int, count: int, unit: int = 1) -> list[int]:
    """Where about `count` shards of `size` rows begin, and the end: all but it multiples of `unit`.

    Example:
      >>> edges(100, 3, unit=16)
      [0, 32, 64, 100]
    """
    places = {size * number // count // unit * unit for number in range(count)}
    return [*sorted(places), size]
