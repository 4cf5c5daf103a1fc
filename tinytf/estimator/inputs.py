"""`tf.estimator.inputs`: input functions of numpy arrays and pandas frames.

Mirrors tensorflow_estimator/python/estimator/inputs/.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tinytf.estimator.feeding import enqueue_data

__all__ = ["numpy_input_fn", "pandas_input_fn"]


def numpy_input_fn(
    x: Any,
    y: Any = None,
    batch_size: int = 128,
    num_epochs: int | None = 1,
    shuffle: bool | None = None,
    queue_capacity: int = 1000,
    num_threads: int = 1,
) -> Callable[[], Any]:
    """A function that gives batches of arrays (TensorFlow: `tf.estimator.inputs.numpy_input_fn`).

    Args:
      x: an array, or a dict of arrays of one length. y: labels, likewise; None: none.
      batch_size: so many rows at once; the last batch may have fewer.
      num_epochs: all rows so many times; None: for ever.
      shuffle: whether rows come in another order each time; must be given.
      queue_capacity: so many rows wait. num_threads: so many enqueue them.

    Returns:
      an `input_fn`, which returns features, or (features, labels).

    Raises:
      ValueError: without shuffle; from the `input_fn`, for arrays of different lengths or none.
      TypeError: from the `input_fn`, if `x` is something else.

    Example:
      >>> x, y = {"age": np.arange(5.0), "height": np.arange(5.0, 10.0)}, np.arange(32, 37)
      >>> input_fn = tf.estimator.inputs.numpy_input_fn(x, y, batch_size=2, shuffle=False)
      >>> features, labels = input_fn()
      >>> with tf.train.MonitoredSession() as sess:
      ...     print(sess.run([features["age"], labels]))
      [array([0., 1.]), array([32, 33])]
    """
    _check_shuffle(shuffle)

    def input_fn() -> Any:
        columns = _features(x)
        names = list(columns)
        labels = _labels(y, columns)
        if len({len(column) for column in [*columns.values(), *labels.values()]}) != 1:
            shapes = [{k: v.shape for k, v in each.items()} for each in (columns, labels)]
            raise ValueError(
                f"Length of tensors in x and y is mismatched. All elements in x and y must have "
                f"the same length.\nShapes in x: {shapes[0]}\nShapes in y: {shapes[1]}\n"
            )
        columns = {**columns, **labels}
        _, *batch = enqueue_data(
            columns, None, queue_capacity, bool(shuffle), num_threads, batch_size, num_epochs
        )
        taken = dict(zip(columns, batch, strict=True))
        features = {name: taken.pop(name) for name in names} if isinstance(x, dict) else batch[0]
        if y is None:
            return features
        return features, taken if isinstance(y, dict) else batch[-1]

    return input_fn


def _check_shuffle(shuffle: Any) -> None:
    if not isinstance(shuffle, bool):
        raise ValueError(
            f"shuffle must be provided and explicitly set as boolean (it is recommended to set it "
            f"as True for training); got {shuffle}"
        )


def _features(x: Any) -> dict[str, Any]:
    if not isinstance(x, dict | np.ndarray):
        raise TypeError(
            f"x must be a dict or array; got {type(x).__name__}. np.array(x) makes an array."
        )
    if isinstance(x, np.ndarray):
        if not x.size:
            raise ValueError("x cannot be an empty array")
        return {"__direct_np_input__": x}
    if not x:
        raise ValueError("x cannot be an empty dict")
    return {name: _array(x[name], f"x[{name!r}]") for name in sorted(x)}


def _labels(y: Any, features: dict[str, Any]) -> dict[str, Any]:
    if y is None:
        return {}
    if not isinstance(y, dict):
        key = "__target_key__"
        while key in features:
            key += "_n"
        return {key: _array(y, "y")}
    if not y:
        raise ValueError("y cannot be empty dict, use None instead.")
    if both := features.keys() & y:
        raise ValueError(f"{len(both)} duplicate keys are found in both x and y: {both}")
    return {name: _array(y[name], f"y[{name!r}]") for name in sorted(y)}


def _array(value: Any, name: str) -> Any:
    if not hasattr(value, "dtype") or not np.ndim(value):
        raise TypeError(f"{name} must be a numpy array, got {value!r}. np.array(...) makes one.")
    return value


def pandas_input_fn(
    x: Any,
    y: Any = None,
    batch_size: int = 128,
    num_epochs: int | None = 1,
    shuffle: bool | None = None,
    queue_capacity: int | None = 1000,
    num_threads: int = 1,
    target_column: str = "target",
) -> Callable[[], Any]:
    """A function that gives batches of a frame (TensorFlow: `tf.estimator.inputs.pandas_input_fn`).

    Args:
      x: a `pandas.DataFrame`; each column is a feature.
      y: labels with the same index, a `pandas.Series` or `DataFrame`; None: none.
      batch_size, num_epochs, shuffle, num_threads: as of `numpy_input_fn`.
      queue_capacity: so many rows wait; None: four times all of them if shuffled, else all.
      target_column: a name that no column has.

    Returns:
      an `input_fn`, which returns features, or (features, labels).

    Raises:
      ValueError: without shuffle, or if indices differ, or `target_column` is a column.
      TypeError: if `x` is no frame, `target_column` no string.

    Example:
      >>> frame = pandas.DataFrame({"a": [1.0, 2.0]}, index=[7, 8])  # doctest: +SKIP
      >>> input_fn = tf.estimator.inputs.pandas_input_fn(frame, shuffle=True)  # doctest: +SKIP
    """
    _check_shuffle(shuffle)
    if not hasattr(x, "columns"):
        raise TypeError(f"x must be a DataFrame; got {type(x)}. numpy_input_fn takes arrays.")
    if not isinstance(target_column, str):
        raise TypeError("target_column must be a string type")
    if y is not None:
        if target_column in x:
            raise ValueError(
                f"Cannot use name {target_column} for target column: DataFrame already has a "
                f"column with that name: {x.columns}"
            )
        if not np.array_equal(x.index, y.index):
            raise ValueError(
                f"Index for x and y are mismatched.\nIndex for x: {x.index}\n"
                f"Index for y: {y.index}\nx.reset_index() and y.reset_index() number them anew.\n"
            )
    has_many = getattr(y, "ndim", 1) == 2
    columns = {("x", name): x[name].values for name in x.columns}
    if y is not None:
        columns |= {("y", name): y[name].values for name in y.columns} if has_many else {}
        columns |= {} if has_many else {("y", target_column): y.values}
    if queue_capacity is None:
        queue_capacity = 4 * len(x) if shuffle else len(x)
    capacity, least = queue_capacity, int(max(queue_capacity / 4, 1))

    def input_fn() -> Any:
        how = capacity, bool(shuffle), num_threads, batch_size, num_epochs, least
        _, *batch = enqueue_data(columns, np.asarray(x.index), *how)
        taken = dict(zip(columns, batch, strict=True))
        features = {name: value for (part, name), value in taken.items() if part == "x"}
        labels = {name: value for (part, name), value in taken.items() if part == "y"}
        if y is None:
            return features
        return features, labels if has_many else labels[target_column]

    return input_fn
