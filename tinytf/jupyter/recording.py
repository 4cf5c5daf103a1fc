"""One step of the real executor, written down: which node ran, every counter, the ready queue.

The step runs once, in the given session, with its variables: node by node and unoptimised (an
optimised step would have folded a lesson's graph away). What is kept are counters and short texts,
no arrays, so a recording may outlive the session.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tinytf.framework.operation import Operation
from tinytf.framework.stacks import default_sessions, session_for
from tinytf.framework.tensor import Tensor
from tinytf.jupyter.picture import Picture, feed_key, picture_of, plural
from tinytf.resources.variable import Variable
from tinytf.runtime.executor import Observer
from tinytf.runtime.iterations import FrameInstance, Iteration, Propagation, Ready
from tinytf.runtime.plan import Kind, Plan, Unit
from tinytf.session.session import Session

#: What is recorded at most. A step may be longer; it is run to its end in any case.
MOST_EVENTS = 2000
#: A node waits, is ready, has run; is blocked in a kernel that waits; was skipped; has failed.
WAITING, READY, DONE, BLOCKED, SKIPPED, FAILED, FED = (
    "waiting", "ready", "done", "blocked", "skipped", "failed", "fed",
)  # fmt: skip

_STATE_AFTER = {"run": DONE, "skip": SKIPPED, "block": BLOCKED, "fail": FAILED}

_VALUE_LENGTH = 72


@dataclass(frozen=True, slots=True)
class Change:
    """A node's counter in one iteration, after an event: how many inputs it still waits for."""

    node: int
    count: int
    iteration: str


@dataclass(frozen=True, slots=True)
class Event:
    """What happened, and what it changed.

    Attributes:
      kind: "start", "run", "skip", "block", "fail" or "end".
      node: index into `Recording.names`; -1 for the start and the end.
      iteration: of loops around the node: "3", "2.5" in nested ones, "" outside of loops.
      changes: counters that went down, and those of an iteration that began.
      ready: (node, iteration) that joined the ready queue, in order.
      values: what the node computed: "x:0 = float32 () 3.0".
      text: all of it in a sentence.
    """

    kind: str
    node: int
    iteration: str
    changes: tuple[Change, ...]
    ready: tuple[tuple[int, str], ...]
    values: tuple[str, ...]
    text: str


@dataclass(slots=True)
class Recording:
    """A step as it happened.

    Attributes:
      names: the operations of the pruned graph, in an order in which they could run.
      counters: what each waits for when the step begins; the same order.
      fed: the keys of nodes that stand for fed values, with these values in words.
      picture: the drawing of it all.
      events: in order; the first is the start.
      values: what was fetched, in the structure of the fetches; None if the step failed.
      error: what the step raised, or None.
      cut: how many further events happened that were not recorded.
    """

    names: list[str]
    counters: list[int]
    fed: dict[str, str]
    picture: Picture
    events: list[Event] = field(default_factory=list)
    values: Any = None
    error: BaseException | None = None
    cut: int = 0

    @property
    def is_complete(self) -> bool:
        """Whether every event was recorded."""
        return self.cut == 0

    def counts_after(self, number: int) -> dict[str, int]:
        """The counter of every node after event `number`: in the iteration seen last."""
        counts = dict(zip(self.names, self.counters, strict=True))
        for event in self.events[: number + 1]:
            for change in event.changes:
                counts[self.names[change.node]] = change.count
        return counts

    def states_after(self, number: int) -> dict[str, str]:
        """The state of every node after event `number`, likewise."""
        ended = {}
        for event in self.events[: number + 1]:
            if event.node >= 0:
                ended[self.names[event.node]] = _STATE_AFTER[event.kind]
        queued = {name for name, _ in self.queue_after(number)}
        states = dict.fromkeys(self.fed, FED)
        for name, count in self.counts_after(number).items():
            # In a loop, a node that has run may already wait for its next iteration.
            waits = count > 0 or name not in ended
            states[name] = READY if name in queued else WAITING if waits else ended[name]
        return states

    def queue_after(self, number: int) -> list[tuple[str, str]]:
        """The ready queue after event `number`: (node, iteration), the next one first."""
        queue: list[tuple[int, str]] = []
        for event in self.events[: number + 1]:
            if (event.node, event.iteration) in queue:
                queue.remove((event.node, event.iteration))
            queue.extend(event.ready)
        return [(self.names[node], iteration) for node, iteration in queue]


