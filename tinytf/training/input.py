"""Producers: queues that a thread fills with file names, numbers or rows, epoch after epoch.

Mirrors the first half of tensorflow/python/training/input.py; the second is `batching`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tinytf.framework import dtypes
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.graph_keys import GraphKeys
from tinytf.framework.indexed_slices import convert_to_tensor_or_indexed_slices
from tinytf.framework.scope_functions import control_dependencies, name_scope
from tinytf.framework.tensor import Tensor
from tinytf.ops.array import range as ranges
from tinytf.ops.array import shape as shapes
from tinytf.ops.array.constant import constant
from tinytf.ops.array.gather import gather
from tinytf.ops.array.identity import identity
from tinytf.ops.base.arguments import explains_arguments
from tinytf.ops.check.assert_op import Assert
from tinytf.ops.io.files import matching_files
from tinytf.ops.math import arithmetic
from tinytf.ops.math.cast import cast
from tinytf.ops.math.comparison import greater
from tinytf.ops.queues.queue_base import QueueBase
from tinytf.ops.queues.queue_classes import FIFOQueue
from tinytf.ops.random.choices import random_shuffle
from tinytf.ops.summary import summaries
from tinytf.ops.variables.variable import Variable
from tinytf.training.queue_runner import QueueRunner, add_queue_runner


def match_filenames_once(pattern: Any, name: str | None = None) -> Variable:
    """The files that a pattern matches, looked up once.

    TensorFlow: `tf.train.match_filenames_once`.

    Args:
      pattern: a pattern, or a vector of them; as for `tf.matching_files`.
      name: of the variable.

    Returns:
      a local variable with the names, sorted: `tf.local_variables_initializer()` looks them up.

    Example:
      >>> files = tf.train.match_filenames_once("data/*.csv")
      >>> queue = tf.train.string_input_producer(files)
    """
    with name_scope(name, "matching_filenames", [pattern]) as scope:
        return Variable(
            matching_files(pattern),
            trainable=False,
            validate_shape=False,
            name=scope,
            collections=[GraphKeys.LOCAL_VARIABLES],
        )


def limit_epochs(tensor: Any, num_epochs: int | None = None, name: str | None = None) -> Any:
    """`tensor`, but only so many times (TensorFlow: `tf.train.limit_epochs`).

    The times are counted in a local variable: run `tf.local_variables_initializer()`.

    Args:
      tensor: any tensor. num_epochs: how many times; None for no limit.
      name: of the result.

    Returns:
      a tensor of the same type and shape; running it once more raises `tf.errors.OutOfRangeError`.

    Raises:
      ValueError: unless `num_epochs` is positive.

    Example:
      >>> twice = tf.train.limit_epochs(tf.constant("again"), num_epochs=2)
    """
    if num_epochs is None:
        return tensor
    if num_epochs <= 0:
        raise ValueError(f"num_epochs must be > 0 not {num_epochs}.")
    with name_scope(name, "limit_epochs", [tensor]) as scope:
        epochs = Variable(
            constant(0, dtypes.int64),
            name="epochs",
            trainable=False,
            collections=[GraphKeys.LOCAL_VARIABLES],
        )
        with control_dependencies([epochs.count_up_to(num_epochs)]):
            return identity(tensor, name=scope)


def input_producer(
    input_tensor: Any,
    element_shape: Any = None,
    num_epochs: int | None = None,
    shuffle: bool = True,
    seed: int | None = None,
    capacity: int = 32,
    shared_name: str | None = None,
    summary_name: str | None = None,
    name: str | None = None,
    cancel_op: Any = None,
) -> QueueBase:
    """A queue that a `QueueRunner` fills with the rows of a tensor.

    TensorFlow: `tf.train.input_producer`.

    Args:
      input_tensor: the rows, [n, ...].
      element_shape: the shape of a row, if that of the tensor does not say it.
      num_epochs: how often to produce all rows, before the queue is closed; None for ever. They
        are counted in a local variable: run `tf.local_variables_initializer()`.
      shuffle: whether the rows of each epoch come in another order. seed: for that.
      capacity: of the queue.
      shared_name: by which sessions share the queue.
      summary_name: of a summary that tells how full the queue is; None for no summary.
      name: of the queue.
      cancel_op: for the `QueueRunner`.

    Returns:
      the queue, a `tf.FIFOQueue`; `tf.train.start_queue_runners()` starts to fill it.

    Raises:
      ValueError: if the shape of a row is not known.

    Example:
      >>> queue = tf.train.input_producer([[1, 2], [3, 4]], shuffle=False)
      >>> threads = tf.train.start_queue_runners(sess)
      >>> queue.dequeue_many(2)  # [[1, 2], [3, 4]]
    """
    with name_scope(name, "input_producer", [input_tensor]):
        rows: Tensor = convert_to_tensor(input_tensor, name="input_tensor")
        element_shape = rows.shape[1:].merge_with(element_shape)
        if not element_shape.is_fully_defined():
            raise ValueError(
                "Either `input_tensor` must have a fully defined shape or `element_shape` must be "
                f"specified: its shape is {rows.shape}, so that of a row is {element_shape}"
            )
        if shuffle:
            rows = random_shuffle(rows, seed=seed)
        rows = limit_epochs(rows, num_epochs)
        queue = FIFOQueue(
            capacity,
            [rows.dtype.base_dtype],
            [element_shape],
            shared_name=shared_name,
            name=name or "FIFOQueueV2",
        )
        enqueue = queue.enqueue_many([rows])
        add_queue_runner(QueueRunner(queue, [enqueue], cancel_op=cancel_op))
        if summary_name is not None:
            summarise_fraction(summary_name, queue.size(), capacity)
        return queue


def summarise_fraction(name: str, count: Any, whole: int) -> None:
    """A summary of count / whole."""
    summaries.scalar(name, arithmetic.multiply(cast(count, dtypes.float32), 1.0 / whole, "mul"))


_NO_STRINGS = "string_input_producer requires a non-null input tensor"


@explains_arguments
def string_input_producer(
    string_tensor: Any,
    num_epochs: int | None = None,
    shuffle: bool = True,
    seed: int | None = None,
    capacity: int = 32,
    shared_name: str | None = None,
    name: str | None = None,
    cancel_op: Any = None,
) -> QueueBase:
    """A queue that a `QueueRunner` fills with strings, such as the names of files.

    TensorFlow: `tf.train.string_input_producer`.

    Args:
      string_tensor: the strings, [n].
      num_epochs, shuffle, seed, capacity, shared_name, cancel_op: as for `tf.train.input_producer`.
      name: of the queue, and a name scope.

    Returns:
      the queue.

    Raises:
      ValueError: for an empty list. When it runs: InvalidArgumentError for an empty tensor.

    Example:
      >>> files = tf.train.string_input_producer(["a.csv", "b.csv"], shuffle=False)
      >>> threads = tf.train.start_queue_runners(sess)
      >>> files.dequeue()  # b"a.csv"
    """
    if isinstance(string_tensor, str | bytes):
        raise ValueError(
            f"Shape () must have rank at least 1: give a list of strings, [{string_tensor!r}], not "
            f"just one."
        )
    if not isinstance(string_tensor, Tensor | Variable) and len(string_tensor) == 0:
        raise ValueError(f"{_NO_STRINGS}, got {string_tensor!r}: there are no strings in it")
    with name_scope(name, "input_producer", [string_tensor]) as scope:
        strings: Tensor = convert_to_tensor(string_tensor, dtype=dtypes.string)
        there_are_some = Assert(greater(shapes.size(strings), 0), [_NO_STRINGS])
        with control_dependencies([there_are_some]):
            strings = identity(strings)
        return input_producer(
            strings,
            [],
            num_epochs,
            shuffle,
            seed,
            capacity,
            shared_name,
            f"fraction_of_{capacity}_full",
            scope,
            cancel_op,
        )


def range_input_producer(
    limit: Any,
    num_epochs: int | None = None,
    shuffle: bool = True,
    seed: int | None = None,
    capacity: int = 32,
    shared_name: str | None = None,
    name: str | None = None,
) -> QueueBase:
    """A queue that a `QueueRunner` fills with the numbers from 0 up to a limit.

    TensorFlow: `tf.train.range_input_producer`.

    Args:
      limit: how many numbers, an int32 scalar.
      num_epochs, shuffle, seed, capacity, shared_name: as for `tf.train.input_producer`.
      name: of the queue, and a name scope.

    Returns:
      the queue.

    Example:
      >>> queue = tf.train.range_input_producer(3, shuffle=False)
      >>> threads = tf.train.start_queue_runners(sess)
      >>> queue.dequeue_many(5)  # [0, 1, 2, 0, 1]
    """
    with name_scope(name, "input_producer", [limit]) as scope:
        return input_producer(
            ranges.range(limit),
            [],
            num_epochs,
            shuffle,
            seed,
            capacity,
            shared_name,
            f"fraction_of_{capacity}_full",
            scope,
        )


def slice_input_producer(
    tensor_list: Sequence[Any],
    num_epochs: int | None = None,
    shuffle: bool = True,
    seed: int | None = None,
    capacity: int = 32,
    shared_name: str | None = None,
    name: str | None = None,
) -> list[Tensor]:
    """Row after row of several tensors at a time (TensorFlow: `tf.train.slice_input_producer`).

    Args:
      tensor_list: the tensors, each [n, ...].
      num_epochs, shuffle, seed, capacity, shared_name: as for `tf.train.input_producer`, of the
        queue of row numbers.
      name: a name scope.

    Returns:
      one row of each tensor, another one each time they are run.

    Raises:
      ValueError: for an empty list.

    Example:
      >>> images, labels = tf.zeros([10, 28, 28]), tf.range(10)
      >>> image, label = tf.train.slice_input_producer([images, labels])
      >>> threads = tf.train.start_queue_runners(sess)
      >>> image.shape
      TensorShape([Dimension(28), Dimension(28)])
    """
    with name_scope(name, "input_producer", tensor_list):
        tensors = [convert_to_tensor_or_indexed_slices(tensor) for tensor in tensor_list]
        if not tensors:
            raise ValueError("Expected at least one tensor in slice_input_producer().")
        sizes: Any = shapes.shape(tensors[0])
        queue = range_input_producer(
            sizes[0],
            num_epochs=num_epochs,
            shuffle=shuffle,
            seed=seed,
            capacity=capacity,
            shared_name=shared_name,
        )
        index = queue.dequeue()
        return [gather(tensor, index) for tensor in tensors]
