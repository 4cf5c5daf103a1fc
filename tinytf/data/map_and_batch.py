"""`tf.data.experimental.map_and_batch`: `map` and `batch` in one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tinytf.data import structure
from tinytf.data.base import Transformation, int64, known_rows
from tinytf.data.batch import Batches, batched_spec, elements_of, gather, stacker
from tinytf.data.cards import CALLS, FUNCTION, METADATA, dataset_op
from tinytf.data.functions import FunctionDataset, StructuredFunction
from tinytf.data.parallel import check_parallel_calls, mapped_in_parallel
from tinytf.data.stages import Context, Next, Stage
from tinytf.framework import dtypes
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.errors import invalid

# MapAndBatchDataset -------------------------------------------------------------------------------


_INPUTS = f"{CALLS}, batch_size: int64, num_parallel_calls: int64, drop_remainder: bool"


@dataset_op(_INPUTS, FUNCTION, "preserve_cardinality: bool = false", METADATA)
class MapAndBatchDataset(FunctionDataset, Batches):
    """Batches of the results of a function, several of which are computed at once.

    Raises:
      InvalidArgumentError: if `size` or `calls` is not positive.
    """

    def check(self) -> None:
        if self.given.batch_size <= 0:
            raise invalid("batch_size must be greater than zero.")
        check_parallel_calls(self.given.num_parallel_calls)

    def start(self, context: Context, stage: Stage) -> Next:
        elements = elements_of(mapped_in_parallel(self, context, stage, True))
        size, stacked = self.given.batch_size, stacker(self.types)
        return lambda: stacked(self.checked(gather(elements, size, context)))


def map_and_batch(
    map_func: Callable[..., Any],
    batch_size: Any,
    num_parallel_batches: Any = None,
    drop_remainder: Any = False,
    num_parallel_calls: Any = None,
) -> Transformation:
    """`map` and `batch` in one (TensorFlow: `tf.data.experimental.map_and_batch`).

    Args:
      num_parallel_calls: how many calls of `map_func` run at once; or num_parallel_batches: as
        many as so many batches have elements. None: one batch.

    Raises:
      ValueError: for both.

    Example:
      >>> tf.data.Dataset.range(4).apply(tf.data.experimental.map_and_batch(lambda x: x * 2, 2))
      [[0, 2], [4, 6]]
    """
    if num_parallel_batches is not None and num_parallel_calls is not None:
        raise ValueError(
            "`map_and_batch` allows only one of `num_parallel_batches` and `num_parallel_calls` to "
            "be set, but `num_parallel_batches` was set to "
            f"{num_parallel_batches} and `num_parallel_calls` as set to {num_parallel_calls}."
        )

    def apply(dataset: Any) -> Any:
        function = StructuredFunction(
            map_func, "tf.data.experimental.map_and_batch()", dataset.element_spec
        )
        size = int64(batch_size, "batch_size")
        calls = num_parallel_calls
        if calls is None:
            calls = batch_size * (1 if num_parallel_batches is None else num_parallel_batches)
        number = int64(calls, "num_parallel_calls")
        whole = convert_to_tensor(drop_remainder, dtypes.bool_, name="drop_remainder")
        rows = known_rows(size, whole)
        spec = structure.map_structure(lambda leaf: batched_spec(leaf, rows), function.spec)
        return dataset._derived(
            MapAndBatchDataset.card,
            function.captured,
            size,
            number,
            whole,
            f=function.attr,
            preserve_cardinality=True,
            spec=spec,
        )

    return apply


def map_and_batch_with_legacy_function(
    map_func: Callable[..., Any],
    batch_size: Any,
    num_parallel_batches: Any = None,
    drop_remainder: Any = False,
    num_parallel_calls: Any = None,
) -> Transformation:
    """`map_and_batch`, for functions of older programs: they are of one kind here.

    TensorFlow: `tf.data.experimental.map_and_batch_with_legacy_function`.
    """
    return map_and_batch(
        map_func, batch_size, num_parallel_batches, drop_remainder, num_parallel_calls
    )
