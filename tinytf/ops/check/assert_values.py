"""Assertions about the values of tensors: `tf.assert_equal` and its relatives.

Each adds an `Assert` to the graph, which has to run: make what relies on it depend on it with
`tf.control_dependencies`. What is known to be wrong while the graph is built fails then.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from tinytf import ops
from tinytf.framework.constant_value import constant_value
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.errors import invalid
from tinytf.framework.operation import Operation
from tinytf.framework.tensor import Tensor
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.check.assert_op import Assert
from tinytf.ops.control_flow.cond import cond
from tinytf.ops.control_flow.primitives import no_op
from tinytf.ops.math.comparison import equal, greater, greater_equal, less, less_equal, not_equal
from tinytf.ops.math.sign import absolute
from tinytf.ops.reduce.reduction import reduce_all


def message_prefix(message: str | None) -> str:
    """The user's message as the beginning of another one."""
    return f"{message}.  " if message else ""


# Two tensors ------------------------------------------------------------------------------------


class _Relation(NamedTuple):
    name: str
    symbol: str
    op: Callable[..., Tensor]
    of_arrays: Callable[..., Any]


_EQUAL = _Relation("assert_equal", "==", equal, np.equal)
_NONE_EQUAL = _Relation("assert_none_equal", "!=", not_equal, np.not_equal)
_LESS = _Relation("assert_less", "<", less, np.less)
_LESS_EQUAL = _Relation("assert_less_equal", "<=", less_equal, np.less_equal)
_GREATER = _Relation("assert_greater", ">", greater, np.greater)
_GREATER_EQUAL = _Relation("assert_greater_equal", ">=", greater_equal, np.greater_equal)


def _assert(
    relation: _Relation, x: Any, y: Any, data: Any, summarize: Any, message: Any, name: Any
) -> Operation:

    with op_scope(name, relation.name, (x, y, data)):
        x = convert_to_tensor(x, name="x")
        y = convert_to_tensor(y, name="y")
        if data is None:
            claim = f"Condition x {relation.symbol} y did not hold element-wise:"
            data = [claim, f"x ({x.name}) = ", x, f"y ({y.name}) = ", y]
        if message is not None:
            data = [message, *data]
        condition = reduce_all(relation.op(x, y))
        known = constant_value(x), constant_value(y)
        if known[0] is not None and known[1] is not None:
            _check_now(relation.of_arrays(*known), data)
        return Assert(condition, data, summarize=summarize)


def _check_now(holds: Any, data: Any) -> None:
    """Fail while the graph is built, with the values that are known."""
    if not np.all(holds):
        values = [constant_value(item) if isinstance(item, Tensor) else item for item in data]
        lines = [str(item if v is None else v) for item, v in zip(data, values, strict=True)]
        raise invalid("\n".join(lines))


