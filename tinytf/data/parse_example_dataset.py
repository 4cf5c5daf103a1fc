"""`tf.data.experimental.parse_example_dataset`: batches of serialised examples as tensors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tinytf.data.base import Transformation, order
from tinytf.data.cards import ORDER, TYPES, dataset_op
from tinytf.data.stages import Context, DatasetValue, Next, Stage
from tinytf.framework import dtypes
from tinytf.framework.tensor_shape import TensorShape
from tinytf.framework.tensor_spec import SparseTensorSpec, TensorSpec
from tinytf.ops.io.example_ops import parse
from tinytf.ops.io.examples import KINDS, with_sparse_features, with_unknown_lengths
from tinytf.ops.io.feature_configs import SparseFeature, Wanted

# ParseExampleDatasetV2, ParseExampleDataset -------------------------------------------------------


_INPUTS = "input_dataset: variant, num_parallel_calls: int64, dense_defaults: Tdense"
_KINDS = "list({float, int64, string}) >= 0"
_WANTED = (
    "sparse_keys: list(string) >= 0, dense_keys: list(string) >= 0, "
    f"sparse_types: {_KINDS}, Tdense: {_KINDS}, dense_shapes: list(shape) >= 0, {TYPES}"
)
_RAGGED = (
    f"ragged_keys: list(string) >= 0 = [], ragged_value_types: {_KINDS} = [], "
    "ragged_split_types: list({int32, int64}) >= 0 = []"
)


@dataset_op(_INPUTS, _WANTED, ORDER, _RAGGED, name="ParseExampleDatasetV2")
@dataset_op(_INPUTS, _WANTED, "sloppy: bool = false", _RAGGED)
class ParseExampleDataset(DatasetValue):
    """What examples hold: the components are in the order of their names."""

    def check(self) -> None:
        given = self.given
        self._sparse = list(zip(given.sparse_keys, given.sparse_types, strict=True))
        columns = given.dense_keys, given.Tdense, given.dense_shapes, given.dense_defaults
        self._dense = list(zip(*columns, strict=True))
        keys = [*given.sparse_keys, *given.dense_keys]
        self._order = np.argsort(keys, kind="stable").tolist()

    def start(self, context: Context, stage: Stage) -> Next:
        advance, count = self.inputs[0].iterate(context, stage).next, len(self._sparse)

        def parsed() -> tuple:
            context.check()
            outputs = parse(advance()[0], np.empty(0, object), self._sparse, self._dense)
            components: list[Any] = []
            for place in range(count):
                parts = np.empty(3, object)
                parts[:] = outputs[place : 3 * count : count]
                components.append(parts)
            components += outputs[3 * count :]
            return tuple(components[place] for place in self._order)

        return parsed

    def cardinality(self) -> int:
        return self.inputs[0].cardinality()


def parse_example_dataset(
    features: Mapping[str, Any], num_parallel_calls: Any = 1, deterministic: bool | None = None
) -> Transformation:
    """Batches of serialised examples as tensors by name.

    TensorFlow: `tf.data.experimental.parse_example_dataset`.

    Args:
      features: by name, what is wanted; see `tf.parse_example`.
      num_parallel_calls, deterministic: see `Dataset.map`.

    Raises:
      TypeError: if the elements are no vectors of strings. ValueError: without features.

    Example:
      >>> features = {"label": tf.FixedLenFeature([], tf.int64)}
      >>> batches = tf.data.TFRecordDataset(files).batch(10)  # doctest: +SKIP
      >>> parsed = batches.apply(  # doctest: +SKIP
      ...     tf.data.experimental.parse_example_dataset(features))
    """
    if features is None:
        raise ValueError("Argument `features` is required, but not specified.")

    def apply(dataset: Any) -> Any:
        kind = dataset.element_spec
        is_one = isinstance(kind, TensorSpec) and kind.dtype == dtypes.string
        if not is_one or not kind.shape.is_compatible_with(TensorShape([None])):
            raise TypeError(
                f"Input dataset should be a dataset of vectors of strings. Instead it is `{kind}`."
            )
        wanted = Wanted(with_unknown_lengths(features), KINDS)
        spec: dict[str, Any] = {}
        for key, dtype in wanted.sparse.items():
            spec[key] = SparseTensorSpec(kind.shape.concatenate([None]), dtype)
        for key, (shape, dtype) in wanted.dense.items():
            spec[key] = TensorSpec(kind.shape.concatenate(shape), dtype)
        parsed = dataset._derived(
            ParseExampleDataset.card,
            num_parallel_calls,
            wanted.default_tensors(),
            sparse_keys=list(wanted.sparse),
            dense_keys=list(wanted.dense),
            sparse_types=list(wanted.sparse.values()),
            Tdense=wanted.types,
            dense_shapes=wanted.shapes,
            deterministic=order(deterministic),
            spec=spec,
        )
        if any(isinstance(feature, SparseFeature) for feature in features.values()):
            parsed = parsed.map(
                lambda element: with_sparse_features(features, element),
                num_parallel_calls=num_parallel_calls,
            )
        return parsed

    return apply
