"""A condition that ends the step if it does not hold: Assert."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf.framework import shape_inference
from tinytf.framework.conversion import convert_n_to_tensor, convert_to_tensor
from tinytf.framework.dtypes import int32, string
from tinytf.framework.errors import invalid
from tinytf.framework.op_card import define_op
from tinytf.framework.operation import Operation
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.control_flow.cond import cond
from tinytf.ops.control_flow.primitives import no_op
from tinytf.ops.logging.tensor_text import first_elements

_assert = define_op(
    "Assert",
    "condition: bool, data: T",
    "T: list(type) >= 1, summarize: int = 3",
    stateful=True,
    shape=shape_inference.no_outputs,
    no_gradient="it has no outputs",
)


@_assert.kernel
def _assert_kernel(condition: Any, *data: Any, summarize: int) -> tuple[()]:
    if np.ndim(condition) != 0:
        shape = ",".join(map(str, np.shape(condition)))
        raise invalid(f"In[0] should be a scalar: [{shape}]")
    if condition:
        return ()
    shown = " ".join(f"[{first_elements(item, summarize)}]" for item in data)
    raise invalid(f"assertion failed: {shown}")


def Assert(
    condition: Any, data: Any, summarize: int | None = None, name: str | None = None
) -> Operation:
    """An operation that fails unless `condition` is true (TensorFlow: `tf.Assert`).

    Args:
      condition: a scalar bool tensor.
      data: a list of tensors to show in the error.
      summarize: how many elements of each to show, 3 by default; negative for all.
      name: a name scope, "Assert" by default.

    Returns:
      the operation. It has to run: make what relies on it depend on it. When it runs and fails,
      the step ends with `InvalidArgumentError`: "assertion failed: [...]".

    Example:
      >>> x = tf.constant([0.0, 0.75])
      >>> with tf.control_dependencies([tf.Assert(tf.reduce_max(x) < 1.0, [x])]):
      ...     y = tf.sqrt(1.0 - x)
      >>> y  # [1., 0.5]
    """
    with op_scope(name, "Assert", (condition, data)):
        tensors = convert_n_to_tensor(data)
        if all(tensor.dtype in (string, int32) for tensor in tensors):
            return _assert(condition, data, name="Assert", summarize=summarize)
        # Fetched only when it fails: what is on a GPU stays there otherwise.
        condition = convert_to_tensor(condition, name="Condition")
        guarded = cond(
            condition,
            no_op,
            lambda: _assert(condition, data, name="Assert", summarize=summarize),
            name="AssertGuard",
        )
        return guarded.op
