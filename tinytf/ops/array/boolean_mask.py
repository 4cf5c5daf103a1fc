"""`tf.boolean_mask`: the elements where a mask is true."""

from __future__ import annotations

from typing import Any

from tinytf.framework.constant_value import constant_value
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape
from tinytf.ops.array.concat import concat
from tinytf.ops.array.gather import gather
from tinytf.ops.array.reshape import reshape, squeeze
from tinytf.ops.array.shape import shape
from tinytf.ops.array.where import where
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.reduce.reduction import prod_op


def boolean_mask(tensor: Any, mask: Any, name: str = "boolean_mask", axis: Any = None) -> Tensor:
    """The elements (or rows) of a tensor where a mask is true (TensorFlow: `tf.boolean_mask`).

    Args:
      tensor: of rank n or more.
      mask: bool, of known rank n > 0; its shape is that of `tensor` from dimension `axis` on.
      name: of the operations' scope.
      axis: where the masked dimensions start, a number or an int32 scalar; 0 by default.

    Returns:
      a tensor in which one dimension, of the number of true elements, replaces the masked ones.

    Raises:
      ValueError: if the mask is a scalar, of unknown rank, or does not fit.

    Example:
      >>> tf.boolean_mask([1, 2, 3], [True, False, True])  # [1, 3]
    """
    with op_scope(name, "boolean_mask", (tensor, mask)):
        tensor = convert_to_tensor(tensor, name="tensor")
        mask = convert_to_tensor(mask, name="mask")
        rank = mask.shape.ndims
        if rank == 0:
            raise ValueError("mask cannot be scalar.")
        if rank is None:
            raise ValueError(
                "Number of mask dimensions must be specified, even if some dimensions are None.  "
                "E.g. shape=[None] is ok, but shape=None is not."
            )
        first: Any = 0 if axis is None else axis
        known = constant_value(first) if isinstance(first, Tensor) else first
        if known is not None:
            first = int(known)
            tensor.shape[first : first + rank].assert_is_compatible_with(mask.shape)
        count = prod_op(shape(tensor)[first : first + rank], [0])  # type: ignore[index]
        before, after = shape(tensor)[:first], shape(tensor)[first + rank :]  # type: ignore[index]
        static = tensor.shape
        tensor = reshape(tensor, concat([before, [count], after], 0))
        if static.ndims is not None and known is not None:
            size = static[first : first + rank].num_elements()
            tensor.set_shape(
                static[:first].concatenate(TensorShape([size])).concatenate(static[first + rank :])
            )
        indices = squeeze(where(reshape(mask, [-1])), axis=[1])
        return gather(tensor, indices, axis=first)
