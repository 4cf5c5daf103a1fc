"""Handles of tensors that stay in a session: what `sess.run(tf.get_session_handle(x))` gives.

A handle's tensor goes with the Python object. Where steps run in this process, that is at once;
elsewhere dead handles are collected, and deleted by a step of their own, as in TensorFlow.
"""

from __future__ import annotations

import weakref
from collections import deque
from typing import Any

from tinytf.framework.dtypes import DType
from tinytf.framework.errors import InvalidArgumentError
from tinytf.framework.tensor import Tensor
from tinytf.ops.session_handles import delete_session_tensor, get_session_tensor

#: The op types whose results are handles.
HANDLE_TYPES = frozenset(["GetSessionHandle", "GetSessionHandleV2"])
#: So many dead handles of a remote session are deleted together.
_TOGETHER = 10


class TensorHandle:
    """A tensor in a session; see `tf.get_session_handle`.

    Feed its `handle` to the placeholder of `tf.get_session_tensor`, or itself for a tensor.
    """

    def __init__(self, handle: str, dtype: DType, session: Any):
        self._handle = handle
        self._dtype = dtype
        self._session = session
        self._owned = True

    @property
    def handle(self) -> str:
        """Its text: the name of the node, a number, and the device, between semicolons."""
        return self._handle

    def eval(self) -> Any:
        """The value.

        Raises:
          TypeError: after `delete` or `get_raw_handle`. RuntimeError: if the session is closed.
        """
        self._check_owned()
        return self._session._handles.read(self._handle, self._dtype)

    def delete(self) -> None:
        """Forget the tensor now.

        Raises:
          what `eval` raises.
        """
        self._check_owned()
        self._owned = False
        self._session._handles.delete([self._handle])

    def get_raw_handle(self) -> str:
        """The text; whoever takes it looks after the tensor, which no longer goes with this."""
        self._owned = False
        return self._handle

    def _check_owned(self) -> None:
        if not self._owned:
            raise TypeError(
                f"Persistent tensor {self._handle} may have already been deleted: delete() or "
                f"get_raw_handle() was called."
            )

    def __str__(self) -> str:
        return self._handle

    def __del__(self) -> None:
        if getattr(self, "_owned", False):
            self._session._handles.dropped(self._handle)


class SessionHandles:
    """The handles of one session.

    Args:
      session: whose. tensors: its `SessionTensors`, if steps run in this process.
    """

    def __init__(self, session: Any, tensors: Any):
        self._session = weakref.ref(session)
        self._tensors = tensors
        self._dead: deque[str] = deque()  # appended to by the garbage collector, at any moment
        self._nodes: dict[tuple[str, DType | None], tuple[Tensor, Any]] = {}

    def made(self, fetch: Tensor, value: Any) -> TensorHandle:
        """The handle that a step gave as `value` of `fetch`."""
        session = self._open_session()
        if len(self._dead) >= _TOGETHER and not session.graph.finalized:
            self.delete([self._dead.popleft() for _ in range(_TOGETHER)])
        return TensorHandle(value.decode(), fetch.op.inputs[0].dtype.base_dtype, session)

    def fed(self, handle: TensorHandle, tensor: Tensor) -> Any:
        """The value of a handle that is fed for `tensor`; InvalidArgumentError if it cannot be."""
        if handle._session is not self._session():
            raise InvalidArgumentError(
                f"The tensor with handle '{handle}' is not in the session store: the handle fed "
                f"for {tensor.name} is of another session.",
                tensor.op,
            )
        wanted = tensor.dtype.base_dtype
        if wanted != handle._dtype:
            advice = f"Feed its text: {{{tensor.op.name}: handle.handle}}."
            raise InvalidArgumentError(
                f"{tensor.name} expects to be {wanted.name} but {handle._dtype.name} is provided: "
                f"that is the type of the tensor behind '{handle}'. "
                f"{advice if wanted.name == 'string' else ''}".rstrip(),
                tensor.op,
            )
        return handle.eval()

    def read(self, handle: str, dtype: DType) -> Any:
        """The value behind a handle."""
        holder, tensor = self._built(handle, dtype)
        return self._open_session().run(tensor, {holder: handle})

    def delete(self, handles: list[str]) -> None:
        """Forget the tensors behind handles."""
        for handle in handles:
            holder, op = self._built(handle, None)
            self._open_session().run(op, {holder: handle})

    def dropped(self, handle: str) -> None:
        """The object is gone. Takes no lock: this may come in the middle of anything."""
        if self._tensors is not None:
            self._tensors.discard(handle)
        else:
            self._dead.append(handle)

    def _open_session(self) -> Any:
        session = self._session()
        assert session is not None  # whoever calls holds it
        session._check_open()
        return session

    def _built(self, handle: str, dtype: DType | None) -> tuple[Tensor, Any]:
        """A placeholder for handles of one device, and their tensor, or without dtype its end."""
        graph = self._open_session().graph
        key = handle.rpartition(";")[2], dtype
        if key not in self._nodes:
            with graph.as_default(), graph.control_dependencies(None):
                self._nodes[key] = (
                    delete_session_tensor(handle)
                    if dtype is None
                    else get_session_tensor(handle, dtype)
                )
        return self._nodes[key]