def record(fetches: Any, feed_dict: Any = None, session: Any = None) -> Recording:
    """Run a step once and write down how it went.

    Args:
      fetches, feed_dict: as for `Session.run`.
      session: a local session; by default the default one, or one made for this step.

    Returns:
      the recording. A step that failed has its error in `Recording.error`.

    Raises:
      ValueError, TypeError: for a session of another graph, and for fetches and feeds that make
        no sense.
      UnimplementedError: for a session whose steps run on a server.

    Example:
      >>> recording = record(total, session=sess)  # doctest: +SKIP
      >>> recording.events[1].text  # doctest: +SKIP
      'a (Const) ran: a:0 = float32 () 3.0. total still waits for 1 input.'
    """
    graph = graph_of(fetches)
    if session is None and default_sessions.top() is None:
        # Nothing was computed yet, so no session's variables can be meant: one for this step does.
        with Session(graph=graph) as session:
            return record(fetches, feed_dict, session)
    session = session_for(graph, session, "watch a step", "watch()")
    recorders: list[_Recorder] = []

    def make_observer(plan: Plan) -> Observer:
        recorders.append(_Recorder(plan, session.graph, feed_dict or {}))
        return recorders[0]

    try:
        values = session.observe(fetches, make_observer, feed_dict)
    except Exception as error:
        if not recorders or not recorders[0].recording.events:
            raise  # nothing ran: the fetches or feeds are to blame
        recorders[0].failed(error)
        return recorders[0].recording
    recorders[0].ended(values)
    return recorders[0].recording


def graph_of(fetches: Any) -> Any:
    """The graph of the first fetch that has one; the default graph if all are names."""
    from tinytf.framework.stacks import get_default_graph, get_default_session

    items = [fetches]
    while items:
        item = items.pop(0)
        if isinstance(item, dict):
            items.extend(item.values())
        elif isinstance(item, list | tuple):
            items.extend(item)
        elif getattr(item, "graph", None) is not None:
            return item.graph
    session = get_default_session()
    return get_default_graph() if session is None else session.graph


# ------------------------------------------------------------------------------------ the observer


