"""What is inside a loop, put in order: under which conditions, and what comes after what.

A conditional inside a loop consists of Switches, one for each value that its branches take from
outside, and Merges. The code of a loop has no dead values: what a dead value would not let run
stands under an `if`. So for each operation we need its *guard*: the set of literals (predicate,
value) that must hold for it to run, which is the union of the guards of its inputs. An output of a
Switch adds a literal; a Merge of both branches of one predicate takes it away again:

    guard(Switch(x, p):1) = guard(x) | guard(p) | {p is true}
    guard(x + y)          = guard(x) | guard(y)
    guard(Merge(a, b))    = G    if guard(a) = G | {p is true}, guard(b) = G | {p is false}

The condition of the loop is such a predicate, too: what has its literal in the guard is the body.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable

from tinytf.framework.operation import Operation
from tinytf.framework.tensor import Tensor
from tinytf.runtime.frames import EXIT, MERGE, SWITCH
from tinytf.runtime.loop_parts import Literal, Loop, NotWritable, Path, Step

Guard = frozenset[Literal]
Node = Operation | Loop

#: More conditions inside each other than anybody writes; Python's limit is a hundred.
_DEEPEST = 40
_ALWAYS: Guard = frozenset()
#: They may run though something behind them is dead.
_REVIVES = MERGE | EXIT | {"ControlTrigger"}


def arrange(
    loop: Loop,
    position: dict[Operation, int],
    behind: dict[Operation, Guard],
    live: frozenset[Tensor],
) -> None:
    """Fill in `loop.repeated` and `loop.body`.

    Args:
      position: the place of each operation in the plan's order.
      behind: what `conditions_behind` found. live: tensors that carry a variable's memory.

    Raises:
      NotWritable: if the loop's conditionals are not nested properly, or something is neither
        before nor after the test of its condition.
    """
    order = _Order(loop, position)
    guards = Guards(loop, order.nodes, behind, live)
    repeated: list[tuple[Node, int]] = []
    body: list[tuple[Node, int]] = []
    goes_on = (loop.condition.outputs[0], 1)
    in_body: set[Node] = set()
    for node in order.nodes:
        guard = guards.of_node[node]
        if guard is None:
            continue  # it never runs
        if goes_on in guard or (_triggers(node) and not in_body.isdisjoint(order.sources[node])):
            in_body.add(node)
        part = body if node in in_body else repeated
        if isinstance(node, Operation) and node.type in MERGE:
            part.extend((node, source) for source in guards.alive_inputs(node))
        part.append((node, -1))
    paths = _Paths(guards, goes_on, position)
    for nodes, steps in ((repeated, loop.repeated), (body, loop.body)):
        steps[:] = _in_blocks(nodes, paths, order, steps is loop.body)


def _triggers(node: Node) -> bool:
    """A ControlTrigger runs whatever has become of what it waits for; it does nothing itself."""
    return isinstance(node, Operation) and node.type == "ControlTrigger"


class _Order:
    """The nodes of a loop, each loop inside being one, producers first.

    Attributes:
      nodes: in order. sources: for each, the nodes it waits for.
    """

    def __init__(self, loop: Loop, position: dict[Operation, int]):
        self._home: dict[Operation, Node] = {op: op for op in loop.own}
        for inner in loop.inner:
            self._home.update(dict.fromkeys(inner.ops, inner))
        self.sources: dict[Node, set[Node]] = {op: self._sources_of([op]) for op in loop.own}
        for inner in loop.inner:
            self.sources[inner] = self._sources_of(inner.enters)
        self.position: dict[Node, int] = {op: position[op] for op in loop.own}
        self.position.update({inner: position[inner.ops[0]] for inner in loop.inner})
        self.nodes = self._sorted()

    def _sources_of(self, ops: Iterable[Operation]) -> set[Node]:
        sources: set[Node] = set()
        for op in ops:
            for source in [tensor.op for tensor in op.inputs] + list(op.control_inputs):
                if source in self._home:
                    sources.add(self._home[source])
        return sources

    def source_of(self, tensor: Tensor) -> Node | None:
        """The node that computes a tensor; None for loop variables and what comes in."""
        return self._home.get(tensor.op)

    def _sorted(self) -> list[Node]:
        consumers: dict[Node, list[Node]] = {}
        waiting = {}
        for node, sources in self.sources.items():
            waiting[node] = len(sources)
            for source in sources:
                consumers.setdefault(source, []).append(node)
        ready = [(self.position[node], node) for node, count in waiting.items() if not count]
        heapq.heapify(ready)
        result: list[Node] = []
        while ready:
            _, node = heapq.heappop(ready)
            result.append(node)
            for consumer in consumers.get(node, ()):
                waiting[consumer] -= 1
                if not waiting[consumer]:
                    heapq.heappush(ready, (self.position[consumer], consumer))
        if len(result) < len(waiting):
            raise NotWritable("a loop inside can start only when it is over")
        return result


class Guards:
    """The guard of every node of a loop; None for what never runs.

    Raises:
      NotWritable: if it takes more than a set of literals to say when something runs.
    """

    def __init__(
        self, loop: Loop, nodes: list[Node], behind: dict[Operation, Guard], live: frozenset[Tensor]
    ):
        self._loop, self._behind, self._live = loop, behind, live
        self.of_node: dict[Node, Guard | None] = {}
        self._inner = {exit: inner for inner in loop.inner for exit in inner.exits}
        #: predicates from outside whose value is known, since the loop does not run otherwise
        self._values: dict[Tensor, int | None] = {}
        for node in nodes:
            self.of_node[node] = self._guard(node)
        goes_on = (loop.condition.outputs[0], 1)
        ends = (loop.condition.outputs[0], 0)
        for op in loop.nexts:
            if self._union([op]) != frozenset([goes_on]):
                raise NotWritable(f"{op.name} does not run in every iteration")
        if self.of_node[loop.condition] != _ALWAYS:
            raise NotWritable("its condition depends on a conditional, or on itself")
        if any(guard is not None and ends in guard for guard in self.of_node.values()):
            raise NotWritable("something besides an Exit runs when the loop is over")

    def _guard(self, node: Node) -> Guard | None:
        if isinstance(node, Loop):
            return self._of_loop(node)
        if node.type in MERGE:
            return self._of_merge(node)
        if node.type == "ControlTrigger":
            return _ALWAYS
        return self._union([node])

    def of_tensor(self, tensor: Tensor) -> Guard | None:
        """When a tensor of the loop's frame has a value."""
        op = tensor.op
        node: Node = self._inner.get(op, op)
        guard = self.of_node.get(node, _ALWAYS)  # a variable of the loop, or one of its constants
        if op.type not in SWITCH or guard is None:
            return guard
        predicate = known_as(op.inputs[1], self._live)
        if predicate not in self._values:
            self._values[predicate] = self._value_of(predicate)
        known = self._values[predicate]
        if known is None:
            return _consistent(guard | {(predicate, tensor.value_index)})
        return guard if known == tensor.value_index else None

    def _value_of(self, predicate: Tensor) -> int | None:
        """What a predicate from outside is whenever the loop runs, if that can be told.

        The gradient of a loop in a branch asks again, in every iteration, whether the branch was
        taken.
        """
        around: Loop | None = self._loop
        while around is not None and predicate.op in around.enters:
            predicate = known_as(predicate.op.inputs[0], self._live)
            for value in (0, 1):
                if any((predicate, value) in self._behind[op] for op in around.enters):
                    return value
            around = around.outer
        return None

    def _union(self, ops: Iterable[Operation]) -> Guard | None:
        parts: list[Guard | None] = []
        for op in ops:
            parts.extend(self.of_tensor(tensor) for tensor in op.inputs)
            for control in op.control_inputs:
                parts.append(self.of_node.get(self._inner.get(control, control), _ALWAYS))
        result: set[Literal] = set()
        for part in parts:
            if part is None:
                return None
            result |= part
        return _consistent(frozenset(result))

    def _of_loop(self, inner: Loop) -> Guard | None:
        guard = self._union(inner.enters)
        variables = {self._union([op]) for op in inner.enters if not op.attrs["is_constant"]}
        if variables == {guard}:
            return guard
        # Some of its variables come in though it is not to run. That does no harm if the condition
        # is dead then: nothing follows but what else is computed before the condition is tested.
        pure = all(_is_pure(step.what) for step in inner.repeated)
        if self._union(_enters_behind(inner, inner.condition)) != guard or not pure:
            raise NotWritable("a loop inside may start with some of its variables only")
        return guard

    def alive_inputs(self, merge: Operation) -> list[int]:
        """Which inputs of a Merge can have a value."""
        return [n for n, tensor in enumerate(merge.inputs) if self.of_tensor(tensor) is not None]

    def _of_merge(self, merge: Operation) -> Guard | None:
        guards = [self.of_tensor(merge.inputs[n]) for n in self.alive_inputs(merge)]
        alive = [guard for guard in guards if guard is not None]
        if len(alive) < 2:
            return alive[0] if alive else None
        first, second = alive[0] - alive[1], alive[1] - alive[0]
        if len(alive) > 2 or len(first) != 1 or len(second) != 1:
            raise NotWritable(f"{merge.name} does not join the two sides of one predicate")
        (one,), (other,) = first, second
        if one != (other[0], 1 - other[1]):
            raise NotWritable(f"{merge.name} joins sides of two predicates")
        return alive[0] & alive[1]


