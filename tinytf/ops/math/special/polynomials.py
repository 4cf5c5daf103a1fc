"""Polynomials with tensors for coefficients."""

from __future__ import annotations

from typing import Any

from tinytf.framework.conversion import convert_to_tensor
from tinytf.ops.array.fill import zeros_like
from tinytf.ops.base.op_scope import op_scope


def polyval(coeffs: Any, x: Any, name: str | None = None) -> Any:
    """A polynomial's value, by Horner's rule (TensorFlow: `tf.math.polyval`).

    Args:
      coeffs: a list of tensors, that of the highest power first; empty for 0.
      x: a tensor of any shape that broadcasts with them.
      name: a name scope, "polyval" by default.

    Raises:
      ValueError: if `coeffs` is no list.

    Example:
      >>> tf.math.polyval([1.0, 2.0, 3.0], 10.0)  # 123.
    """
    if not isinstance(coeffs, list):
        raise ValueError(f"Argument coeffs must be list type. Received type {type(coeffs)}.")
    with op_scope(name, "polyval", [*coeffs, x]) as scope:
        x = convert_to_tensor(x, name="x")
        if not coeffs:
            return zeros_like(x, name=scope)
        first, *rest = [convert_to_tensor(c, name=f"coeff_{i}") for i, c in enumerate(coeffs)]
        value: Any = first
        for coefficient in rest:
            value = coefficient + value * x
        return value