class _Recorder:
    """The executor tells it what happens; it compares the counters before and after."""

    def __init__(self, plan: Plan, graph: Any, feed_dict: dict[Any, Any]):
        self._plan = plan
        self._index = {op: n for n, op in enumerate(plan.ops)}
        unit_of = {u.op: u for frame in plan.frames.values() for u in frame.units if u.ops}
        fed = _fed_values(graph, feed_dict, plan.ops)
        self.recording = Recording(
            names=[op.name for op in plan.ops],
            counters=[_needed(unit_of[op]) for op in plan.ops],
            fed={feed_key(tensor): text for tensor, text in fed.items()},
            picture=picture_of(plan.ops, fed),
        )
        self._instances: list[FrameInstance] = []
        #: iteration -> its counters as last seen. The iteration itself is kept, so that no other
        #: one can get its identity.
        self._seen: dict[Iteration, list[int]] = {}
        self._labels: dict[Iteration, str] = {}
        self._current: tuple[Unit, Iteration] | None = None

    # Observer ---------------------------------------------------------------------------------

    def started(self, propagation: Propagation, ready: list[Ready]) -> None:
        root = propagation.root.iterations[0]
        self._seen[root] = [_remaining(unit, root) for unit in self._plan.root.units]
        names = [unit.op.name for unit, _, _ in ready]
        text = f"The step begins. {_listed(names)} {_wait(names)} for nothing: ready to run."
        self._add("start", -1, "", (), ready, (), text)

    def running(self, unit: Unit, iteration: Iteration, dead: bool) -> None:
        self._note_block()
        self._current = (unit, iteration)

    def finished(
        self, unit: Unit, iteration: Iteration, results: Any, dead: bool, ready: list[Ready]
    ) -> None:
        if self._current != (unit, iteration):
            self._note_block()
        self._current = None
        if len(self.recording.events) >= MOST_EVENTS:
            self.recording.cut += 1
            return
        changes = self._changes([iteration, *(i for _, i, _ in ready)])
        values = () if dead else tuple(_values(unit, results))
        text = self._sentence(unit, iteration, results, dead, changes, ready, values)
        kind = "skip" if dead else "run"
        node = self._index[unit.op]
        self._add(kind, node, self._label(iteration), changes, ready, values, text)

    def _note_block(self) -> None:
        """What was running has not finished, but the executor went on: its kernel waits."""
        if self._current is None:
            return
        (unit, iteration), self._current = self._current, None
        text = f"{self._title(unit, iteration)} waits inside its kernel; others may run."
        self._add("block", self._index[unit.op], self._label(iteration), (), [], (), text)

    # The ends ---------------------------------------------------------------------------------

    def failed(self, error: BaseException) -> None:
        """The step raised."""
        self.recording.error = error
        first = str(error).partition("\n")[0]
        node, iteration, name = -1, "", "The step"
        if self._current is not None:
            unit, where = self._current
            node, iteration = self._index[unit.op], self._label(where)
            name = self._title(unit, where)
        self._add("fail" if node >= 0 else "end", node, iteration, (), [], (),
                  f"{name} failed with {type(error).__name__}: {first}")  # fmt: skip

    def ended(self, values: Any) -> None:
        """The step is over."""
        recording = self.recording
        recording.values = values
        ran = sum(event.kind == "run" for event in recording.events)
        skipped = sum(event.kind == "skip" for event in recording.events)
        text = f"The step is over: {plural(ran, 'operation')} ran"
        text += f", {skipped} skipped." if skipped else "."
        if recording.cut:
            text = (
                f"The recording ends here, after {plural(len(recording.events), 'event')}. The "
                f"step went on for {recording.cut:,} more. Watch a smaller part: fewer fetches, or "
                f"fewer iterations."
            )
        self._add("end", -1, "", (), [], (), text)

    # Counters -----------------------------------------------------------------------------------

    def _changes(self, hints: list[Iteration]) -> tuple[Change, ...]:
        """Counters that changed, in all iterations that are alive."""
        alive = dict.fromkeys(self._seen)
        for iteration in hints:
            frame: FrameInstance | None = iteration.frame
            while frame is not None:
                alive.update(dict.fromkeys(frame.iterations.values()))
                frame = frame.parent.frame if frame.parent is not None else None
        changes = []
        for iteration in alive:
            units = iteration.frame.plan.units
            before = self._seen.get(iteration)
            now = [_remaining(unit, iteration) for unit in units]
            for unit, count in zip(units, now, strict=True):
                # An iteration that is new starts over: its counters are full again.
                if count != (_needed(unit) if before is None else before[unit.index]) or (
                    before is None and count > 0
                ):
                    changes.append(Change(self._index[unit.op], count, self._label(iteration)))
            if iteration.frame.iterations.get(iteration.index) is iteration:
                self._seen[iteration] = now
            else:
                self._seen.pop(iteration, None)
                self._labels.pop(iteration, None)
        return tuple(changes)

    def _label(self, iteration: Iteration) -> str:
        """Nothing outside of loops, "3" in a loop's iteration 3, "3.0" in one nested in that."""
        label = self._labels.get(iteration)
        if label is None:
            parent = iteration.frame.parent
            outer = "" if parent is None else self._label(parent)
            label = "" if parent is None else f"{outer}.{iteration.index}".lstrip(".")
            self._labels[iteration] = label
        return label

    # Words --------------------------------------------------------------------------------------

    def _add(
        self, kind: str, node: int, iteration: str, changes: tuple[Change, ...],
        ready: list[Ready], values: tuple[str, ...], text: str,
    ) -> None:  # fmt: skip
        queue = tuple((self._index[unit.op], self._label(where)) for unit, where, _ in ready)
        self.recording.events.append(Event(kind, node, iteration, changes, queue, values, text))

    def _title(self, unit: Unit, iteration: Iteration) -> str:
        label = self._label(iteration)
        where = f", iteration {label}" if label else ""
        return f"{unit.op.name} ({unit.op.type}{where})"

    def _sentence(
        self, unit: Unit, iteration: Iteration, results: Any, dead: bool,
        changes: tuple[Change, ...], ready: list[Ready], values: tuple[str, ...],
    ) -> str:  # fmt: skip
        title = self._title(unit, iteration)
        if dead:
            text = f"{title} was skipped: it lies on a path that is not taken."
        elif unit.kind is Kind.SWITCH:
            way = "output 1, the true side" if results[1] else "output 0, the false side"
            text = f"{title} sent its input to {way}; the other output is dead."
        elif values:
            text = f"{title} ran: {'; '.join(values)}."
        else:
            text = f"{title} ran."
        names = self.recording.names
        waiting = [
            f"{names[c.node]} still waits for {plural(c.count, 'input')}"
            for c in changes
            if 0 < c.count < self.recording.counters[c.node]
        ]
        if waiting and len(waiting) <= 3:
            text += f" {'; '.join(waiting)}."
        alive = [u.op.name for u, _, is_dead in ready if not is_dead]
        skipped = [u.op.name for u, _, is_dead in ready if is_dead]
        if alive:
            text += f" {_listed(alive)} {'is' if len(alive) == 1 else 'are'} ready now."
        if skipped:
            text += f" {_listed(skipped)} will be skipped."
        return text