def assert_equal(
    x: Any,
    y: Any,
    data: Any = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation:
    """An operation that fails unless `x == y` for all elements (TensorFlow: `tf.assert_equal`).

    Args:
      x, y: tensors of one dtype, broadcast.
      data: a list of tensors and texts to show in the error; by default x and y.
      summarize: how many elements of each to show, 3 by default.
      message: what to put in front.
      name: a name scope, "assert_equal" by default.

    Returns:
      the operation; it has to run. When it fails, the step ends with `InvalidArgumentError`.

    Raises:
      InvalidArgumentError: at once, if both are known and differ.

    Example:
      >>> x = tf.placeholder(tf.float32, [None])
      >>> with tf.control_dependencies([tf.assert_equal(tf.size(x), 2, message="a pair")]):
      ...     y = tf.identity(x)
      >>> sess.run(y, {x: [1.0, 2.0]})
      array([1., 2.], dtype=float32)
    """
    with op_scope(name, "assert_equal", (x, y, data)):
        if x is y:
            return no_op()
    return _assert(_EQUAL, x, y, data, summarize, message, name)


def assert_none_equal(
    x: Any, y: Any, data: Any = None, summarize: Any = None, message: Any = None, name: Any = None
) -> Operation:
    """An operation that fails unless `x != y` for all elements; see `assert_equal`.

    Example:
      >>> check = tf.assert_none_equal([1, 2], 3)
    """
    return _assert(_NONE_EQUAL, x, y, data, summarize, message, name)


def assert_less(
    x: Any, y: Any, data: Any = None, summarize: Any = None, message: Any = None, name: Any = None
) -> Operation:
    """An operation that fails unless `x < y` for all elements; see `assert_equal`.

    Example:
      >>> check = tf.assert_less([1, 2], 3)
    """
    return _assert(_LESS, x, y, data, summarize, message, name)


def assert_less_equal(
    x: Any, y: Any, data: Any = None, summarize: Any = None, message: Any = None, name: Any = None
) -> Operation:
    """An operation that fails unless `x <= y` for all elements; see `assert_equal`.

    Example:
      >>> check = tf.assert_less_equal([1, 2], 2)
    """
    return _assert(_LESS_EQUAL, x, y, data, summarize, message, name)


def assert_greater(
    x: Any, y: Any, data: Any = None, summarize: Any = None, message: Any = None, name: Any = None
) -> Operation:
    """An operation that fails unless `x > y` for all elements; see `assert_equal`.

    Example:
      >>> check = tf.assert_greater([1, 2], 0)
    """
    return _assert(_GREATER, x, y, data, summarize, message, name)


def assert_greater_equal(
    x: Any, y: Any, data: Any = None, summarize: Any = None, message: Any = None, name: Any = None
) -> Operation:
    """An operation that fails unless `x >= y` for all elements; see `assert_equal`.

    Example:
      >>> check = tf.assert_greater_equal([1, 2], 1)
    """
    return _assert(_GREATER_EQUAL, x, y, data, summarize, message, name)


def assert_near(
    x: Any,
    y: Any,
    rtol: Any = None,
    atol: Any = None,
    data: Any = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation:
    """An operation that fails unless x and y are close (TensorFlow: `tf.assert_near`).

    For all elements, `|x - y| < atol + rtol * |y|`.

    Args:
      x, y: float or complex tensors of one dtype, broadcast.
      rtol, atol: tolerances, by default ten times the precision of the dtype.
      data, summarize, message, name: as of `assert_equal`.

    Example:
      >>> check = tf.assert_near(tf.sqrt(2.0) ** 2, 2.0)
    """
    with op_scope(name, "assert_near", (x, y, rtol, atol, data)):
        x = convert_to_tensor(x, name="x")
        y = convert_to_tensor(y, name="y", dtype=x.dtype)
        dtype = x.dtype.real_dtype if x.dtype.is_complex else x.dtype
        limit = 10 * np.finfo(dtype.as_numpy_dtype).eps
        rtol = convert_to_tensor(limit if rtol is None else rtol, name="rtol", dtype=dtype)
        atol = convert_to_tensor(limit if atol is None else atol, name="atol", dtype=dtype)
        if data is None:
            data = [
                message_prefix(message),
                f"x and y not equal to tolerance rtol = {rtol}, atol = {atol}",
                f"x ({x.name}) = ",
                x,
                f"y ({y.name}) = ",
                y,
            ]
        allowed: Any = atol + rtol * absolute(y)
        condition = reduce_all(less(absolute(x - y), allowed))
        return Assert(condition, data, summarize=summarize)


# Signs ------------------------------------------------------------------------------------------


def _assert_sign(
    scope: str,
    claim: str,
    zero_first: bool,
    x: Any,
    data: Any,
    summarize: Any,
    message: Any,
    name: Any,
) -> Operation:
    relation = _LESS_EQUAL if "non" in scope else _LESS
    with op_scope(name, scope, (x, data)):
        x = convert_to_tensor(x, name="x")
        if data is None:
            text = f"Condition x {claim} 0 did not hold element-wise:"
            data = [message_prefix(message), text, f"x ({x.name}) = ", x]
            if claim == "<=":  # TensorFlow lacks a comma here
                data[1:3] = [text + data[2]]
        zero = convert_to_tensor(0, dtype=x.dtype)
        first, second = (zero, x) if zero_first else (x, zero)
        return _assert(relation, first, second, data, summarize, None, None)


def assert_negative(
    x: Any, data: Any = None, summarize: Any = None, message: Any = None, name: Any = None
) -> Operation:
    """An operation that fails unless all elements are below 0; see `assert_equal`.

    Example:
      >>> check = tf.assert_negative([-1.0, -2.0])
    """
    return _assert_sign("assert_negative", "<", False, x, data, summarize, message, name)


def assert_positive(
    x: Any, data: Any = None, summarize: Any = None, message: Any = None, name: Any = None
) -> Operation:
    """An operation that fails unless all elements are above 0; see `assert_equal`.

    Example:
      >>> check = tf.assert_positive([1.0, 2.0])
    """
    return _assert_sign("assert_positive", ">", True, x, data, summarize, message, name)


def assert_non_negative(
    x: Any, data: Any = None, summarize: Any = None, message: Any = None, name: Any = None
) -> Operation:
    """An operation that fails unless all elements are 0 or above; see `assert_equal`.

    Example:
      >>> check = tf.assert_non_negative([0.0, 2.0])
    """
    return _assert_sign("assert_non_negative", ">=", True, x, data, summarize, message, name)


def assert_non_positive(
    x: Any, data: Any = None, summarize: Any = None, message: Any = None, name: Any = None
) -> Operation:
    """An operation that fails unless all elements are 0 or below; see `assert_equal`.

    Example:
      >>> check = tf.assert_non_positive([0.0, -2.0])
    """
    return _assert_sign("assert_non_positive", "<=", False, x, data, summarize, message, name)


# Order ------------------------------------------------------------------------------------------


def is_numeric_tensor(tensor: Any) -> bool:
    """Whether it is a tensor of numbers (TensorFlow: `tf.is_numeric_tensor`).

    Example:
      >>> tf.is_numeric_tensor(tf.constant(1)), tf.is_numeric_tensor(tf.constant("one"))
      (True, False)
    """
    if not isinstance(tensor, Tensor):
        return False
    dtype = tensor.dtype
    return dtype.is_floating or dtype.is_integer or dtype.is_complex or dtype.is_quantized


def _differences(x: Any) -> Any:
    """Each element of the flattened tensor less the one before it; none of one or no element."""
    x = ops.reshape(x, [-1])
    if not is_numeric_tensor(x):
        raise TypeError(f"Expected x to be numeric, instead found: {x}")
    short: Any = less(ops.size(x), 2)
    length: Any = ops.shape(x)
    count: Any = length - 1

    def difference() -> Any:
        later: Any = ops.strided_slice(x, [1], [1] + count)
        return later - ops.strided_slice(x, [0], count)

    return cond(short, lambda: convert_to_tensor([], dtype=x.dtype), difference)


def _ordered(x: Any, name: str | None, scope: str, relation: Callable[..., Tensor]) -> Tensor:

    with op_scope(name, scope, (x,)):
        differences = _differences(x)
        zero = convert_to_tensor(0, dtype=differences.dtype)
        return reduce_all(relation(zero, differences))


def is_non_decreasing(x: Any, name: str | None = None) -> Tensor:
    """Whether no element is below the one before it (TensorFlow: `tf.is_non_decreasing`).

    Args:
      x: a numeric tensor of any shape, looked at row after row.
      name: a name scope, "is_non_decreasing" by default.

    Raises:
      TypeError: if x is not numeric.

    Example:
      >>> tf.is_non_decreasing([1, 1, 2])  # True
    """
    return _ordered(x, name, "is_non_decreasing", less_equal)


def is_strictly_increasing(x: Any, name: str | None = None) -> Tensor:
    """Whether every element is above the one before it (TensorFlow: `tf.is_strictly_increasing`).

    Args:
      x: a numeric tensor of any shape, looked at row after row.
      name: a name scope, "is_strictly_increasing" by default.

    Raises:
      TypeError: if x is not numeric.

    Example:
      >>> tf.is_strictly_increasing([1, 1, 2])  # False
    """
    return _ordered(x, name, "is_strictly_increasing", less)