def _is_pure(node: Node) -> bool:
    return isinstance(node, Operation) and not node.op_def.is_stateful


def _enters_behind(loop: Loop, op: Operation) -> list[Operation]:
    """The Enters whose values an operation of a loop depends on, in the first iteration."""
    found: dict[Operation, None] = {}
    inside = {*loop.own, *loop.merges}
    pending, seen = [op], {op}
    while pending:
        current = pending.pop()
        sources = [t.op for t in current.inputs[: 1 if current in loop.merges else None]]
        for source in [*sources, *current.control_inputs]:
            if source in inside and source not in seen:
                seen.add(source)
                pending.append(source)
            elif source in loop.enters:
                found[source] = None
    return list(found)


def conditions_behind(ops: list[Operation], live: frozenset[Tensor]) -> dict[Operation, Guard]:
    """For each operation, literals without which it is dead: the Switches behind it.

    Args:
      ops: in topological order. live: tensors that carry a variable's memory.
    """
    result: dict[Operation, Guard] = {}
    for op in ops:
        guard = _ALWAYS
        if op.type not in _REVIVES:
            for tensor in op.inputs:
                source = tensor.op
                if behind := result.get(source):
                    guard = guard | behind if guard else behind
                if source.type in SWITCH:
                    guard |= {(known_as(source.inputs[1], live), tensor.value_index)}
            for control in op.control_inputs:
                guard |= result.get(control, _ALWAYS)
        result[op] = guard
    return result


