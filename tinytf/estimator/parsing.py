"""What `tf.parse_example` needs for features, labels and weights together.

Mirrors tensorflow_estimator/python/estimator/canned/parsing_utils.py.
"""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from typing import Any

from tinytf.framework import dtypes
from tinytf.ops.io.feature_configs import FixedLenFeature


def classifier_parse_example_spec(
    feature_columns: Iterable[Any],
    label_key: str,
    label_dtype: Any = dtypes.int64,
    label_default: Any = None,
    weight_column: Any = None,
) -> dict[str, Any]:
    """For a classifier's examples (TensorFlow: `tf.estimator.classifier_parse_example_spec`).

    Args:
      feature_columns: of `tf.feature_column`.
      label_key: the label's name; label_dtype: `tf.string` for names of classes.
      label_default: where an example has none.
      weight_column: a name, or a numeric column, of what each example counts.

    Returns:
      what `tf.parse_example` takes.

    Raises:
      ValueError: if label or weight is a feature, too, or the weight no numeric column.

    Example:
      >>> spec = tf.estimator.classifier_parse_example_spec([], "kind", tf.string)
      >>> spec["kind"].dtype
      tf.string
    """
    label = FixedLenFeature((1,), label_dtype, label_default)
    return _spec(feature_columns, label_key, label, weight_column)


def regressor_parse_example_spec(
    feature_columns: Iterable[Any],
    label_key: str,
    label_dtype: Any = dtypes.float32,
    label_default: Any = None,
    label_dimension: int = 1,
    weight_column: Any = None,
) -> dict[str, Any]:
    """For a regressor's examples (TensorFlow: `tf.estimator.regressor_parse_example_spec`).

    Args:
      label_dimension: how many numbers a label has. The others are those of
        `classifier_parse_example_spec`.

    Returns:
      what `tf.parse_example` takes.

    Raises:
      ValueError: as `classifier_parse_example_spec`.

    Example:
      >>> spec = tf.estimator.regressor_parse_example_spec([], "price", label_dimension=2)
      >>> spec["price"].shape
      (2,)
    """
    label = FixedLenFeature((label_dimension,), label_dtype, label_default)
    return _spec(feature_columns, label_key, label, weight_column)


def _spec(columns: Iterable[Any], label_key: str, label: Any, weight: Any) -> dict[str, Any]:
    feature_column = import_module("tinytf.feature_column")
    spec: dict[str, Any] = feature_column.make_parse_example_spec(columns)
    if label_key in spec:
        raise ValueError(
            f"label should not be used as feature. label_key: {label_key}, features: {list(spec)}"
        )
    spec[label_key] = label
    if weight is None:
        return spec
    if isinstance(weight, str):
        weight = feature_column.numeric_column(weight)
    if type(weight).__name__ not in ("NumericColumn", "_NumericColumn"):
        raise ValueError(
            f"weight_column should be an instance of tf.feature_column.numeric_column. Given: "
            f"{weight}"
        )
    if weight.key in spec:
        raise ValueError(
            f"weight_column should not be used as feature. weight_column: {weight.key}, features: "
            f"{list(spec)}"
        )
    return spec | feature_column.make_parse_example_spec([weight])
