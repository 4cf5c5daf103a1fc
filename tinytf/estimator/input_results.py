"""What an `input_fn` returns: features, labels, and hooks that begin a dataset."""

from __future__ import annotations

import logging
from typing import Any

import numpy as np

from tinytf.data.base import DatasetBase
from tinytf.data.iterator import make_initializable_iterator
from tinytf.framework import nest
from tinytf.framework.graph_keys import GraphKeys
from tinytf.framework.stacks import get_default_graph
from tinytf.framework.tensor import Tensor
from tinytf.training.hooks.session_run_hook import SessionRunHook

_logger = logging.getLogger("tinytf")


class DatasetInitializerHook(SessionRunHook):
    """Begins a dataset in each new session."""

    def __init__(self, iterator: Any):
        self._initializer = iterator.initializer

    def after_create_session(self, session: Any, coord: Any) -> None:
        session.run(self._initializer)


def parse(result: Any) -> tuple[Any, Any, list[SessionRunHook]]:
    """Features, labels (None if there are none) and hooks, from what an `input_fn` has returned.

    Raises:
      ValueError: for a tuple of another length. TypeError: for a function.
    """
    hooks: list[SessionRunHook] = []
    if isinstance(result, DatasetBase):
        iterator = make_initializable_iterator(result)
        hooks.append(DatasetInitializerHook(iterator))
        result = iterator.get_next()
    features, labels = result, None
    if isinstance(result, list | tuple):
        if len(result) != 2:
            raise ValueError(
                f"input_fn should return (features, labels) as a len 2 tuple. It has returned "
                f"{len(result)} elements: {result}. Several features go into a dict: "
                f'({{"x1": x1, "x2": x2}}, labels).'
            )
        features, labels = result
    _check(features, labels)
    return features, labels, hooks


def _check(features: Any, labels: Any) -> None:
    values = [*nest.flatten(features), *nest.flatten(labels)]
    for each in values:
        if callable(each) and not isinstance(each, Tensor):
            raise TypeError(
                f"input_fn has returned a function, {each!r}, where tensors or a tf.data.Dataset "
                f"are wanted. numpy_input_fn(...) returns an input_fn itself: pass that, "
                f"input_fn=numpy_input_fn(...), without a function around it."
            )
    if any(isinstance(each, np.ndarray) for each in values):
        _logger.warning(
            "input_fn has returned numpy arrays: each step gets all of them, as constants of the "
            "graph, and the input never ends. tf.estimator.inputs.numpy_input_fn(x, y, batch_size, "
            "num_epochs, shuffle) makes an input_fn that gives batches."
        )


def never_ends(features: Any) -> bool:
    """Whether there is neither a dataset nor a queue runner that could end."""
    is_dataset = any(
        isinstance(each, Tensor) and each.op.type == "IteratorGetNext"
        for each in nest.flatten(features)
    )
    return not is_dataset and not get_default_graph().get_collection(GraphKeys.QUEUE_RUNNERS)
