"""The variable that counts training steps, by convention one for each graph.

Mirrors tensorflow/python/training/training_util.py.
"""

from __future__ import annotations

import logging
from typing import Any

from tinytf.framework import dtypes
from tinytf.framework.graph import Graph
from tinytf.framework.graph_keys import GraphKeys
from tinytf.framework.stacks import get_default_graph
from tinytf.ops.variables.initializers import Zeros
from tinytf.ops.variables.scope import get_variable


def global_step(sess: Any, global_step_tensor: Any) -> int:
    """The number of steps done, in a session (TensorFlow: `tf.train.global_step`).

    Example:
      >>> step = tf.train.create_global_step()
      >>> tf.train.global_step(sess, step)  # 0
    """
    return int(sess.run(global_step_tensor))


def get_global_step(graph: Graph | None = None) -> Any:
    """The graph's global step, or None (TensorFlow: `tf.train.get_global_step`).

    It is what the collection GLOBAL_STEP holds, or the tensor "global_step:0".

    Raises:
      TypeError: if that is not an integer scalar.

    Example:
      >>> tf.train.get_global_step() is None  # True
    """
    graph = graph or get_default_graph()
    held = graph.get_collection(GraphKeys.GLOBAL_STEP)
    if len(held) > 1:
        logging.getLogger("tinytf").error(
            "Multiple tensors in global_step collection: %s. None of them counts.", held
        )
        return None
    if held:
        found = held[0]
    else:
        try:
            found = graph.get_tensor_by_name("global_step:0")
        except KeyError:
            return None
    assert_global_step(found)
    return found


def create_global_step(graph: Graph | None = None) -> Any:
    """Make the graph's global step (TensorFlow: `tf.train.create_global_step`).

    Returns:
      an int64 scalar variable, not trainable, that starts at 0.

    Raises:
      ValueError: if there is one.

    Example:
      >>> tf.train.create_global_step()  # 0
    """
    graph = graph or get_default_graph()
    if get_global_step(graph) is not None:
        raise ValueError('"global_step" already exists.')
    with graph.as_default(), graph.name_scope(None):
        return get_variable(
            GraphKeys.GLOBAL_STEP,
            shape=[],
            dtype=dtypes.int64,
            initializer=Zeros(),
            trainable=False,
            collections=[GraphKeys.GLOBAL_VARIABLES, GraphKeys.GLOBAL_STEP],
        )


def get_or_create_global_step(graph: Graph | None = None) -> Any:
    """The graph's global step, made if need be (TensorFlow: the same name in `tf.train`).

    Example:
      >>> tf.train.get_or_create_global_step() is tf.train.get_global_step()  # True
    """
    graph = graph or get_default_graph()
    found = get_global_step(graph)
    return create_global_step(graph) if found is None else found


def assert_global_step(global_step_tensor: Any) -> None:
    """Raise unless it can count steps (TensorFlow: `tf.train.assert_global_step`).

    Raises:
      TypeError: if it is not an integer tensor or variable, or not a scalar.

    Example:
      >>> tf.train.assert_global_step(tf.train.create_global_step())
    """
    if not hasattr(global_step_tensor, "dtype") or not hasattr(global_step_tensor, "op"):
        raise TypeError(
            f'Existing "global_step" must be a Variable or Tensor: {global_step_tensor}.'
        )
    if not global_step_tensor.dtype.base_dtype.is_integer:
        raise TypeError(
            f'Existing "global_step" does not have integer type: {global_step_tensor.dtype.name}'
        )
    shape = global_step_tensor.shape
    if shape.is_fully_defined() and shape.ndims != 0:
        raise TypeError(f'Existing "global_step" is not scalar: {shape}')
