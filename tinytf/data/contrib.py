"""What only `tf.contrib.data` had: composites of what there is now."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tinytf.data import structure
from tinytf.data.base import Transformation
from tinytf.data.group_by_reducer import Reducer, group_by_reducer
from tinytf.data.parallel_interleave import parallel_interleave
from tinytf.framework import dtypes
from tinytf.framework.tensor_shape import as_shape
from tinytf.ops.array.constant import constant
from tinytf.ops.array.identity import ensure_shape


def batch_and_drop_remainder(batch_size: Any) -> Transformation:
    """`batch`, without a smaller one at the end.

    TensorFlow: `tf.contrib.data.batch_and_drop_remainder`.

    Example:
      >>> tf.data.Dataset.range(5).apply(tf.contrib.data.batch_and_drop_remainder(2))
      [[0, 1], [2, 3]]
    """
    return lambda dataset: dataset.batch(batch_size, drop_remainder=True)


def padded_batch_and_drop_remainder(
    batch_size: Any, padded_shapes: Any, padding_values: Any = None
) -> Transformation:
    """`padded_batch`, without a smaller one at the end.

    TensorFlow: `tf.contrib.data.padded_batch_and_drop_remainder`.
    """
    return lambda dataset: dataset.padded_batch(
        batch_size, padded_shapes, padding_values, drop_remainder=True
    )


def sliding_window_batch(
    window_size: Any, stride: Any = None, window_shift: Any = None, window_stride: Any = 1
) -> Transformation:
    """Batches of elements that follow one another.

    TensorFlow: `tf.contrib.data.sliding_window_batch`. Windows are whole ones.

    Args:
      window_size: how many elements there are in one. window_shift: how far after it the next one
        begins, or, by its older name, stride; by default 1.
      window_stride: every how many-th element of the input it has.

    Raises:
      ValueError: for both names.

    Example:
      >>> tf.data.Dataset.range(4).apply(tf.contrib.data.sliding_window_batch(2))
      [[0, 1], [1, 2], [2, 3]]
    """
    if stride is not None and window_shift is not None:
        raise ValueError("Cannot specify both `stride` and `window_shift`")
    shift = window_shift if window_shift is not None else 1 if stride is None else stride

    def apply(dataset: Any) -> Any:
        windows = dataset.window(window_size, shift, window_stride, drop_remainder=True)

        def together(*parts: Any) -> Any:
            batches = [
                part.batch(window_size, drop_remainder=True) for part in structure.flatten(parts)
            ]
            packed = structure.pack(parts, batches)
            return type(dataset).zip(packed) if len(parts) > 1 else batches[0]

        return windows.flat_map(together)

    return apply


def sloppy_interleave(
    map_func: Callable[..., Any], cycle_length: Any, block_length: Any = 1
) -> Transformation:
    """`parallel_interleave`, those that are ready first.

    TensorFlow: `tf.contrib.data.sloppy_interleave`.
    """
    return parallel_interleave(map_func, cycle_length, block_length, sloppy=True)


def assert_element_shape(expected_shapes: Any) -> Transformation:
    """The elements, with static shapes that are checked.

    TensorFlow: `tf.contrib.data.assert_element_shape`.

    Args:
      expected_shapes: in the form of the elements.

    Raises:
      ValueError: for shapes that cannot be. InvalidArgumentError: when it runs, for elements of
        another shape.

    Example:
      >>> pairs = tf.data.Dataset.from_tensors([1, 2])
      >>> pairs.apply(tf.contrib.data.assert_element_shape(tf.TensorShape([2])))  # [[1, 2]]
    """

    def checked(*elements: Any) -> Any:
        element = elements if len(elements) > 1 else elements[0]
        shapes = map(as_shape, structure.up_to(element, expected_shapes))
        leaves = structure.flatten(element)
        return structure.pack(
            element, [ensure_shape(x, shape) for x, shape in zip(leaves, shapes, strict=True)]
        )

    return lambda dataset: dataset.map(checked)


def reduce_dataset(dataset: Any, reducer: Reducer) -> Any:
    """What all elements become (TensorFlow: `tf.contrib.data.reduce_dataset`).

    Args:
      reducer: a `Reducer`; the key that its `init_func` gets is 0.

    Example:
      >>> zero = tf.constant(0, tf.int64)
      >>> total = tf.contrib.data.Reducer(
      ...     lambda key: zero, lambda state, x: state + x, lambda state: state)
      >>> tf.contrib.data.reduce_dataset(tf.data.Dataset.range(5), total)  # 10
    """
    grouped = group_by_reducer(lambda *_: constant(0, dtypes.int64), reducer)
    return dataset.apply(grouped).get_single_element()
