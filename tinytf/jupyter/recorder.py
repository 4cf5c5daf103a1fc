"""The observer that writes a `Recording`: it compares the counters before and after each event.

It is called with the executor's lock held, so it is brief: it copies small values and leaves the
sentences for the end. Times exclude it as far as that is possible: a node's time begins when its
call returns and ends when the next one comes.
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from tinytf.framework.operation import Operation
from tinytf.framework.tensor import Tensor
from tinytf.jupyter import recording as recordings
from tinytf.jupyter import words
from tinytf.jupyter.needs import add_needs
from tinytf.jupyter.picture import built_at, feed_key, picture_of, plural
from tinytf.jupyter.recording import Change, Event, Lane, Recording, Run, Shard
from tinytf.jupyter.words import describe_value
from tinytf.runtime.intra_op import take_shards
from tinytf.runtime.iterations import FrameInstance, Iteration, Propagation, Ready
from tinytf.runtime.plan import Kind, Plan, Unit

_LOOPS = (Kind.ENTER, Kind.EXIT, Kind.NEXT_ITERATION)

#: A unit in an iteration.
Place = tuple[Unit, Iteration]


@dataclass(slots=True)
class _Note:
    """An event before it is put into words."""

    kind: str
    time: int
    run: int = -1
    changes: tuple[Change, ...] = ()
    ready: tuple[tuple[int, str, bool], ...] = ()
    values: tuple[tuple[str, Any], ...] = ()
    port: int | None = None


class Recorder:
    """See the module; an `Observer`.

    Args:
      plan: of the step, compiled node by node. session: where it runs. feed_dict: its feeds.
      threads: how many inter-op threads there are.
      steering: what chooses what is taken next, or None.
    """

    def __init__(
        self, plan: Plan, session: Any, feed_dict: dict[Any, Any], threads: int, steering: Any
    ):
        self._plan, self._graph = plan, session.graph
        self._index = {op: n for n, op in enumerate(plan.ops)}
        unit_of = {u.op: u for frame in plan.frames.values() for u in frame.units if u.ops}
        fed = _fed_values(session.graph, feed_dict, plan.ops)
        self._fed = frozenset(fed)
        others = [f"inter-op thread {number}" for number in range(1, threads)]
        self.recording = Recording(
            names=[op.name for op in plan.ops],
            counters=[_needed(unit_of[op]) for op in plan.ops],
            fed={feed_key(tensor): text for tensor, text in fed.items()},
            picture=picture_of(plan.ops, fed),
            threads=["calling thread", *others],
            lanes=_lanes(plan, session),
            lines=[_line(op) for op in plan.ops],
            types=[op.type for op in plan.ops],
            order="" if steering is None else steering.title,
        )
        self._steering = steering
        self._has_takes = threads > 1
        self._start = 0
        self._is_over = False
        self._notes: list[_Note] = []
        self._thread_of = {threading.get_native_id(): 0}
        self._intra_op_of: dict[int, int] = {}
        self._ready_at: dict[Place, int] = {}
        #: What runs or waits in its kernel, with its number in `recording.runs`.
        self._open: dict[Place, int] = {}
        #: What each thread runs.
        self._current: dict[int, Place] = {}
        self._chosen: dict[int, int | None] = {}
        self._frame_of: list[tuple[bytes, ...]] = []
        #: iteration -> its counters as last seen. The iteration itself is kept, so that no other
        #: one can get its identity.
        self._seen: dict[Iteration, list[int]] = {}
        self._labels: dict[Iteration, str] = {}
        if steering is not None:
            steering.begin(self)

    @property
    def has_started(self) -> bool:
        """Whether the step has begun."""
        return bool(self._notes)

    # Observer ---------------------------------------------------------------------------------

    def started(self, propagation: Propagation, ready: list[Ready]) -> None:
        """See `Observer`."""
        root = propagation.root.iterations[0]
        self._seen[root] = [_remaining(unit, root) for unit in self._plan.root.units]
        self._notes.append(_Note("start", 0, ready=self._queued(ready, 0)))
        self._start = time.perf_counter_ns()

    def running(self, unit: Unit, iteration: Iteration, dead: bool) -> None:
        """See `Observer`."""
        if self._is_over:
            return
        thread = threading.get_native_id()
        self._note_block(thread)
        place = unit, iteration
        label = self.label(iteration)
        if self._steering is not None:
            self._steering.taken(unit.op.name, label, dead)
        ready = self._ready_at.pop(place, 0)
        if self._is_full():
            self.recording.cut += self._has_takes
            return
        number = len(self.recording.runs)
        lane = self._thread_of.setdefault(thread, len(self._thread_of))
        if lane >= len(self.recording.threads):  # a pool may replace a thread that was idle
            self.recording.threads.append(f"inter-op thread {lane}")
        run = Run(self._index[unit.op], label, unit.lane, lane, ready, 0)
        self.recording.runs.append(run)
        self._frame_of.append(iteration.frame.plan.key)
        self._chosen[number] = iteration.arrived.get(unit.index)
        self._open[place] = number
        self._current[thread] = place
        if self._has_takes:
            self._notes.append(_Note("take", time.perf_counter_ns() - self._start, number))
            self._notes[-1].time = run.taken = time.perf_counter_ns() - self._start
        else:
            run.taken = time.perf_counter_ns() - self._start

    def finished(
        self, unit: Unit, iteration: Iteration, results: Any, dead: bool, ready: list[Ready]
    ) -> None:
        """See `Observer`."""
        now = time.perf_counter_ns() - self._start
        if self._is_over:
            return
        thread, place = threading.get_native_id(), (unit, iteration)
        if self._current.get(thread) != place:
            self._note_block(thread)
        number = self._open.pop(place, -1)
        was_waiting = self._current.get(thread) != place
        self._current = {t: p for t, p in self._current.items() if p != place}
        if number < 0 or self._is_full():
            self.recording.cut += 1
            return
        run = self.recording.runs[number]
        run.blocked = run.blocked or was_waiting
        run.ended, run.kind = now, "skip" if dead else "run"
        run.shards = () if run.blocked else self._shards(run.taken)
        changes = self._changes(unit, iteration, ready)
        port = results[1] if unit.kind is Kind.SWITCH and not dead else None
        values = () if dead else _values(unit, results)
        queued = self._queued(ready, now)
        self._notes.append(_Note(run.kind, now, number, changes, queued, values, port))

    def _note_block(self, thread: int) -> None:
        """What was running has not finished, but its thread goes on: the kernel waits."""
        place = self._current.pop(thread, None)
        if place is None or self._is_full():
            return
        number = self._open[place]
        self.recording.runs[number].blocked = True
        self._notes.append(_Note("block", time.perf_counter_ns() - self._start, number))

    def _is_full(self) -> bool:
        return len(self._notes) >= recordings.MOST_EVENTS

    def _queued(self, ready: list[Ready], now: int) -> tuple[tuple[int, str, bool], ...]:
        for unit, iteration, _ in ready:
            self._ready_at[unit, iteration] = now
        return tuple((self._index[u.op], self.label(i), dead) for u, i, dead in ready)

    def _shards(self, taken: int) -> tuple[Shard, ...]:
        shards = []
        for thread, start, end in take_shards(taken + self._start):
            lane = -1
            if thread != threading.get_native_id():
                lane = self._intra_op_of.setdefault(thread, len(self._intra_op_of))
            shards.append(Shard(lane, start - self._start, end - self._start))
        return tuple(shards)

    # For steering -----------------------------------------------------------------------------

    @property
    def is_running(self) -> bool:
        """Whether other threads are in the middle of something."""
        return bool(self._current)

    def waits_for(self, name: str, label: str) -> str:
        """Why a node is not ready: "it still waits for 2 inputs (b, v)"."""
        node = self.recording.names.index(name)
        runs = [run for run in self.recording.runs if run.node == node]
        if any(run.iteration == label or not label for run in runs) and not self._seen_again(node):
            return "is running" if runs[-1].ended < 0 else "has run already"
        root = next(iter(self._seen))
        unit = next((u for u in root.frame.plan.units if u.ops and u.op.name == name), None)
        if unit is None or unit.index >= len(root.waiting):
            return "still waits for inputs in its loop"
        count = _remaining(unit, root)
        done = {run.node for run in self.recording.runs if run.ended >= 0}
        sources = [t.op for t in unit.op.inputs if t not in self._fed]
        sources += unit.op.control_inputs
        missing = dict.fromkeys(
            op.name for op in sources if op in self._index and self._index[op] not in done
        )
        told = f" ({', '.join(missing)})" if missing else ""
        return f"still waits for {plural(count, 'input')}{told}"

    def _seen_again(self, node: int) -> bool:
        """Whether a node belongs to a loop: then it may run again."""
        op = self._plan.ops[node]
        return all(unit.ops != [op] for unit in self._plan.root.units)

    def is_in_graph(self, name: str) -> bool:
        """Whether the graph has an operation of this name."""
        return any(op.name == name for op in self._graph.get_operations())

    # The ends ---------------------------------------------------------------------------------

    def failed(self, error: BaseException) -> Recording:
        """The step raised."""
        now = time.perf_counter_ns() - self._start
        number = self._guilty(error)
        if number >= 0:
            run = self.recording.runs[number]
            run.ended, run.kind = now, "fail"
        self.recording.error = error
        return self._written(_Note("fail" if number >= 0 else "end", now, number))

    def _guilty(self, error: BaseException) -> int:
        """The run that raised an error, -1 if none did."""
        running = [number for _, number in self._open.items()]
        op = getattr(error, "op", None)
        for number in running:
            if op is not None and self.recording.names[self.recording.runs[number].node] == op.name:
                return number
        held = [self._open[place] for place in self._current.values()]
        return held[0] if op is None and len(held) == 1 and len(running) == 1 else -1

    def ended(self, values: Any) -> Recording:
        """The step is over."""
        now = time.perf_counter_ns() - self._start
        self.recording.values = values
        return self._written(_Note("end", now))

    def _written(self, last: _Note) -> Recording:
        self._is_over = True
        recording = self.recording
        recording.intra_op = [f"intra-op thread {n + 1}" for n in range(len(self._intra_op_of))]
        add_needs(recording, self._plan, self._fed, self._frame_of, self._chosen)
        self._notes.append(last)
        for note in self._notes:
            recording.events.append(self._event(note))
        self._seen.clear()
        self._labels.clear()
        return recording

    # Counters -----------------------------------------------------------------------------------

    def _changes(self, unit: Unit, iteration: Iteration, ready: list[Ready]) -> tuple[Change, ...]:
        """Counters that an event changed, in all iterations that are alive."""
        before = self._seen.get(iteration)
        frame = iteration.frame
        is_simple = unit.kind not in _LOOPS and before is not None
        if is_simple and (frame.parent is None or iteration.outstanding):
            # It told its own consumers, in its own iteration, and nobody else.
            assert before is not None
            touched = sorted({index for edges in unit.edges.values() for index, _ in edges})
            changes = []
            for index in touched:
                count = _remaining(frame.plan.units[index], iteration)
                if count != before[index]:
                    before[index] = count
                    changes.append(self._change(frame.plan.units[index], count, iteration))
            return tuple(changes)
        return self._all_changes([iteration, *(i for _, i, _ in ready)])

    def _all_changes(self, hints: list[Iteration]) -> tuple[Change, ...]:
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
                    changes.append(self._change(unit, count, iteration))
            if iteration.frame.iterations.get(iteration.index) is iteration:
                self._seen[iteration] = now
            else:
                self._seen.pop(iteration, None)
                self._labels.pop(iteration, None)
        return tuple(changes)

    def _change(self, unit: Unit, count: int, iteration: Iteration) -> Change:
        return Change(self._index[unit.op], count, self.label(iteration))

    def label(self, iteration: Iteration) -> str:
        """Nothing outside of loops, "3" in a loop's iteration 3, "3.0" in one nested in that."""
        label = self._labels.get(iteration)
        if label is None:
            parent = iteration.frame.parent
            outer = "" if parent is None else self.label(parent)
            label = "" if parent is None else f"{outer}.{iteration.index}".lstrip(".")
            self._labels[iteration] = label
        return label

    # Words --------------------------------------------------------------------------------------

    def _event(self, note: _Note) -> Event:
        recording = self.recording
        run = recording.runs[note.run] if note.run >= 0 else None
        values = tuple(
            f"{name} = {value if isinstance(value, str) else describe_value(*value)}"
            for name, value in note.values
        )
        node, iteration = (-1, "") if run is None else (run.node, run.iteration)
        ready = tuple((node, label) for node, label, _ in note.ready)
        text = self._text(note, run, values)
        return Event(
            note.kind, node, iteration, note.changes, ready, values, text, note.time, note.run
        )

    def _text(self, note: _Note, run: Run | None, values: tuple[str, ...]) -> str:
        recording = self.recording
        names = recording.names
        if note.kind == "start":
            return words.beginning([names[node] for node, _, _ in note.ready])
        title = "The step" if run is None else self._title(run)
        if recording.error is not None and note is self._notes[-1]:
            first = str(recording.error).partition("\n")[0]
            return f"{title} failed with {type(recording.error).__name__}: {first}"
        if run is None:
            return self._last_words()
        thread = recording.threads[run.thread]
        if note.kind == "take":
            return f"{title} is taken from the queue: {words.on_thread(thread)} runs it."
        if note.kind == "block":
            return f"{title} waits inside its kernel; others may run."
        if note.kind == "skip":
            text = f"{title} was skipped: it lies on a path that is not taken."
        else:
            text = words.ran_text(title, note.port, values)
        waiting = [
            (names[change.node], change.count)
            for change in note.changes
            if 0 < change.count < recording.counters[change.node]
        ]
        alive = [names[node] for node, _, dead in note.ready if not dead]
        skipped = [names[node] for node, _, dead in note.ready if dead]
        return text + words.consequences(waiting, alive, skipped)

    def _last_words(self) -> str:
        recording = self.recording
        if recording.cut:
            return words.cut_text(len(self._notes) - 1, recording.cut)
        kinds = [note.kind for note in self._notes]
        text = words.ending(kinds.count("run"), kinds.count("skip"))
        return text + (self._steering.left_over() if self._steering is not None else "")

    def _title(self, run: Run) -> str:
        op = self._plan.ops[run.node]
        where = f", iteration {run.iteration}" if run.iteration else ""
        return f"{op.name} ({op.type}{where})"


