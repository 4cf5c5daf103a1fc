"""`depends_on`, `does_not_depend_on`: which operation waits for which, by the graph alone."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterator
from typing import Any, Literal, NamedTuple

from tinytf.framework import dtypes
from tinytf.framework.kernel_binding import reference_inputs
from tinytf.framework.operation import Operation
from tinytf.framework.stacks import get_default_graph
from tinytf.framework.tensor import Tensor
from tinytf.grading.assertions.plain_values import plain, shown
from tinytf.grading.authoring import Wrong
from tinytf.runtime.pruning import is_fed_placeholder

By = Literal["any", "data", "control"]
_MOST_NAMES = 8
_BY_CONTROL = "by a control dependency, for"
_WORDS = {"any": "waits for", "data": "is computed from", "control": f"waits, {_BY_CONTROL}"}
_INFINITIVES = {"any": "wait for", "data": "take a value of", "control": f"wait, {_BY_CONTROL}"}


class Hop(NamedTuple):
    """One operation of a path, and whether the one before waits for it by a control edge."""

    op: Operation
    is_control: bool


def operation(thing: Any, is_start: bool = False) -> Operation:
    """The operation meant by a tensor, a variable, an operation or a name.

    Args:
      is_start: whether what a step of it does is meant: of a variable, that it is read.

    Raises:
      Wrong: for anything else: an answer has returned it.
    """
    if isinstance(thing, str):
        thing = get_default_graph().as_graph_element(thing)
    if is_start and hasattr(thing, "_as_graph_element"):
        thing = thing._as_graph_element()
    found = thing if isinstance(thing, Operation) else getattr(thing, "op", None)
    if not isinstance(found, Operation):
        raise Wrong(
            "This is no part of a graph",
            "a tensor, an operation or a variable",
            shown(plain(thing)),
            hint="is what was built also returned?",
        )
    return found


def named(op: Operation) -> str:
    """As messages name an operation: "total (AddV2)"."""
    return f"{op.name} ({op.type})"


def needed_by(op: Operation, fed: Collection[Tensor] = ()) -> Iterator[Hop]:
    """What an operation waits for, directly; a value that is fed needs nobody."""
    yield from (Hop(tensor.op, False) for tensor in op.inputs if tensor not in fed)
    known = frozenset(fed)
    yield from (Hop(c, True) for c in op.control_inputs if not is_fed_placeholder(c, known))


def path(
    start: Operation,
    goal: Operation,
    by: By = "any",
    fed: Collection[Tensor] = (),
    around: bool = True,
) -> list[Hop]:
    """A shortest way from an operation back to one that it waits for; [] if there is none.

    Args:
      around: whether what a loop carries around counts: to wait for the iteration before.
    """
    # By "control": whether a control edge was on the way makes another state of an operation.
    first = (start, False)
    came: dict[tuple[Operation, bool], tuple[tuple[Operation, bool], bool] | None] = {first: None}
    front = deque([first])
    while front:
        state = front.popleft()
        for op, is_control in needed_by(state[0], fed):
            if is_control and by == "data":
                continue
            if not around and op.type.endswith("NextIteration"):
                continue
            following = (op, by == "control" and (is_control or state[1]))
            is_there = op is goal and (by != "control" or following[1])
            if is_there:  # `goal` may be `start`, in a loop
                return [*_way(came, state), Hop(op, is_control)]
            if following not in came:
                came[following] = state, is_control
                front.append(following)
    return []


def _way(came: dict[Any, Any], state: Any) -> list[Hop]:
    hops = []
    while came[state] is not None:
        before, is_control = came[state]
        hops.append(Hop(state[0], is_control))
        state = before
    return [Hop(state[0], False), *reversed(hops)]


def path_text(hops: list[Hop]) -> str:
    """A path as text: "total ← square ← ^save": a "^" is a control dependency."""
    names = [("^" if hop.is_control else "") + hop.op.name for hop in hops]
    if len(names) > _MOST_NAMES:
        names[4:-3] = [f"... {len(names) - 7} more ..."]
    return " ← ".join(names)


def depends_on(op: Any, other: Any, by: By = "any", *, hint: str = "") -> None:
    """An operation waits for another one, directly or through others, in every schedule.

    Args:
      op, other: tensors, operations, variables or names. To wait for a variable is to use it: its
        handle, or what holds its value. Of a variable as `op`, what reads it is meant.
      by: "data": each takes the value of the next. "control": at least one control dependency is
        on the way. "any": either.
      hint: what to think about, instead of what is found in the graph.

    Raises:
      Wrong: naming both, and what comes nearest: a path of the other kind, or the other way round.
      ValueError: for another `by`.

    Example:
      >>> x, save = tf.constant(3.0), tf.no_op(name="save")
      >>> with tf.control_dependencies([save]):
      ...     late = tf.identity(x, name="late")
      >>> tinytf.grading.depends_on(late, save, by="control")
      >>> try:
      ...     tinytf.grading.depends_on(save, late)
      ... except tinytf.grading.Wrong as wrong:
      ...     print(wrong.message, "/", wrong.hint)
      save (NoOp) does not wait for late (Identity) / it is the other way round: late ← ^save
    """
    start, goal = _ends(op, other, by)
    if start is goal:
        what = f"{named(start)} stands for both: it cannot wait for itself"
        raise Wrong(what, "two operations, of which one waits for the other", "one", hint=hint)
    if not path(start, goal, by):
        what = f"{named(start)} does not {_INFINITIVES[by]} {named(goal)}"
        wanted = f"{start.name} {_WORDS[by]} {goal.name}"
        raise Wrong(what, wanted, _needs_text(start), hint=hint or _nearest(start, goal))


def does_not_depend_on(op: Any, other: Any, by: By = "any", *, hint: str = "") -> None:
    """An operation does not wait for another one, neither directly nor through others.

    Args:
      op, other, by: as for `depends_on`. hint: what to think about.

    Raises:
      Wrong: showing the path from the one to the other. ValueError: for another `by`.

    Example:
      >>> x = tf.constant(2.0, name="x")
      >>> y = tf.square(x, name="y")
      >>> tinytf.grading.does_not_depend_on(x, y)
      >>> try:
      ...     tinytf.grading.does_not_depend_on(y, x)
      ... except tinytf.grading.Wrong as wrong:
      ...     print(wrong)
      y (Square) waits for x (Const); expected it does not, got y ← x
    """
    start, goal = _ends(op, other, by)
    if start is goal:
        raise Wrong(f"{named(start)} stands for both", "two operations", "one", hint=hint)
    found = path(start, goal, by)
    if found:
        if not hint and any(hop.is_control for hop in found):
            hint = (
                "a ^ is a control dependency: what is built inside of "
                "tf.control_dependencies([...]) waits for what is in the list"
            )
        text = f"{named(start)} {_WORDS[by]} {named(goal)}"
        raise Wrong(text, "it does not", path_text(found), hint=hint)


def _ends(op: Any, other: Any, by: str) -> tuple[Operation, Operation]:
    if by not in _WORDS:
        raise ValueError(f'by must be "any", "data" or "control"; got {by!r}')
    start, goal = operation(op, is_start=True), operation(other)
    if start.graph is not goal.graph:
        hint = "who made another tf.Graph(), or called tf.reset_default_graph()?"
        what = f"{named(start)} and {named(goal)} are in two graphs"
        raise Wrong(what, "one graph", "two", hint=hint)
    return start, goal


def _nearest(start: Operation, goal: Operation) -> str:
    """What there is instead of the path that was looked for."""
    if found := path(start, goal):
        kind = "by a control dependency (^)" if any(h.is_control for h in found) else "by values"
        return f"it waits for it {kind} only: {path_text(found)}"
    if found := path(goal, start):
        return f"it is the other way round: {path_text(found)}"
    shared = [op.name for op in _resources(start) if op in _resources(goal)]
    if shared:
        return (
            f"both use {shared[0]}, but that gives them no order: put the one into "
            f"tf.control_dependencies, and build the other inside of it"
        )
    return (
        "an operation waits for its inputs, and for what was in the list of the "
        "tf.control_dependencies block in which it was built"
    )


def _needs_text(op: Operation) -> str:
    hops = list(dict.fromkeys(needed_by(op)))
    if not hops:
        return "it waits for nothing"
    names = ", ".join(("^" if hop.is_control else "") + hop.op.name for hop in hops[:_MOST_NAMES])
    more = f" and {len(hops) - _MOST_NAMES} more" if len(hops) > _MOST_NAMES else ""
    return f"it waits for {names}{more}"


def _resources(op: Operation) -> list[Operation]:
    """The variables, queues and the like that an operation and all that it waits for use."""
    seen, front, found = {op}, [op], list[Operation]()
    while front:
        one = front.pop()
        for tensor, by_reference in zip(one.inputs, reference_inputs(one), strict=True):
            if (by_reference or tensor.dtype == dtypes.resource or tensor.dtype.is_ref) and (
                not tensor.op.inputs and tensor.op not in found
            ):
                found.append(tensor.op)
        new = [hop.op for hop in needed_by(one) if hop.op not in seen]
        seen.update(new)
        front += new
    return found
