"""`tf.ConditionalAccumulator` and its sparse form.

Mirrors a part of tensorflow/python/ops/data_flow_ops.py.
"""

from __future__ import annotations

from typing import Any

from tinytf.framework import dtypes
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.dtypes import DType
from tinytf.framework.indexed_slices import IndexedSlices
from tinytf.framework.operation import Operation
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape, as_shape, unknown_shape
from tinytf.ops.math.cast import cast
from tinytf.ops.queues import accumulator_ops as ops


class ConditionalAccumulatorBase:
    """Sums gradients until there are enough of them (TensorFlow: `tf.ConditionalAccumulatorBase`).

    A gradient computed at an older step than the accumulator's is dropped, silently; taking the
    result waits for a number of gradients. Make a `tf.ConditionalAccumulator` or a
    `tf.SparseConditionalAccumulator`.

    Args:
      dtype, shape: of the gradients. accumulator_ref: the handle.

    Example:
      >>> total = tf.ConditionalAccumulator(tf.float32, shape=[])
      >>> isinstance(total, tf.ConditionalAccumulatorBase), total.name
      (True, 'conditional_accumulator')
    """

    def __init__(self, dtype: Any, shape: Any, accumulator_ref: Tensor):
        self._dtype = dtype
        self._shape = _shape(shape)
        self._accumulator_ref = accumulator_ref
        self._name = accumulator_ref.op.name.split("/")[-1]

    @property
    def accumulator_ref(self) -> Tensor:
        """The handle, as operations take it."""
        return self._accumulator_ref

    @property
    def name(self) -> str:
        """The last part of the name of the operation that makes it."""
        return self._name

    @property
    def dtype(self) -> DType:
        """Of the gradients."""
        return self._dtype

    def num_accumulated(self, name: str | None = None) -> Tensor:
        """How many gradients there are at the moment: a scalar, int32."""
        return ops.resource_num_accumulated(
            self._accumulator_ref, name=name or f"{self._name}_NumAccumulated"
        )

    def set_global_step(self, new_global_step: Any, name: str | None = None) -> Operation:
        """Set the accumulator's step: gradients computed before it are dropped.

        Args:
          new_global_step: a scalar; a variable, too.
        """
        return ops.resource_set_global_step(
            self._accumulator_ref, _as_step(new_global_step), name=name
        )


class ConditionalAccumulator(ConditionalAccumulatorBase):
    """Sums gradients of one shape (TensorFlow: `tf.ConditionalAccumulator`).

    Args:
      dtype: float16, float32 or float64.
      shape: of the gradients; None or unknown sizes: as the first one has it.
      shared_name: one accumulator for all sessions of a server that use the name.
      reduction_type: "MEAN" or "SUM": what `take_grad` returns.

    Raises:
      ValueError: for another reduction type.

    Example:
      >>> total = tf.ConditionalAccumulator(tf.float32, shape=[2])
      >>> with tf.Session() as sess:
      ...     sess.run(total.apply_grad([1.0, 2.0]))
      ...     sess.run(total.apply_grad([3.0, 4.0]))
      ...     sess.run(total.take_grad(2))
      array([2., 3.], dtype=float32)
    """

    def __init__(
        self,
        dtype: Any,
        shape: Any = None,
        shared_name: str | None = None,
        name: str = "conditional_accumulator",
        reduction_type: str = "MEAN",
    ):
        handle = ops.resource_conditional_accumulator(
            dtype=dtype,
            shape=_shape(shape),
            shared_name=shared_name or "",
            reduction_type=reduction_type,
            name=name,
        )
        super().__init__(dtype, shape, handle)

    def apply_grad(self, grad: Any, local_step: Any = 0, name: str | None = None) -> Operation:
        """Add a gradient, or drop it if `local_step` is before the accumulator's step.

        Args:
          grad: of the accumulator's dtype and shape.
          local_step: at which step it was computed: a scalar.

        Raises:
          ValueError: for another dtype or shape. When it runs: InvalidArgumentError.
        """
        gradient = convert_to_tensor(grad, self._dtype)
        gradient.shape.assert_is_compatible_with(self._shape)
        return ops.resource_apply_gradient(
            self._accumulator_ref, _as_step(local_step), gradient, name=name
        )

    def take_grad(self, num_required: Any, name: str | None = None) -> Tensor:
        """The mean (or sum) of the gradients; waits until there are `num_required`.

        All gradients there are go into it. The accumulator is empty then, and its step is one more.

        Args:
          num_required: a positive scalar, int32.

        Returns:
          a tensor of the accumulator's dtype and shape.
        """
        taken = ops.resource_take_gradient(
            self._accumulator_ref, num_required, dtype=self._dtype, name=name
        )
        taken.set_shape(self._shape)
        return taken


