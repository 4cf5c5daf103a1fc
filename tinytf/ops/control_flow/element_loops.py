"""Loops over the elements of tensors: `tf.map_fn`, `tf.scan`, `tf.foldl`, `tf.foldr`.

All four have one form. The rows of `elems` go into a `TensorArray`; a `tf.while_loop` with a
counter reads one row an iteration and calls the function; what has to be kept of every iteration
goes into another `TensorArray`, which is stacked at the end. Mirrors map_fn.py and
functional_ops.py of tensorflow/python/ops: the same graphs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from tinytf.framework import nest
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import Dimension, TensorShape, dimension_value
from tinytf.ops.array.constant import constant
from tinytf.ops.array.shape import shape
from tinytf.ops.array.slice import getitem
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.control_flow.while_loop import read_variables, while_loop
from tinytf.ops.tensor_array.tensor_array import TensorArray
from tinytf.ops.variables.current_scope import get_variable_scope


@contextmanager
def _loop_scope(fn: Any, name: str | None, default: str, values: Iterable[Any]) -> Iterator[None]:
    """The name scope of such a loop; variables made inside are read once, not each iteration."""
    if not callable(fn):
        raise TypeError(
            f"{fn!r} is not callable. Please provide a callable function: it is called once, to "
            f"build what happens to each element."
        )
    with op_scope(name, default, values):
        scope = get_variable_scope()
        caches = scope.caching_device is None
        if caches:
            scope.set_caching_device(lambda op: op.device)
        try:
            yield
        finally:
            if caches:
                scope.set_caching_device(None)


def _first_size(tensor: Tensor) -> Any:
    """How many rows a tensor has: an int if that is known, otherwise a tensor."""
    return dimension_value(tensor.shape[0]) or getitem(shape(tensor), 0)


def _rows_of(elem: Any, count: Any) -> TensorArray:
    rows = TensorArray(elem.dtype, size=count, dynamic_size=False, infer_shape=True)
    return rows.unstack(elem)


def _same_first_size(tensors: list[Tensor]) -> Dimension:
    """The static number of rows of all `tensors`; ValueError if they differ."""
    first = Dimension(dimension_value(tensors[0].shape.with_rank_at_least(1)[0]))
    for tensor in tensors[1:]:
        size = dimension_value(tensor.shape.with_rank_at_least(1)[0])
        first.assert_is_compatible_with(Dimension(size))
    return first


def _stacked(arrays: list[TensorArray], count: Dimension) -> list[Tensor]:
    results = [array.stack() for array in arrays]
    for result in results:
        result.set_shape(TensorShape([count]).concatenate(result.shape[1:]))
    return results


def map_fn(
    fn: Callable[[Any], Any],
    elems: Any,
    dtype: Any = None,
    parallel_iterations: int | None = None,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    name: str | None = None,
    fn_output_signature: Any = None,
) -> Any:
    """`fn` of each row of `elems`, stacked (TensorFlow: `tf.map_fn`).

    Args:
      fn: called once, with a row of each tensor of `elems` in their structure, to build the body of
        a loop.
      elems: a tensor of rank 1 or more, or a nested structure of such with equal first sizes.
      dtype, fn_output_signature: the dtypes of what `fn` returns, in its structure; needed where
        they differ from those of `elems`.
      parallel_iterations: how many iterations may be under way at a time; 10 by default.
      back_prop: whether gradients go through the loop.
      swap_memory: accepted for TensorFlow's sake.
      infer_shape: whether all results must have one shape.
      name: a name scope, "map" by default.

    Returns:
      tensors of shape [rows, ...] in the structure that `fn` returns.

    Raises:
      TypeError: if `fn` is not callable. TypeError, ValueError: if it returns another structure.
      ValueError: if `elems` is empty, holds a scalar, or the first sizes differ.

    Example:
      >>> tf.map_fn(lambda x: x * x, tf.constant([1, 2, 3]))  # [1, 4, 9]
      >>> tf.map_fn(tf.reduce_sum, tf.constant([[1, 2], [3, 4]]))  # [3, 7]
    """
    signature = dtype if fn_output_signature is None else fn_output_signature
    flat = nest.flatten(read_variables(elems))
    if not flat:
        raise ValueError(
            f"elems must be a Tensor or (possibly nested) sequence of Tensors. Got {elems}, which "
            f"does not contain any Tensors."
        )
    with _loop_scope(fn, name, "map", flat):
        tensors = [convert_to_tensor(elem, name="elem") for elem in flat]
        if tensors[0].shape.ndims == 0:
            raise ValueError("Elements in elems must be 1+ dimensional Tensors, not scalars")
        static = _same_first_size(tensors)
        count = static.value or getitem(shape(tensors[0]), 0)
        arrays = [TensorArray(t.dtype, size=count, dynamic_size=False) for t in tensors]
        rows = [array.unstack(t) for array, t in zip(arrays, tensors, strict=True)]
        start = constant(0)
        outputs = _result_arrays(tensors, signature, count, infer_shape)

        def compute(i: Any, results: list[TensorArray]) -> Any:
            value = fn(nest.pack_sequence_as(elems, [array.read(i) for array in rows]))
            nest.assert_same_structure(signature or elems, value)
            parts = zip(results, nest.flatten(value), strict=True)
            results = [array.write(i, part) for array, part in parts]
            return i + 1, results

        _, outputs = while_loop(
            lambda i, _: i < count,
            compute,
            (start, outputs),
            parallel_iterations=parallel_iterations or 10,
            back_prop=back_prop,
            swap_memory=swap_memory,
            maximum_iterations=count,
        )
        stacked = _stacked(outputs, static)
    return nest.pack_sequence_as(elems if signature is None else signature, stacked)


def _result_arrays(
    tensors: list[Tensor], signature: Any, count: Any, infer_shape: bool
) -> list[TensorArray]:
    """An array for each result: by dtype, or by something like a `TensorSpec`."""
    specs: list[Any] = nest.flatten(signature)
    if signature is None:
        specs = [tensor.dtype for tensor in tensors]
    return [
        TensorArray(
            spec.dtype if hasattr(spec, "shape") else spec,
            size=count,
            dynamic_size=False,
            infer_shape=infer_shape,
            element_shape=getattr(spec, "shape", None),
        )
        for spec in specs
    ]


def _counted_rows(elems: Any) -> tuple[Any, Any]:
    """How many rows there are, and the structure of TensorArrays that hold them."""
    flat = [convert_to_tensor(elem, name="elem") for elem in nest.flatten(elems)]
    count = _first_size(flat[0])
    return count, nest.map_structure(lambda elem: _rows_of(elem, count), elems)


def foldl(
    fn: Callable[[Any, Any], Any],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
) -> Any:
    """Combine the rows of `elems` from the first to the last (TensorFlow: `tf.foldl`).

    Args:
      fn: called once, with the value so far and the next row; returns the next value.
      elems: a tensor, or a nested structure of tensors with equal first sizes.
      initializer: the value to start from; by default the first row.
      parallel_iterations, back_prop, swap_memory: as for `tf.while_loop`.
      name: a name scope, "foldl" by default.

    Returns:
      the last value.

    Raises:
      TypeError: if `fn` is not callable.

    Example:
      >>> tf.foldl(lambda total, x: 10 * total + x, tf.constant([1, 2, 3]))  # 123
    """
    options = parallel_iterations, back_prop, swap_memory
    return _fold(fn, elems, initializer, False, name, options)


def foldr(
    fn: Callable[[Any, Any], Any],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
) -> Any:
    """Combine the rows of `elems` from the last to the first (TensorFlow: `tf.foldr`).

    Args:
      fn: called once, with the value so far and the row before; returns the next value.
      elems: a tensor, or a nested structure of tensors with equal first sizes.
      initializer: the value to start from; by default the last row.
      parallel_iterations, back_prop, swap_memory: as for `tf.while_loop`.
      name: a name scope, "foldr" by default.

    Returns:
      the last value.

    Raises:
      TypeError: if `fn` is not callable.

    Example:
      >>> tf.foldr(lambda total, x: 10 * total + x, tf.constant([1, 2, 3]))  # 321
    """
    options = parallel_iterations, back_prop, swap_memory
    return _fold(fn, elems, initializer, True, name, options)


def _fold(
    fn: Any, elems: Any, initializer: Any, reverse: bool, name: str | None, options: Any
) -> Any:
    with _loop_scope(fn, name, "foldr" if reverse else "foldl", [elems]):
        count, rows = _counted_rows(elems)

        def row(i: Any) -> Any:
            return nest.map_structure(lambda array: array.read(i), rows)

        def forwards(i: Any, value: Any) -> list[Any]:
            value = fn(value, row(i))
            return [i + 1, value]

        def backwards(i: Any, value: Any) -> list[Any]:
            i = i - 1
            return [i, fn(value, row(i))]

        goes_on: Callable[..., Any]
        if reverse:
            goes_on, body = (lambda i, _: i > 0), backwards
            i = count if initializer is not None else count - 1
            start = row(i) if initializer is None else initializer
        else:
            goes_on, body = (lambda i, _: i < count), forwards
            start = row(0) if initializer is None else initializer
            i = constant(1 if initializer is None else 0)
        parallel_iterations, back_prop, swap_memory = options
        return while_loop(
            goes_on,
            body,
            [i, start],
            parallel_iterations=parallel_iterations,
            back_prop=back_prop,
            swap_memory=swap_memory,
            maximum_iterations=count,
        )[1]


def scan(
    fn: Callable[[Any, Any], Any],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    reverse: bool = False,
    name: str | None = None,
) -> Any:
    """Like `tf.foldl`, with all the values on the way (TensorFlow: `tf.scan`).

    Args:
      fn: called once, with the value so far and the next row; returns the next value.
      elems: a tensor, or a nested structure of tensors with equal first sizes.
      initializer: the value to start from, in the structure that `fn` returns; by default the first
        row, which is then the first result.
      parallel_iterations, back_prop, swap_memory: as for `tf.while_loop`.
      infer_shape: whether all values must have one shape.
      reverse: go from the last row to the first.
      name: a name scope, "scan" by default.

    Returns:
      tensors of shape [rows, ...]: the value at each row.

    Raises:
      TypeError: if `fn` is not callable. TypeError, ValueError: if it returns another structure.

    Example:
      >>> tf.scan(lambda total, x: total + x, tf.constant([1, 2, 3, 4]))  # [1, 3, 6, 10]
    """
    form = elems if initializer is None else initializer
    flat = nest.flatten(elems)
    with _loop_scope(fn, name, "scan", flat):
        tensors = [convert_to_tensor(elem, name="elem") for elem in flat]
        count: Any = dimension_value(tensors[0].shape[0])
        if count is None:
            count = getitem(shape(tensors[0]), 0)
        arrays = [
            TensorArray(t.dtype, size=count, dynamic_size=False, element_shape=t.shape[1:])
            for t in tensors
        ]
        rows = [array.unstack(t) for array, t in zip(arrays, tensors, strict=True)]
        start, outputs = _scan_start(rows, initializer, count, infer_shape, reverse)

        def compute(i: Any, values: list[Tensor], results: list[TensorArray]) -> Any:
            row = nest.pack_sequence_as(elems, [array.read(i) for array in rows])
            following = fn(nest.pack_sequence_as(form, values), row)
            nest.assert_same_structure(form, following)
            values = nest.flatten(following)
            parts = zip(results, values, strict=True)
            results = [array.write(i, part) for array, part in parts]
            return i - 1 if reverse else i + 1, values, results

        done = 1 if initializer is None else 0
        _, _, outputs = while_loop(
            (lambda i, *_: i >= 0) if reverse else (lambda i, *_: i < count),
            compute,
            (count - 1 - done if reverse else done, start, outputs),
            parallel_iterations=parallel_iterations,
            back_prop=back_prop,
            swap_memory=swap_memory,
            maximum_iterations=count,
        )
        results = _stacked(outputs, _same_first_size(tensors))
    return nest.pack_sequence_as(form, results)


def _scan_start(
    rows: list[TensorArray], initializer: Any, count: Any, infer_shape: bool, reverse: bool
) -> tuple[list[Tensor], list[TensorArray]]:
    """The values that a scan starts from, and the arrays for its results."""
    if initializer is None:
        values = [array.read(count - 1 if reverse else 0) for array in rows]
    else:
        values = [convert_to_tensor(value) for value in nest.flatten(initializer)]
    results = [
        TensorArray(
            value.dtype,
            size=count,
            dynamic_size=False,
            infer_shape=infer_shape,
            element_shape=value.shape if infer_shape else None,
        )
        for value in values
    ]
    if initializer is None:
        first = count - 1 if reverse else 0
        results = [a.write(first, value) for a, value in zip(results, values, strict=True)]
    return values, results
