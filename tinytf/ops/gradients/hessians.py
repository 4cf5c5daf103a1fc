"""`tf.hessians`: second derivatives, by a loop over the elements of the first."""

from __future__ import annotations

from typing import Any

from tinytf.framework import dtypes
from tinytf.framework.tensor import Tensor
from tinytf.ops.array.concat import concat
from tinytf.ops.array.constant import constant
from tinytf.ops.array.reshape import reshape
from tinytf.ops.array.shape import shape, size
from tinytf.ops.control_flow.while_loop import while_loop
from tinytf.ops.gradients.gradients import gradients
from tinytf.ops.tensor_array.tensor_array import TensorArray


def hessians(
    ys: Any,
    xs: Any,
    name: str = "hessians",
    colocate_gradients_with_ops: bool = False,
    gate_gradients: bool = False,
    aggregation_method: int | None = None,
) -> list[Tensor]:
    """Second derivatives of the sum of `ys` with respect to each x (TensorFlow: `tf.hessians`).

    Args:
      ys: a tensor or a list of tensors to differentiate.
      xs: a tensor, or a list of tensors, each by itself.
      name: accepted for TensorFlow's sake, which does not use it either.
      colocate_gradients_with_ops, gate_gradients, aggregation_method: see `tf.gradients`.

    Returns:
      for each x a tensor of shape x.shape + x.shape.

    Raises:
      LookupError: if an op on the way has no registered gradient.

    Example:
      >>> x = tf.constant([1.0, 2.0])
      >>> tf.hessians(x[0] * x[0] * x[1], x)  # [[[4., 2.], [2., 0.]]]
    """
    given = list(xs) if isinstance(xs, list | tuple) else [xs]
    settings: dict[str, Any] = {
        "colocate_gradients_with_ops": colocate_gradients_with_ops,
        "gate_gradients": gate_gradients,
        "aggregation_method": aggregation_method,
    }
    return [_hessian(g, x) for g, x in zip(gradients(ys, given, **settings), given, strict=True)]


def _hessian(gradient: Any, x: Any) -> Tensor:

    flat: Any = reshape(gradient, [-1])
    count = size(x)

    def row(j: Any, rows: Any) -> tuple[Any, Any]:
        return j + 1, rows.write(j, gradients(flat[j], x)[0])

    start = [constant(0, dtypes.int32), TensorArray(x.dtype, count)]
    _, rows = while_loop(lambda j, _: j < count, row, start)
    sizes = shape(x)
    return reshape(rows.stack(), concat([sizes, sizes], 0))
