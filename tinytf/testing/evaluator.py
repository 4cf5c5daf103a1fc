"""The simplest correct way to run a graph: one operation after another, each when it is asked for.

Read this first. There is no plan, no queue, no thread: the value of a fetch needs the values of
its inputs, which need the values of theirs, and every answer is remembered. The real executor
(tinytf.runtime) must agree with it on every graph; property tests hold it to that.

Two things go beyond arithmetic:

  * A value can be *dead*: Switch makes one of its outputs dead, what depends on a dead value is
    dead without having run, and Merge takes the input that is alive. That is a conditional.
  * An operation in a loop has one outcome in each iteration. So what is asked for is an operation
    *and a tag*: () outside of loops, (("outer", 2), ("inner", 0)) in the first iteration of a
    loop that runs in the third of another. Three ops lead from tag to tag:

        Enter          at iteration 0 is its input outside; at later ones dead, if not constant
        NextIteration  at iteration i is its input at i - 1; at iteration 0 it is dead
        Exit           is its input in the first iteration in which that is alive

    Merge needs no rule of its own: in iteration 0 the Enter is alive, later the NextIteration.
    arXiv:1805.01772 describes frames and iterations; TensorFlow's executor pushes values
    forward through the graph, this pulls them, with the same result.
"""

from __future__ import annotations

import itertools
from collections.abc import Generator, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from tinytf.framework.cancellation import CancellationManager
from tinytf.framework.errors import (
    InvalidArgumentError,
    OpError,
    UnimplementedError,
    with_operation,
)
from tinytf.framework.function_library import Function, find_kernel, in_function
from tinytf.framework.kernel_binding import bind
from tinytf.framework.operation import Operation
from tinytf.framework.pending import Pending
from tinytf.framework.tensor import Tensor
from tinytf.resources.manager import ResourceManager
from tinytf.resources.memory import taken
from tinytf.resources.variable import Variable
from tinytf.runtime.live_reads import predicates
from tinytf.runtime.passing_on import passed_inputs, passing_on, takes

ENTERS = frozenset(["Enter", "RefEnter"])
EXITS = frozenset(["Exit", "RefExit"])
NEXT_ITERATIONS = frozenset(["NextIteration", "RefNextIteration"])
MERGES = frozenset(["Merge", "RefMerge"])
SWITCHES = frozenset(["Switch", "RefSwitch"])

Tag = tuple[tuple[bytes, int], ...]
#: Names of loops, one inside the other.
Path = tuple[bytes, ...]


class _Dead:
    def __repr__(self) -> str:
        return "<dead>"


DEAD = _Dead()


class Outcome(NamedTuple):
    """What came of an operation under a tag: its output values, and whether it ran at all.

    Example:
      >>> tinytf.testing.evaluator.Outcome([8]).dead  # False
    """

    values: list[Any]
    dead: bool = False


