"""Reads of reference variables that are carried out where their value is needed.

In TensorFlow a read of a reference variable is no copy: it is the variable's memory, and so is what
only passes it on (Identity, Reshape, a Switch, a loop's Enter ...). Who computes with it sees what
was written before he runs, not what was there when the read ran:

    v/read  -->  Identity, after an AssignAdd  -->  + 1

Here arrays on edges are immutable, so the edge carries a `Window` instead: which memory, and which
part of it. Whoever needs the value takes it from there, whole, when he runs. A variable has another
memory once it was assigned a value with another number of elements, as in TensorFlow, where
`Assign` writes into the memory that is there if the new value fits into it; windows of the old
memory keep what was in it last.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from tinytf.resources.variable import Variable


class Memory:
    """What a variable's readers share; `Variable.shared` makes it.

    Attributes:
      left: what was in it when the variable took another one; None while it is the variable's.
    """

    __slots__ = ("__weakref__", "_variable", "left")

    def __init__(self, variable: Variable):
        self._variable = variable
        self.left: Any = None  # guarded by the variable's lock

    def read(self) -> Any:
        """What is in it now: an array that nobody changes."""
        return self._variable.read_memory(self)


class Window:
    """A part of a variable's memory, seen with a shape and a type.

    Args:
      source: the memory, or a window of it. start: the first element, in those of `source`.
      shape, dtype: of what is read.

    Example:
      >>> memory, _ = variable.shared()
      >>> second_row = Window(Window(memory, 0, (2, 3), np.float32), 3, (3,), np.float32)
      >>> second_row.read()
    """

    __slots__ = ("_dtype", "_shape", "_source", "_start")

    def __init__(self, source: Memory | Window, start: int, shape: tuple[int, ...], dtype: Any):
        self._source, self._start, self._shape, self._dtype = source, start, shape, dtype

    def read(self) -> Any:
        """The value at this moment: an array that nobody changes."""
        value = self._source.read()
        if value.shape == self._shape and value.dtype == self._dtype:
            return value
        flat = value.reshape(-1)
        if value.dtype != self._dtype:
            flat = flat.view(self._dtype)
        return flat[self._start : self._start + math.prod(self._shape)].reshape(self._shape)


def look(variable: Variable) -> Window:
    """A read of a variable, to be carried out later; FailedPreconditionError without a value."""
    memory, value = variable.shared()
    return Window(memory, 0, value.shape, value.dtype)


def taken(value: Any) -> Any:
    """A value, read now if it stands in a variable's memory."""
    return value.read() if type(value) is Window else value


def part(source: Window, value: Any, result: Any) -> Window | None:
    """The part of a window that a view of its value is; None if `result` is no such view.

    Args:
      source: where `value` was read. value: a C-contiguous array.
    """
    if not isinstance(result, np.ndarray) or not result.flags.c_contiguous:
        return None
    offset = _address(result) - _address(value)
    if not 0 <= offset <= value.nbytes - result.nbytes:
        return None
    return Window(source, offset // result.itemsize, result.shape, result.dtype)


def _address(array: np.ndarray) -> int:
    address: int = array.__array_interface__["data"][0]
    return address
