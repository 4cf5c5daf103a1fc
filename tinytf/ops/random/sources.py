"""Where the stateful random ops take their numbers from.

A node with seeds has a Philox sequence in each session, which every run goes on with. The nodes
without seeds share one generator of numpy's.
"""

from __future__ import annotations

import hashlib
import math
import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from tinytf.framework import dtypes
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.errors import invalid
from tinytf.framework.operation import Operation
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import dimension_value
from tinytf.ops.base.shape_rules import shown
from tinytf.ops.random.distributions import Sequence
from tinytf.ops.random.philox import PhiloxSequence
from tinytf.resources.manager import ResourceManager


class _FreshNumbers:
    """numpy's generator for the nodes without seeds of one session; seeded by the system."""

    def __init__(self) -> None:
        self._generator = np.random.default_rng()
        self._lock = threading.Lock()

    def __enter__(self) -> np.random.Generator:
        self._lock.acquire()
        return self._generator

    def __exit__(self, *_: Any) -> None:
        self._lock.release()


def fresh_numbers(resources: ResourceManager) -> _FreshNumbers:
    """The session's generator of unseeded numbers, locked by a `with` statement."""
    return resources.lookup_or_create("", "numpy", _FreshNumbers, _FreshNumbers)


def sequence_of(resources: ResourceManager, node: Operation) -> PhiloxSequence | None:
    """The node's sequence in this session; None if it has no seeds."""
    seed, seed2 = node.attrs["seed"], node.attrs["seed2"]
    if not (seed or seed2):
        return None
    return resources.of_node(node.name, PhiloxSequence, lambda: PhiloxSequence(seed, seed2))


def sizes_of(shape: Any) -> list[int]:
    """The wanted shape as a list of numbers."""
    if shape.ndim != 1:
        raise invalid(f"shape must be a vector of {{int32,int64}}, got shape {shown(shape)}")
    sizes: list[int] = shape.tolist()
    for size in sizes:
        if size < 0:
            raise invalid(f"Dimension {size} must be >= 0")
    return sizes


def draw(
    resources: ResourceManager,
    node: Operation,
    shape: Any,
    seeded: Callable[[Sequence, int, dtypes.DType], np.ndarray],
    fresh: Callable[[np.random.Generator, int, Any], np.ndarray],
) -> np.ndarray:
    """Numbers of the node's dtype and the given shape, from the right one of two sources."""
    sizes = sizes_of(shape)
    count, dtype = math.prod(sizes), node.attrs["dtype"]
    numbers = sequence_of(resources, node)
    if numbers is not None:
        result = seeded(numbers.reserve(count), count, dtype)
    else:
        # 16-bit types are drawn as float32.
        wide = np.float64 if dtype is dtypes.float64 else np.float32
        with fresh_numbers(resources) as generator:
            result = fresh(generator, count, wide)
    return result.astype(dtype.as_numpy_dtype, copy=False).reshape(sizes)


def salted_seed(seed: int | None, salt: str) -> int | None:
    """Another seed, for something else that is drawn: TensorFlow's; None of None."""
    if seed is None:
        return None
    digest = hashlib.md5(f"{seed}{salt}".encode(), usedforsecurity=False)
    return int(digest.hexdigest()[:8], 16) & 0x7FFFFFFF


def shape_tensor(shape: Any) -> Tensor:
    """The wanted shape, as a program gives it, as a vector."""
    if isinstance(shape, list | tuple):
        if not shape:
            return convert_to_tensor(shape, dtype=dtypes.int32, name="shape")
        shape = [dimension_value(size) for size in shape]
    return convert_to_tensor(shape, name="shape")
