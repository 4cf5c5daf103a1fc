"""`batch`: several elements as one. What other batches need of it stands here as well."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from itertools import islice
from typing import Any

import numpy as np

from tinytf.data import structure
from tinytf.data.base import Self, int64, known_rows, order
from tinytf.data.cards import FORM, METADATA, ORDER, TYPES, dataset_op
from tinytf.data.map import MapDataset
from tinytf.data.parallel import Parallel, check_parallel_calls, is_ordered
from tinytf.data.stages import Context, DatasetValue, Next, Stage
from tinytf.data.workers import Workers
from tinytf.framework import dtypes
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.dtypes import DType
from tinytf.framework.errors import InvalidArgumentError, invalid
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


_COPY = "parallel_copy: bool = false"

# BatchDatasetV2 -----------------------------------------------------------------------------------


class Batches(DatasetValue):
    """What datasets that put several elements together have in common.

    Raises:
      InvalidArgumentError: if they are to be of no elements.
    """

    def check(self) -> None:
        if self.given.batch_size <= 0:
            raise invalid("Batch size must be greater than zero.")

    @property
    def whole_only(self) -> bool:
        """Whether a last batch that is smaller is left out."""
        return getattr(self.given, "drop_remainder", False)

    def checked(self, gathered: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
        """The elements of a batch; StopIteration if there are none, or they are too few."""
        if len(gathered) < (self.given.batch_size if self.whole_only else 1):
            raise StopIteration
        return gathered

    def cardinality(self) -> int:
        count, size = self.inputs[0].cardinality(), self.given.batch_size
        if count < 0:
            return count
        return count // size if self.whole_only else -(-count // size)


_SIZE = "input_dataset: variant, batch_size: int64, drop_remainder: bool"


@dataset_op(_SIZE, _COPY, FORM, name="BatchDatasetV2")
class BatchDataset(Batches):
    """Several elements as one, with a new first dimension.

    Raises:
      InvalidArgumentError: if `size` is not positive.
    """

    def start(self, context: Context, stage: Stage) -> Next:
        elements = elements_of(self.inputs[0].iterate(context, stage).next)
        size, stacked = self.given.batch_size, stacker(self.types)

        def batch() -> tuple:
            gathered: list[tuple] = []
            try:
                gather(elements, size, context, gathered)
            except Exception:
                if isinstance(self.inputs[0], MapDataset):
                    _leave_out(elements, size - len(gathered) - 1, context)
                raise
            return stacked(self.checked(gathered))

        return batch


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


# ParallelBatchDataset -----------------------------------------------------------------------------


_PARALLEL = (
    "input_dataset: variant, batch_size: int64, num_parallel_calls: int64, drop_remainder: bool"
)


@dataset_op(_PARALLEL, _COPY, TYPES, ORDER, METADATA)
class ParallelBatchDataset(Batches):
    """Several elements as one, several batches being put together at once.

    Raises:
      InvalidArgumentError: if `size` or `calls` is not positive.
    """

    def check(self) -> None:
        super().check()
        check_parallel_calls(self.given.num_parallel_calls)
        self._is_ordered = is_ordered(self.given)

    def start(self, context: Context, stage: Stage) -> Next:
        workers = Workers(stage, context)
        elements = elements_of(self.inputs[0].iterate(workers.context, stage).next)

        def pull() -> list:
            return self.checked(gather(elements, self.given.batch_size, workers.context))

        parallel = Parallel(
            workers, pull, stacker(self.types), self.given.num_parallel_calls, self._is_ordered
        )
        stage.buffer = parallel.buffer
        return parallel.next


# Method -------------------------------------------------------------------------------------------


def batch(
    self: Self,
    batch_size: Any,
    drop_remainder: Any = False,
    num_parallel_calls: Any = None,
    deterministic: bool | None = None,
    name: str | None = None,
) -> Self:
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
        return self._derived(BatchDataset.card, size, whole, spec=spec, name=name)
    calls, kept = int64(num_parallel_calls, "num_parallel_calls"), order(deterministic)
    return self._derived(
        ParallelBatchDataset.card, size, calls, whole, deterministic=kept, spec=spec, name=name
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
