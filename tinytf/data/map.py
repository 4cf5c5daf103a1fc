"""`map`: what a function makes of each element."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tinytf.data.base import Self, int64, order
from tinytf.data.cards import CALLS, FUNCTION, METADATA, ORDER, dataset_op
from tinytf.data.functions import FunctionDataset, StructuredFunction
from tinytf.data.parallel import check_parallel_calls, is_ordered, mapped_in_parallel
from tinytf.data.stages import UNKNOWN, Context, Next, Stage

_POOL = "use_inter_op_parallelism: bool = true"
_KEPT = "preserve_cardinality: bool = false"

# MapDataset ---------------------------------------------------------------------------------------


@dataset_op(CALLS, FUNCTION, _POOL, _KEPT, METADATA)
class MapDataset(FunctionDataset):
    """The results of a function for each element."""

    def start(self, context: Context, stage: Stage) -> Next:
        advance = self.inputs[0].iterate(context, stage).next
        function = self.prepared(context)

        def mapped() -> tuple:
            return tuple(function(advance()))

        return mapped

    def cardinality(self) -> int:

        kept = self.node.attrs.get("preserve_cardinality")
        return self.inputs[0].cardinality() if kept else UNKNOWN


# ParallelMapDatasetV2, ParallelMapDataset ---------------------------------------------------------


@dataset_op(
    f"{CALLS}, num_parallel_calls: int64",
    FUNCTION,
    _POOL,
    ORDER,
    _KEPT,
    METADATA,
    name="ParallelMapDatasetV2",
)
@dataset_op(
    f"{CALLS}, num_parallel_calls: int32", FUNCTION, _POOL, "sloppy: bool = false", _KEPT, METADATA
)
class ParallelMapDataset(MapDataset):
    """The results of a function for each element, several being computed at once.

    Raises:
      InvalidArgumentError: if the number of calls is neither positive nor AUTOTUNE.
    """

    def check(self) -> None:
        check_parallel_calls(self.given.num_parallel_calls)
        self._is_ordered = is_ordered(self.given)

    def start(self, context: Context, stage: Stage) -> Next:
        return mapped_in_parallel(self, context, stage, self._is_ordered)


# Methods ------------------------------------------------------------------------------------------


def map(
    self: Self,
    map_func: Callable[..., Any],
    num_parallel_calls: Any = None,
    deterministic: bool | None = None,
    name: str | None = None,
) -> Self:
    """The results of a function for each element (TensorFlow: `Dataset.map`).

    The function is called once, with placeholders; what it builds becomes a function of the
    graph. (`if` and `while` on tensors are tf.cond and tf.while_loop here: nothing translates
    Python's own.)

    Args:
      map_func: gets the components of an element (of a tuple as several arguments), returns
        tensors in tuples and dictionaries.
      num_parallel_calls: how many threads call it. deterministic: whether the order is kept.

    Example:
      >>> tf.data.Dataset.range(3).map(lambda x: x * 2)  # [0, 2, 4]
    """
    mapped = StructuredFunction(map_func, "Dataset.map()", self.element_spec)
    common = {"f": mapped.attr, "spec": mapped.spec, "preserve_cardinality": False}
    if num_parallel_calls is None:
        return self._derived(MapDataset.card, mapped.captured, **common)
    calls = int64(num_parallel_calls, "num_parallel_calls")
    common["deterministic"] = order(deterministic)
    return self._derived(ParallelMapDataset.card, mapped.captured, calls, **common)


def map_with_legacy_function(
    self: Self,
    map_func: Callable[..., Any],
    num_parallel_calls: Any = None,
    deterministic: bool | None = None,
) -> Self:
    """`map`, for functions of older programs (TensorFlow: `Dataset.map_with_legacy_function`).

    Functions are of one kind here: it is `map`.
    """
    return map(self, map_func, num_parallel_calls, deterministic)
