"""A loop, written out as Python; see `loops` for what it looks like."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tinytf.framework.operation import Operation
from tinytf.framework.tensor import Tensor
from tinytf.runtime.chunks import ChunkWriter
from tinytf.runtime.codegen import NodeCode, SegmentFunction, link, node_line
from tinytf.runtime.frames import EXIT
from tinytf.runtime.loops import Loop, loop_value
from tinytf.runtime.plan import Unit

if TYPE_CHECKING:
    from tinytf.runtime.compiler import Compiler


class LoopWriter(ChunkWriter):
    """Writes a loop; what is known of chunks (names, constants, loads) it takes from there."""

    def __init__(
        self,
        compiler: Compiler,
        unit: Unit,
        readers: dict[Tensor, list[Unit]],
        loop: Loop,
    ):
        super().__init__(compiler, unit, readers, {}, 0, dict.fromkeys(loop.ops, 0))
        self._loop = loop
        self._variable = {merge: f"m{number}" for number, merge in enumerate(loop.merges)}
        self._constant_enters = {op for op in loop.enters if op.attrs["is_constant"]}

    def compile(self, record: Callable[[list[Operation]], Any] | None) -> SegmentFunction:
        """The function of the loop."""
        loop, trace = self._loop, record is not None
        starts = [
            f"{name} = {self._outside(merge.inputs[0].op.inputs[0])}"
            for merge, name in self._variable.items()
        ]
        repeated = self._nodes(loop.repeated)
        body = self._nodes(loop.body)
        nodes = [*repeated, *body]
        lines = [
            *(f"  {node_line(number, node, trace)}" for number, node in enumerate(repeated)),
            f"  if not {self._test()}: break",
            *(
                f"  {node_line(number, node, trace)}"
                for number, node in enumerate(body, len(repeated))
            ),
            f"  {self._next()}",
        ]
        head = ["def segment(s, v):", " " + "; ".join([*self._loads(), *starts, "n = 0"])]
        head += [" while True:", "  check(s, n); n += 1"]
        numbers = [len(head) + 1 + i for i in range(len(repeated))]
        numbers += [len(head) + len(repeated) + 2 + i for i in range(len(body))]
        source = "\n".join([*head, *lines, " " + self._ends()])
        namespace = {**self._chunk.constants, "check": _check_function(loop)}
        recorder = record([node.op for node in nodes]) if record is not None else None
        return link(source, nodes, namespace, recorder, numbers)

    def _nodes(self, ops: list[Operation]) -> list[NodeCode]:
        # No value is deleted: each is replaced in the next iteration, or goes with the function.
        needed = [op for op in ops if op.type not in ("Const", "NoOp")]
        last_use = {tensor: -1 for op in self._loop.ops for tensor in op.inputs}
        return [self._node(number, op, last_use) for number, op in enumerate(needed)]

    def _argument(self, tensor: Tensor, takes_reference: bool) -> str:
        merge = loop_value(tensor, self._loop)
        if merge is not None:
            return self._variable[merge]
        if tensor.op in self._constant_enters:
            return self._outside(tensor.op.inputs[0])
        if tensor.op is self._loop.condition:
            return self._argument(tensor.op.inputs[0], takes_reference)
        return super()._argument(tensor, takes_reference)

    def _outside(self, tensor: Tensor) -> str:
        """What an Enter takes: a constant, or a variable loaded from its slot at the start."""
        if self._compiler.is_inline(tensor):
            return self._constant(tensor.op)
        name = self._names.get(tensor)
        if name is None:
            name = self._name(tensor)
            self._chunk.loads.append(self._compiler.slot_of[tensor])
        return name

    def _loads(self) -> list[str]:
        return [f"v{slot} = v[{slot}]" for slot in dict.fromkeys(self._chunk.loads)]

    def _test(self) -> str:
        assert self._loop.condition is not None
        return self._argument(self._loop.condition.inputs[0], False)

    def _next(self) -> str:
        names = list(self._variable.values())
        values = [self._argument(m.inputs[1].op.inputs[0], False) for m in self._variable]
        moved = [(n, v) for n, v in zip(names, values, strict=True) if n != v]
        if not moved:
            return "pass"
        return f"{', '.join(n for n, _ in moved)} = {', '.join(v for _, v in moved)}"

    def _ends(self) -> str:
        slots = self._compiler.slot_of
        stores = [
            f"v[{slots[op.outputs[0]]}] = {self._argument(op.inputs[0], False)}"
            for op in self._loop.ops
            if op.type in EXIT
            and op.outputs[0] in slots
            and op.outputs[0] not in self._compiler.fed
        ]
        return "; ".join(stores) or "pass"


def _check_function(loop: Loop) -> Callable[[Any, int], None]:
    """What the loop calls in every iteration, so that it can be ended from outside."""
    condition = loop.condition

    def check(step: Any, number: int) -> None:
        if step.cancellation.is_cancelled or step.deadline is not None:
            step.check(condition, f", in iteration {number} of the loop")

    return check
