"""`tf.data.Dataset`: a sequence of elements, described in the graph.

Each method stands in the file of its name, with the op it adds and with what that does when it
runs. Those files know `base`, not this one.
"""

from __future__ import annotations

import inspect
from typing import Any

from tinytf.data.apply import apply as _apply
from tinytf.data.base import DatasetBase
from tinytf.data.batch import batch as _batch
from tinytf.data.bucket_by_sequence_length import (
    bucket_by_sequence_length as _bucket_by_sequence_length,
)
from tinytf.data.cache import cache as _cache
from tinytf.data.cardinality import cardinality as _cardinality
from tinytf.data.choose_from_datasets import choose_from_datasets as _choose_from_datasets
from tinytf.data.choose_from_datasets import sample_from_datasets as _sample_from_datasets
from tinytf.data.concatenate import concatenate as _concatenate
from tinytf.data.enumerate import enumerate as _enumerate
from tinytf.data.filter import filter as _filter
from tinytf.data.filter import filter_with_legacy_function as _filter_with_legacy_function
from tinytf.data.flat_map import flat_map as _flat_map
from tinytf.data.from_tensor_slices import from_sparse_tensor_slices as _from_sparse_tensor_slices
from tinytf.data.from_tensor_slices import from_tensor_slices as _from_tensor_slices
from tinytf.data.from_tensors import from_tensors as _from_tensors
from tinytf.data.generator import from_generator as _from_generator
from tinytf.data.group_by_window import group_by_window as _group_by_window
from tinytf.data.ignore_errors import ignore_errors as _ignore_errors
from tinytf.data.interleave import interleave as _interleave
from tinytf.data.iterator import make_initializable_iterator as _make_initializable_iterator
from tinytf.data.iterator import make_one_shot_iterator as _make_one_shot_iterator
from tinytf.data.list_files import list_files as _list_files
from tinytf.data.map import map as _map
from tinytf.data.map import map_with_legacy_function as _map_with_legacy_function
from tinytf.data.options import options as _options
from tinytf.data.options import with_options as _with_options
from tinytf.data.padded_batch import padded_batch as _padded_batch
from tinytf.data.prefetch import prefetch as _prefetch
from tinytf.data.random import random as _random
from tinytf.data.range import range as _range
from tinytf.data.reduce import get_single_element as _get_single_element
from tinytf.data.reduce import reduce as _reduce
from tinytf.data.repeat import repeat as _repeat
from tinytf.data.scan import scan as _scan
from tinytf.data.shard import shard as _shard
from tinytf.data.shuffle import shuffle as _shuffle
from tinytf.data.skip import skip as _skip
from tinytf.data.structure import DatasetSpec
from tinytf.data.take import take as _take
from tinytf.data.take_while import take_while as _take_while
from tinytf.data.unbatch import unbatch as _unbatch
from tinytf.data.unique import unique as _unique
from tinytf.data.window import window as _window
from tinytf.data.zip import zip as _zip
from tinytf.ops.base.arguments import explains_arguments
from tinytf.ops.base.no_value import say_instead


class Dataset(DatasetBase):
    """A sequence of elements, each of them tensors in tuples and dictionaries.

    TensorFlow: `tf.data.Dataset`, of compat.v1. Static methods make one, methods make others of
    it, an iterator gets the elements.

    Example:
      >>> dataset = tf.data.Dataset.range(5).map(lambda x: x * x).batch(2)
      >>> element = dataset.make_one_shot_iterator().get_next()
      >>> element  # [0, 1]
    """

    # Sources
    from_tensors = staticmethod(_from_tensors)
    from_tensor_slices = staticmethod(_from_tensor_slices)
    from_sparse_tensor_slices = staticmethod(_from_sparse_tensor_slices)
    from_generator = staticmethod(_from_generator)
    range = staticmethod(_range)
    random = staticmethod(_random)
    list_files = staticmethod(_list_files)
    zip = staticmethod(_zip)
    choose_from_datasets = staticmethod(_choose_from_datasets)
    sample_from_datasets = staticmethod(_sample_from_datasets)

    # Transformations, and what ends a pipeline
    map = _map
    map_with_legacy_function = _map_with_legacy_function
    filter = _filter
    filter_with_legacy_function = _filter_with_legacy_function
    flat_map = _flat_map
    interleave = _interleave
    scan = _scan
    take_while = _take_while
    reduce = _reduce
    take = _take
    skip = _skip
    repeat = _repeat
    shard = _shard
    shuffle = _shuffle
    concatenate = _concatenate
    enumerate = _enumerate
    unique = _unique
    ignore_errors = _ignore_errors
    batch = _batch
    padded_batch = _padded_batch
    unbatch = _unbatch
    window = _window
    group_by_window = _group_by_window
    bucket_by_sequence_length = _bucket_by_sequence_length
    cache = _cache
    prefetch = _prefetch
    with_options = _with_options
    options = _options
    apply = _apply
    cardinality = _cardinality
    get_single_element = _get_single_element
    make_one_shot_iterator = _make_one_shot_iterator
    make_initializable_iterator = _make_initializable_iterator


DatasetSpec.dataset_class = Dataset
for _name, _method in list(vars(Dataset).items()):
    if inspect.isfunction(_method) and not _name.startswith("_"):
        setattr(Dataset, _name, explains_arguments(_method))
say_instead(
    Dataset,
    {
        "get_next": "use dataset.make_one_shot_iterator().get_next()",
        "as_numpy_iterator": "use dataset.make_one_shot_iterator().get_next(), and sess.run",
        "from_list": "use tf.data.Dataset.from_tensor_slices(values)",
        "from_numpy": "use tf.data.Dataset.from_tensor_slices(values)",
        "make_iterator": "use dataset.make_one_shot_iterator()",
        "next": "use dataset.make_one_shot_iterator().get_next(), and sess.run",
        "fit": "a dataset gives batches; an optimizer trains: sess.run(train_op), again and again",
        "shape": "use dataset.output_shapes",
        "numpy": "use dataset.make_one_shot_iterator().get_next(), and sess.run",
    },
)


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


def make_one_shot_iterator(dataset: Dataset) -> Any:
    """See `Dataset.make_one_shot_iterator` (TensorFlow: `tf.data.make_one_shot_iterator`).

    Example:
      >>> tf.data.make_one_shot_iterator(tf.data.Dataset.range(3)).get_next()  # 0
    """
    return dataset.make_one_shot_iterator()


def make_initializable_iterator(dataset: Dataset, shared_name: str | None = None) -> Any:
    """See `Dataset.make_initializable_iterator`.

    Example:
      >>> iterator = tf.data.make_initializable_iterator(tf.data.Dataset.range(3))
      >>> sess.run(iterator.initializer)
      >>> iterator.get_next()  # 0
    """
    return dataset.make_initializable_iterator(shared_name)
