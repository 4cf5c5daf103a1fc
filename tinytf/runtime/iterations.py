"""What exists only while a step runs: instances of frames, their iterations, and their counters.

`Propagation` is the pure part of the executor: told that a unit is done, it updates counters and
answers which units are ready now. It has no threads, no clock and runs no kernel, so it can be
tested, stepped and drawn. TensorFlow: PropagatorState in core/common_runtime/propagator_state.cc.
"""

from __future__ import annotations

from typing import Any

from tinytf.runtime.frames import FrameKey, frame_number
from tinytf.runtime.plan import NOT_A_MERGE_INPUT, FramePlan, Kind, Plan, Unit
from tinytf.runtime.segments import CONTROL, DATA


class Iteration:
    """One iteration of a frame instance.

    Attributes:
      values: slot -> value. waiting: unit -> tokens still to come. uses: slot -> reads to come.
      dead: units with a dead input. arrived: Merge -> the data input that came alive.
      dead_inputs: Merge -> how many data inputs came dead.
      outstanding: units ready or running. children: frame instances that started here.
    """

    __slots__ = """
        arrived children dead dead_inputs frame index outstanding uses values waiting
    """.split()

    def __init__(self, frame: FrameInstance, index: int):
        plan = frame.plan
        self.frame = frame
        self.index = index
        self.values: list[Any] = plan.values.copy()
        self.waiting: list[int] = plan.waiting.copy()
        self.uses: list[int] = plan.uses.copy()
        self.dead: set[int] = set()
        self.arrived: dict[int, int] = {}
        self.dead_inputs: dict[int, int] = {}
        self.outstanding = 0
        self.children = 0

    @property
    def key(self) -> str:
        """How the keys of transfers between tasks name it, "0:0" outside of loops."""
        return f"{self.frame.number}:{self.index}"

    @property
    def numbers(self) -> tuple[int, ...]:
        """Of the loops around what runs in it, the outermost first; () outside of loops."""
        around = self.frame.parent
        return () if around is None else (*around.numbers, self.index)


class FrameInstance:
    """One execution of a loop: a static frame, entered from one iteration of its parent.

    Attributes:
      parent: the iteration it was entered from; None for the root.
      iterations: the live ones, by number. started: how many were ever started.
      enters_to_come: Enter nodes that have not fired yet.
      invariants: values valid in every iteration: (slot, value, dead, the Enter).
      deferred: values for an iteration that may not start yet: (NextIteration unit, value).
      live_exits: Exits that fired; the others leave dead when the frame ends.
    """

    __slots__ = """
        _number deferred enters_to_come invariants iterations live_exits parent plan started
    """.split()

    def __init__(self, plan: FramePlan, parent: Iteration | None):
        self.plan = plan
        self.parent = parent
        self.iterations: dict[int, Iteration] = {0: Iteration(self, 0)}
        self.started = 1
        self.enters_to_come = plan.enters
        self.invariants: list[tuple[int, Any, bool, Unit]] = []
        self.deferred: list[tuple[Unit, Any]] = []
        self.live_exits: set[int] = set()
        self._number: int | None = None

    @property
    def number(self) -> int:
        """TensorFlow's number for it, the same in all tasks that run a part of the loop."""
        number = self._number
        if number is None:  # threads may work it out at once: what is not yet right is not stored
            number, around = 0, self.parent
            if around is not None:
                number = frame_number(around.frame.number, around.index, self.plan.key[-1])
            self._number = number
        return number

    @property
    def name(self) -> str:
        """The names of the loops, outermost first."""
        return "/".join(part.decode() for part in self.plan.key) or "root"


#: A unit ready to run in an iteration: (unit, iteration, whether it is dead).
Ready = tuple[Unit, Iteration, bool]


