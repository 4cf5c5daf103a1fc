"""The steps of optimizers in shards: every element of a variable moves for itself.

A shard computes a block of the new values with the plain kernel, on variables that stand for the
blocks; the new arrays take the place of the old ones when all are complete. So an interrupt leaves
the variables as they were.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tinytf.kernels.sharding.pool import ShardPool
from tinytf.kernels.sharding.sizes import calls_of, cost_of, edges, shards_for
from tinytf.resources.changing import replace
from tinytf.resources.variable import Variable

if TYPE_CHECKING:
    from tinytf.framework.operation import Operation


def optimizer_step(
    op: Operation, function: Callable[..., Any], pool: ShardPool
) -> Callable[..., Any]:
    """A dense Apply... op, on references or on handles."""
    arguments = op.op_def.inputs
    states = sum(
        arg.is_ref or tensor.dtype.name == "resource"
        for arg, tensor in zip(arguments, op.inputs, strict=True)
    )
    names = [arg.name for arg in arguments]
    gradient = names.index("grad" if "grad" in names else "delta")
    name = op.type.removeprefix("Resource")
    cost, calls = cost_of(name, op.inputs[gradient].dtype.size), calls_of(name)

    def kernel(*inputs: Any) -> Any:
        above = inputs[gradient]
        count = shards_for(above.size * cost, pool.threads, calls)
        if count == 1 or not _are_plain(inputs, states, gradient):
            return function(*inputs)
        variables = inputs[:states]
        try:
            replace(
                variables,
                lambda *old: _new_values(function, pool, inputs, old, gradient, count),
            )
        except _Changed:
            return function(*inputs)
        return inputs[0] if op.outputs else ()

    return kernel


class _Changed(Exception):
    """A variable got a value of another shape since it was looked at."""


def _are_plain(inputs: Sequence[Any], states: int, gradient: int) -> bool:
    """Whether these are different variables, all with values of one shape and dtype, in order."""
    above = inputs[gradient]
    if len(set(map(id, inputs[:states]))) < states or not _is_plain(above, above):
        return False
    for index, value in enumerate(inputs):
        if index < states:
            if not isinstance(value, Variable) or not _is_plain(value._value, above):
                return False
        elif index != gradient and np.ndim(value):
            return False
    return True


def _is_plain(array: Any, like: Any) -> bool:
    return (
        type(array) is np.ndarray and array.flags.c_contiguous and array.shape == like.shape
        and array.dtype == like.dtype
    )  # fmt: skip


def _new_values(
    function: Callable[..., Any], pool: ShardPool, inputs: Sequence[Any], old: Sequence[Any],
    gradient: int, count: int,
) -> list[Any]:  # fmt: skip
    if not all(_is_plain(array, inputs[gradient]) for array in old):
        raise _Changed
    above = inputs[gradient].reshape(-1)
    old = [array.reshape(-1) for array in old]
    new = [np.empty(inputs[gradient].shape, array.dtype) for array in old]
    targets = [array.reshape(-1) for array in new]
    others = list(inputs[len(old) :])
    places = edges(above.size, count, 64)

    def work(index: int) -> None:
        part = slice(places[index], places[index + 1])
        blocks = [_block(v, array[part]) for v, array in zip(inputs, old)]
        others_here = others.copy()
        others_here[gradient - len(old)] = above[part]
        function(*blocks, *others_here)
        for target, block in zip(targets, blocks, strict=True):
            target[part] = block._value

    pool.run(len(places) - 1, work)
    return new


def _block(variable: Variable, values: Any) -> Variable:
    """A variable that stands for a part of another one."""
    block = Variable(variable.name, variable.dtype, variable.shape)
    block._value = values
    return block
