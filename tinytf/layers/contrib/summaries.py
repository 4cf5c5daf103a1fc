"""Summaries of tensors and collections (TensorFlow: contrib/layers' summaries.py)."""

from __future__ import annotations

import re
from typing import Any

from tinytf.framework import dtypes
from tinytf.framework.graph_keys import GraphKeys
from tinytf.framework.scope_functions import get_collection
from tinytf.framework.tensor import Tensor
from tinytf.ops.math.cast import cast
from tinytf.ops.math.comparison import greater, less
from tinytf.ops.reduce.reduction import reduce_mean
from tinytf.ops.summary.summaries import histogram, scalar


def summarize_tensor(tensor: Any, tag: str | None = None) -> Tensor:
    """A scalar of a scalar, a histogram of anything else.

    Args:
      tensor: what is summarised. tag: by default the name of its operation.

    Example:
      >>> tf.contrib.layers.summarize_tensor(tf.ones([2], name="w")).op.type
      'HistogramSummary'
    """
    tag = tag or f"{tensor.op.name}_summary"
    return scalar(tag, tensor) if tensor.shape.ndims == 0 else histogram(tag, tensor)


def summarize_activation(op: Any) -> Tensor:
    """A histogram of what a layer gives; of relu's, also the share that is cut off.

    Args:
      op: a tensor. What is cut off is below zero before it, and above six for relu6.

    Example:
      >>> tf.contrib.layers.summarize_activation(tf.nn.relu([-1.0, 2.0], name="h")).op.name
      'h/activation'
    """
    name, kind = op.op.name, op.op.type
    if kind in ("Relu", "Softplus", "Relu6"):
        scalar(f"{name}/zeros", _share(less(op.op.inputs[0], 0)))
    if kind == "Relu6":
        scalar(f"{name}/sixes", _share(greater(op.op.inputs[0], 6)))
    return histogram(f"{name}/activation", op)


def _share(true: Tensor) -> Tensor:
    return reduce_mean(cast(true, dtypes.float32))


def summarize_tensors(tensors: Any, summarizer: Any = summarize_tensor) -> list[Tensor]:
    """A summary of each of several tensors.

    Args:
      tensors: what is summarised. summarizer: a function that does it.

    Example:
      >>> made = tf.contrib.layers.summarize_tensors([tf.constant(1.0), tf.ones([2])])
      >>> [one.op.type for one in made]
      ['ScalarSummary', 'HistogramSummary']
    """
    return [summarizer(one) for one in tensors]


def summarize_collection(
    collection: str, name_filter: str | None = None, summarizer: Any = summarize_tensor
) -> list[Tensor]:
    """A summary of each tensor of a collection.

    Args:
      collection: its name. name_filter: a regular expression that names are to fit.
      summarizer: as of `summarize_tensors`.

    Example:
      >>> tf.add_to_collection("losses", tf.constant(1.0, name="loss"))
      >>> [one.op.name for one in tf.contrib.layers.summarize_collection("losses")]
      ['loss_summary']
    """
    found = get_collection(collection)
    if name_filter is not None:
        found = [one for one in found if re.match(name_filter, one.op.name)]
    return summarize_tensors(found, summarizer)


def summarize_activations(
    name_filter: str | None = None, summarizer: Any = summarize_activation
) -> list[Tensor]:
    """Summaries of `tf.GraphKeys.ACTIVATIONS`.

    Args:
      name_filter: as of `summarize_collection`. summarizer: as of `summarize_tensors`.

    Example:
      >>> tf.add_to_collection(tf.GraphKeys.ACTIVATIONS, tf.ones([2], name="h"))
      >>> [one.op.name for one in tf.contrib.layers.summarize_activations()]
      ['h/activation']
    """
    return summarize_collection(GraphKeys.ACTIVATIONS, name_filter, summarizer)