#: A computation in progress: it yields what it needs to know first, and returns the outcome.
Steps = Generator[tuple[Operation, Tag], None, Outcome]


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
      OpError: what a kernel raised, with its operation; InvalidArgumentError for a fetch that is
        dead, or is inside a loop. AssertionError: if `check` fails.

    Example:
      >>> x = tf.placeholder(tf.float32)
      >>> tinytf.testing.evaluator.evaluate([x * 2.0], {x: 3.0})  # [6.]
    """
    run = _Evaluation(fetches, feeds or {}, resources or ResourceManager(), check)
    with np.errstate(all="ignore"):
        found = [run.fetch(item, position) for position, item in enumerate(fetches)]
        return [_final(value) for value in found]  # a variable is read when all has run


class _Memories:
    """All tensors may be the memory of a variable, but for predicates; see `live_reads`."""

    def __init__(self, frames: dict[Operation, Path]):
        self._values = predicates(list(frames))

    def __contains__(self, tensor: object) -> bool:
        return tensor not in self._values


class _Evaluation:
    """One run; also the step context that kernels see."""

    def __init__(
        self,
        fetches: list[Any],
        feeds: Mapping[Tensor, Any],
        resources: ResourceManager,
        check: bool,
    ):
        self.step_id = 1
        self.cancellation = CancellationManager()
        self.resources = resources
        self.graph = fetches[0].graph if fetches else None
        self.functions = self
        self.scope = ""
        self._feeds = {t: np.asarray(v, t.dtype.as_numpy_dtype) for t, v in feeds.items()}
        self._check = check
        self._outcomes: dict[tuple[Operation, Tag], Outcome] = {}
        self._frames = _frames([getattr(fetch, "op", fetch) for fetch in fetches], self._feeds)
        self._memories = _Memories(self._frames)

    def fetch(self, item: Any, position: int) -> Any:
        """The value of a tensor, or None for an operation, after it has run."""
        if item in self._feeds:
            return self._feeds[item]
        op = item.op if isinstance(item, Tensor) else item
        if len(self._frames[op]) > (op.type in EXITS):
            raise InvalidArgumentError(
                f"{op.name} is inside a loop: it has a value in every iteration.", op
            )
        outcome = self._demand(op, ())
        if not isinstance(item, Tensor):
            return None
        value = outcome.values[item.value_index]
        if value is DEAD:
            raise InvalidArgumentError(f"Retval[{position}] does not have value", op)
        return value

    def run_everywhere(self, op: Operation) -> None:
        """Run an operation, in every iteration if it is inside a loop."""
        for tag in self._tags(self._frames[op]):
            self._demand(op, tag[:-1] if op.type in EXITS else tag)

    def _demand(self, op: Operation, tag: Tag) -> Outcome:
        """The outcome of an operation: recursion, on a stack of its own that cannot overflow."""
        if (op, tag) in self._outcomes:
            return self._outcomes[op, tag]
        stack = [((op, tag), self._steps(op, tag))]
        under_way = {(op, tag)}
        while stack:
            key, steps = stack[-1]
            try:
                need = next(steps)
            except StopIteration as finished:
                self._outcomes[key] = finished.value
                under_way.remove(key)
                stack.pop()
                continue
            if need in under_way:
                raise InvalidArgumentError(f"{need[0].name} depends on itself.", need[0])
            under_way.add(need)
            stack.append((need, self._steps(*need)))
        return self._outcomes[op, tag]

    def _steps(self, op: Operation, tag: Tag) -> Steps:
        if op.type in EXITS:
            return (yield from self._exit_steps(op, tag))
        source = tag  # where inputs are looked up
        if op.type in ENTERS:
            if tag[-1][1] > 0 and not op.attrs["is_constant"]:
                return Outcome([DEAD], dead=True)
            source = tag[:-1]
        elif op.type in NEXT_ITERATIONS:
            frame, iteration = tag[-1]
            if iteration == 0:
                return Outcome([DEAD], dead=True)
            source = (*tag[:-1], (frame, iteration - 1))
        return (yield from self._compute_steps(op, source))

    def _exit_steps(self, op: Operation, tag: Tag) -> Steps:
        path = self._frames[op]
        frame, variables = path[-1], self._loop_variables(path)
        for iteration in itertools.count():
            inside = (*tag, (frame, iteration))
            outcome = yield from self._compute_steps(op, inside)
            if not outcome.dead:
                return outcome
            going_on = False  # the loop is over, or never began, when none of its variables lives
            for merge in variables:
                going_on = self._lives((yield from self._outcome(merge, inside))) or going_on
            if not going_on:
                return outcome
        raise AssertionError("unreachable: count() does not end")

    def _loop_variables(self, path: Path) -> list[Operation]:
        return [
            merge
            for merge, where in self._frames.items()
            if where == path and any(t.op.type in NEXT_ITERATIONS for t in merge.inputs)
        ]

    def _tags(self, path: Path) -> Iterator[Tag]:
        """All iterations in which a loop runs, of all those around it."""
        if not path:
            yield ()
            return
        for outer in self._tags(path[:-1]):
            for iteration in itertools.count():
                tag = (*outer, (path[-1], iteration))
                if not any(self._goes_on(v, tag) for v in self._loop_variables(path)):
                    break
                yield tag

    def _goes_on(self, variable: Operation, tag: Tag) -> bool:
        return self._lives(self._demand(variable, tag))

    def _lives(self, outcome: Outcome) -> bool:
        return not outcome.dead

    def _compute_steps(self, op: Operation, tag: Tag) -> Steps:
        """Everything an operation depends on, then the operation itself, unless it is dead."""
        dead = False
        for control in control_sources(op, self._feeds):
            dead = (yield from self._outcome(control, tag)).dead or dead
        values = []
        for tensor in op.inputs:
            values.append((yield from self._value(tensor, tag)))
        if op.type == "ControlTrigger":
            return Outcome([])
        if not (dead and op.type not in MERGES):
            values = self._taken(op, values)
        if op.type in MERGES:
            alive = [index for index, value in enumerate(values) if value is not DEAD]
            if not alive:
                return Outcome([DEAD, DEAD], dead=True)
            return Outcome([values[alive[0]], np.int32(alive[0])])
        if dead or any(value is DEAD for value in values):
            return Outcome([DEAD] * len(op.outputs), dead=True)
        if op.type in SWITCHES:
            return Outcome([DEAD, values[0]] if values[1] else [values[0], DEAD])
        return Outcome(self._call(op, values))

    def call(self, function: Function, arguments: Sequence[Any], name: str = "") -> list[Any]:
        """For kernels that call a function: its results, from an evaluation of its body."""
        body = function.body
        fetches: list[Any] = [*body.outputs, *body.targets]
        feeds = dict(zip(body.inputs, arguments, strict=True))
        run = _Evaluation(fetches, {}, self.resources, self._check)
        run.scope = f"{self.scope}{name or function.name}/"
        if function.has_own_state():
            run.resources = self.resources.in_call(run.scope)
        run._feeds = feeds
        run._frames = _frames([getattr(fetch, "op", fetch) for fetch in fetches], feeds)
        run._memories = _Memories(run._frames)
        try:
            results = [_final(run.fetch(item, i)) for i, item in enumerate(body.outputs)]
            for op in body.targets:  # what has an effect runs though nobody needs it: in each turn
                run.run_everywhere(op)
            return results
        except OpError as error:
            raise in_function(error, function) from None

    def run(
        self,
        function: Function,
        arguments: Sequence[Any],
        cancellation: CancellationManager | None = None,
        name: str = "",
    ) -> list[Any]:
        """See `FunctionRunner.run`."""
        return self.call(function, arguments, name)

    def _outcome(self, op: Operation, tag: Tag) -> Steps:
        if (op, tag) not in self._outcomes:
            yield op, tag
        return self._outcomes[op, tag]

    def _value(self, tensor: Tensor, tag: Tag) -> Generator[tuple[Operation, Tag], None, Any]:
        """What comes over an edge: a value, a reference, or where in a variable a value stands."""
        if tensor in self._feeds:
            return self._feeds[tensor]
        return (yield from self._outcome(tensor.op, tag)).values[tensor.value_index]

    def _taken(self, op: Operation, values: list[Any]) -> list[Any]:
        """What an operation takes from its edges, now that it runs; `resources.memory` says why."""
        how = [take.function for take in takes(op, self._feeds, self._memories)]
        try:
            return [
                value if take is None or value is DEAD else take(value)
                for value, take in zip(values, how, strict=True)
            ]
        except Exception as error:
            raise with_operation(error, op) from None

    def _call(self, op: Operation, values: list[Any]) -> list[Any]:
        kernel = find_kernel(op)
        if kernel is None:
            raise UnimplementedError(f"{op.type} has no CPU kernel for {op.name}", op)
        arguments = [self, *values] if kernel.wants_step else values
        function = bind(kernel, op, self.resources)
        if any(passed_inputs(op, t.value_index) and t in self._memories for t in op.outputs):
            function = passing_on(op, function, self._memories)
        try:
            result = function(*arguments)
            if isinstance(result, Pending):
                result = _now(result)
        except Exception as error:
            raise with_operation(error, op) from None
        if op.op_def.single_output:
            result = [result]
        outputs = list(result) if op.outputs else []
        if self._check:
            for tensor, value in zip(op.outputs, outputs, strict=True):
                check_value(tensor, taken(value))
        return outputs


def _final(value: Any) -> Any:
    return value.read() if type(value) is Variable else taken(value)


def _now(pending: Pending) -> Any:
    if not pending.done:
        raise UnimplementedError(
            f"It would wait for ever: {pending.waiting_for}. Nothing else runs here."
        )
    return pending.get()


def control_sources(op: Operation, feeds: Mapping[Tensor, Any]) -> list[Operation]:
    """The operations that must have run before `op`: a placeholder that is fed never runs.

    Example:
      >>> with tf.control_dependencies([tf.no_op(name="before")]):
      ...     after = tf.no_op()
      >>> [op.name for op in tinytf.testing.evaluator.control_sources(after, {})]
      ['before']
    """
    return [c for c in op.control_inputs if c.type != "Placeholder" or c.outputs[0] not in feeds]


def _frames(roots: list[Operation], feeds: Mapping[Tensor, Any]) -> dict[Operation, Path]:
    """All operations that `roots` depend on, and the loops they are in, outermost first.

    An Enter counts as inside the loop it enters, an Exit as inside the loop it leaves.
    """
    sources: dict[Operation, list[Operation]] = {}
    users: dict[Operation, list[Operation]] = {}
    todo = list(roots)
    for op in todo:  # grows
        if op not in sources:
            sources[op] = [t.op for t in op.inputs if t not in feeds]
            sources[op] += control_sources(op, feeds)
            for source in sources[op]:
                users.setdefault(source, []).append(op)
            todo.extend(sources[op])
    frames: dict[Operation, Path] = {}
    arrivals: list[tuple[Operation, Path]] = [(op, ()) for op in sources if not sources[op]]
    for op, path in arrivals:  # grows
        if op not in frames:
            frames[op] = path = (*path, op.attrs["frame_name"]) if op.type in ENTERS else path
            below = path[:-1] if op.type in EXITS else path
            arrivals.extend((user, below) for user in users.get(op, ()))
    return frames


def check_value(tensor: Tensor, value: Any) -> None:
    """AssertionError unless a kernel's result has the dtype and shape its tensor promises.

    Example:
      >>> tinytf.testing.evaluator.check_value(tf.constant([1, 2]), np.array([3, 4], np.int32))
    """
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
