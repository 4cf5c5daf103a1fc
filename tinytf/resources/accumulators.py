"""Conditional accumulators: gradients that are summed until there are enough of them.

A gradient says at which step it was computed; one that is older than the accumulator's own step is
dropped. Taking the sum, or the mean, waits for a number of gradients, and moves the accumulator on
by one step. TensorFlow: core/kernels/conditional_accumulator_base.h, conditional_accumulator.h,
sparse_conditional_accumulator.h.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from tinytf.framework.cancellation import CancellationManager
from tinytf.framework.dtypes import DType
from tinytf.framework.errors import InvalidArgumentError
from tinytf.framework.tensor_shape import TensorShape
from tinytf.resources.contributions import Asker, Contributions
from tinytf.resources.queues.attempts import Attempt
from tinytf.resources.queues.elements import shown
from tinytf.resources.queues.lines import Request, Served
from tinytf.resources.variable import own

APPLIES = frozenset(
    """
    AccumulatorApplyGradient ResourceAccumulatorApplyGradient SparseAccumulatorApplyGradient
    """.split()
)


class Accumulator(Served):
    """What both kinds share: counting, steps, and who waits.

    Args:
      name: of the resource.
      dtype, shape: of the gradients; unknown sizes fit any.
      is_mean: whether the sum is divided by the number of gradients.

    Attributes:
      dropped: how many gradients were too old, so far.
    """

    served_by = {"gradients": APPLIES}

    def __init__(self, name: str, dtype: DType, shape: TensorShape, is_mean: bool):
        super().__init__(name)
        self.dtype = dtype
        self.shape = shape
        self.is_mean = is_mean
        # All below guarded by self._lock.
        self.global_step = 0
        self.dropped = 0
        self._contributions = Contributions()
        #: How many gradients there are, and their sum: always changed together, as Ctrl-C may come
        #: at any line.
        self._kept: tuple[int, Any] = (0, None)

    @property
    def count(self) -> int:
        """How many gradients there are."""
        return self._kept[0]

    # How gradients are kept: the lock is held ---------------------------------------------------

    def _sum(self, count: int, total: Any, gradient: Any) -> Any:
        """The sum with one gradient more.

        Args:
          count: how many there are. total: their sum; None if there are none.

        Raises:
          InvalidArgumentError: if it does not fit.
        """
        raise NotImplementedError

    def _result(self, count: int, total: Any) -> Any:
        """The sum or the mean of so many gradients."""
        raise NotImplementedError

    # Operations -----------------------------------------------------------------------------------

    def apply(
        self, local_step: int, gradient: Any, asker: Asker | None = None, name: str = ""
    ) -> None:
        """Add a gradient, or drop it if it was computed before the accumulator's step.

        Args:
          asker: whose it is. name: of the operation, which tells replicas of one session apart.

        Raises:
          InvalidArgumentError: if its shape does not fit.
        """

        def apply(ended: list[Attempt]) -> None:
            self._contributions.note(asker, name, local_step, self.global_step)
            if local_step < self.global_step:
                self.dropped += 1
            else:
                count, total = self._kept
                self._kept = count + 1, self._sum(count, total, gradient)

        self._change(apply)

    def take(self, required: int, cancellation: CancellationManager) -> Any:
        """The mean (or sum) of all gradients, once there are so many; then it begins anew.

        Returns:
          the value, or a `Pending` for it.

        Raises:
          InvalidArgumentError: if `required` is not positive.
        """
        if required <= 0:
            raise InvalidArgumentError(
                f"Argument num_required must be positive, but was {required}"
            )

        def serve(attempt: Attempt) -> bool:
            count, total = self._kept
            if count < required:
                return False
            attempt.end(self._result(count, total))
            self._kept = 0, None
            self.global_step += 1
            self._contributions.at(self.global_step)
            return True

        self._contributions.required = required
        gradients = "1 gradient" if required == 1 else f"{required} gradients"
        request = Request(serve, "gradients", gradients, "take", "TakeGrad operation was cancelled")
        return self._ask(request, cancellation)

    def set_global_step(self, step: int) -> None:
        """Set the step; gradients computed before it are dropped from now on."""
        with self._lock:
            before, self.global_step = self.global_step, step
            self._contributions.begin_at(step)
        if step < before:
            logging.getLogger("tinytf").warning(
                "Attempt to set current_global_step_ to smaller value: the step of the accumulator "
                "'%s' goes back from %d to %d.",
                self.name,
                before,
                step,
            )

    def contributions(self) -> dict[str, Any]:
        """Its state, and who gave what to the last steps, as `sync_replicas` shows it."""
        with self._lock:
            return {
                "name": self.name,
                "count": self.count,
                "step": self.global_step,
                "dropped": self.dropped,
                "required": self._contributions.required,
                "takes": sum(map(len, self._lines.values())),
                "steps": self._contributions.as_json(),
            }

    def describe(self) -> str:
        with self._lock:
            (count, _), step, dropped = self._kept, self.global_step, self.dropped
        gradients = "1 gradient" if count == 1 else f"{count} gradients"
        text = f"the accumulator '{self.name}' ({self.kind}), {gradients}, at step {step}"
        if dropped:
            were = "1 gradient was" if dropped == 1 else f"{dropped} gradients were"
            text += f"; {were} dropped, computed at an older local_step than the accumulator's"
        return text

    def _mismatch(self, text: str) -> InvalidArgumentError:
        return InvalidArgumentError(f"Shape mismatch: expected {text} (accumulator '{self.name}')")


class DenseAccumulator(Accumulator):
    """Sums arrays of one shape.

    A gradient has the shape of those before it; the first, the accumulator's own.
    """

    kind = "ConditionalAccumulator"

    def _sum(self, count: int, total: Any, gradient: Any) -> Any:
        sizes = np.shape(gradient)
        if not self.shape.is_compatible_with(sizes):
            raise self._mismatch(f"{_shown(self.shape)}, got {shown(sizes)}")
        if not count:
            return own(gradient)
        if sizes != total.shape:
            raise self._mismatch(f"{shown(total.shape)}, got {shown(sizes)}")
        if count == 1:  # the first is its owner's
            return np.asarray(np.add(total, gradient))
        return np.add(total, gradient, out=total)

    def _result(self, count: int, total: Any) -> Any:
        if self.is_mean:
            total = np.divide(total, total.dtype.type(count))
        return total[()] if not np.ndim(total) else total


class SparseGradient(NamedTuple):
    """Some rows of a gradient.

    Attributes:
      indices: of the rows: a vector, int64. values: the rows.
      shape: of the whole gradient, or None if that is unknown.
    """

    indices: Any
    values: Any
    shape: Sequence[int] | None


class Rows(NamedTuple):
    """The sum of some such: of each row, its index and how many gradients had it."""

    indices: list[int]
    values: Any
    counts: list[int]


class SparseAccumulator(Accumulator):
    """Sums `IndexedSlices`; of the mean, each row is divided by the number of its own gradients.

    Rows are merged in one pass over both sides, which expects them in the order of their indices.
    """

    kind = "SparseConditionalAccumulator"

    def _sum(self, count: int, total: Rows | None, gradient: SparseGradient) -> Rows:
        self._check_form(gradient)
        self._check_shape(gradient, total)
        indices = gradient.indices.tolist()
        if total is None:
            return Rows(indices, own(gradient.values), [1] * len(indices))
        return _merged(total, indices, gradient.values)

    def _result(self, count: int, total: Rows) -> tuple[Any, Any, Any]:
        values = total.values
        if self.is_mean and total.counts:
            counts = np.array(total.counts, values.dtype)
            values = values / counts.reshape(-1, *[1] * (values.ndim - 1))
        sizes = self.shape.sizes or (None,)
        first = -1 if sizes[0] is None else sizes[0]
        shape = np.array([first, *values.shape[1:]], np.int64)
        return np.array(total.indices, np.int64), values, shape

    def _check_form(self, gradient: SparseGradient) -> None:
        indices, values = gradient.indices, gradient.values
        if np.ndim(indices) != 1:
            raise InvalidArgumentError(
                f"Input indices should be vector but received shape: {shown(np.shape(indices))}"
            )
        if not np.ndim(values):
            raise InvalidArgumentError("Values cannot be 0-dimensional.")
        if len(values) != len(indices):
            raise InvalidArgumentError(
                f"Expected {len(indices)} non-empty input values, got {len(values)}: one row for "
                f"each index"
            )

    def _check_shape(self, gradient: SparseGradient, total: Rows | None) -> None:
        wanted = self.shape.sizes or ()
        if gradient.shape is not None:
            if len(wanted) > len(gradient.shape):
                raise self._mismatch(
                    f"shape rank at least {len(wanted)}, got {len(gradient.shape)}"
                )
            self._compare("shape", wanted, gradient.shape, 0)
        if wanted and wanted[0] is not None:
            for slice_, index in enumerate(gradient.indices.tolist()):
                if index >= wanted[0]:
                    raise InvalidArgumentError(
                        f"Shape mismatch: index of slice {slice_} exceeded limits of shape; index "
                        f"is {index} exceeded {wanted[0]} (accumulator '{self.name}')"
                    )
        sizes = gradient.values.shape
        if total is not None:
            wanted = total.values.shape
            if len(wanted) != len(sizes):
                raise self._mismatch(f"values rank {len(wanted)}, got {len(sizes)}")
        elif len(wanted) > len(sizes):
            raise self._mismatch(f"values rank at least {len(wanted)}, got {len(sizes)}")
        self._compare("values", wanted, sizes, 1)

    def _compare(
        self, what: str, wanted: Sequence[int | None], sizes: Sequence[int], start: int
    ) -> None:
        for axis in range(start, len(wanted)):
            if wanted[axis] is not None and wanted[axis] != sizes[axis]:
                raise self._mismatch(f"{what} dim {axis} to be {wanted[axis]}, got {sizes[axis]}")


def _merged(total: Rows, indices: list[int], values: Any) -> Rows:
    """Both sides in order; a row that both have is their sum."""
    merged: list[int] = []
    counts: list[int] = []
    sources: list[tuple[int, int]] = []  # which row of either side, -1 for none
    left = right = 0
    while left < len(total.indices) or right < len(indices):
        one = total.indices[left] if left < len(total.indices) else None
        other = indices[right] if right < len(indices) else None
        takes_left = one is not None and (other is None or one <= other)
        takes_right = other is not None and (one is None or other <= one)
        merged.append(one if takes_left else other)  # type: ignore[arg-type]
        counts.append((total.counts[left] if takes_left else 0) + takes_right)
        sources.append((left if takes_left else -1, right if takes_right else -1))
        left, right = left + takes_left, right + takes_right
    rows = np.zeros((len(merged), *total.values.shape[1:]), total.values.dtype)
    for column, side in enumerate((total.values, values)):
        places = np.array([source[column] for source in sources], np.int64)
        there = places >= 0
        rows[there] += side[places[there]]
    return Rows(merged, rows, counts)


def _shown(shape: TensorShape) -> str:
    return "<unknown>" if shape.sizes is None else shown(shape.sizes)