class SparseConditionalAccumulator(ConditionalAccumulatorBase):
    """Sums `tf.IndexedSlices` (TensorFlow: `tf.SparseConditionalAccumulator`).

    Of the mean, each row is divided by how many gradients had that row. The rows of a gradient are
    expected in the order of their indices, each once.

    Args:
      shape: of the whole gradient; None or unknown sizes fit any.
      dtype, shared_name, reduction_type: as for `tf.ConditionalAccumulator`.

    Example:
      >>> rows = tf.SparseConditionalAccumulator(tf.float32)
      >>> slices = tf.IndexedSlices(tf.constant([[1.0, 2.0]]), tf.constant([4]))
      >>> add, mean = rows.apply_indexed_slices_grad(slices), rows.take_indexed_slices_grad(1)
    """

    def __init__(
        self,
        dtype: Any,
        shape: Any = None,
        shared_name: str | None = None,
        name: str = "sparse_conditional_accumulator",
        reduction_type: str = "MEAN",
    ):
        handle = ops.sparse_conditional_accumulator(
            dtype=dtype,
            shape=_shape(shape),
            shared_name=shared_name or "",
            reduction_type=reduction_type,
            name=name,
        )
        super().__init__(dtype, shape, handle)

    def apply_indexed_slices_grad(
        self, grad: IndexedSlices, local_step: Any = 0, name: str | None = None
    ) -> Operation:
        """Add a gradient, or drop it if `local_step` is before the accumulator's step."""
        return self.apply_grad(grad.indices, grad.values, grad.dense_shape, local_step, name)

    def apply_grad(
        self,
        grad_indices: Any,
        grad_values: Any,
        grad_shape: Any = None,
        local_step: Any = 0,
        name: str | None = None,
    ) -> Operation:
        """As `apply_indexed_slices_grad`, of its parts.

        Args:
          grad_indices: a vector: where the rows belong. grad_values: one row for each of them.
          grad_shape: of the whole gradient, as a vector; None if it is unknown.

        Raises:
          When it runs: InvalidArgumentError if they do not fit one another or the accumulator.
        """
        step = _as_step(local_step)
        indices = cast(grad_indices, dtypes.int64)
        shape = cast([] if grad_shape is None else grad_shape, dtypes.int64)
        return ops.sparse_apply_gradient(
            self._accumulator_ref,
            step,
            indices,
            grad_values,
            shape,
            has_known_shape=grad_shape is not None,
            name=name,
        )

    def take_grad(self, num_required: Any, name: str | None = None) -> Any:
        """The mean (or sum) of the gradients; waits until there are `num_required`.

        Returns:
          (indices, values, shape). All gradients there are go into it; the accumulator is empty
          then, and its step is one more.
        """
        return ops.sparse_take_gradient(
            self._accumulator_ref, num_required, dtype=self._dtype, name=name
        )

    def take_indexed_slices_grad(self, num_required: Any, name: str | None = None) -> IndexedSlices:
        """As `take_grad`, but `tf.IndexedSlices`."""
        taken = self.take_grad(num_required, name)
        return IndexedSlices(taken.values, taken.indices, taken.shape)

    def num_accumulated(self, name: str | None = None) -> Tensor:
        """How many gradients there are at the moment: a scalar, int32."""
        return ops.num_accumulated(
            self._accumulator_ref, name=name or f"{self._name}_NumAccumulated"
        )

    def set_global_step(self, new_global_step: Any, name: str | None = None) -> Operation:
        """Set the accumulator's step: gradients computed before it are dropped."""
        return ops.set_global_step(self._accumulator_ref, _as_step(new_global_step), name=name)


def _as_step(step: Any) -> Tensor:
    return cast(convert_to_tensor(step), dtypes.int64)


def _shape(shape: Any) -> TensorShape:
    return unknown_shape() if shape is None else as_shape(shape)
