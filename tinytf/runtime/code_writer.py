"""What the code of a segment and of a loop have in common: names, constants, calls of kernels."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from tinytf.framework.operation import Operation
from tinytf.framework.tensor import Tensor
from tinytf.runtime.codegen import NodeCode
from tinytf.runtime.layout import Layout
from tinytf.runtime.passing_on import TAKING_FUNCTIONS, Take, takes


class CodeWriter(ABC):
    """Writes operations as lines; where inputs come from and outputs go, its subclasses say.

    Args:
      layout: of the step, as compiled so far.
    """

    def __init__(self, layout: Layout):
        self._layout = layout
        self._nodes: list[NodeCode] = []
        #: the slots that are loaded at the start
        self._loads: list[int] = []
        #: what stands in the code by a name: the values of "c0", "c1" ...
        self._constants: dict[str, Any] = dict(TAKING_FUNCTIONS)
        self._constant_of: dict[Operation, str] = {}
        self._names: dict[Tensor, str] = {}
        #: variables of values that never leave the code are numbered after all slots
        self._next_variable = 1_000_000

    @abstractmethod
    def _variable(self, tensor: Tensor) -> str:
        """The variable that holds what is read."""

    @abstractmethod
    def _result(self, tensor: Tensor) -> str:
        """The variable that an output goes to; "_" if nobody reads it."""

    def _call(self, op: Operation) -> NodeCode:
        """The call of an operation's kernel."""
        layout, kernel = self._layout, self._layout.kernels[op]
        how = takes(op, layout.fed, layout.live)
        arguments = [self._argument(t, take) for t, take in zip(op.inputs, how, strict=True)]
        results = [self._result(t) for t in op.outputs]
        bound, unpack = layout.node_kernels.bind(op, kernel), not op.op_def.single_output
        return NodeCode(op, bound, arguments, results, unpack, kernel.wants_step)

    def _adapt(self, node: NodeCode) -> None:
        """Let the kernel's call bring its inputs to where it runs, and account for its outputs."""
        if node.kernel is not None:
            adapt, kernel = self._layout.node_kernels.adapt, self._layout.kernels[node.op]
            node.kernel = adapt(node.kernel, node.op, kernel)

    def _argument(self, tensor: Tensor, take: Take) -> str:
        return take.value.format(self._value(tensor))

    def _value(self, tensor: Tensor) -> str:
        """The expression for a tensor: a constant, or a variable."""
        if self._layout.is_inline(tensor):
            return self._constant(tensor.op)
        return self._variable(tensor)

    def _name(self, tensor: Tensor) -> str:
        name = self._names.get(tensor)
        if name is None:
            slot = self._layout.slot_of.get(tensor)
            if slot is None:
                slot = self._next_variable
                self._next_variable += 1
            name = self._names[tensor] = f"v{slot}"
        return name

    def _constant(self, op: Operation) -> str:
        name = self._constant_of.get(op)
        if name is None:
            name = self._constant_of[op] = f"c{len(self._constant_of)}"
            self._constants[name] = self._layout.node_kernels.constant(op)
        return name
