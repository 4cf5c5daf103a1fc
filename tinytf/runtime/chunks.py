"""The nodes of a segment, written out for `codegen`: names, loads, stores, last uses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tinytf.framework.operation import Operation
from tinytf.framework.tensor import Tensor
from tinytf.runtime.codegen import Chunk, NodeCode
from tinytf.runtime.optimise.fusion import Fusion, writing
from tinytf.runtime.passing_on import TAKING_FUNCTIONS, Take, takes
from tinytf.runtime.plan import Unit
from tinytf.runtime.waits_in_line import waits_here

if TYPE_CHECKING:
    from tinytf.runtime.compiler import Compiler


def is_hoisted(op: Operation) -> bool:
    """Whether a node's value stands in the code instead of being computed."""
    return op.type == "Const"


class ChunkWriter:
    """Writes the nodes of one piece of a segment as a `Chunk`."""

    def __init__(
        self, compiler: Compiler, unit: Unit, readers: dict[Tensor, list[Unit]],
        last_piece: dict[int, int], number: int, piece_of: dict[Operation, int],
    ):  # fmt: skip
        self._compiler, self._unit, self._readers = compiler, unit, readers
        self._last_piece, self._number, self._piece_of = last_piece, number, piece_of
        self._chunk = Chunk(constants=dict(TAKING_FUNCTIONS))
        #: variables of values that never leave the chunk are numbered after all slots
        self._next_variable = 1_000_000
        self._names: dict[Tensor, str] = {}
        self._constants: dict[Operation, str] = {}

    def write(self, ops: list[Operation]) -> Chunk:
        """The chunk of `ops`, in their order."""
        last_use: dict[Tensor, int] = {}
        for number, op in enumerate(ops):
            for tensor in op.inputs:
                last_use[tensor] = number
        compiler = self._compiler
        fusion = None
        if compiler.passes.remapping:
            fusion = Fusion(ops, compiler.kernels, self._is_read_elsewhere)
        for number, op in enumerate(ops):
            node = self._node(number, op, last_use)
            if fusion is not None and not is_hoisted(op):
                self._fuse(fusion, node, [t for t in op.inputs if last_use[t] == number])
            self._adapt(node)
            self._chunk.nodes.append(node)
        if fusion is not None:
            compiler.changes.extend(fusion.changes)
        return self._chunk

    def _is_read_elsewhere(self, tensor: Tensor) -> bool:
        compiler = self._compiler
        return tensor in compiler.slot_of or tensor in compiler.fed or tensor in compiler.live

    def _fuse(self, fusion: Fusion, node: NodeCode, dying: list[Tensor]) -> None:
        target = fusion.buffer_for(node.op, dying)
        if target is not None and node.kernel is not None:
            node.kernel = writing(node.kernel)
            node.arguments.append(f"out={self._names[target]}")

    def _adapt(self, node: NodeCode) -> None:
        if node.kernel is not None:
            compiler = self._compiler
            kernel = compiler.kernels[node.op]
            node.kernel = compiler.node_kernels.adapt(node.kernel, node.op, kernel)
            if node.op in compiler.may_wait:
                others = frozenset(op.name for op in compiler.may_wait)
                node.kernel = waits_here(node.kernel, node.op, node.wants_step, others)
                node.wants_step = True

    def _node(self, number: int, op: Operation, last_use: dict[Tensor, int]) -> NodeCode:
        compiler = self._compiler
        if is_hoisted(op):
            slot = compiler.slot_of[op.outputs[0]]
            return NodeCode(op, None, [], [], False, False, [], [(slot, self._constant(op))])
        kernel = compiler.kernels[op]
        how = takes(op, compiler.fed, compiler.live)
        arguments = [self._argument(t, take) for t, take in zip(op.inputs, how, strict=True)]
        results = [self._result(t, last_use) for t in op.outputs]
        node = NodeCode(
            op, compiler.node_kernels.bind(op, kernel), arguments, results,
            not op.op_def.single_output, kernel.wants_step,
        )  # fmt: skip
        for tensor in dict.fromkeys(op.inputs):
            if last_use[tensor] == number and tensor in self._names:
                node.deletes.append(self._names[tensor])
        for tensor, name in zip(op.outputs, results, strict=True):
            if name == "_":
                continue
            if tensor in compiler.slot_of:
                node.stores.append((compiler.slot_of[tensor], name))
            if tensor not in last_use:
                node.deletes.append(name)
        return node

    def _result(self, tensor: Tensor, last_use: dict[Tensor, int]) -> str:
        if tensor in self._compiler.fed:
            return "_"
        if tensor not in last_use and tensor not in self._compiler.slot_of:
            return "_"
        return self._name(tensor)

    def _name(self, tensor: Tensor) -> str:
        name = self._names.get(tensor)
        if name is None:
            slot = self._compiler.slot_of.get(tensor)
            if slot is None:
                slot = self._next_variable
                self._next_variable += 1
            name = self._names[tensor] = f"v{slot}"
        return name

    def _argument(self, tensor: Tensor, take: Take) -> str:
        compiler = self._compiler
        if compiler.is_inline(tensor):
            return self._constant(tensor.op)
        is_new = tensor not in self._names
        name = self._name(tensor)
        outside = tensor in compiler.fed or self._piece_of.get(tensor.op) != self._number
        if is_new and outside:
            self._load(tensor)
        return take.value.format(name)

    def _load(self, tensor: Tensor) -> None:
        compiler = self._compiler
        slot = compiler.slot_of[tensor]
        self._chunk.loads.append(slot)
        others = [u for u in self._readers.get(tensor, []) if u is not self._unit]
        if not others and tensor not in compiler.fetches and self._last_piece[slot] == self._number:
            self._chunk.takes.append(slot)

    def _constant(self, op: Operation) -> str:
        name = self._constants.get(op)
        if name is None:
            name = self._constants[op] = f"c{len(self._constants)}"
            self._chunk.constants[name] = self._compiler.node_kernels.constant(op)
        return name
