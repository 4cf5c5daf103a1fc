"""`batch`: several elements as one. What other batches need of it stands here as well."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from itertools import islice
from typing import Any

import numpy as np

from tinytf.data import structure
from tinytf.data.base import D, int64, known_rows, order
from tinytf.data.cards import METADATA, ORDER, TYPES, define_dataset
from tinytf.data.map import MapDataset
from tinytf.data.parallel import Parallel, check_parallel_calls, is_ordered
from tinytf.data.stages import Context, DatasetValue, Next, Stage
from tinytf.data.workers import Workers
from tinytf.framework import dtypes
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.dtypes import DType
from tinytf.framework.errors import InvalidArgumentError, invalid
from tinytf.framework.operation import Operation
from tinytf.framework.shape_inference import brackets
from tinytf.framework.tensor_shape import TensorShape

#: Stands for nothing that an iterator gives.
_NEVER = object()
#: So many elements are taken at once; then it looks whether anybody still wants them.
_AT_ONCE = 1024


def elements_of(advance: Next) -> Iterator[tuple[Any, ...]]:
    """What gives elements as an iterator; unlike a generator's, an error does not end it."""
    return iter(advance, _NEVER)


def gather(
    elements: Iterator[tuple[Any, ...]], count: int, context: Context, held: Any = None
) -> Any:
    """Take elements until there are `count`; fewer are there at the end.

    Args:
      held: a list or a deque that gets them; those that it has count, and it keeps what it has got
        when an element fails. By default a new list.

    Returns:
      `held`.
    """
    held = [] if held is None else held
    while (wanted := count - len(held)) > _AT_ONCE:
        before = len(held)
        held.extend(islice(elements, _AT_ONCE))
        if len(held) - before < _AT_ONCE:
            return held
        context.check()
    held.extend(islice(elements, wanted))
    return held


def next_batch(
    elements: Iterator[tuple[Any, ...]], size: int, whole_only: bool, context: Context
) -> list[tuple[Any, ...]]:
    """The elements of the next batch; StopIteration if there is none, or it would be too small."""
    gathered: list[tuple[Any, ...]] = gather(elements, size, context)
    if len(gathered) < (size if whole_only else 1):
        raise StopIteration
    return gathered


def number_of_batches(elements: DatasetValue, size: int, whole_only: bool) -> int:
    """How many batches elements make; where that is not known, the `cardinality` that says so."""
    count = elements.cardinality()
    if count < 0:
        return count
    return count // size if whole_only else -(-count // size)


def check_batch_size(size: Any, what: str = "Batch size") -> int:
    """`size`; InvalidArgumentError if it is not positive."""
    if size <= 0:
        raise invalid(f"{what} must be greater than zero.")
    return int(size)


def stacker(types: Sequence[DType]) -> Callable[[list[tuple]], tuple]:
    """A function from elements to one with a new first dimension, for components of these types."""
    kinds = [np.dtype(kind.as_numpy_dtype) for kind in types]

    def stacked(elements: list[tuple]) -> tuple:
        columns = zip(*elements, strict=True)
        return tuple(
            _stack(column, kind, index)
            for index, (column, kind) in enumerate(zip(columns, kinds, strict=True))
        )

    return stacked


def _stack(column: tuple, kind: np.dtype, index: int) -> np.ndarray:
    shape = column[0].shape
    if kind.kind != "O":
        try:
            result = np.array(column, kind)
        except ValueError:  # they have not one shape
            raise _unequal(column, index) from None
        if result.shape != (len(column), *shape):
            raise _unequal(column, index)
        return result
    if any(value.shape != shape for value in column):
        raise _unequal(column, index)
    result = np.empty((len(column), *shape), object)
    if shape == ():
        result[:] = [value[()] for value in column]
    else:
        for row, value in zip(result, column, strict=True):
            row[...] = value
    return result


def _unequal(column: tuple, index: int) -> InvalidArgumentError:
    """The error of elements that have not one shape."""
    first = column[0].shape
    number, other = next((n, v) for n, v in enumerate(column) if v.shape != first)
    return InvalidArgumentError(
        f"Cannot add tensor to the batch: number of elements does not match. Shapes are: [tensor]: "
        f"{_shown(other.shape)}, [batch]: {_shown(first)}. (Component {index}: element 0 of the "
        f"batch has shape {_shown(first)}, element {number} has shape {_shown(other.shape)}. "
        f"Elements of several shapes take padded_batch, or a map that makes them equal.)"
    )


def _shown(shape: tuple) -> str:
    return brackets(TensorShape.of(shape))


# BatchDatasetV2 -----------------------------------------------------------------------------------