def _needed(unit: Unit) -> int:
    """What a unit waits for in a fresh iteration. A Merge needs one live input, not all."""
    return unit.waits_for + (1 if unit.kind is Kind.MERGE else 0)


def _remaining(unit: Unit, iteration: Iteration) -> int:
    waiting = iteration.waiting[unit.index]
    if unit.kind is not Kind.MERGE:
        return waiting
    return 0 if waiting < 0 else waiting + (0 if unit.index in iteration.arrived else 1)


def _values(unit: Unit, results: Any) -> tuple[tuple[str, Any], ...]:
    """The outputs with their values, as they are now."""
    op: Operation = unit.op
    if unit.kind is Kind.SWITCH:
        value, port = results
        return ((op.outputs[port].name, _kept(value)),)
    pairs = zip(op.outputs, results or (), strict=False)
    return tuple((tensor.name, _kept(value)) for tensor, value in pairs)


def _kept(value: Any) -> Any:
    """A value that nobody changes any more, with its shape, or the words for it."""
    if isinstance(value, np.generic):
        return value, ()
    if isinstance(value, np.ndarray):
        return words.corners_of(value), value.shape
    return describe_value(value)


def _fed_values(graph: Any, feed_dict: dict[Any, Any], ops: list[Operation]) -> dict[Tensor, str]:
    from tinytf.session.feeds import Feed, expand_feeds, resolve_feed

    used = {tensor for op in ops for tensor in op.inputs}
    values = {}
    for key, value in expand_feeds(feed_dict):
        tensor = resolve_feed(graph, key)
        if tensor in used:
            values[tensor] = f"{tensor.name} = {describe_value(Feed(tensor).convert(value))}"
    return values


def _lanes(plan: Plan, session: Any) -> list[Lane]:
    simulated = {d.name for d in session.list_devices() if "Simulated" in d.description}
    lanes = []
    for name in plan.lanes:
        device, _, stream = name.partition("/stream:")  # copies to and from a GPU: lanes, too
        short = device.rpartition("device:")[2] or "CPU:0"
        lanes.append(Lane(short, ":GPU:" in name, device in simulated, stream))
    return lanes


def _line(op: Operation) -> str:
    """The user's line that built an operation: "In[2], line 5"."""
    line = built_at(op)
    return "" if line is None else f"{line.file}, line {line.line}"
