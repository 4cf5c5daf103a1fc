"""Tensors that stay where they were computed from one `sess.run` to the next, by their handles.

Mirrors tensorflow/python/ops/session_ops.py and core/kernels/session_ops.cc.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf.framework import dtypes, shape_inference
from tinytf.framework.device_spec import canonical_device
from tinytf.framework.dtypes import DType
from tinytf.framework.errors import InternalError, invalid
from tinytf.framework.op_card import OpCard, define_op
from tinytf.framework.operation import Operation
from tinytf.framework.scope_functions import colocate_with, device
from tinytf.framework.tensor import Tensor
from tinytf.ops.array.placeholder import placeholder
from tinytf.resources.manager import ResourceManager

_STATE = "what a session keeps is a value, as if it was fed"

# GetSessionHandle, GetSessionHandleV2 -------------------------------------------------------------


def _handle(value: Any, *, node: Operation, resources: ResourceManager) -> Any:
    return np.array(resources.session_tensors.handle(node.name, node.device, value), object)


def _define_handle(name: str, kind: str) -> OpCard:
    return define_op(
        name,
        f"value: T -> handle: {kind}",
        "T: type",
        stateful=True,
        shape=shape_inference.is_scalar,
        kernel=_handle,
        no_gradient=_STATE,
    )


_get_session_handle = _define_handle("GetSessionHandle", "string")
_get_session_handle_v2 = _define_handle("GetSessionHandleV2", "resource")


def get_session_handle(data: Any, name: str | None = None) -> Tensor:
    """A handle that keeps the value of a tensor in the session (TensorFlow: the same).

    `sess.run` gives a `TensorHandle`: its `handle` is fed to what `tf.get_session_tensor` gives,
    or it is itself fed for a tensor of its dtype. Its `eval()` is the value, `delete()` forgets
    it; so does Python when the object is gone, and the session when it is closed. What is not
    fetched is not kept.

    Args:
      data: a tensor of any shape and dtype.
      name: of the operation.

    Returns:
      a string tensor of shape [].

    Raises:
      TypeError: if `data` is no tensor.

    Example:
      >>> with tf.Session() as sess:
      ...     handle = sess.run(tf.get_session_handle(tf.constant([1.0, 2.0])))
      ...     x = tf.placeholder(tf.float32)
      ...     print(sess.run(x * 10, {x: handle}))
      [10. 20.]
    """
    if not isinstance(data, Tensor):
        raise TypeError(
            f"`data` must be of type Tensor. Got {type(data).__name__}: of a variable "
            f"take its value(), of a number tf.constant()."
        )
    with colocate_with(data):
        return _get_session_handle(data, name=name)


# GetSessionTensor ---------------------------------------------------------------------------------

_get_session_tensor = define_op(
    "GetSessionTensor",
    "handle: string -> value: dtype",
    "dtype: type",
    stateful=True,
    shape=shape_inference.unknown,
    no_gradient=_STATE,
)


@_get_session_tensor.kernel
def _kept(handle: Any, *, dtype: DType, resources: ResourceManager) -> Any:
    value = resources.session_tensors.get(_text(handle))
    if value.dtype != np.dtype(dtype.as_numpy_dtype):
        kept = dtypes.as_dtype(value.dtype).name
        raise InternalError(
            f"Output 0 of type {kept} does not match declared output type "
            f"{dtype.name}: that is what the tensor with handle '{_text(handle)}' is."
        )
    return value


def get_session_tensor(handle: Any, dtype: Any, name: str | None = None) -> tuple[Tensor, Tensor]:
    """A tensor that the session keeps, by a handle that is fed (TensorFlow: the same).

    Args:
      handle: the text of a handle, for its device: any handle of that device can be fed.
      dtype: of the tensor.
      name: of the operation.

    Returns:
      (a placeholder for the text of a handle, the tensor, of unknown shape).

    Raises:
      ValueError: if `handle` is none.

    Example:
      >>> with tf.Session() as sess:
      ...     kept = sess.run(tf.get_session_handle(tf.constant(4)))
      ...     holder, tensor = tf.get_session_tensor(kept.handle, tf.int32)
      ...     print(sess.run(tensor + 1, {holder: kept.handle}))
      5
    """
    with device(_device_of(handle)):
        holder = placeholder("string")
        return holder, _get_session_tensor(holder, dtype=dtype, name=name)


# DeleteSessionTensor ------------------------------------------------------------------------------

_delete_session_tensor = define_op(
    "DeleteSessionTensor",
    "handle: string",
    stateful=True,
    shape=shape_inference.no_outputs,
    no_gradient=_STATE,
)


@_delete_session_tensor.kernel
def _delete(handle: Any, *, resources: ResourceManager) -> tuple[()]:
    resources.session_tensors.delete(_text(handle))
    return ()


def delete_session_tensor(handle: Any, name: str | None = None) -> tuple[Tensor, Operation]:
    """An operation that forgets a tensor of the session (TensorFlow: the same).

    Args:
      handle: the text of a handle, for its device. name: of the operation.

    Returns:
      (a placeholder for the text of a handle, the operation).

    Raises:
      ValueError: if `handle` is none.

    Example:
      >>> with tf.Session() as sess:
      ...     kept = sess.run(tf.get_session_handle(tf.constant(4))).get_raw_handle()
      ...     holder, deletion = tf.delete_session_tensor(kept)
      ...     sess.run(deletion, {holder: kept})
    """
    with device(_device_of(handle)):
        holder = placeholder("string")
        return holder, _delete_session_tensor(holder, name=name)


def _device_of(handle: Any) -> str:
    text = handle.decode() if isinstance(handle, bytes) else str(handle)
    return canonical_device(text.rpartition(";")[2])


def _text(handle: Any) -> str:
    if np.shape(handle):
        raise invalid(f"handle must be scalar, got shape {list(np.shape(handle))}")
    value: bytes = np.asarray(handle, object).item()
    return value.decode("utf-8", "replace")
