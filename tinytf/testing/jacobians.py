"""Jacobian matrices, from gradients and from differences: `tf.test.compute_gradient`.

Mirrors tensorflow/python/ops/gradient_checker.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.stacks import get_default_session
from tinytf.framework.tensor import Tensor
from tinytf.ops.array.constant import constant
from tinytf.ops.array.identity import identity
from tinytf.ops.gradients.gradients import gradients


def compute_gradient(
    x: Any,
    x_shape: Any,
    y: Tensor,
    y_shape: Any,
    x_init_value: Any = None,
    delta: float = 1e-3,
    init_targets: Sequence[Any] | None = None,
    extra_feed_dict: dict[Any, Any] | None = None,
) -> Any:
    """Two Jacobian matrices: from gradients, and from differences of values.

    TensorFlow: `tf.test.compute_gradient`. It runs in the default session.

    Args:
      x: a tensor that can be fed, or a list of them.
      x_shape: its shape, or a list of shapes.
      y: a tensor.
      y_shape: its shape.
      x_init_value: where to compute them, an array or a list of arrays; random by default.
      delta: how far elements of x are moved.
      init_targets: operations to run first.
      extra_feed_dict: values of other tensors.

    Returns:
      two arrays [elements of x, elements of y] (a complex number counts as two elements), or a
      list of such pairs.

    Raises:
      ValueError: without a default session.

    Example:
      >>> x = tf.constant([1.0, 2.0])
      >>> with tf.Session():
      ...     by_gradients, _ = tf.test.compute_gradient(x, [2], x * x, [2], np.float32([1, 2]))
      >>> by_gradients
      array([[2., 0.],
             [0., 4.]], dtype=float32)
    """
    session = get_default_session()
    if session is None:
        raise ValueError("compute_gradient needs a default session: with tf.Session().as_default()")
    for target in init_targets or ():
        session.run(target)
    several = isinstance(x, list)
    xs, shapes = (x, x_shape) if several else ([x], [x_shape])
    starts = x_init_value if several else [x_init_value]
    pairs = []
    for one, shape, start in zip(xs, shapes, starts or [None] * len(xs), strict=True):
        with one.graph.as_default():
            above = constant(1.0, shape=y_shape, dtype=y.dtype)
            gradient = convert_to_tensor(gradients(y, one, identity(above))[0])
        feeds = dict(extra_feed_dict or {})
        point = _start(one, shape, start)
        by_gradients = _columns(session, gradient, one, point, above, feeds)
        by_differences = _rows(session, y, one, point, delta, feeds)
        pairs.append((by_gradients, by_differences.reshape(by_gradients.shape)))
    return pairs if several else pairs[0]


def compute_gradient_error(
    x: Any,
    x_shape: Any,
    y: Tensor,
    y_shape: Any,
    x_init_value: Any = None,
    delta: float = 1e-3,
    init_targets: Sequence[Any] | None = None,
    extra_feed_dict: dict[Any, Any] | None = None,
) -> float:
    """The largest difference between the two matrices of `tf.test.compute_gradient`.

    TensorFlow: `tf.test.compute_gradient_error`. Arguments and errors as there.

    Example:
      >>> x = tf.constant([1.0, 2.0], tf.float64)
      >>> with tf.Session():
      ...     error = tf.test.compute_gradient_error(x, [2], tf.sin(x), [2])
      >>> error < 1e-6
      True
    """
    found = compute_gradient(
        x, x_shape, y, y_shape, x_init_value, delta, init_targets, extra_feed_dict
    )
    pairs = found if isinstance(found, list) else [found]
    return float(max(np.fabs(one - other).max(initial=0.0) for one, other in pairs))


def _start(x: Tensor, shape: Any, value: Any) -> np.ndarray:
    if value is not None:
        if list(np.shape(value)) != list(shape):
            raise ValueError(f"x_shape = {shape}, init_data shape = {list(np.shape(value))}")
        return np.array(value, x.dtype.as_numpy_dtype)
    start = np.random.random_sample(shape).astype(x.dtype.as_numpy_dtype)
    if x.dtype.is_complex:
        start = start + 1j * np.random.random_sample(shape)
    return np.asarray(start, x.dtype.as_numpy_dtype)


def _numbers(array: Any) -> np.ndarray:
    """The elements as a vector of real numbers, two for each complex one; a view if it can be."""
    flat = np.ascontiguousarray(array).reshape(-1)
    return flat.view(flat.real.dtype) if flat.dtype.kind == "c" else flat


def _columns(
    session: Any, gradient: Tensor, x: Tensor, point: np.ndarray, above: Tensor, feeds: Any
) -> np.ndarray:
    """By gradients: a run for each element of y."""
    sizes: Any = above.shape.as_list()
    weights = np.zeros(sizes, above.dtype.as_numpy_dtype)
    elements = _numbers(weights)
    columns = []
    for element in range(len(elements)):
        elements[element] = 1
        columns.append(_numbers(session.run(gradient, {**feeds, x: point, above: weights})))
        elements[element] = 0
    if not columns:
        return np.zeros((len(_numbers(point)), 0), _numbers(point).dtype)
    return np.stack(columns, axis=1)


def _rows(session: Any, y: Tensor, x: Tensor, point: np.ndarray, delta: float, feeds: Any) -> Any:
    """By differences: two runs for each element of x."""
    rows = []
    for element in range(len(_numbers(point))):
        values = []
        for step in (delta, -delta):
            moved = point.copy()
            _numbers(moved)[element] += step
            values.append(_numbers(session.run(y, {**feeds, x: moved})))
        scale = np.asarray(2 * delta, values[0].dtype)
        rows.append((values[0] - values[1]) / scale)
    return np.array(rows, _numbers(point).dtype)
