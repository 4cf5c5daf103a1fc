"""`tf.data.Dataset`: a sequence of elements, described in the graph."""

from __future__ import annotations

from typing import Any

from tinytf.data.accumulating import Accumulating
from tinytf.data.base import DatasetBase
from tinytf.data.choosing import Choosing
from tinytf.data.generators import Generating
from tinytf.data.keeping import Keeping
from tinytf.data.listing import Listing
from tinytf.data.mapping import Mapping
from tinytf.data.options import WithOptions
from tinytf.data.parallel import Ahead
from tinytf.data.sources import Sources
from tinytf.data.transformations import Transformations


class Dataset(
    Sources,
    Transformations,
    Mapping,
    Accumulating,
    Ahead,
    Keeping,
    Listing,
    Generating,
    Choosing,
    WithOptions,
):
    """A sequence of elements, each of them tensors in tuples and dictionaries.

    TensorFlow: `tf.data.Dataset`, of compat.v1. Static methods make one, methods make others of
    it, an iterator gets the elements.

    Example:
      >>> dataset = tf.data.Dataset.range(5).map(lambda x: x * x).batch(2)
      >>> element = dataset.make_one_shot_iterator().get_next()
      >>> element  # [0, 1]
    """


def get_legacy_output_types(dataset_or_iterator: Any) -> Any:
    """The dtypes, in the form of the elements (TensorFlow: `tf.data.get_output_types`).

    Example:
      >>> tf.data.get_output_types(tf.data.Dataset.from_tensors((1, "a")))
      (tf.int32, tf.string)
    """
    return dataset_or_iterator.output_types


def get_legacy_output_shapes(dataset_or_iterator: Any) -> Any:
    """The static shapes, in the form of the elements (TensorFlow: `tf.data.get_output_shapes`).

    Example:
      >>> tf.data.get_output_shapes(tf.data.Dataset.range(3).batch(2))  # (None,)
    """
    return dataset_or_iterator.output_shapes


def get_legacy_output_classes(dataset_or_iterator: Any) -> Any:
    """The Python classes, in that form (TensorFlow: `tf.data.get_output_classes`).

    Example:
      >>> tf.data.get_output_classes(tf.data.Dataset.range(3)) is tf.Tensor
      True
    """
    return dataset_or_iterator.output_classes


def make_one_shot_iterator(dataset: DatasetBase) -> Any:
    """See `Dataset.make_one_shot_iterator` (TensorFlow: `tf.data.make_one_shot_iterator`).

    Example:
      >>> tf.data.make_one_shot_iterator(tf.data.Dataset.range(3)).get_next()  # 0
    """
    return dataset.make_one_shot_iterator()


def make_initializable_iterator(dataset: DatasetBase, shared_name: str | None = None) -> Any:
    """See `Dataset.make_initializable_iterator`.

    Example:
      >>> iterator = tf.data.make_initializable_iterator(tf.data.Dataset.range(3))
      >>> sess.run(iterator.initializer)
      >>> iterator.get_next()  # 0
    """
    return dataset.make_initializable_iterator(shared_name)
