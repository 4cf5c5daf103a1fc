"""`tf.case`: one of several subgraphs runs, as a chain of conditionals."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from functools import partial
from typing import Any

from tinytf.framework import dtypes
from tinytf.framework.operation import Operation
from tinytf.framework.stacks import get_default_graph
from tinytf.framework.tensor import Tensor
from tinytf.ops.array.constant import constant
from tinytf.ops.array.stack import stack
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.check.assert_op import Assert
from tinytf.ops.control_flow.cond import cond
from tinytf.ops.math.cast import cast
from tinytf.ops.math.comparison import less_equal
from tinytf.ops.reduce.reduction import reduce_sum

Pairs = list[tuple[Tensor, Callable[[], Any]]]


def case(
    pred_fn_pairs: Any,
    default: Callable[[], Any] | None = None,
    exclusive: bool = False,
    strict: bool = False,
    name: str = "case",
) -> Any:
    """The function of the first condition that is true (TensorFlow: `tf.case`).

    All functions are called once, here, to build their part of the graph; a run executes the
    operations of one of them.

    Args:
      pred_fn_pairs: pairs of a scalar bool tensor and a function of no arguments, in a list or
        tuple, or as keys and values of a dictionary (in the order of the tensors' names, unless it
        is an `OrderedDict`). All functions return the same structure and types.
      default: the function when no condition is true; without it, that is an error.
      exclusive: whether it is an error if several conditions are true.
      strict: whether a list or tuple of one result stays one, as for `tf.cond`.
      name: a name scope.

    Raises:
      TypeError: if `pred_fn_pairs` or something in it is of another kind.
      InvalidArgumentError: when it runs, if no condition is true and there is no default, or
        several are true and `exclusive` is set.

    Example:
      >>> x = tf.constant(3)
      >>> tf.case([(x < 2, lambda: tf.constant("few")), (x < 5, lambda: tf.constant("some"))],
      ...         default=lambda: tf.constant("many"))  # b"some"
    """
    pairs = _checked(pred_fn_pairs)
    with op_scope(name, "case", [[pred for pred, _ in pairs]]):
        if default is None:
            default, pairs = _last_as_default(pairs)
        function = default
        for pred, action in reversed(pairs):
            function = partial(cond, pred, true_fn=action, false_fn=function, strict=strict)
        if not exclusive:
            return function()
        check = _at_most([pred for pred, _ in pairs], 1, "Input error: exclusive=True")
        with get_default_graph().control_dependencies([check]):
            return function()


def _checked(pred_fn_pairs: Any) -> Pairs:
    if not isinstance(pred_fn_pairs, list | tuple | dict):
        raise TypeError(
            f"'pred_fn_pairs' must be a list, tuple, or dict. Received: {type(pred_fn_pairs)}"
        )
    if isinstance(pred_fn_pairs, OrderedDict):
        pairs = list(pred_fn_pairs.items())
    elif isinstance(pred_fn_pairs, dict):
        pairs = sorted(pred_fn_pairs.items(), key=lambda item: item[0].name)
    else:
        pairs = list(pred_fn_pairs)
    for pair in pairs:
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise TypeError(f"Each entry in 'pred_fn_pairs' must be a 2-tuple. Received {pair}.")
        pred, function = pair
        if not isinstance(pred, Tensor):
            raise TypeError(f"pred must be a Tensor, got: {pred}")
        if pred.dtype.name != "bool":
            raise TypeError(f"pred must be Tensor of type bool: {pred.name}")
        if not callable(function):
            raise TypeError(f"fn for pred {pred.name} must be callable.")
    if not pairs:
        raise ValueError("'pred_fn_pairs' must hold at least one pair of a tensor and a function.")
    return pairs


def _at_most(preds: list[Tensor], count: int, message: str) -> Operation:
    """An assertion that no more than `count` of the conditions are true."""
    values = stack(preds, name="preds_c")
    true = reduce_sum(cast(values, dtypes.int32), name="num_true_conds")
    holds = less_equal(true, constant(count, name="n_true_conds"))
    names = ", ".join(pred.name for pred in preds)
    text = f"{message}: more than {count} conditions ({names}) evaluated as True:"
    return Assert(holds, data=[text, values], summarize=len(preds))


def _last_as_default(pairs: Pairs) -> tuple[Callable[[], Any], Pairs]:
    """Without a default the last function is it, and fails if its condition is not true."""
    *others, (last, action) = pairs

    def checked_action() -> Any:
        preds = [pred for pred, _ in pairs]
        nothing_else = (
            f"Implementation error: selected default action #{len(others)} was called, but some "
            f"of other predicates are True: "
        )
        text = ("Input error: None of conditions evaluated as True:", stack(preds, name="preds_c"))
        checks = [_at_most(preds[:-1], 0, nothing_else), Assert(last, data=text)]
        with get_default_graph().control_dependencies(checks):
            return action()

    return checked_action, others
