"""Summaries of tensors: a number, a distribution, any tensor, text; and joining them.

A summary is a string tensor that holds a serialised `Summary`: tags and values, for
`tf.summary.FileWriter` to write and for TensorBoard to show. Mirrors
tensorflow/python/summary/summary.py and the kernels summary_op.cc and summary_tensor_op.cc.
Images and sounds are in `media_summaries.py`.
"""

from __future__ import annotations

import functools
import logging
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from google.protobuf.message import DecodeError

from tinytf.framework import dtypes
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.errors import invalid
from tinytf.framework.graph_keys import GraphKeys
from tinytf.framework.op_card import define_op
from tinytf.framework.operation import Operation
from tinytf.framework.scope_functions import name_scope
from tinytf.framework.shape_inference import InferenceContext
from tinytf.framework.stacks import get_default_graph
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape
from tinytf.protos import summary_pb2, tensor_pb2

_STRANGE = re.compile(r"[^-/\w.]")
#: What summary_op.cc takes: all real numbers.
NUMBERS = "T: realnumbertype"
NO_GRADIENT = "a serialised summary does not change by small amounts"


def scalar_shape(c: InferenceContext) -> TensorShape:
    """The shape of every summary: one string."""
    return TensorShape.of(())


# Names and tags -----------------------------------------------------------------------------------


def clean_tag(name: str | None) -> str | None:
    """A name without the characters that names of operations cannot have."""
    if name is None:
        return None
    cleaned = _STRANGE.sub("_", name).lstrip("/")
    if cleaned != name:
        logging.getLogger("tinytf").info(
            "Summary name %s is illegal; using %s instead.", name, cleaned
        )
    return cleaned


@contextmanager
def summary_scope(
    name: str | None, family: str | None, values: list[Any], default_name: str | None = None
) -> Iterator[tuple[str, str]]:
    """Enter the scope of a summary; gives its tag and the scope, which becomes the node's name.

    The scope is unique in the graph, so the tag is, too. A family comes before everything else:
    TensorBoard groups by the part in front of the first "/".
    """
    name, family = clean_tag(name), clean_tag(family)
    wanted = name if family is None else f"{family}/{name}"
    with name_scope(wanted, default_name, values) as scope:
        tag = scope.rstrip("/")
        yield (tag if family is None else f"{family}/{tag}"), scope


def collect(summary: Tensor, collections: Any, default: tuple[str, ...]) -> Tensor:
    """Add a summary to its collections; returns it."""
    for key in default if collections is None else collections:
        get_default_graph().add_to_collection(key, summary)
    return summary


def text_of(value: Any) -> bytes:
    """The one string of a scalar."""
    return bytes(np.asarray(value, object).item())


def serialised(summary: Any) -> np.ndarray:
    """A `Summary` message as a scalar string."""
    return np.array(summary.SerializeToString(), object)


# One number ---------------------------------------------------------------------------------------

_scalar_summary = define_op(
    "ScalarSummary",
    "tags: string, values: T -> summary: string",
    NUMBERS,
    shape=scalar_shape,
    no_gradient=NO_GRADIENT,
)


@_scalar_summary.kernel
def _scalar_summary_kernel(tags: Any, values: Any) -> np.ndarray:
    tags, values = np.asarray(tags, object), np.asarray(values)
    if tags.shape != values.shape:
        which = f" (tag '{text_of(tags).decode()}')" if tags.size == 1 else ""
        raise invalid(
            f"tags and values are not the same shape: {list(tags.shape)} != "
            f"{list(values.shape)}{which}. A scalar summary takes a single number: "
            f"tf.reduce_mean makes one of many."
        )
    summary = summary_pb2.Summary()
    numbers = values.astype(np.float32).ravel().tolist()
    for tag, number in zip(tags.ravel(), numbers, strict=True):
        summary.value.add(tag=tag.decode(), simple_value=number)
    return serialised(summary)


def scalar(name: str, tensor: Any, collections: Any = None, family: str | None = None) -> Tensor:
    """A summary of a single number (TensorFlow: `tf.summary.scalar`).

    Args:
      name: of the node, and of the curve in TensorBoard.
      tensor: a real number.
      collections: where to add the summary; by default `tf.GraphKeys.SUMMARIES`, from which
        `merge_all` takes it.
      family: the part in front of the tag, by which TensorBoard groups.

    Returns:
      a scalar string tensor: a serialised `Summary`.

    Raises:
      TypeError: if `tensor` is not a number. InvalidArgumentError: at the run, if it is not a
        single one.

    Example:
      >>> loss = tf.constant(0.5)
      >>> summary = tf.Summary.FromString(tf.summary.scalar("loss", loss).eval())
      >>> summary.value[0].tag, summary.value[0].simple_value
      ('loss', 0.5)
    """
    with summary_scope(name, family, [tensor]) as (tag, scope):
        return collect(
            _scalar_summary(tag, tensor, name=scope), collections, (GraphKeys.SUMMARIES,)
        )


# A distribution -----------------------------------------------------------------------------------

_histogram_summary = define_op(
    "HistogramSummary",
    "tag: string, values: T -> summary: string",
    "T: realnumbertype = DT_FLOAT",
    shape=scalar_shape,
    no_gradient=NO_GRADIENT,
)


