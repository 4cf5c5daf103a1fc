"""A loop, written out as Python; see `loops` for what it looks like."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tinytf.framework.errors import OpError, with_operation
from tinytf.framework.operation import Operation
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_value import truth
from tinytf.runtime.code_writer import CodeWriter
from tinytf.runtime.codegen import NodeCode, SegmentFunction, link, node_line
from tinytf.runtime.frames import ENTER, EXIT, MERGE, SWITCH
from tinytf.runtime.layout import Layout, is_hoisted
from tinytf.runtime.loop_parts import Loop, Path, Step
from tinytf.runtime.passing_on import Take, takes

#: They compute nothing: no line.
_SILENT = frozenset({"NoOp", "ControlTrigger", "LoopCond"})
#: Values of up to so many elements stay until the next iteration replaces them.
_SMALL = 100


class LoopWriter(CodeWriter):
    """Writes a loop, with those inside it, as one function.

    Args:
      layout: of the step. loop: what is written.
    """

    def __init__(self, layout: Layout, loop: Loop):
        super().__init__(layout)
        self._loop = loop
        self._inside = set(loop.ops)
        self._traced = False
        #: the variable of each loop variable, by its Merge
        self._variable_of: dict[Operation, str] = {}
        #: operations that only pass on what they get: no line, unless a variable has to be read
        self._copied: set[Operation] = set()
        self._read = {tensor for op in loop.ops for tensor in op.inputs}
        self._lines: list[str] = []
        self._numbers: list[int] = []
        self._checks: dict[str, Any] = {"true": np.True_, "false": np.False_}
        #: the numbers of the loops around the line that is written
        self._around: list[int] = []
        #: conditions whose block was last begun with `else`
        self._else_blocks: set[tuple[int, Path]] = set()
        #: the block that is being written, and how many there are: bodies of loops, branches
        self._block = self._block_count = 0
        #: where values come from that may take much room, and where all are taken last
        self._made_in: dict[str, int] = {}
        self._taken: dict[str, tuple[int, int]] = {}

    def compile(self, record: Callable[[list[Operation]], Any] | None) -> SegmentFunction:
        """The function of the loop."""
        self._traced = record is not None
        self._lines = ["def segment(s, v):", ""]
        self._write(self._loop, 1)
        self._lines.append(" " + self._ends())
        self._delete_large_values()
        loads = [f"v{slot} = v[{slot}]" for slot in dict.fromkeys(self._loads)]
        self._lines[1] = " " + ("; ".join(loads) or "pass")
        namespace = {**self._constants, **self._checks}
        recorder = None if record is None else record([node.op for node in self._nodes])
        return link("\n".join(self._lines), self._nodes, namespace, recorder, self._numbers)

    # Lines ------------------------------------------------------------------------------------

    def _write(self, loop: Loop, depth: int) -> None:
        """A loop, this one or one inside, `depth` spaces from the left."""
        number = len(self._checks)
        self._checks[f"check{number}"] = _check_function(loop)
        for op in loop.enters:
            if op.attrs["is_constant"]:
                self._write_copy(op, depth)
        variables: dict[Operation, str] = {}
        for merge in loop.merges:
            name = variables[merge] = f"m{len(self._variable_of) + len(variables)}"
            self._line(f"{name} = {self._entering(merge, 0)}", depth)
        self._variable_of.update(variables)
        self._line(f"n{number} = 0", depth)
        self._line("while True:", depth)
        around, self._block = self._block, self._new_block()
        self._around.append(number)
        self._line(f"check{number}(s, n{number}); n{number} += 1", depth + 1)
        self._write_steps(loop.repeated, depth + 1)
        decides = self._decides(
            self._input(loop.condition, 0), loop.condition.outputs[0], depth + 1
        )
        self._line(f"if not {decides}: break", depth + 1)
        self._write_steps(loop.body, depth + 1)
        following = [self._entering(merge, 1) for merge in loop.merges]
        moved = [(n, v) for n, v in zip(variables.values(), following, strict=True) if n != v]
        if moved:
            names, values = (", ".join(part) for part in zip(*moved, strict=True))
            self._line(f"{names} = {values}", depth + 1)
        self._block = around
        self._around.pop()

    def _new_block(self) -> int:
        self._block_count += 1
        return self._block_count

    def _delete_large_values(self) -> None:
        """Where a value was made in the same block as it is taken last, it goes at once."""
        for name, (line, block) in self._taken.items():
            if self._made_in.get(name) == block and not self._lines[line].endswith(":"):
                self._lines[line] += f"; del {name}"

    def _line(self, text: str, depth: int) -> None:
        self._lines.append(" " * depth + text)

    def _write_steps(self, steps: list[Step], depth: int) -> None:
        path: Path = ()
        blocks = [self._block]
        for step in steps:
            if isinstance(step.what, Operation) and self._is_silent(step.what):
                continue
            self._open(path, step.path, depth, blocks)
            path = step.path
            inside = depth + len(path)
            if isinstance(step.what, Loop):
                self._write(step.what, inside)
            elif step.what.type in MERGE:
                self._write_merge(step.what, step.source, inside)
            elif step.what.type in SWITCH:
                self._write_copy(step.what, inside)
            else:
                self._write_node(self._call(step.what), inside)
        self._block = blocks[0]

    def _is_silent(self, op: Operation) -> bool:
        if op.type in SWITCH:
            return self._takes(op, 0) is Take.AS_IS
        return op.type in _SILENT or is_hoisted(op) or self._is_alias(op)

    def _is_alias(self, op: Operation) -> bool:
        """An Identity is another name for what it gets; a trace shows it, though."""
        is_same = op.type == "Identity" and self._takes(op, 0) is Take.AS_IS
        return is_same and not self._traced

    def _open(self, old: Path, new: Path, depth: int, blocks: list[int]) -> None:
        """Go from under some conditions to under others; `blocks` are those around."""
        common = 0
        while common < min(len(old), len(new)) and old[common] == new[common]:
            common += 1
        del blocks[common + 1 :]
        for level in range(common, len(new)):
            self._block = blocks[-1]
            predicate, value = new[level]
            follows = level == common < len(old) and old[level][0] is predicate
            if follows and (depth, old[: level + 1]) not in self._else_blocks:
                self._else_blocks.add((depth, new[: level + 1]))
                text = "else:"
            else:
                self._else_blocks.discard((depth, new[: level + 1]))
                reads = predicate.dtype.is_ref and predicate not in self._layout.fed
                test = self._argument(predicate, Take.READ if reads else Take.AS_IS)
                test = self._decides(test, predicate, depth + level)
                text = f"if {'' if value else 'not '}{test}:"
            self._line(text, depth + level)
            blocks.append(self._new_block())
        self._block = blocks[-1]

    def _decides(self, test: str, predicate: Tensor, depth: int) -> str:
        """What a condition goes by: true and false alone; all else is looked at."""
        name = f"truth{len(self._checks)}"
        self._checks[name] = _truth_function(self._decided(predicate))
        if not test.isidentifier():
            self._line(f"p{name} = {test}", depth)
            test = f"p{name}"
        return f"({test} is true or {test} is not false and {name}({test}))"

    def _decided(self, predicate: Tensor) -> Operation:
        """The first Switch that goes by a predicate."""
        switches = (op for op in self._loop.ops if op.type in SWITCH)
        return next((op for op in switches if op.inputs[1] is predicate), predicate.op)

    def _write_node(self, node: NodeCode, depth: int) -> None:
        self._adapt(node)
        counters = "".join(f"n{number}, " for number in self._around)
        self._line(node_line(len(self._nodes), node, self._traced, f"({counters})"), depth)
        self._nodes.append(node)
        self._numbers.append(len(self._lines))

    def _write_merge(self, merge: Operation, source: int, depth: int) -> None:
        text = f"{self._name(merge.outputs[0])} = {self._input(merge, source)}"
        if merge.outputs[1] in self._read:
            index = f"i{source}"
            self._constants[index] = np.int32(source)
            text += f"; {self._name(merge.outputs[1])} = {index}"
        self._line(text, depth)

    def _write_copy(self, op: Operation, depth: int) -> None:
        """Of an Enter or Switch that reads a variable: its value now, or where that is."""
        if self._takes(op, 0) is Take.AS_IS:
            return
        name = f"x{len(self._copied)}"
        value = self._input(op, 0)
        self._copied.add(op)
        for tensor in op.outputs:
            self._names[tensor] = name
        self._write_node(NodeCode(op, None, [], [], False, False, [], []), depth)
        self._lines[-1] = " " * depth + f"{name} = {value}"

    # Values -----------------------------------------------------------------------------------

    def _entering(self, merge: Operation, number: int) -> str:
        """What the Enter or NextIteration before a Merge gets, as the Merge takes it."""
        before = merge.inputs[number].op
        return self._takes(merge, number).value.format(self._input(before, 0))

    def _input(self, op: Operation, position: int) -> str:
        """An input of an operation, as it takes it."""
        return self._argument(op.inputs[position], self._takes(op, position))

    def _takes(self, op: Operation, position: int) -> Take:
        return takes(op, self._layout.fed, self._layout.live)[position]

    def _variable(self, tensor: Tensor) -> str:
        """One that somebody has set before."""
        op = tensor.op
        if op not in self._inside or tensor in self._layout.fed:
            return self._outside(tensor)
        if op in self._variable_of:
            return self._variable_of[op]
        passes_on = op.type in ENTER or op.type in EXIT or op.type in SWITCH
        if (passes_on or op.type == "LoopCond" or self._is_alias(op)) and op not in self._copied:
            return self._value(op.inputs[0])
        name = self._name(tensor)
        self._taken[name] = (len(self._lines), self._block)
        return name

    def _outside(self, tensor: Tensor) -> str:
        """What comes into the outermost loop: loaded from its slot at the start."""
        name = self._names.get(tensor)
        if name is None:
            name = self._name(tensor)
            self._loads.append(self._layout.slot_of[tensor])
        return name

    def _result(self, tensor: Tensor) -> str:
        if tensor not in self._read:
            return "_"
        name = self._name(tensor)
        size = tensor.shape.num_elements()
        if size is None or size > _SMALL:
            self._made_in[name] = self._block
        return name

    def _ends(self) -> str:
        slots = self._layout.slot_of
        stores = [
            f"v[{slots[op.outputs[0]]}] = {self._input(op, 0)}"
            for op in self._loop.exits
            if op.outputs[0] in slots and op.outputs[0] not in self._layout.fed
        ]
        return "; ".join(stores) or "pass"


def _check_function(loop: Loop) -> Callable[[Any, int], None]:
    """What the loop calls in every iteration, so that it can be ended from outside."""
    condition = loop.condition

    def check(step: Any, number: int) -> None:
        if step.cancellation.is_cancelled or step.deadline is not None:
            step.check(condition, f", in iteration {number} of the loop")

    return check


def _truth_function(op: Operation) -> Callable[[Any], bool]:
    """`truth`, whose error names an operation."""

    def check(value: Any) -> bool:
        try:
            return truth(value)
        except OpError as error:
            raise with_operation(error, op) from None

    return check
