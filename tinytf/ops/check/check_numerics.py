"""Stopping a step at the first infinity or NaN."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf.framework import dtypes, shape_inference
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.errors import invalid
from tinytf.framework.op_card import define_op
from tinytf.framework.operation import Operation
from tinytf.framework.stacks import get_default_graph
from tinytf.framework.tensor import Tensor
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.control_flow.grouping import group, with_dependencies
from tinytf.ops.reduce.axes import one_of

_CHECKED = {dtypes.bfloat16, dtypes.float16, dtypes.float32, dtypes.float64}

_check_numerics = define_op(
    "CheckNumerics",
    "tensor: T -> output: T",
    "T: {bfloat16, half, float, double}, message: string",
    stateful=True,
    shape=shape_inference.unchanged,
)


@_check_numerics.kernel
def _check_numerics_kernel(tensor: Any, *, message: bytes) -> Any:
    if np.isfinite(tensor).all():
        return tensor
    kinds = (("Inf", np.isinf(tensor)), ("NaN", np.isnan(tensor)))
    found = " and ".join(kind for kind, where in kinds if where.any())
    raise invalid(f"{message.decode('utf-8', 'replace')} : Tensor had {found} values")


@_check_numerics.gradient
def _check_numerics_gradient(op: Operation, gradient: Any) -> Any:
    message = op.get_attr("message").decode()
    return _check_numerics(
        gradient,
        message="Not a number (NaN) or infinity (Inf) values detected in gradient. " + message,
    )


def check_numerics(tensor: Any, message: str, name: str | None = None) -> Tensor:
    """`tensor`, unless it has an infinite element or NaN (TensorFlow: `tf.check_numerics`).

    Args:
      tensor: a float tensor of any shape.
      message: begins the error.
      name: of the operation.

    Raises:
      InvalidArgumentError: in a run: "<message> : Tensor had NaN values", or "Inf", or both.

    Example:
      >>> tf.check_numerics(tf.sqrt([4.0, 9.0]), "the root")  # [2., 3.]
    """
    if not isinstance(message, str | bytes):
        raise TypeError(f"Expected string for argument 'message' not {message!r}.")
    return _check_numerics(tensor, name=name, message=message)


def verify_tensor_all_finite(
    t: Any = None, msg: Any = None, name: str | None = None, x: Any = None, message: Any = None
) -> Any:
    """`x`, after a check that it is finite (TensorFlow: `tf.verify_tensor_all_finite`).

    `tf.debugging.assert_all_finite` is another name of it.

    Args:
      t, x: a float tensor, by the older or the newer name.
      msg, message: begins the error, likewise.
      name: a name scope, "VerifyFinite" by default.

    Raises:
      ValueError: if both names of one argument are given.
      InvalidArgumentError: in a run, as of `check_numerics`.

    Example:
      >>> tf.verify_tensor_all_finite([1.0, 2.0], "the input")  # [1., 2.]
    """
    x = one_of("x", x, "t", t)
    message = one_of("message", message, "msg", msg)
    with op_scope(name, "VerifyFinite", (x,)):
        x = convert_to_tensor(x, name="x")
        with x.graph.colocate_with(x):
            check = check_numerics(x, message=message)
        return with_dependencies([check], x)


def add_check_numerics_ops() -> Operation:
    """An operation that checks every float tensor of the graph (`tf.add_check_numerics_ops`).

    The checks run in the order in which the operations were added, so that the first one to
    fail names the operation where an infinity or NaN came up.

    Raises:
      ValueError: if the graph has a `tf.cond` or a `tf.while_loop`: not all of it runs.

    Example:
      >>> x = tf.placeholder(tf.float32)
      >>> y = tf.log(x)
      >>> check = tf.add_check_numerics_ops()
      >>> value, _ = sess.run([y, check], {x: 1.0})  # for 0.0: "Log:0 : Tensor had Inf values"
    """
    graph = get_default_graph()
    checks: list[Any] = []
    for op in graph.get_operations():
        for output in op.outputs:
            if output.dtype not in _CHECKED:  # references, too, are left to what reads them
                continue
            if op._get_control_flow_context() is not None:
                raise ValueError(
                    "`tf.add_check_numerics_ops() is not compatible with TensorFlow control flow "
                    "operations such as `tf.cond()` or `tf.while_loop()`. Put tf.check_numerics "
                    "around the tensors in question."
                )
            with graph.control_dependencies(checks[-1:]):
                checks.append(check_numerics(output, message=output.name))
    return group(*checks[-1:])
