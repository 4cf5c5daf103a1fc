"""Fusion: a chain of element-wise operations works in one array.

`relu(x @ w + b)` needs one array of its result's size: the product, to which b is added in place,
and of which the maximum is taken in place. Without fusion each of the three makes its own, and a
large new array costs more than the arithmetic on it. The values are the same to the last bit.
(Working in blocks that fit into the cache, as compiled code would, was measured too: numpy is
slower that way at every size.)

When may an operation write its result over an input? When its kernel can write into a given array
(a numpy ufunc can, and a kernel with an `out` argument); when the input was made by a kernel that
makes new arrays, is read by nobody afterwards and was never passed to a kernel that might keep it
or give a view of it; and when the input has the result's shape and dtype. Sizes that are not
known statically are followed by name: a batch of unknown size has the size of its placeholder.
TensorFlow: core/grappler/optimizers/remapper.cc.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from tinytf.framework.operation import Operation
from tinytf.framework.registry import Kernel
from tinytf.framework.tensor import Tensor
from tinytf.runtime.optimise.step_graph import Change

PASS = "fusion"
#: Always make a new array, though not into a given one. (A sum over no axes may be its input.)
_NEW_ARRAY = {"MatMul", "BatchMatMul", "BatchMatMulV2", "ReluGrad"}
#: One size of a shape: a number, or an object that stands for an unknown one.
Size = int | object


class Fusion:
    """Finds arrays that may be written over, for the operations of one piece of code in order.

    Args:
      ops: the operations. kernels: theirs.
      stays: whether a tensor is read outside of this piece of code.
    """

    def __init__(
        self,
        ops: Sequence[Operation],
        kernels: dict[Operation, Kernel],
        stays: Callable[[Tensor], bool],
    ):
        self._kernels, self._stays = kernels, stays
        self._sizes: dict[Tensor, tuple[Size, ...] | None] = {}
        #: arrays that nobody else can hold, as far as seen
        self._own: set[Tensor] = set()
        self.changes: list[Change] = []
        self._held = {
            tensor for op in ops if not self._makes_new_arrays(op) for tensor in op.inputs
        }

    def _makes_new_arrays(self, op: Operation) -> bool:
        kernel = self._kernels.get(op)
        return kernel is not None and (op.op_def.name in _NEW_ARRAY or takes_out(kernel))

    def buffer_for(self, op: Operation, dying: Iterable[Tensor]) -> Tensor | None:
        """The input that `op` may write over, if any; of `dying` it is the last reader."""
        target = None
        if op.outputs and takes_out(self._kernels[op]):
            target = self._find(op, dying)
        if self._makes_new_arrays(op):
            self._own.update(t for t in op.outputs if not self._stays(t) and t not in self._held)
        if target is not None:
            self.changes.append(Change(PASS, op.name, f"writes over {target.name}"))
        return target

    def _find(self, op: Operation, dying: Iterable[Tensor]) -> Tensor | None:
        result = op.outputs[0]
        sizes = self._sizes_of(result)
        if not sizes:
            return None  # single numbers live in registers, not in arrays
        for tensor in dying:
            if (
                tensor in self._own
                and tensor.dtype == result.dtype
                and self._sizes_of(tensor) == sizes
            ):
                return tensor
        return None

    # Sizes --------------------------------------------------------------------------------------

    def _sizes_of(self, tensor: Tensor) -> tuple[Size, ...] | None:
        waiting = [tensor]  # not by recursion: a long chain of operations may come before
        while waiting:
            last = waiting[-1]
            missing = [t for t in self._sources(last) if t not in self._sizes]
            if missing and last not in self._sizes:
                waiting += missing
            else:
                waiting.pop()
                if last not in self._sizes:
                    self._sizes[last] = self._derive(last)
        return self._sizes[tensor]

    def _sources(self, tensor: Tensor) -> tuple[Tensor, ...]:
        """The tensors that `_derive` asks for the sizes of this one."""
        static, op = tensor.shape.sizes, tensor.op
        if static is None or None not in static:
            return ()
        name = op.op_def.name
        if op in self._kernels and name != "MatMul" and takes_out(self._kernels[op]):
            return op.inputs
        from_first = name in ("ReluGrad", "TanhGrad", "SigmoidGrad")
        return op.inputs[:1] if from_first or (name == "MatMul" and op in self._kernels) else ()

    def _derive(self, tensor: Tensor) -> tuple[Size, ...] | None:
        static = tensor.shape.sizes
        if static is None:
            return None
        if None not in static:
            return static
        op = tensor.op
        named: tuple[Size, ...] | None = None
        if op in self._kernels and op.op_def.name == "MatMul":
            rows = self._sizes_of(op.inputs[0])
            if rows is not None and not op.attrs["transpose_a"]:
                named = (rows[0], static[1])
        elif op in self._kernels and takes_out(self._kernels[op]):
            named = _broadcast([self._sizes_of(t) for t in op.inputs])
        elif op.op_def.name in ("ReluGrad", "TanhGrad", "SigmoidGrad"):
            named = self._sizes_of(op.inputs[0])
        if named is None or len(named) != len(static):
            named = (None,) * len(static)
        return tuple(
            size if size is not None else object() if name is None else name
            for size, name in zip(static, named)
        )


def _broadcast(shapes: list[tuple[Size, ...] | None]) -> tuple[Size | None, ...] | None:
    """The sizes of a broadcast result; None for those that cannot be told."""
    if any(shape is None for shape in shapes):
        return None
    rank = max(len(shape) for shape in shapes if shape is not None)
    result: list[Size | None] = [1] * rank
    for shape in shapes:
        for axis, size in enumerate(reversed(shape or ())):
            place = rank - 1 - axis
            if result[place] == 1:
                result[place] = size
            elif size != 1 and size is not result[place] and size != result[place]:
                result[place] = None
    return tuple(result)


#: Python's operators are quicker on single numbers; on arrays they are these.
_UFUNCS = {
    operator.add: np.add,
    operator.sub: np.subtract,
    operator.mul: np.multiply,
    operator.truediv: np.divide,
    operator.neg: np.negative,
}


def writing(function: Callable[..., Any]) -> Callable[..., Any]:
    """A bound kernel in the form that takes `out`."""
    return _UFUNCS.get(function, function)


def takes_out(kernel: Kernel) -> bool:
    """Whether a kernel can write its result into an array that it is given as `out`."""
    function: Any = kernel.function
    if isinstance(function, np.ufunc):
        return function.nout == 1
    if function in _UFUNCS:
        return True
    code = getattr(function, "__code__", None)
    return code is not None and "out" in code.co_varnames[: code.co_argcount]