class Propagation:
    """The counters of one step. Not thread-safe: the executor holds its lock around every call."""

    def __init__(self, plan: Plan):
        self._plan = plan
        self.root = FrameInstance(plan.root, None)
        self._instances: dict[tuple[FrameKey, int], FrameInstance] = {}
        #: Child plans by parent plan and loop name are found through the key.
        self._frames = plan.frames

    def start(self) -> list[Ready]:
        """The units that wait for nothing."""
        first = self.root.iterations[0]
        ready = [
            (unit, first, False)
            for unit in self._plan.root.units
            if unit.waits_for == 0 and unit.kind not in (Kind.MERGE, Kind.FEED)
        ]
        first.outstanding = len(ready)
        return ready

    def feed_arrived(self, unit: Unit, value: Any) -> list[Ready]:
        """In a partial run: a fed value is there."""
        first = self.root.iterations[0]
        slot = unit.results[0] if unit.results else -1
        if slot >= 0:
            first.values[slot] = value
        ready: list[Ready] = []
        self._notify(first, unit.edges.get(DATA, ()), False, ready)
        return ready

    def end(self) -> None:
        """The step is over, well or not: only the values of the root stay.

        Iterations and their frame know each other: else the collector alone would free them.
        """
        for frame in self._instances.values():
            for iteration in frame.iterations.values():
                iteration.values.clear()
            frame.iterations.clear()
            frame.invariants.clear()
            frame.deferred.clear()
        self._instances.clear()
        self.root.iterations.clear()

    def done(self, unit: Unit, iteration: Iteration, results: Any, dead: bool) -> list[Ready]:
        """Take note that a unit has run (or was skipped, if `dead`).

        Args:
          results: the output values of a barrier, in order; for a Switch the pair (value,
            port that is alive); None for segments, which have stored theirs.

        Returns:
          what has become ready.
        """
        ready: list[Ready] = []
        self._release(unit, iteration, dead)
        kind = unit.kind
        if kind is Kind.SWITCH:
            self._done_switch(unit, iteration, results, dead, ready)
        elif kind is Kind.ENTER:
            self._done_enter(unit, iteration, results, dead, ready)
        elif kind is Kind.EXIT:
            self._done_exit(unit, iteration, results, dead, ready)
        elif kind is Kind.NEXT_ITERATION:
            self._done_next(unit, iteration, results, dead, ready)
        else:
            if results is not None and not dead:
                _store(iteration, unit, results)
            self._notify(iteration, unit.edges.get(DATA, ()), dead, ready)
        iteration.outstanding -= 1
        if iteration.outstanding == 0:
            self._clean_up(iteration, ready)
        return ready

    def _release(self, unit: Unit, iteration: Iteration, dead: bool) -> None:
        values, uses = iteration.values, iteration.uses
        if dead or unit.kind is not Kind.SEGMENT:
            for slot in unit.takes:
                values[slot] = None
        for slot in unit.releases:
            uses[slot] -= 1
            if uses[slot] == 0:
                values[slot] = None

    def _done_switch(
        self, unit: Unit, iteration: Iteration, results: Any, dead: bool, ready: list[Ready]
    ) -> None:
        alive = -1
        if not dead:
            value, alive = results
            slot = unit.results[alive]
            if slot >= 0:
                iteration.values[slot] = value
        for port in (0, 1):
            self._notify(iteration, unit.edges.get(port, ()), port != alive, ready)
        self._notify(iteration, unit.edges.get(CONTROL, ()), dead, ready)

    # Loops ------------------------------------------------------------------------------------

    def _done_enter(
        self, unit: Unit, iteration: Iteration, results: Any, dead: bool, ready: list[Ready]
    ) -> None:
        op = unit.op
        key = (*iteration.frame.plan.key, op.attrs["frame_name"])
        instance = self._instances.get((key, id(iteration)))
        if instance is None:
            instance = FrameInstance(self._frames[key], iteration)
            self._instances[(key, id(iteration))] = instance
            iteration.children += 1
        instance.enters_to_come -= 1
        if op.attrs["is_constant"]:
            value = None if dead else results[0]
            instance.invariants.append((unit.results[0], value, dead, unit))
            targets = list(instance.iterations.values())
        else:
            targets = [instance.iterations[0]] if 0 in instance.iterations else []
        for target in targets:
            if not dead:
                _store(target, unit, results)
            self._notify(target, unit.edges.get(DATA, ()), dead, ready)
        self._check_finished(instance, ready)

    def _done_exit(
        self, unit: Unit, iteration: Iteration, results: Any, dead: bool, ready: list[Ready]
    ) -> None:
        parent = iteration.frame.parent
        if dead or parent is None:
            return  # a dead Exit speaks only when its loop is over: `_finish_frame`
        iteration.frame.live_exits.add(unit.index)
        _store(parent, unit, results)
        self._notify(parent, unit.edges.get(DATA, ()), False, ready)

    def _done_next(
        self, unit: Unit, iteration: Iteration, results: Any, dead: bool, ready: list[Ready]
    ) -> None:
        if dead:
            return  # deadness stops at the back edge: the loop is over
        frame = iteration.frame
        number = iteration.index + 1
        target = frame.iterations.get(number)
        if target is None:
            if len(frame.iterations) >= frame.plan.parallel_iterations:
                frame.deferred.append((unit, results))
                return
            target = self._start_iteration(frame, number, ready)
        _store(target, unit, results)
        self._notify(target, unit.edges.get(DATA, ()), False, ready)

    def _start_iteration(self, frame: FrameInstance, number: int, ready: list[Ready]) -> Iteration:
        iteration = Iteration(frame, number)
        frame.iterations[number] = iteration
        frame.started = number + 1
        for slot, value, dead, enter in frame.invariants:
            if slot >= 0 and not dead:
                iteration.values[slot] = value
            self._notify(iteration, enter.edges.get(DATA, ()), dead, ready)
        return iteration

    def _clean_up(self, iteration: Iteration, ready: list[Ready]) -> None:
        """Drop iterations that are over, oldest first, and start what waited for their place."""
        frame = iteration.frame
        if frame.parent is None:
            return
        while frame.iterations:
            oldest = frame.iterations[min(frame.iterations)]
            if oldest.outstanding or oldest.children or frame.enters_to_come:
                return
            del frame.iterations[oldest.index]
            if frame.deferred:
                self._start_deferred(frame, ready)
        self._finish_frame(frame, ready)

    def _start_deferred(self, frame: FrameInstance, ready: list[Ready]) -> None:
        deferred, frame.deferred = frame.deferred, []
        target = self._start_iteration(frame, frame.started, ready)
        for unit, results in deferred:
            _store(target, unit, results)
            self._notify(target, unit.edges.get(DATA, ()), False, ready)

    def _check_finished(self, frame: FrameInstance, ready: list[Ready]) -> None:
        oldest = min(frame.iterations, default=None)
        if oldest is not None and frame.iterations[oldest].outstanding == 0:
            self._clean_up(frame.iterations[oldest], ready)

    def _finish_frame(self, frame: FrameInstance, ready: list[Ready]) -> None:
        parent = frame.parent
        if parent is None:
            return
        del self._instances[(frame.plan.key, id(parent))]
        for unit in frame.plan.exits:
            if unit.index not in frame.live_exits:
                self._notify(parent, unit.edges.get(DATA, ()), True, ready)
        parent.children -= 1
        if parent.outstanding == 0 and parent.children == 0:
            self._clean_up(parent, ready)

    # Counters ---------------------------------------------------------------------------------

    def _notify(self, iteration: Iteration, edges: Any, dead: bool, ready: list[Ready]) -> None:
        waiting, units = iteration.waiting, iteration.frame.plan.units
        for index, merge_input in edges:
            if merge_input != NOT_A_MERGE_INPUT:
                self._notify_merge(iteration, index, merge_input, dead, ready)
                continue
            waiting[index] -= 1
            unit = units[index]
            # As in TensorFlow, a dead control input kills neither a Merge nor a ControlTrigger.
            if dead and unit.kind is not Kind.MERGE and unit.ops[0].type != "ControlTrigger":
                iteration.dead.add(index)
            if unit.kind is Kind.MERGE:
                self._check_merge(iteration, unit, ready)
            elif waiting[index] == 0:
                iteration.outstanding += 1
                ready.append((unit, iteration, index in iteration.dead))

    def _notify_merge(
        self, iteration: Iteration, index: int, merge_input: int, dead: bool, ready: list[Ready]
    ) -> None:
        unit = iteration.frame.plan.units[index]
        if not dead:
            if index in iteration.arrived:
                return  # a second live input of a Merge is ignored, as in TensorFlow
            iteration.arrived[index] = merge_input
        else:
            count = iteration.dead_inputs.get(index, 0) + 1
            source = unit.op.inputs[merge_input].op
            if source.type in ("Enter", "RefEnter"):
                count = unit.data_inputs  # the loop is on a path not taken: no iteration follows
            iteration.dead_inputs[index] = count
        self._check_merge(iteration, unit, ready)

    def _check_merge(self, iteration: Iteration, unit: Unit, ready: list[Ready]) -> None:
        index = unit.index
        if iteration.waiting[index] != 0:
            return
        if index in iteration.arrived:
            is_dead = index in iteration.dead
        elif iteration.dead_inputs.get(index, 0) >= unit.data_inputs:
            is_dead = True
        else:
            return
        iteration.waiting[index] = -1  # fires once
        iteration.outstanding += 1
        ready.append((unit, iteration, is_dead))


def _store(iteration: Iteration, unit: Unit, results: Any) -> None:
    values = iteration.values
    for slot, value in zip(unit.results, results, strict=True):
        if slot >= 0:
            values[slot] = value
