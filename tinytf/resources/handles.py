"""Handles of the time before resources: a reference to two strings."""

from __future__ import annotations

from typing import Any

import numpy as np


class StringHandle:
    """A resource on a reference edge, as old op types hand it on (`Barrier`, `FIFOQueue`).

    Whoever takes a reference takes the resource from it; whoever reads it gets two strings, as in
    TensorFlow.

    Attributes:
      resource: a queue, a barrier, an accumulator; it has a `name`.
      container: where it is.
    """

    __slots__ = ("container", "resource")

    def __init__(self, resource: Any, container: str):
        self.resource = resource
        self.container = container

    def read(self) -> np.ndarray:
        """The names of the container and the resource: a vector of two strings."""
        return np.array([self.container.encode(), self.resource.name.encode()], object)


def behind(handle: Any) -> Any:
    """The resource that a handle of either kind stands for."""
    if isinstance(handle, StringHandle):
        return handle.resource
    if isinstance(handle, np.ndarray) and not handle.ndim:
        return handle.item()  # chosen from several
    return handle
