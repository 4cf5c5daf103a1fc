"""`tf.nn`'s cross-entropies of logits of any rank, on top of the ops for matrices."""

from __future__ import annotations

import builtins
from typing import Any

from tinytf.framework import dtypes
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.operation import Operation
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape
from tinytf.ops.array.concat import concat
from tinytf.ops.array.fill import zeros_like
from tinytf.ops.array.identity import stop_gradient
from tinytf.ops.array.range import range as range_op
from tinytf.ops.array.reshape import deprecated_lookup, reshape
from tinytf.ops.array.shape import rank, shape, shape_node
from tinytf.ops.array.slice import getitem, slice
from tinytf.ops.array.transpose import transpose
from tinytf.ops.array.where import where
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.check.assert_op import Assert
from tinytf.ops.math.arithmetic import add, multiply, subtract
from tinytf.ops.math.cast import cast
from tinytf.ops.math.comparison import equal, greater_equal
from tinytf.ops.math.exp_log import exp, log1p
from tinytf.ops.math.sign import negative
from tinytf.ops.nn.softmax import cross_entropy_node, sparse_cross_entropy_node
from tinytf.ops.reduce.reduction import reduce_all


def _check_arguments(function: str, labels: Any, logits: Any) -> None:
    if labels is None or logits is None:
        raise ValueError(
            f"Both `labels` and `logits` must be provided for {function}. Received: "
            f"labels={labels} and logits={logits}"
        )


def softmax_cross_entropy_with_logits(
    labels: Any = None, logits: Any = None, dim: Any = -1, name: str | None = None, axis: Any = None
) -> Tensor:
    """The cross-entropy of `softmax(logits)` and probabilities; labels get no gradient.

    TensorFlow: `tf.nn.softmax_cross_entropy_with_logits` of version 1. Give the arguments by
    name: labels and logits have one shape, and nobody notices when they are mixed up.

    Args:
      labels: probabilities; those of one row add up to 1.
      logits: of the same shape, not scaled.
      dim: the dimension of the classes.
      name: of the operation.
      axis: the newer name of `dim`.

    Returns:
      the losses: the shape of `logits` without `dim`.

    Raises:
      ValueError: if one of the two is missing, or the shapes differ.

    Example:
      >>> labels, logits = [[1.0, 0.0]], [[0.0, 0.0]]
      >>> tf.nn.softmax_cross_entropy_with_logits(labels=labels, logits=logits)  # [0.6931472]
    """
    if axis is not None:
        dim = deprecated_lookup("axis", axis, "dim", None if dim == -1 else dim)
    _check_arguments("softmax_cross_entropy_with_logits", labels, logits)
    with op_scope(name, "softmax_cross_entropy_with_logits_sg", (logits, labels)) as scope:
        labels = stop_gradient(labels, name="labels_stop_gradient")
    return softmax_cross_entropy_with_logits_v2(labels, logits, axis=dim, name=scope)


def softmax_cross_entropy_with_logits_v2(
    labels: Any, logits: Any, axis: Any = None, name: str | None = None, dim: Any = None
) -> Tensor:
    """As `softmax_cross_entropy_with_logits`, with a gradient for the labels, too.

    TensorFlow: `tf.nn.softmax_cross_entropy_with_logits_v2`.

    Args:
      labels: probabilities. logits: of the same shape, not scaled.
      axis: the dimension of the classes, by default the last.
      name: of the operation. dim: the old name of `axis`.

    Example:
      >>> labels, logits = [[1.0, 0.0]], [[0.0, 0.0]]
      >>> tf.nn.softmax_cross_entropy_with_logits_v2(labels=labels, logits=logits)  # [0.6931472]
    """
    axis = deprecated_lookup("axis", axis, "dim", dim)
    axis = -1 if axis is None else axis

    with op_scope(name, "softmax_cross_entropy_with_logits", (logits, labels)) as scope:
        logits = convert_to_tensor(logits, name="logits")
        labels = convert_to_tensor(labels, name="labels")
        narrow = logits.dtype in (dtypes.float16, dtypes.bfloat16)
        precise = cast(logits, dtypes.float32) if narrow else logits
        labels = cast(labels, precise.dtype)
        input_rank = rank(precise)
        if axis != -1:
            precise = _move_to_end(precise, axis, input_rank)
            labels = _move_to_end(labels, axis, input_rank)
        input_shape = shape(precise)
        precise, labels = _as_matrix(precise), _as_matrix(labels)
        loss, _ = cross_entropy_node(precise, labels, name=scope)
        rows = slice(input_shape, [0], [subtract(input_rank, 1)])
        loss = reshape(loss, rows)
        if logits.shape.sizes is not None:
            sizes = list(logits.shape.sizes)
            del sizes[axis]
            loss.set_shape(sizes)
        return cast(loss, logits.dtype) if narrow else loss


def _move_to_end(tensor: Tensor, axis: int, input_rank: Tensor) -> Tensor:
    order = concat([range_op(axis), range_op(axis + 1, input_rank), [axis]], 0)
    return transpose(tensor, order)


def _as_matrix(tensor: Tensor) -> Tensor:
    """All dimensions but the last made one."""
    count = rank(tensor)
    last = slice(shape(tensor), [subtract(count, 1)], [1])
    result = reshape(tensor, concat([[-1], last], 0))
    sizes = tensor.shape.sizes
    if sizes is not None and None not in sizes[:-1]:
        rows = TensorShape(sizes[:-1]).num_elements()
        result.set_shape([rows, sizes[-1]])
    return result