def _needed(unit: Unit) -> int:
    """What a unit waits for in a fresh iteration. A Merge needs one live input, not all."""
    return unit.waits_for + (1 if unit.kind is Kind.MERGE else 0)


def _remaining(unit: Unit, iteration: Iteration) -> int:
    waiting = iteration.waiting[unit.index]
    if unit.kind is not Kind.MERGE:
        return waiting
    return 0 if waiting < 0 else waiting + (0 if unit.index in iteration.arrived else 1)


def _listed(names: list[str]) -> str:
    if len(names) > 4:
        return f"{', '.join(names[:3])} and {len(names) - 3} more"
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]])) if names else "Nothing"


def _wait(names: list[str]) -> str:
    return "waits" if len(names) == 1 else "wait"


# ------------------------------------------------------------------------------------------ values


def _values(unit: Unit, results: Any) -> list[str]:
    op: Operation = unit.op
    if unit.kind is Kind.SWITCH:
        value, port = results
        return [f"{op.outputs[port].name} = {describe_value(value)}"]
    pairs = zip(op.outputs, results or (), strict=False)
    return [f"{tensor.name} = {describe_value(value)}" for tensor, value in pairs]


def describe_value(value: Any) -> str:
    """A value in a few words: type, shape and what fits of the content."""
    if isinstance(value, Variable):
        held = describe_value(value.read()) if value.is_initialized else "not initialized"
        return f"variable {value.name} ({held})"
    if not isinstance(value, np.ndarray | np.generic):
        return f"a {type(value).__name__}"
    array = np.asarray(value)
    kind = "string" if array.dtype == np.dtype(object) else array.dtype.name
    with np.printoptions(precision=4, threshold=8, edgeitems=2, linewidth=10_000, suppress=True):
        text = " ".join(str(array).split())
    if len(text) > _VALUE_LENGTH:
        text = text[: _VALUE_LENGTH - 1] + "…"
    return f"{kind} {_shape_text(array.shape)}{text}"


def _shape_text(shape: tuple[int, ...]) -> str:
    return f"{shape} " if shape else ""


def _fed_values(graph: Any, feed_dict: dict[Any, Any], ops: list[Operation]) -> dict[Tensor, str]:
    from tinytf.session.feeds import Feed, expand_feeds, resolve_feed

    used = {tensor for op in ops for tensor in op.inputs}
    values = {}
    for key, value in expand_feeds(feed_dict):
        tensor = resolve_feed(graph, key)
        if tensor in used:
            values[tensor] = f"{tensor.name} = {describe_value(Feed(tensor).convert(value))}"
    return values