def known_as(predicate: Tensor, live: frozenset[Tensor]) -> Tensor:
    """The tensor whose value a predicate is: the same for all that pass it on."""
    while predicate.op.type == "Identity" or predicate.op.type in SWITCH:
        if predicate.op.inputs[0].dtype.is_ref or predicate.op.inputs[0] in live:
            break  # it is read then and there
        predicate = predicate.op.inputs[0]
    return predicate


def _consistent(guard: Guard) -> Guard | None:
    return None if any((pred, 1 - value) in guard for pred, value in guard) else guard


class _Paths:
    """Guards as nested conditions: a predicate that is computed first is tested first."""

    def __init__(self, guards: Guards, goes_on: Literal, position: dict[Operation, int]):
        self._guards, self._goes_on, self._position = guards, goes_on, position

    def of(self, node: Node, source: int) -> Path:
        """The path of a node, or of a Merge's taking an input."""
        guard = self._guards.of_node[node]
        if source >= 0:
            assert isinstance(node, Operation)
            guard = self._guards.of_tensor(node.inputs[source])
        assert guard is not None
        literals = [literal for literal in guard if literal != self._goes_on]
        if len(literals) > _DEEPEST:
            raise NotWritable("too many conditions inside each other")
        return tuple(sorted(literals, key=lambda literal: self._position[literal[0].op]))


