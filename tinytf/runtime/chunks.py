"""The nodes of a segment, written out for `codegen`: names, loads, stores, last uses."""

from __future__ import annotations

from dataclasses import dataclass, field

from tinytf.framework.operation import Operation
from tinytf.framework.tensor import Tensor
from tinytf.runtime.code_writer import CodeWriter
from tinytf.runtime.codegen import Chunk, NodeCode
from tinytf.runtime.layout import Layout, is_hoisted
from tinytf.runtime.optimise.fusion import Fusion, writing
from tinytf.runtime.plan import Unit
from tinytf.runtime.waits_in_line import waits_here


@dataclass(frozen=True, slots=True)
class Pieces:
    """How a segment is cut, that no code object gets too long.

    Attributes:
      of: the number of each operation's piece. last: of each slot, the last piece that reads it.
    """

    of: dict[Operation, int]
    last: dict[int, int] = field(default_factory=dict)


class ChunkWriter(CodeWriter):
    """Writes the nodes of one piece of a segment as a `Chunk`.

    Args:
      layout: of the step. unit: what is written. pieces: all of it. number: of this one.
    """

    def __init__(self, layout: Layout, unit: Unit, pieces: Pieces, number: int):
        super().__init__(layout)
        self._unit, self._pieces, self._number = unit, pieces, number
        self._takes: list[int] = []
        self._last_use: dict[Tensor, int] = {}

    def write(self, ops: list[Operation]) -> Chunk:
        """The chunk of `ops`, in their order."""
        for number, op in enumerate(ops):
            self._last_use.update(dict.fromkeys(op.inputs, number))
        layout, fusion = self._layout, None
        if layout.passes.remapping:
            fusion = Fusion(ops, layout.kernels, self._is_read_elsewhere)
        for number, op in enumerate(ops):
            if is_hoisted(op):
                stores = [(layout.slot_of[op.outputs[0]], self._constant(op))]
                self._nodes.append(NodeCode(op, None, [], [], False, False, [], stores))
                continue
            dying = [t for t in op.inputs if self._last_use[t] == number]
            node = self._node(op, dying)
            if fusion is not None:
                self._fuse(fusion, node, dying)
            self._adapt(node)
            self._nodes.append(node)
        if fusion is not None:
            layout.changes.extend(fusion.changes)
        return Chunk(self._loads, self._takes, self._nodes, self._constants)

    def _is_read_elsewhere(self, tensor: Tensor) -> bool:
        layout = self._layout
        return tensor in layout.slot_of or tensor in layout.fed or tensor in layout.live

    def _fuse(self, fusion: Fusion, node: NodeCode, dying: list[Tensor]) -> None:
        target = fusion.buffer_for(node.op, dying)
        if target is not None and node.kernel is not None:
            node.kernel = writing(node.kernel)
            node.arguments.append(f"out={self._names[target]}")

    def _adapt(self, node: NodeCode) -> None:
        """Here a kernel may also have to wait, if that may hold the thread."""
        super()._adapt(node)
        may_wait = self._layout.may_wait
        if node.kernel is not None and node.op in may_wait:
            others = frozenset(op.name for op in may_wait)
            node.kernel = waits_here(node.kernel, node.op, node.wants_step, others)
            node.wants_step = True

    def _node(self, op: Operation, dying: list[Tensor]) -> NodeCode:
        node, slot_of = self._call(op), self._layout.slot_of
        names = [self._names[t] for t in dict.fromkeys(dying) if t in self._names]
        node.deletes.extend(names)
        for tensor, name in zip(op.outputs, node.results, strict=True):
            if name == "_":
                continue
            if tensor in slot_of:
                node.stores.append((slot_of[tensor], name))
            if tensor not in self._last_use:
                node.deletes.append(name)
        return node

    def _result(self, tensor: Tensor) -> str:
        layout = self._layout
        is_read = tensor in self._last_use or tensor in layout.slot_of
        return self._name(tensor) if is_read and tensor not in layout.fed else "_"

    def _variable(self, tensor: Tensor) -> str:
        is_new = tensor not in self._names
        name = self._name(tensor)
        outside = tensor in self._layout.fed or self._pieces.of.get(tensor.op) != self._number
        if is_new and outside:
            self._load(tensor)
        return name

    def _load(self, tensor: Tensor) -> None:
        layout = self._layout
        slot = layout.slot_of[tensor]
        self._loads.append(slot)
        others = [u for u in layout.readers.get(tensor, []) if u is not self._unit]
        is_kept = others or tensor in layout.fetches
        if not is_kept and self._pieces.last[slot] == self._number:
            self._takes.append(slot)
