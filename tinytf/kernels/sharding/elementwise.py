"""Element-wise kernels in shards: each result needs the inputs of its own place only."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tinytf.kernels.sharding.pool import ShardPool
from tinytf.kernels.sharding.sizes import calls_of, cost_of, edges, shards_for

if TYPE_CHECKING:
    from tinytf.framework.operation import Operation

#: Edges between shards are multiples of this: numpy takes elements in groups of up to 64, and what
#: is left over at the end in another way, which may show in the sign of a zero.
_GROUP = 64

#: A kernel that makes arrays on its way works on so many elements at once: large arrays would be
#: new memory each time, which threads other than the first give back as soon as they can.
_BLOCK = 1 << 18

#: Python's operators on arrays; these can write into given arrays.
_UFUNCS: dict[Any, Any] = {
    operator.add: np.add,
    operator.sub: np.subtract,
    operator.mul: np.multiply,
    operator.truediv: np.divide,
    operator.neg: np.negative,
    operator.lt: np.less,
    operator.le: np.less_equal,
    operator.gt: np.greater,
    operator.ge: np.greater_equal,
    operator.mod: np.remainder,
}


class Elementwise:
    """A kernel of which the inputs have one shape, or are broadcast to it.

    Args:
      op: the node. function: its kernel.
      broadcasts: whether inputs of several shapes mean what they mean to numpy.
    """

    def __init__(
        self, op: Operation, function: Callable[..., Any], pool: ShardPool, broadcasts: bool = True
    ):
        self._plain, self._pool, self._broadcasts = function, pool, broadcasts
        self._function = _UFUNCS.get(function, function)
        if op.type == "Cast" and (
            op.outputs[0].dtype.is_complex or not op.inputs[0].dtype.is_complex
        ):
            self._function = _cast
        self._writes = writes(self._function)
        self._kinds = [numpy_dtype(tensor) for tensor in op.inputs]
        self._result_kind = numpy_dtype(op.outputs[0])
        item_size = max(kind.itemsize for kind in (*self._kinds, self._result_kind))
        self._cost = cost_of(op.type, item_size)
        self._calls = calls_of(op.type)

    def __call__(self, *inputs: Any, out: Any = None) -> Any:
        """The kernel, in shards if that is worth it."""
        size = inputs[0].size
        for value in inputs[1:]:
            size = size * value.size if self._broadcasts else max(size, value.size)
        count = shards_for(size * self._cost, self._pool.threads, self._calls)
        if count > 1 and self._are_plain(inputs, out):
            shape = self._shape(inputs)
            if shape is not None and (out is None or out.shape == shape):
                result = self._split(inputs, out, shape)
                if result is not None:
                    return result
        return self._plain(*inputs) if out is None else self._plain(*inputs, out=out)

    def _are_plain(self, inputs: Sequence[Any], out: Any) -> bool:
        for value, kind in zip(inputs, self._kinds, strict=True):
            if value.dtype != kind or (value.ndim and type(value) is not np.ndarray):
                return False
        return out is None or (out.flags.c_contiguous and out.dtype == self._result_kind)

    def _shape(self, inputs: Sequence[Any]) -> tuple[int, ...] | None:
        shapes = {value.shape for value in inputs}
        if len(shapes) > 1 and not self._broadcasts:
            return None
        try:
            return np.broadcast_shapes(*shapes)
        except ValueError:
            return None

    def _split(self, inputs: Sequence[Any], out: Any, shape: tuple[int, ...]) -> Any:
        if any(0 < value.ndim and value.size == 1 for value in inputs):
            inputs = [value.reshape(()) if value.size == 1 else value for value in inputs]
        whole = [value for value in inputs if value.shape == shape]
        others = [value for value in inputs if value.ndim and value.shape != shape]
        in_order = all(value.flags.c_contiguous for value in whole)
        if whole and not others:
            if in_order:
                return self._split_flat(inputs, out, shape)
            if out is None and all(value.flags.f_contiguous for value in whole):
                turned = [value.T if value.shape == shape else value for value in inputs]
                result = self._split_flat(turned, None, shape[::-1])
                return None if result is None else result.T
        elif in_order and all(value.flags.c_contiguous for value in others):
            if out is None or not any(np.may_share_memory(out, value) for value in others):
                return self._split_rows(inputs, out, shape)
        return None

    def _split_flat(self, inputs: Sequence[Any], out: Any, shape: tuple[int, ...]) -> Any:
        flat = [value.reshape(-1) if value.shape == shape else value for value in inputs]
        result = np.empty(shape, self._result_kind) if out is None else out
        target, size = result.reshape(-1), result.size
        count = shards_for(size * self._cost, self._pool.threads, self._calls)
        places = edges(size, count, _GROUP)
        if len(places) < 3:
            return None
        takes = [value.ndim > 0 for value in flat]
        block = size if isinstance(self._function, np.ufunc) else _BLOCK

        def work(index: int) -> None:
            last = places[index + 1]
            for start in range(places[index], last, block):
                part = slice(start, min(start + block, last))
                self._compute([v[part] if t else v for v, t in zip(flat, takes)], target[part])

        self._pool.run(len(places) - 1, work)
        return result

    def _split_rows(self, inputs: Sequence[Any], out: Any, shape: tuple[int, ...]) -> Any:
        axis = next((i for i, size in enumerate(shape) if size > 1), 0)
        size = functools.reduce(operator.mul, shape, 1)
        count = shards_for(size * self._cost, self._pool.threads, self._calls)
        places = edges(shape[axis], count)
        if len(places) < 3:
            return None
        result = np.empty(shape, self._result_kind) if out is None else out
        ends = [axis - len(shape) + value.ndim for value in inputs]  # where that axis is in each
        takes = [end >= 0 and v.shape[end] > 1 for v, end in zip(inputs, ends)]

        def work(index: int) -> None:
            part = slice(places[index], places[index + 1])
            values = [
                v[(slice(None),) * end + (part,)] if t else v
                for v, end, t in zip(inputs, ends, takes)
            ]
            self._compute(values, result[(slice(None),) * axis + (part,)])

        self._pool.run(len(places) - 1, work)
        return result

    def _compute(self, values: Sequence[Any], target: Any) -> None:
        if self._writes:
            self._function(*values, out=target)
        else:
            target[...] = self._function(*values)


def _cast(x: Any, out: Any) -> None:
    np.copyto(out, x, casting="unsafe")


def writes(function: Callable[..., Any]) -> bool:
    """Whether a bound kernel takes the array for its result as `out`."""
    if isinstance(function, np.ufunc):
        return function.nout == 1
    code = getattr(getattr(function, "func", function), "__code__", None)
    return code is not None and "out" in code.co_varnames[: code.co_argcount]


def numpy_dtype(tensor: Any) -> np.dtype:
    """The numpy dtype of a tensor's values."""
    return np.dtype(tensor.dtype.base_dtype.as_numpy_dtype)
