"""`tf.data.experimental.make_batched_features_dataset`: parsed examples out of files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tinytf.data.dataset import Dataset
from tinytf.data.parallel_interleave import interleaved
from tinytf.data.parse_example_dataset import parse_example_dataset
from tinytf.data.stages import AUTOTUNE
from tinytf.data.tfrecord import TFRecordDataset
from tinytf.framework import dtypes
from tinytf.ops.readers.reader_classes import ReaderBase


def shuffled_and_repeated(
    dataset: Any, num_epochs: int | None, shuffle: bool, buffer_size: int, seed: Any
) -> Any:
    """The order and the number of times that the datasets of files here have."""
    if shuffle:
        dataset = dataset.shuffle(buffer_size, seed)
    return dataset if num_epochs == 1 else dataset.repeat(num_epochs)


def in_turns(names: Any, read: Callable[[Any], Any], threads: Any, sloppy: bool) -> Any:
    """The elements of the datasets of files, several of which are read at once; None: one."""
    if threads == AUTOTUNE:
        return names.interleave(read, num_parallel_calls=threads, deterministic=not sloppy)
    return interleaved(names, read, 1 if threads is None else threads, 1, not sloppy)


def make_batched_features_dataset(
    file_pattern: Any,
    batch_size: Any,
    features: Mapping[str, Any],
    reader: Any = TFRecordDataset,
    label_key: str | None = None,
    reader_args: Any = None,
    num_epochs: int | None = None,
    shuffle: bool = True,
    shuffle_buffer_size: int = 10000,
    shuffle_seed: Any = None,
    prefetch_buffer_size: Any = None,
    reader_num_threads: int | None = None,
    parser_num_threads: int | None = None,
    sloppy_ordering: bool = False,
    drop_final_batch: bool = False,
) -> Any:
    """Batches of parsed examples out of files.

    TensorFlow: `tf.data.experimental.make_batched_features_dataset`.

    Args:
      file_pattern: names of files, or patterns. batch_size: how many examples are in a batch.
      features: see `tf.parse_example`. label_key: the feature that is given apart, as a label.
      reader, reader_args: makes a dataset of the examples of a file.
      num_epochs: how often all are given; None: for ever.
      shuffle, shuffle_buffer_size, shuffle_seed: see `Dataset.shuffle`.
      prefetch_buffer_size: how many batches are got ready.
      reader_num_threads, parser_num_threads: files at once, batches at once.
      sloppy_ordering: whether files that are ready come first.
      drop_final_batch: leave out the last batch if it is smaller.

    Returns:
      a dataset of dictionaries, or of pairs of a dictionary and a label.

    Raises:
      TypeError: for a `tf.ReaderBase`. ValueError: for a label that is no feature.

    Example:
      >>> batches = tf.data.experimental.make_batched_features_dataset(  # doctest: +SKIP
      ...     "train-*.tfrecord", 32, {"label": tf.FixedLenFeature([], tf.int64)})
    """
    if isinstance(reader, type) and issubclass(reader, ReaderBase):
        raise TypeError(
            "The `reader` argument must return a `Dataset` object. `tf.ReaderBase` subclasses are "
            "not supported. For example, pass `tf.data.TFRecordDataset` instead of "
            "`tf.TFRecordReader`."
        )
    names = Dataset.list_files(file_pattern, shuffle=shuffle, seed=shuffle_seed)

    def read(filename: Any) -> Any:
        return (TFRecordDataset if reader is None else reader)(filename, *(reader_args or ()))

    dataset = in_turns(names, read, reader_num_threads, sloppy_ordering)
    if dataset.output_types == (dtypes.string, dtypes.string):
        dataset = dataset.map(lambda _, value: value)
    dataset = shuffled_and_repeated(dataset, num_epochs, shuffle, shuffle_buffer_size, shuffle_seed)
    dataset = dataset.batch(batch_size, drop_remainder=drop_final_batch or num_epochs is None)
    calls = 2 if parser_num_threads is None else parser_num_threads
    dataset = dataset.apply(parse_example_dataset(features, num_parallel_calls=calls))
    if label_key:
        if label_key not in features:
            raise ValueError(
                f"The `label_key` provided ({label_key}) must be one of the `features` keys: "
                f"{features.keys()}."
            )
        dataset = dataset.map(lambda element: (element, element.pop(label_key)))
    return dataset.prefetch(AUTOTUNE if prefetch_buffer_size is None else prefetch_buffer_size)
