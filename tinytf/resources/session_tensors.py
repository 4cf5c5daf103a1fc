"""Tensors that stay in a session from one step to the next, found again by a handle.

A handle is a text: "name;number;device". It is worth something once it was fetched; the value
of one that nobody fetches goes with the text. TensorFlow: core/common_runtime/session_state.cc.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from tinytf.framework.errors import InvalidArgumentError, ResourceExhaustedError
from tinytf.resources.variable import own


class Handle(bytes):
    """The text of a handle, on its way through a step with what it stands for.

    Attributes:
      value: an array that nobody changes.
    """

    value: Any


class SessionTensors:
    """The tensors that one session keeps.

    Thread-safe: each method is one access to a dictionary, so that a handle that is collected, at
    any moment, can take its tensor with it.

    Attributes:
      limit: how many there may be.
      home: the device of nodes that ask for none.
    """

    def __init__(self, limit: int | None = None):
        self.limit = limit
        self.home = "/job:localhost/replica:0/task:0/device:CPU:0"
        self._numbers = itertools.count()
        self._values: dict[str, Any] = {}

    def handle(self, name: str, device: str, value: Any) -> Handle:
        """A new handle for a value that the node `name` has got."""
        where = device if device.startswith("/job:") and "/device:" in device else self.home
        handle = Handle(f"{name};{next(self._numbers)};{where}".encode())
        handle.value = own(value)
        return handle

    def keep(self, fetched: Any) -> Any:
        """Have a fetched handle outlive its step; returns its text as steps know texts.

        Raises:
          ResourceExhaustedError: if there are too many already.
        """
        handle = fetched.item()
        if isinstance(handle, Handle):
            if self.limit is not None and len(self._values) >= self.limit:
                raise ResourceExhaustedError(
                    f"The session keeps {self.limit} tensors for its handles, and this server "
                    f"takes no more. Delete some: handle.delete(), or let go of the handles. "
                    f"Whoever runs the server sets the limit: Limits(session_tensors=...)."
                )
            self._values[handle.decode()] = handle.value
        return np.array(bytes(handle), object)

    def get(self, handle: str) -> Any:
        """The tensor of a handle; InvalidArgumentError if there is none."""
        found = self._values.get(handle)
        if found is None:
            raise InvalidArgumentError(
                f"The tensor with handle '{handle}' is not in the session store. It belongs to "
                f"another session, was deleted, or went with its TensorHandle: keep that in a "
                f"variable as long as you feed its .handle."
            )
        return found

    def delete(self, handle: str) -> None:
        """Forget a tensor; InvalidArgumentError if there is none."""
        if not self.discard(handle):
            raise InvalidArgumentError(
                f"Failed to delete a tensor with handle '{handle}' in the session "
                f"store: it is not there (any more)."
            )

    def discard(self, handle: str) -> bool:
        """Forget a tensor; whether there was one."""
        return self._values.pop(handle, None) is not None

    def clear(self) -> None:
        """Forget all: the session is closed."""
        self._values.clear()

    @property
    def nbytes(self) -> int:
        """What they hold, in bytes; of texts their addresses only."""
        return sum(value.nbytes for value in list(self._values.values()))

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return f"<{len(self)} tensors of a session, {self.nbytes} bytes>"
