"""The steps of optimizers in shards: every element of a variable moves for itself.

A shard computes a block of the new values; the new arrays take the place of the old ones when all
are complete, so an interrupt leaves the variables as they were. The optimizers that are used most
compute right into the new arrays, with no others; of the rest the plain kernel is called, on
variables that stand for the blocks.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tinytf.framework.dtypes import as_dtype
from tinytf.framework.tensor_shape import TensorShape
from tinytf.kernels.sharding.pool import ShardPool
from tinytf.kernels.sharding.sizes import calls_of, cost_of, edges, shards_for
from tinytf.ops.training.adam import ADAM
from tinytf.ops.training.gradient_descent import GRADIENT_DESCENT
from tinytf.ops.training.momentum import MOMENTUM
from tinytf.resources.changing import replace
from tinytf.resources.variable import Variable

if TYPE_CHECKING:
    from tinytf.framework.operation import Operation

#: What writes right into the blocks of new arrays.
_FORMULAS: dict[str, Any] = {
    "ApplyGradientDescent": GRADIENT_DESCENT.into,
    "ApplyMomentum": MOMENTUM.into,
    "ApplyAdam": ADAM.into,
}
_FLAGS = ("use_nesterov",)


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
    into = functools.partial(_with_plain_kernel, function)
    if name in _FORMULAS:
        flags = {flag: op.attrs[flag] for flag in _FLAGS if flag in op.attrs}
        formula = functools.partial(_FORMULAS[name], **flags)
        into = functools.partial(_with_formula, formula, names, states, gradient)
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
                lambda *old: _new_values(into, pool, inputs, old, gradient, count),
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
    if type(array) is not np.ndarray or not array.flags.c_contiguous:
        return False
    return array.shape == like.shape and array.dtype == like.dtype


def _new_values(
    into: Callable[..., Any],
    pool: ShardPool,
    inputs: Sequence[Any],
    old: Sequence[Any],
    gradient: int,
    count: int,
) -> list[Any]:
    if not all(_is_plain(array, inputs[gradient]) for array in old):
        raise _Changed
    above = inputs[gradient].reshape(-1)
    old = [array.reshape(-1) for array in old]
    new = [np.empty(inputs[gradient].shape, array.dtype) for array in old]
    targets = [array.reshape(-1) for array in new]
    places = edges(above.size, count, 64)

    def work(index: int) -> None:
        part = slice(places[index], places[index + 1])
        here = [*(array[part] for array in old), *inputs[len(old) :]]
        here[gradient] = above[part]
        into([array[part] for array in targets], *here)

    pool.run(len(places) - 1, work)
    return new


def _with_formula(
    formula: Callable[..., None],
    names: Sequence[str],
    states: int,
    gradient: int,
    new: Sequence[Any],
    *inputs: Any,
) -> None:
    """Have a formula write the new values of a block."""
    numbers = dict(zip(names[states:], inputs[states:], strict=True))
    del numbers[names[gradient]]
    formula(new, *inputs[:states], inputs[gradient], **numbers)


def _with_plain_kernel(function: Callable[..., Any], new: Sequence[Any], *inputs: Any) -> None:
    """Have the plain kernel compute the new values of a block."""
    blocks = []
    for values in inputs[: len(new)]:
        block = Variable("block", as_dtype(values.dtype), TensorShape(values.shape))
        block._value = values
        blocks.append(block)
    function(*blocks, *inputs[len(new) :])
    for target, block in zip(new, blocks, strict=True):
        target[...] = block._value
