"""A stack of values that lives for one step: how a loop remembers for its gradient."""

from __future__ import annotations

from typing import Any

from tinytf.framework.dtypes import DType
from tinytf.framework.errors import InvalidArgumentError


class Stack:
    """Last in, first out. The loops that use it order their pushes and pops by control edges.

    Args:
      name: for messages.
      dtype: the type of its elements.
      max_size: how many it may hold; negative for any number.
    """

    __slots__ = ("_closed", "_max_size", "_values", "dtype", "name")

    def __init__(self, name: str, dtype: DType, max_size: int = -1):
        self.name = name
        self.dtype = dtype
        self._max_size = max_size
        self._values: list[Any] = []
        self._closed = False

    def push(self, value: Any) -> None:
        """Put a value on top; InvalidArgumentError when closed or full."""
        self._check_open()
        if 0 <= self._max_size <= len(self._values):
            raise InvalidArgumentError(
                f"Stack[{self.name}] overflowed its max_size ({self._max_size})"
            )
        self._values.append(value)

    def pop(self) -> Any:
        """Take the value on top; InvalidArgumentError when closed or empty."""
        if not self._values:
            self._check_open()
            raise InvalidArgumentError(f"Stack[{self.name}] is empty when calling Pop().")
        return self._values.pop()

    def close(self) -> None:
        """Drop all values; nothing can be done with the stack afterwards."""
        self._values.clear()
        self._closed = True

    def _check_open(self) -> None:
        if self._closed:
            raise InvalidArgumentError(f"Stack[{self.name}] has already been closed.")

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return f"<stack {self.name!r} of {len(self._values)} {self.dtype.name} values>"