@functools.cache
def bucket_limits() -> np.ndarray:
    """The upper limits of the buckets: each a tenth larger, from 1e-12 to 1e20, and both signs."""
    limits = []
    limit = 1.0e-12
    while limit < 1.0e20:
        limits.append(limit)
        limit *= 1.1
    limits.append(sys.float_info.max)
    positive = np.array(limits)
    return np.concatenate([-positive[::-1], [0.0], positive])


def histogram_of(values: np.ndarray) -> summary_pb2.HistogramProto:
    """The distribution of float64 values, with TensorFlow's buckets; empty ones are joined."""
    limits = bucket_limits()
    places = np.searchsorted(limits, values, side="right").clip(max=len(limits) - 1)
    counts = np.bincount(places, minlength=len(limits))
    # Of several empty buckets in a row only the last stays: it ends where they end.
    kept = (counts > 0) | np.append(counts[1:] > 0, True)
    largest = sys.float_info.max
    # Sums one by one, in order: that is how TensorFlow rounds.
    squares = values * values
    return summary_pb2.HistogramProto(
        min=values.min(initial=largest),
        max=values.max(initial=-largest),
        num=len(values),
        sum=np.add.accumulate(values)[-1] if len(values) else 0.0,
        sum_squares=np.add.accumulate(squares)[-1] if len(values) else 0.0,
        bucket_limit=limits[kept].tolist(),
        bucket=counts[kept].tolist(),
    )


@_histogram_summary.kernel
def _histogram_summary_kernel(tag: Any, values: Any, *, node: Operation) -> np.ndarray:
    if np.ndim(tag):
        raise invalid("tags must be scalar")
    numbers = np.asarray(values).astype(np.float64).ravel()
    finite = np.isfinite(numbers)
    if not finite.all():
        first = numbers[np.argmin(finite)]
        what = "Nan in summary histogram" if np.isnan(first) else "Infinity in Histogram"
        raise invalid(
            f"{what} for: {node.name}. {int((~finite).sum())} of {len(numbers)} values are not "
            f"finite; a gradient that explodes or a logarithm of 0 does that."
        )
    summary = summary_pb2.Summary()
    summary.value.add(tag=text_of(tag).decode(), histo=histogram_of(numbers))
    return serialised(summary)


def histogram(name: str, values: Any, collections: Any = None, family: str | None = None) -> Tensor:
    """A summary of how values are distributed (TensorFlow: `tf.summary.histogram`).

    Args:
      name: of the node, and in TensorBoard.
      values: real numbers, of any shape.
      collections, family: as for `tf.summary.scalar`.

    Returns:
      a scalar string tensor: a serialised `Summary`.

    Raises:
      TypeError: if the values are not numbers. InvalidArgumentError: at the run, if one is not
        finite.

    Example:
      >>> weights = tf.constant([-1.0, 0.0, 0.0, 2.0])
      >>> summary = tf.Summary.FromString(tf.summary.histogram("weights", weights).eval())
      >>> summary.value[0].histo.num, summary.value[0].histo.sum
      (4.0, 1.0)
    """
    with summary_scope(name, family, [values], "HistogramSummary") as (tag, scope):
        return collect(
            _histogram_summary(tag, values, name=scope), collections, (GraphKeys.SUMMARIES,)
        )


# Any tensor ---------------------------------------------------------------------------------------

_tensor_summary = define_op(
    "TensorSummaryV2",
    "tag: string, tensor: T, serialized_summary_metadata: string -> summary: string",
    "T: type",
    shape=scalar_shape,
    no_gradient=NO_GRADIENT,
)


@_tensor_summary.kernel
def _tensor_summary_kernel(tag: Any, tensor: Any, metadata: Any) -> np.ndarray:
    for what, value in (("tag", tag), ("serialized_summary_metadata", metadata)):
        if np.ndim(value):
            raise invalid(f"{what} must be scalar")
    summary = summary_pb2.Summary()
    value = summary.value.add(tag=text_of(tag).decode(), tensor=_as_message(np.asarray(tensor)))
    try:
        value.metadata.ParseFromString(text_of(metadata))
    except DecodeError:
        raise invalid("serialized_summary_metadata is not a serialised SummaryMetadata") from None
    value.metadata.SetInParent()
    return serialised(summary)


def _as_message(array: np.ndarray) -> tensor_pb2.TensorProto:
    """A tensor as TensorFlow's C++ writes it: bytes, unless it holds strings."""
    dtype = dtypes.as_dtype(array.dtype)
    message = tensor_pb2.TensorProto(dtype=dtype.as_datatype_enum)
    message.tensor_shape.SetInParent()
    for size in array.shape:
        message.tensor_shape.dim.add(size=size)
    if dtype == dtypes.string:
        message.string_val.extend(array.ravel().tolist())
    else:
        message.tensor_content = array.tobytes()
    return message