class BatchDataset(DatasetValue):
    """Several elements as one, with a new first dimension.

    Args:
      size: how many. whole_only: leave out the last batch if it is smaller.

    Raises:
      InvalidArgumentError: if `size` is not positive.
    """

    def __init__(
        self, source: DatasetValue, batch_size: Any, drop_remainder: Any, *, node: Operation
    ):
        super().__init__(source, node=node)
        self._size, self._whole_only = check_batch_size(batch_size), bool(drop_remainder)

    def start(self, context: Context, stage: Stage) -> Next:
        elements = elements_of(self.inputs[0].iterate(context, stage).next)
        least = self._size if self._whole_only else 1
        stacked = stacker(self.types)

        def batch() -> tuple:
            gathered: list[tuple] = []
            try:
                gather(elements, self._size, context, gathered)
            except Exception:
                if isinstance(self.inputs[0], MapDataset):
                    _leave_out(elements, self._size - len(gathered) - 1, context)
                raise
            if len(gathered) < least:
                raise StopIteration
            return stacked(gathered)

        return batch

    def cardinality(self) -> int:
        return number_of_batches(self.inputs[0], self._size, self._whole_only)


def _leave_out(elements: Iterator[Any], count: int, context: Context) -> None:
    """Take the rest of a batch of which an element has failed.

    TensorFlow runs a map and the batch after it as one: with an element it loses all of its batch.
    """
    while count > 0:
        count -= 1
        context.check()
        with suppress(Exception):  # of this batch the first error is told, and only that
            if next(elements, None) is None:
                return


_COPY = "parallel_copy: bool = false"
batch_dataset_v2 = define_dataset(
    "BatchDatasetV2",
    "input_dataset: variant, batch_size: int64, drop_remainder: bool",
    _COPY,
    TYPES,
    METADATA,
    kernel=BatchDataset,
)

# ParallelBatchDataset -----------------------------------------------------------------------------


class ParallelBatchDataset(DatasetValue):
    """Several elements as one, several batches being put together at once.

    Args:
      size: of a batch. calls: how many at once. whole_only: leave out the last batch if smaller.
      is_ordered: whether they keep their order.

    Raises:
      InvalidArgumentError: if `size` or `calls` is not positive.
    """

    def __init__(
        self,
        source: DatasetValue,
        batch_size: Any,
        calls: Any,
        drop_remainder: Any,
        *,
        deterministic: bytes,
        node: Operation,
    ):
        super().__init__(source, node=node)
        self._size, self._calls = check_batch_size(batch_size), check_parallel_calls(calls)
        self._whole_only, self._is_ordered = bool(drop_remainder), is_ordered(deterministic)

    def start(self, context: Context, stage: Stage) -> Next:
        workers = Workers(stage, context)
        elements = elements_of(self.inputs[0].iterate(workers.context, stage).next)
        least = self._size if self._whole_only else 1

        def pull() -> list:
            gathered = gather(elements, self._size, workers.context)
            if len(gathered) < least:
                raise StopIteration
            return gathered

        parallel = Parallel(workers, pull, stacker(self.types), self._calls, self._is_ordered)
        stage.buffer = parallel.buffer
        return parallel.next

    def cardinality(self) -> int:
        return number_of_batches(self.inputs[0], self._size, self._whole_only)


parallel_batch_dataset = define_dataset(
    "ParallelBatchDataset",
    "input_dataset: variant, batch_size: int64, num_parallel_calls: int64, drop_remainder: bool",
    _COPY,
    TYPES,
    ORDER,
    METADATA,
    kernel=ParallelBatchDataset,
)

# Method -------------------------------------------------------------------------------------------


def batch(
    self: D,
    batch_size: Any,
    drop_remainder: Any = False,
    num_parallel_calls: Any = None,
    deterministic: bool | None = None,
    name: str | None = None,
) -> D:
    """Several elements as one, with a new first dimension (TensorFlow: `Dataset.batch`).

    Args:
      batch_size: how many. drop_remainder: leave out the last batch if it is smaller; then the
        first dimension is known. num_parallel_calls, deterministic: see `map`.

    Raises:
      InvalidArgumentError: when it runs, if elements have not all one shape.

    Example:
      >>> tf.data.Dataset.range(5).batch(2)  # [[0, 1], [2, 3], [4]]
    """
    size = int64(batch_size, "batch_size")
    whole = convert_to_tensor(drop_remainder, dtypes.bool_, name="drop_remainder")
    rows = known_rows(size, whole)
    spec = structure.map_structure(lambda leaf: batched_spec(leaf, rows), self.element_spec)
    if num_parallel_calls is None:
        return self._derived(batch_dataset_v2, size, whole, spec=spec, name=name)
    calls, kept = int64(num_parallel_calls, "num_parallel_calls"), order(deterministic)
    return self._derived(
        parallel_batch_dataset, size, calls, whole, deterministic=kept, spec=spec, name=name
    )


def batched_spec(leaf: Any, rows: int | None) -> Any:
    """The description of several such components, as one.

    Raises:
      TypeError: if they are datasets, as those that `window` gives.
    """
    if not hasattr(leaf, "with_shape"):
        raise TypeError(
            f"Datasets inside of elements cannot be put into batches: {leaf}. Make elements of "
            f"them first: dataset.flat_map(lambda part: part.batch(size))."
        )
    sizes = leaf.shape.sizes
    return leaf.with_shape(None if sizes is None else (rows, *sizes))
