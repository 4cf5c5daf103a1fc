"""The simplest correct way to run a graph: one node after another, by recursion.

Read this first. It has no plan, no segments, no threads: `evaluate` asks for the value of each
fetch, which asks for the values of its inputs, and remembers every answer. The real executor
(tinytf.runtime) must agree with it on every graph without loops; conditionals work here too,
because a dead value is a value. Loops need frames: see `tinytf.testing.interpreter` for those.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tinytf.framework import registry
from tinytf.framework.errors import UnimplementedError, with_operation
from tinytf.framework.kernel_binding import bind
from tinytf.framework.operation import Operation
from tinytf.framework.tensor import Tensor
from tinytf.resources.manager import ResourceManager
from tinytf.resources.variable import Variable


class _Dead:
    def __repr__(self) -> str:
        return "<dead>"


DEAD = _Dead()


def evaluate(
    fetches: list[Any],
    feeds: Mapping[Tensor, Any] | None = None,
    resources: ResourceManager | None = None,
    check: bool = True,
) -> list[Any]:
    """The values of tensors (None for operations), computed one node at a time.

    Args:
      fetches: tensors and operations of one graph.
      feeds: tensor -> value.
      resources: the state of variables between calls; a fresh one by default.
      check: whether each result must have the dtype and fit the static shape of its tensor.

    Raises:
      OpError: what a kernel raised, with its operation. AssertionError: if `check` fails.
    """
    run = _Evaluation(feeds or {}, resources or ResourceManager(), check)
    with np.errstate(all="ignore"):
        return [
            run.value(item) if isinstance(item, Tensor) else run.outputs(item) and None
            for item in fetches
        ]


class _Evaluation:
    def __init__(self, feeds: Mapping[Tensor, Any], resources: ResourceManager, check: bool):
        self._feeds = {t: np.asarray(v, t.dtype.as_numpy_dtype) for t, v in feeds.items()}
        self._resources = resources
        self._check = check
        self._done: dict[Operation, list[Any]] = {}

    def value(self, tensor: Tensor, as_ref: bool = False) -> Any:
        """The value of a tensor; a reference is read unless `as_ref`."""
        if tensor in self._feeds:
            return self._feeds[tensor]
        value = self.outputs(tensor.op)[tensor.value_index]
        return (
            value.read()
            if isinstance(value, Variable) and tensor.dtype.is_ref and not as_ref
            else value
        )

    def outputs(self, op: Operation) -> list[Any]:
        """All output values of an operation, computed at most once."""
        if op not in self._done:
            dead = any(self._is_dead(control) for control in op.control_inputs)
            self._done[op] = self._compute(op, dead)
        return self._done[op]

    def _is_dead(self, op: Operation) -> bool:
        outputs = self.outputs(op)
        return bool(outputs) and all(value is DEAD for value in outputs)

    def _compute(self, op: Operation, dead: bool) -> list[Any]:
        flags = input_references(op)
        values = [self.value(t, as_ref=r) for t, r in zip(op.inputs, flags, strict=True)]
        alive = [value is not DEAD for value in values]
        if op.type in ("Merge", "RefMerge"):
            live = [i for i, ok in enumerate(alive) if ok]
            return [values[live[0]], np.int32(live[0])] if live and not dead else [DEAD, DEAD]
        if dead or not all(alive):
            return [DEAD] * len(op.outputs)
        if op.type in ("Switch", "RefSwitch"):
            return [DEAD, values[0]] if values[1] else [values[0], DEAD]
        return self._call(op, values)

    def _call(self, op: Operation, values: list[Any]) -> list[Any]:
        kernel = registry.find_kernel(op.type, "CPU", op.attrs)
        if kernel is None:
            raise UnimplementedError(None, op, f"{op.type} has no CPU kernel for {op.name}")
        arguments = [self, *values] if kernel.wants_step else values
        try:
            result = bind(kernel, op, self._resources)(*arguments)
        except Exception as error:
            raise with_operation(error, op) from None
        if op.op_def.single_output:
            result = [result]
        outputs = list(result) if op.outputs else []
        if self._check:
            for tensor, value in zip(op.outputs, outputs, strict=True):
                check_value(tensor, value)
        return outputs


def input_references(op: Operation) -> list[bool]:
    """For each input of a node, whether its kernel takes the reference itself."""
    flags: list[bool] = []
    for arg in op.op_def.inputs:
        if arg.number_attr is not None:
            count = op.attrs[arg.number_attr]
        elif arg.type_list_attr is not None:
            count = len(op.attrs[arg.type_list_attr])
        else:
            count = 1
        flags.extend([arg.is_ref] * count)
    return flags


def check_value(tensor: Tensor, value: Any) -> None:
    """AssertionError unless a kernel's result has the dtype and shape its tensor promises."""
    if tensor.dtype.is_ref or not tensor.dtype.is_numpy_compatible:
        return
    actual = np.asarray(value)
    if actual.dtype != np.dtype(tensor.dtype.as_numpy_dtype):
        raise AssertionError(
            f"{tensor.op.type} kernel gave {actual.dtype} for {tensor.name}, which is "
            f"{tensor.dtype.name}"
        )
    if not tensor.shape.is_compatible_with(actual.shape):
        raise AssertionError(
            f"{tensor.op.type} kernel gave shape {actual.shape} for {tensor.name}, whose static "
            f"shape is {tensor.shape}"
        )
