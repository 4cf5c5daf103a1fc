"""Which operations pass on the memory of a variable instead of making a value of their own.

TensorFlow's kernels hand on the buffer of their input wherever the result is in it as it stands:
`Reshape` always, a slice if it is made of whole rows that begin where vector instructions want
them, `Sum` if there is nothing to sum up. What is here was found by running TensorFlow
(tests/behaviour/questions/variable_reads.py); `resources.memory` tells what is passed on instead.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Container
from typing import Any

import numpy as np

from tinytf.framework.errors import InvalidArgumentError
from tinytf.framework.kernel_binding import reference_inputs
from tinytf.framework.operation import Operation
from tinytf.framework.tensor import Tensor
from tinytf.resources.memory import Window, look, part, taken
from tinytf.runtime.frames import CONTROL_FLOW, MERGE

#: Whether the whole of a value, or part of it, is its result as it stands: (node, value, result).
Rule = Callable[[Operation, Any, Any], bool]

#: In bytes: where rows have to begin so that TensorFlow shares them and does not copy them.
_ALIGNMENT = 64


def passed_inputs(op: Operation, output: int = 0) -> tuple[Tensor, ...]:
    """The inputs of which an output may be the memory, as far as the graph says."""
    if op.op_def.name in MERGE:
        return op._inputs if output == 0 else ()
    position = _position(op, output)
    return () if position is None else op._inputs[position : position + 1]


def _position(op: Operation, output: int) -> int | None:
    kind = op.op_def.name
    if kind in CONTROL_FLOW or kind in _ALWAYS:
        return 0
    if kind == "IdentityN":
        return output
    if kind in _IF_ALONE:
        return _IF_ALONE[kind] if op.attrs["N"] == 1 else None
    if kind == "Cast":
        return 0 if op.attrs["SrcT"] == op.attrs["DstT"] else None
    return _RULES[kind][0] if kind in _RULES else None


class Take(enum.Enum):
    """How an operation takes an input: the function for what is on the edge, and its code."""

    AS_IS = "{}"
    #: the value of a variable, of which the edge carries the reference
    READ = "{}.read()"
    #: the memory of such a variable, to be read later
    LOOK = "look({})"
    #: a value, of which the edge may carry where to read it
    VALUE = "taken({})"

    @property
    def function(self) -> Callable[[Any], Any] | None:
        """What it does with what is on the edge; None: nothing."""
        return _TAKING[self]


def _read(variable: Any) -> Any:
    return variable.read()


_TAKING = {Take.AS_IS: None, Take.READ: _read, Take.LOOK: look, Take.VALUE: taken}
#: What the code of a `Take` may call.
TAKING_FUNCTIONS = {"look": look, "taken": taken}


def takes(op: Operation, fed: Container[Tensor], live: Container[Tensor]) -> list[Take]:
    """How an operation takes each of its inputs.

    Args:
      fed: what the caller supplies. live: the tensors that may carry windows.

    Raises:
      InvalidArgumentError: if a reference is wanted of which the value is fed.
    """
    result = []
    for tensor, wants_reference in zip(op._inputs, reference_inputs(op), strict=True):
        take = Take.AS_IS
        if wants_reference and (tensor in fed or not tensor.dtype.is_ref):
            raise _no_reference(op, tensor, tensor in fed)
        is_reference = tensor.dtype.is_ref and not wants_reference
        if tensor not in fed and (is_reference or tensor in live):
            passes = any(
                out in live and tensor in passed_inputs(op, out.value_index) for out in op.outputs
            )
            if is_reference:
                take = Take.LOOK if passes else Take.READ
            elif not passes:
                take = Take.VALUE
        result.append(take)
    return result


def _no_reference(op: Operation, tensor: Tensor, is_fed: bool) -> InvalidArgumentError:
    kind = tensor.dtype.base_dtype.name
    advice = (
        f"It is fed: feed {tensor.op.name}/read:0 instead, or give the variable the value, "
        f"v.load(value, session)."
        if is_fed
        else "A variable of a loop that begins as a reference has to stay one."
    )
    return InvalidArgumentError(
        f"An input of node {op.name} was passed {kind} from {tensor.name} incompatible with "
        f"expected {kind}_ref. {advice}\n{op.describe_origin()}",
        op,
    )


def passing_on(
    op: Operation, function: Callable[..., Any], live: Container[Tensor]
) -> Callable[..., Any]:
    """The kernel of an operation that passes on the windows it gets.

    Args:
      function: the kernel, bound. live: the tensors that carry windows, outputs of `op` among them.
    """
    kind = op.op_def.name
    if kind == "IdentityN":
        return function  # it hands on whatever it gets
    position = _position(op, 0)
    assert position is not None
    rule = _RULES[kind][1] if kind in _RULES else _whole
    are_live = [tensor in live for tensor in op.outputs]

    def passed(*arguments: Any) -> Any:
        source = arguments[position]
        if type(source) is not Window:
            return function(*arguments)
        value = source.read()
        result = function(*arguments[:position], value, *arguments[position + 1 :])
        if op.op_def.single_output:
            return _window(op, source, value, result, rule)
        return [
            _window(op, source, value, one, rule) if is_live else one
            for one, is_live in zip(result, are_live, strict=True)
        ]

    return passed


def _window(op: Operation, source: Window, value: Any, result: Any, rule: Rule) -> Any:
    if result is value:
        return source
    if not isinstance(value, np.ndarray) or not rule(op, value, result):
        return result
    if rule is _rows:
        return part(source, value, result) or result
    return Window(source, 0, np.shape(result), getattr(result, "dtype", value.dtype))


def _whole(op: Operation, value: Any, result: Any) -> bool:
    return True


def _same_size(op: Operation, value: Any, result: Any) -> bool:
    return np.size(result) == value.size


def _in_order(op: Operation, value: np.ndarray, result: Any) -> bool:
    """A transposition that moves no element: of axes of one element each past the others."""
    if value.ndim < 2 or not isinstance(result, np.ndarray):
        return True
    return result.flags.c_contiguous and np.may_share_memory(value, result)


def _rows(op: Operation, value: np.ndarray, result: Any) -> bool:
    """All of it, or whole rows of which each begins where vector instructions want it."""
    if not isinstance(result, np.ndarray) or not value.flags.c_contiguous or not value.ndim:
        return False
    if result.size == value.size:
        return True
    if not result.size or not result.flags.c_contiguous or value.dtype == object:
        return False
    if value.ndim == 1 and op.op_def.name in ("Slice", "StridedSlice"):
        offset = result.__array_interface__["data"][0] - value.__array_interface__["data"][0]
        return offset % _ALIGNMENT == 0 and result.nbytes % _ALIGNMENT == 0
    row = value.nbytes // len(value)
    return row % _ALIGNMENT == 0 and result.nbytes % row == 0


_ALWAYS = frozenset(
    """
    Bitcast CheckNumerics CheckNumericsV2 EnsureShape ExpandDims Identity PlaceholderWithDefault
    PreventGradient Print Reshape Squeeze StopGradient _Recv _Send
    """.split()
)
#: With one input, or one part; the input that is passed on.
_IF_ALONE = {"AddN": 0, "Concat": 1, "ConcatV2": 0, "Pack": 0}
#: Whether the memory is passed on is seen when the operation runs; the input, and how.
_RULES: dict[str, tuple[int, Rule]] = {
    **dict.fromkeys(("Slice", "StridedSlice", "SplitV", "Unpack"), (0, _rows)),
    "Split": (1, _rows),
    **dict.fromkeys(("Sum", "Mean", "Max", "Min", "Prod", "All", "Any"), (0, _same_size)),
    **dict.fromkeys(("Tile", "Pad", "PadV2", "MirrorPad", "BroadcastTo"), (0, _same_size)),
    "Transpose": (0, _in_order),
}
#: The types of all operations of which an output may be the memory of an input.
MAY_PASS_ON = CONTROL_FLOW | _ALWAYS | _IF_ALONE.keys() | _RULES.keys() | {"Cast", "IdentityN"}
