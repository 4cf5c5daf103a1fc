"""What all functions of `batching` do: a queue, a runner that fills it, batches out of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tinytf.framework import dtypes
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.indexed_slices import convert_to_tensor_or_indexed_slices
from tinytf.framework.scope_functions import name_scope
from tinytf.framework.sparse_tensor import SparseTensor
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import as_shape
from tinytf.ops.array.dynamic_partition import dynamic_partition
from tinytf.ops.control_flow.cond import smart_cond
from tinytf.ops.control_flow.primitives import no_op
from tinytf.ops.math.arithmetic import maximum
from tinytf.ops.math.cast import cast
from tinytf.ops.queues.queue_base import QueueBase
from tinytf.ops.queues.queue_classes import FIFOQueue, PaddingFIFOQueue, RandomShuffleQueue
from tinytf.training import sparse_batching
from tinytf.training.input import summarise_fraction
from tinytf.training.queue_runner import QueueRunner, add_queue_runner
from tinytf.training.sparse_batching import SparseInfo


@dataclass(frozen=True)
class Batching:
    """The arguments that the functions share; `default_name` is that of their scope."""

    default_name: str
    batch_size: Any
    keep_input: Any
    capacity: int
    enqueue_many: bool
    shapes: Any
    few: bool
    shared_name: str | None
    name: str | None
    dynamic_pad: bool = False
    #: of the shuffling ones
    min_after_dequeue: Any = None
    seed: int | None = None

    def build(self, given: Sequence[Any], threads: int | None) -> Any:
        """Queue, runner, summary, batches.

        Args:
          given: sets of components, lists or dictionaries. threads: how many enqueue the only set;
            None for one for each set.

        Returns:
          a tensor, a list of them, or a dictionary.
        """
        sets = [list(_in_order(tensors)) for tensors in given]
        flat = [tensor for components in sets for tensor in components]
        with name_scope(self.name, self.default_name, [*flat, self.keep_input]) as scope:
            if self._shuffles and self.capacity <= self.min_after_dequeue:
                raise ValueError(
                    f"capacity {self.capacity} must be bigger than min_after_dequeue "
                    f"{self.min_after_dequeue}."
                )
            sets = [[_as_component(tensor) for tensor in components] for components in sets]
            if not sets[0]:
                raise ValueError("Expected at least one tensor in batch().")
            if len({len(components) for components in sets}) > 1:
                counts = ", ".join(str(len(components)) for components in sets)
                raise ValueError(f"All sets must have as many components, but there are {counts}")
            keep = self._checked_keep_input()
            stored, infos = self._store(sets, keep)
            queue = self._queue(_types(stored), self._shapes_of(stored))
            self._enqueue(queue, stored, keep, threads)
            self._summarise(queue)
            dequeue = queue.dequeue_up_to if self.few else queue.dequeue_many
            taken = sparse_batching.restore(dequeue(self.batch_size, name=scope), infos)
            return _like(given[0], taken)

    @property
    def _shuffles(self) -> bool:
        return self.min_after_dequeue is not None

    def _checked_keep_input(self) -> Tensor:
        keep: Tensor = convert_to_tensor(self.keep_input)
        rank = keep.shape.ndims
        if rank is None:
            raise ValueError("`keep_input` dimensions must be known at graph construction.")
        if rank == 1 and not self.enqueue_many:
            raise ValueError("`keep_input` cannot be a vector when `enqueue_many=False`.")
        if rank > 1:
            raise ValueError(
                f"`keep_input` must be 0 or 1 dimensions, but its shape is {keep.shape}."
            )
        return keep

    def _store(
        self, sets: list[list[Any]], keep: Tensor
    ) -> tuple[list[list[Tensor]], list[SparseInfo]]:
        first, infos = sparse_batching.store(sets[0], self.enqueue_many, keep)
        stored = [first]
        for components in sets[1:]:
            dense, others = sparse_batching.store(components, self.enqueue_many, keep, infos)
            if len(infos) != len(others) or not all(map(SparseInfo.fits, infos, others)):
                raise ValueError(f"Inconsistent SparseTensors list: {sets[0]} vs. {components}")
            stored.append(dense)
        return stored, infos

    def _shapes_of(self, sets: list[list[Tensor]]) -> Any:
        """The shapes of the components; those of the first set, with which the others go."""
        if self.shapes is not None:
            return self.shapes
        for components in sets:
            for tensor in components:
                if tensor.shape.ndims is None:
                    raise ValueError(
                        f"Cannot infer Tensor's rank: {tensor}. Say the shape of each component of "
                        f"an element: shapes=[[], [28, 28]], for example."
                    )
        merged = []
        for same in zip(*sets, strict=False):
            shapes = [as_shape(tensor.shape) for tensor in same]
            if self.enqueue_many:
                shapes = [shape.with_rank_at_least(1)[1:] for shape in shapes]
            for shape in shapes[1:]:
                shapes[0].merge_with(shape)
            merged.append(shapes[0].as_list())
        return merged

    def _queue(self, types: list[Any], shapes: Any) -> QueueBase:
        if self._shuffles:
            return RandomShuffleQueue(
                self.capacity,
                self.min_after_dequeue,
                types,
                shapes,
                seed=self.seed,
                shared_name=self.shared_name,
            )
        kind = PaddingFIFOQueue if self.dynamic_pad else FIFOQueue
        return kind(self.capacity, types, shapes, shared_name=self.shared_name)

    def _enqueue(
        self, queue: QueueBase, sets: list[list[Tensor]], keep: Tensor, threads: int | None
    ) -> None:
        enqueue = queue.enqueue_many if self.enqueue_many else queue.enqueue

        def enqueue_op(components: list[Tensor]) -> Any:
            if keep.shape.ndims == 1:
                return enqueue(_kept(components, keep))
            return smart_cond(keep, lambda: enqueue(components), no_op)

        ops = [enqueue_op(components) for components in sets]
        add_queue_runner(QueueRunner(queue, ops if threads is None else ops * threads))

    def _summarise(self, queue: QueueBase) -> None:
        if not self._shuffles:
            summarise_fraction(f"fraction_of_{self.capacity}_full", queue.size(), self.capacity)
            return
        low, room = self.min_after_dequeue, self.capacity - self.min_after_dequeue
        more: Any = maximum(0, queue.size() - low)
        summarise_fraction(f"fraction_over_{low}_of_{room}_full", more, room)


def _in_order(tensors: Any) -> Sequence[Any]:
    if isinstance(tensors, dict):
        return [tensors[key] for key in sorted(tensors, key=str)]
    if isinstance(tensors, Tensor | SparseTensor):
        raise TypeError(
            f"Expected a list or dictionary of tensors, got {tensors!r}. One tensor is batched as "
            f"[tensor]."
        )
    return tensors


def _as_component(tensor: Any) -> Any:
    if isinstance(tensor, SparseTensor):
        return tensor
    return convert_to_tensor_or_indexed_slices(tensor)


def _like(given: Any, taken: Any) -> Any:
    """What was taken, as a dictionary if dictionaries were given."""
    if not isinstance(given, dict):
        return taken
    tensors = [taken] if len(given) == 1 else taken
    return {key: tensors[number] for number, key in enumerate(sorted(given, key=str))}


def _types(sets: list[list[Tensor]]) -> list[Any]:
    first, *others = [[tensor.dtype for tensor in components] for components in sets]
    for types in others:
        if types != first:
            texts = [", ".join(dtype.name for dtype in one) for one in (first, types)]
            raise TypeError(f"Expected types to be consistent: {texts[0]} vs. {texts[1]}.")
    return first


def _kept(components: list[Tensor], keep: Tensor) -> list[Tensor]:
    """The rows of the components that are to be kept."""
    parts = cast(keep, dtypes.int32)
    return [dynamic_partition(tensor, parts, num_partitions=2)[1] for tensor in components]