def sparse_softmax_cross_entropy_with_logits(
    labels: Any = None, logits: Any = None, name: str | None = None
) -> Tensor:
    """The cross-entropy of `softmax(logits)` and the right class, given by number.

    TensorFlow: `tf.nn.sparse_softmax_cross_entropy_with_logits`.

    Args:
      labels: int32 or int64, from 0 to the number of classes - 1.
      logits: of the shape of `labels` and one dimension more, the classes.
      name: of the operation.

    Returns:
      the losses, in the shape of `labels`.

    Raises:
      ValueError: if one of the two is missing, or the shapes do not fit.
      InvalidArgumentError: "Received a label value of ... which is outside the valid range".

    Example:
      >>> scores = [[0.0, 0.0]]
      >>> tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[0], logits=scores)  # [0.6931472]
    """
    _check_arguments("sparse_softmax_cross_entropy_with_logits", labels, logits)
    with op_scope(name, "SparseSoftmaxCrossEntropyWithLogits", (labels, logits)):
        labels, logits = convert_to_tensor(labels), convert_to_tensor(logits)
        narrow = logits.dtype == dtypes.float16
        precise = cast(logits, dtypes.float32) if narrow else logits
        labels_shape = shape(labels)
        _check_static_shapes(labels, logits)
        if logits.shape.ndims == 2:
            loss, _ = sparse_cross_entropy_node(precise, labels, name=name)
        else:
            static = labels.shape
            loss = _sparse_of_any_rank(labels, logits, precise, name)
            loss = reshape(loss, labels_shape)
            loss.set_shape(static)
        return cast(loss, dtypes.float16) if narrow else loss


def _check_static_shapes(labels: Tensor, logits: Tensor) -> None:
    rows, given = labels.shape, logits.shape
    if given.ndims == 0:
        raise ValueError(f"`logits` cannot be a scalar. Received logits={logits}`")
    if given.ndims is not None and rows.ndims is not None and rows.ndims != given.ndims - 1:
        advice = ""
        if rows.ndims == given.ndims:
            advice = (
                ". Labels are the numbers of the classes: of one-hot rows, tf.argmax(labels,"
                " 1); tf.nn.softmax_cross_entropy_with_logits takes the rows"
            )
        elif rows.ndims == given.ndims + 1:
            advice = ". Were labels and logits swapped? Name them: labels=..., logits=..."
        raise ValueError(
            f"`labels.shape.rank` must equal `logits.shape.rank - 1`. Received: labels.shape="
            f"{rows} of rank {rows.rank} and logits.shape={given} of rank {given.rank}{advice}"
        )
    outer = given[:-1]
    if rows.is_fully_defined() and outer.is_fully_defined() and rows != outer:
        raise ValueError(
            f"`labels.shape` must equal `logits.shape` except for the last dimension. Received: "
            f"labels.shape={rows} and logits.shape={given}"
        )


def _sparse_of_any_rank(
    labels: Tensor, logits: Tensor, precise: Tensor, name: str | None
) -> Tensor:
    checks = []
    if not (labels.shape.is_fully_defined() and logits.shape[:-1].is_fully_defined()):
        checks.append(_assert_equal(shape_node(labels), getitem(shape(logits), _ALL_BUT_LAST)))
    with logits.graph.control_dependencies(checks):
        classes = getitem(shape(logits), subtract(rank(logits), 1, name="sub"))
        precise = reshape(precise, [-1, classes])
        loss, _ = sparse_cross_entropy_node(precise, reshape(labels, [-1]), name=name)
        return loss


_ALL_BUT_LAST = builtins.slice(None, -1)


def _assert_equal(x: Tensor, y: Tensor) -> Operation:
    """An operation that fails unless two vectors are equal; its names are TensorFlow's."""
    x.graph.unique_name("assert_equal")
    with op_scope(None, "assert_equal", (x, y)):
        condition = reduce_all(equal(x, y))
        data = [
            "Condition x == y did not hold element-wise:",
            f"x ({x.name}) = ",
            x,
            f"y ({y.name}) = ",
            y,
        ]
        return Assert(condition, data, summarize=3)


def sigmoid_cross_entropy_with_logits(
    labels: Any = None, logits: Any = None, name: str | None = None
) -> Tensor:
    """The cross-entropy of `sigmoid(logits)`, for classes that do not exclude each other.

    TensorFlow: `tf.nn.sigmoid_cross_entropy_with_logits`. Computed as
    max(x, 0) - x * z + log(1 + exp(-abs(x))), which overflows for no x.

    Args:
      labels: probabilities z, from 0 to 1.
      logits: x, of the same shape and dtype.
      name: of the operation.

    Raises:
      ValueError: if one of the two is missing, or the shapes differ.

    Example:
      >>> tf.nn.sigmoid_cross_entropy_with_logits(labels=[1.0], logits=[0.0])  # [0.6931472]
    """
    _check_arguments("sigmoid_cross_entropy_with_logits", labels, logits)

    with op_scope(name, "logistic_loss", (logits, labels)) as scope:
        logits = convert_to_tensor(logits, name="logits")
        labels = convert_to_tensor(labels, name="labels")
        if not labels.shape.is_compatible_with(logits.shape):
            raise ValueError(
                f"`logits` and `labels` must have the same shape, received ({logits.shape} vs "
                f"{labels.shape})."
            )
        zeros = zeros_like(logits, dtype=logits.dtype)
        positive = greater_equal(logits, zeros)
        larger = where(positive, logits, zeros)
        negative_size = where(positive, negative(logits), logits)
        linear = subtract(larger, multiply(logits, labels, name="mul"), name="sub")
        return add(linear, log1p(exp(negative_size)), name=scope)
