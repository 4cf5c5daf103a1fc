"""Tensors as messages, and examples as JSON: `tf.io.serialize_tensor`, `tf.parse_tensor` ..."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np

from tinytf.framework import dtypes, shape_inference
from tinytf.framework.errors import invalid
from tinytf.framework.op_card import define_op
from tinytf.framework.step_context import StepContext
from tinytf.framework.summaries import type_text
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_value import encode, make_ndarray
from tinytf.ops.base.shape_rules import shown
from tinytf.ops.strings.string_cards import NO_DERIVATIVE, map_texts, string_array, texts
from tinytf.protos import tensor_pb2

# SerializeTensor ----------------------------------------------------------------------------------

_serialize_tensor = define_op(
    "SerializeTensor",
    "tensor: T -> serialized: string",
    "T: type",
    shape=shape_inference.is_scalar,
    no_gradient=NO_DERIVATIVE,
)


@_serialize_tensor.kernel
def _serialize_tensor_kernel(step: StepContext, tensor: Any, *, T: dtypes.DType) -> np.ndarray:
    if T is dtypes.string:
        proto = encode(tensor, T)
    else:  # always raw bytes, also of a single number
        proto = tensor_pb2.TensorProto(dtype=T.as_datatype_enum)
        proto.tensor_shape.SetInParent()
        for size in np.shape(tensor):
            proto.tensor_shape.dim.add().size = size
        proto.tensor_content = np.asarray(tensor).tobytes()
    return string_array([proto.SerializeToString()], ())


def serialize_tensor(tensor: Any, name: str | None = None) -> Tensor:
    """A tensor as a serialised `TensorProto` (TensorFlow: `tf.io.serialize_tensor`).

    Args:
      tensor: of any type and shape. name: of the operation.

    Returns:
      a single string.

    Example:
      >>> tf.io.parse_tensor(tf.io.serialize_tensor([1, 2]), tf.int32)  # [1, 2]
    """
    return _serialize_tensor(tensor, name=name)


# ParseTensor --------------------------------------------------------------------------------------

_parse_tensor = define_op(
    "ParseTensor",
    "serialized: string -> output: out_type",
    "out_type: type",
    shape=shape_inference.unknown,
    no_gradient=NO_DERIVATIVE,
)


@_parse_tensor.kernel
def _parse_tensor_kernel(
    step: StepContext, serialized: Any, *, out_type: dtypes.DType
) -> np.ndarray:
    from google.protobuf.message import DecodeError

    if np.ndim(serialized):
        raise invalid(f"Expected `serialized` to be a scalar, got shape: {shown(serialized)}")
    data = texts(serialized)[0]
    try:
        proto = tensor_pb2.TensorProto.FromString(data)
    except DecodeError:
        start = base64.b64encode(data[:75]).decode() + ("..." if len(data) > 75 else "")
        raise invalid(f"Could not parse `serialized` as TensorProto, base64: {start}") from None
    if proto.dtype != out_type.as_datatype_enum and proto.dtype:
        found = dtypes.as_dtype(proto.dtype)
        raise invalid(
            f"Type mismatch between parsed tensor ({_name(found)}) and dtype ({_name(out_type)})"
        )
    try:
        return make_ndarray(proto)
    except ValueError as error:
        raise invalid(f"Cannot parse tensor from proto: {error}") from None


def _name(dtype: dtypes.DType) -> str:
    return type_text(dtype).removeprefix("DT_").lower()


def parse_tensor(serialized: Any, out_type: Any, name: str | None = None) -> Tensor:
    """The tensor in a serialised `TensorProto` (TensorFlow: `tf.io.parse_tensor`).

    Args:
      serialized: a single string. out_type: the tensor's type. name: of the operation.

    Returns:
      a tensor of unknown shape: `set_shape` tells what is known of it.

    Raises:
      InvalidArgumentError: in a run, for bytes that are no such message, or of another type.

    Example:
      >>> tf.io.parse_tensor(tf.io.serialize_tensor([1, 2]), tf.int32)  # [1, 2]
    """
    return _parse_tensor(serialized, name=name, out_type=dtypes.as_dtype(out_type))


# DecodeJSONExample --------------------------------------------------------------------------------

_decode_json_example = define_op(
    "DecodeJSONExample",
    "json_examples: string -> binary_examples: string",
    no_gradient=NO_DERIVATIVE,
    shape=lambda c: c.input(0),
)


def _from_json(text: bytes) -> bytes:
    from google.protobuf import json_format  # few programs need it

    from tinytf.protos.example_pb2 import Example

    try:
        if text.lstrip()[:1] in (b"[", b'"'):
            raise json_format.ParseError("Root element must be a message.")
        return json_format.Parse(text.decode(), Example()).SerializeToString()
    except (json_format.ParseError, UnicodeDecodeError) as error:
        shown_text = text[:80].decode("utf-8", "backslashreplace")
        raise invalid(f"Error while parsing JSON: {error}  (in {shown_text!r})") from None


@_decode_json_example.kernel
def _decode_json_example_kernel(step: StepContext, json_examples: Any) -> Any:
    return map_texts(_from_json, json_examples)


def decode_json_example(json_examples: Any, name: str | None = None) -> Tensor:
    """Examples in protobuf's JSON as serialised `Example`s (TensorFlow: `tf.decode_json_example`).

    Args:
      json_examples: strings of any shape. name: of the operation.

    Raises:
      InvalidArgumentError: in a run, "Error while parsing JSON".

    Example:
      >>> text = '{"features": {"feature": {"a": {"int64List": {"value": [1]}}}}}'
      >>> feature = tf.FixedLenFeature([1], tf.int64)
      >>> tf.parse_single_example(tf.decode_json_example(text), {"a": feature})["a"]  # [1]
    """
    return _decode_json_example(json_examples, name=name)