def tensor_summary(
    name: str,
    tensor: Any,
    summary_description: str | None = None,
    collections: Any = None,
    summary_metadata: Any = None,
    family: str | None = None,
    display_name: str | None = None,
) -> Tensor:
    """A summary that holds a whole tensor (TensorFlow: `tf.summary.tensor_summary`).

    Args:
      name: of the node; also the tag.
      tensor: a tensor of any type and shape.
      summary_description: what it is about, in Markdown.
      collections, family: as for `tf.summary.scalar`.
      summary_metadata: a `SummaryMetadata`: which plugin of TensorBoard shows it.
      display_name: what TensorBoard calls it.

    Returns:
      a scalar string tensor: a serialised `Summary`.

    Example:
      >>> summary = tf.Summary.FromString(tf.summary.tensor_summary("t", [1.0, 2.0]).eval())
      >>> tf.make_ndarray(summary.value[0].tensor).tolist()
      [1.0, 2.0]
    """
    metadata = summary_pb2.SummaryMetadata()
    if summary_metadata is not None:
        metadata.CopyFrom(summary_metadata)
    if summary_description is not None:
        metadata.summary_description = summary_description
    if display_name is not None:
        metadata.display_name = display_name
    with summary_scope(name, family, [tensor]) as (tag, scope):
        made = _tensor_summary(tag, tensor, metadata.SerializeToString(), name=scope)
        return collect(made, collections, (GraphKeys.SUMMARIES,))


def text(name: str, tensor: Any, collections: Any = None) -> Tensor:
    """A summary of text, which TensorBoard shows as Markdown (TensorFlow: `tf.summary.text`).

    Args:
      name: of the node, and in TensorBoard.
      tensor: strings; a vector or a matrix becomes a table.
      collections: as for `tf.summary.scalar`.

    Returns:
      a scalar string tensor: a serialised `Summary`.

    Raises:
      ValueError: if the tensor does not hold strings.

    Example:
      >>> summary = tf.Summary.FromString(tf.summary.text("note", "A *run*.").eval())
      >>> summary.value[0].metadata.plugin_data.plugin_name
      'text'
    """
    tensor = convert_to_tensor(tensor)
    if tensor.dtype != dtypes.string:
        raise ValueError(
            f"Expected tensor {tensor.name} to have dtype string, got {tensor.dtype}. "
            f"tf.as_string makes text of numbers."
        )
    plugin = summary_pb2.SummaryMetadata.PluginData(plugin_name="text")
    metadata = summary_pb2.SummaryMetadata(plugin_data=plugin)
    return tensor_summary(name, tensor, summary_metadata=metadata, collections=collections)


# Several in one -----------------------------------------------------------------------------------

_merge_summary = define_op(
    "MergeSummary",
    "inputs: N * string -> summary: string",
    "N: int >= 1",
    shape=scalar_shape,
    no_gradient=NO_GRADIENT,
)


@_merge_summary.kernel
def _merge_summary_kernel(*inputs: Any) -> np.ndarray:
    merged = summary_pb2.Summary()
    seen: set[str] = set()
    for content in (item for array in inputs for item in np.asarray(array, object).ravel()):
        try:
            values = summary_pb2.Summary.FromString(content).value
        except DecodeError:
            message = "Could not parse one of the summary inputs"
            raise invalid(message) from None
        for value in values:
            if value.tag and value.tag in seen:
                raise invalid(f"Duplicate tag {value.tag} found in summary inputs")
            seen.add(value.tag)
        merged.value.extend(values)
    return serialised(merged)


def merge(inputs: Any, collections: Any = None, name: str | None = None) -> Tensor:
    """All values of several summaries in one (TensorFlow: `tf.summary.merge`).

    Args:
      inputs: a list of summaries: string tensors, of any shape.
      collections: where to add the result; nowhere by default.
      name: of the node, and of a scope around it; "Merge" by default.

    Returns:
      a scalar string tensor: a serialised `Summary`.

    Raises:
      TypeError: if `inputs` is no list, or does not hold strings. ValueError: if it is empty.
      InvalidArgumentError: at the run, if two values have the same tag.

    Example:
      >>> both = tf.summary.merge([tf.summary.scalar("a", 1.0), tf.summary.scalar("b", 2.0)])
      >>> [value.tag for value in tf.Summary.FromString(both.eval()).value]
      ['a', 'b']
    """
    if not isinstance(inputs, list | tuple):
        raise TypeError(
            f"Expected list for 'inputs' argument to 'merge_summary' Op, not {inputs!r}."
        )
    name = clean_tag(name)
    with name_scope(name, "Merge", inputs):
        return collect(_merge_summary(list(inputs), name=name), collections, ())


def merge_all(
    key: str = GraphKeys.SUMMARIES, scope: str | None = None, name: str | None = None
) -> Tensor | None:
    """All summaries of the default graph in one (TensorFlow: `tf.summary.merge_all`).

    Args:
      key: the collection to take them from.
      scope: a pattern that their names have to start with.
      name: as for `merge`.

    Returns:
      a scalar string tensor; None if there are no summaries.

    Example:
      >>> loss = tf.summary.scalar("loss", 0.5)
      >>> tf.summary.merge_all() is None
      False
    """
    found = get_default_graph().get_collection(key, scope=scope)
    return merge(found, name=name) if found else None