def _in_blocks(
    nodes: list[tuple[Node, int]], paths: _Paths, order: _Order, is_body: bool
) -> list[Step]:
    """Put nodes in an order in which those under the same conditions are together."""
    known = set(nodes)
    needs: dict[tuple[Node, int], set[tuple[Node, int]]] = {}
    for node, source in nodes:
        if source >= 0:
            assert isinstance(node, Operation)
            before = order.source_of(node.inputs[source])
            wanted = set() if before is None else {(before, -1)}
        else:
            wanted = {(before, -1) for before in order.sources[node]}
            wanted |= {(node, n) for n in range(_inputs_of_merge(node)) if (node, n) in known}
            if not is_body and not wanted <= known:
                # Before the test of the condition nothing can wait for the body; what never runs
                # delays nobody.
                wanted_nodes = {w for w, _ in wanted - known}
                if any(paths._guards.of_node[w] is not None for w in wanted_nodes):
                    raise NotWritable(f"{node} needs the body, but does not belong to it")
        needs[node, source] = wanted & known
    steps = [Step(node, path, source) for node, path, source in _blocks(needs, paths, order)]
    return [step for step in steps if step.source >= 0 or not _inputs_of_merge(step.what)]


def _inputs_of_merge(node: Node) -> int:
    return len(node.inputs) if isinstance(node, Operation) and node.type in MERGE else 0


def _blocks(
    needs: dict[tuple[Node, int], set[tuple[Node, int]]], paths: _Paths, order: _Order
) -> Iterable[tuple[Node, Path, int]]:
    """List scheduling: stay under the same conditions as long as something there is ready."""
    consumers: dict[tuple[Node, int], list[tuple[Node, int]]] = {}
    waiting = {}
    path_of: dict[tuple[Node, int], Path] = {}
    ready: dict[Path, list[tuple[int, int, Node]]] = {}

    def is_ready(item: tuple[Node, int]) -> None:
        node, source = item
        heapq.heappush(ready.setdefault(path_of[item], []), (order.position[node], source, node))

    for item, wanted in needs.items():
        path_of[item] = paths.of(*item)
        waiting[item] = len(wanted)
        for other in wanted:
            consumers.setdefault(other, []).append(item)
    for item, count in waiting.items():
        if not count:
            is_ready(item)
    path: Path = ()
    done = 0
    while ready:
        if path not in ready:
            path = min(ready, key=_distance_from(path, ready))
        _, source, node = heapq.heappop(ready[path])
        if not ready[path]:
            del ready[path]
        yield node, path, source
        done += 1
        for item in consumers.get((node, source), ()):
            waiting[item] -= 1
            if not waiting[item]:
                is_ready(item)
    if done < len(needs):
        raise NotWritable("its conditionals wait for each other")


def _distance_from(
    current: Path, ready: dict[Path, list[tuple[int, int, Node]]]
) -> Callable[[Path], tuple[int, bool, int]]:
    """How to choose where to go on: further inside, then in the other branch, then outside."""

    def distance(path: Path) -> tuple[int, bool, int]:
        common = 0
        while common < min(len(path), len(current)) and path[common] == current[common]:
            common += 1
        other_branch = (
            len(path) > common == len(current) - 1 and path[common][0] is current[common][0]
        )
        return -common, not other_branch, ready[path][0][0]

    return distance
