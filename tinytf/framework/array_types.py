"""What kernels compute with, as annotations name it."""

from __future__ import annotations

from typing import Any, TypeAlias

#: A value on an edge of the graph, as a kernel gets it and gives it: an array of numpy, or on a
#: CUDA card of cupy, or a number of numpy's where there are no dimensions. No `np.ndarray`: cupy's
#: arrays are none, there is no type that both have in common, and cupy need not be installed. So
#: it says to people what is meant; a type checker takes it for anything.
Array: TypeAlias = Any
