"""What each run of a recorded step has to wait for, in whatever order the step is run.

The counters of a recording say who was last in that one run. Whoever plays the step in another
order needs all that a node waits for: the producers of its inputs in its iteration; for a Merge the
one input that comes alive, or all if none does; and what loops add: an iteration beyond
`parallel_iterations` waits until an older one is over, a dead exit until the whole loop is.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence

from tinytf.framework.operation import Operation
from tinytf.framework.tensor import Tensor
from tinytf.jupyter.recording import Recording, Run
from tinytf.runtime.frames import MERGE, NEXT_ITERATION, FrameKey
from tinytf.runtime.plan import Plan

_ENTER = ("Enter", "RefEnter")
_EXIT = ("Exit", "RefExit")

#: One execution of a loop, or one iteration of it: the frame, and the label's numbers.
_Instance = tuple[FrameKey, tuple[str, ...]]
#: Where a run is: its frame, and the label of its iteration.
_At = tuple[FrameKey, str]
_Runs = set[int]
_Numbers = tuple[int, ...]


def add_needs(
    recording: Recording,
    plan: Plan,
    fed: Collection[Tensor],
    frame_of: Sequence[FrameKey],
    chosen: Mapping[int, int | None],
) -> None:
    """Fill in `needs`, `also` and `released` of all runs.

    Args:
      fed: tensors that are supplied. frame_of: of each run. chosen: of the run of a Merge, which
        of its inputs came alive.
    """
    finder = _Finder(recording, plan, fed, frame_of)
    for number, run in enumerate(recording.runs):
        run.needs, run.also = finder.find(number, run, chosen.get(number))
        if run.blocked and run.ended >= 0:
            run.released = _released_by(recording.runs, run)


def _released_by(runs: Sequence[Run], waiting: Run) -> int:
    """The run that ended last while a kernel waited: what it waited for, if it was in the step."""
    last, found = waiting.taken, -1
    for number, run in enumerate(runs):
        if run is not waiting and not run.blocked and last < run.ended <= waiting.ended:
            last, found = run.ended, number
    return found


class _Finder:
    def __init__(
        self,
        recording: Recording,
        plan: Plan,
        fed: Collection[Tensor],
        frame_of: Sequence[FrameKey],
    ):
        self._ops, self._fed, self._frame_of = plan.ops, fed, frame_of
        self._runs = recording.runs
        self._index = {op: n for n, op in enumerate(plan.ops)}
        self._frames = plan.frames
        self._frame = {u.op: key for key, f in plan.frames.items() for u in f.units if u.ops}
        self._at = {(run.node, run.iteration): n for n, run in enumerate(self._runs)}
        #: everything that runs inside of an execution of a loop, and inside of an iteration
        self._loops: dict[_Instance, list[int]] = defaultdict(list)
        self._iterations: dict[_Instance, list[int]] = defaultdict(list)
        for number, run in enumerate(self._runs):
            key, numbers = frame_of[number], _numbers(run.iteration)
            for depth in range(1, len(key) + 1):
                self._loops[key[:depth], numbers[: depth - 1]].append(number)
                self._iterations[key[:depth], numbers[:depth]].append(number)
        self._enters: dict[FrameKey, list[int]] = defaultdict(list)
        for op, key in self._frame.items():
            if op.type in _ENTER:
                self._enters[*key, op.attrs["frame_name"]].append(self._index[op])

    def find(self, number: int, run: Run, chosen: int | None) -> tuple[_Numbers, _Numbers]:
        """(needs, also) of a run."""
        op, at = self._ops[run.node], (self._frame_of[number], run.iteration)
        tensors = list(op.inputs)
        if op.type in MERGE and run.kind != "skip" and chosen is not None:
            tensors = [tensors[chosen]]
        direct, also = _Runs(), _Runs()
        for tensor in tensors:
            if tensor not in self._fed:
                self._add(op, tensor.op, at, direct, also)
        for control in op.control_inputs:
            self._add(op, control, at, direct, also)
        if at[0]:
            self._add_start(number, op, at, direct, also)
        return tuple(sorted(direct)), tuple(sorted(also - direct))

    def _add(self, op: Operation, source: Operation, at: _At, direct: _Runs, also: _Runs) -> None:
        key, label = at
        if source not in self._index:
            return
        where = self._frame[source]
        if source.type in NEXT_ITERATION and op.type in MERGE:
            *outer, last = _numbers(label)
            self._add_run(source, ".".join([*outer, str(int(last) - 1)]), direct)
        elif source.type in _ENTER and len(where) < len(key):
            self._add_run(source, ".".join(_numbers(label)[:-1]), direct)
        elif source.type in _EXIT and len(where) > len(key):
            self._add_exit(source, where, label, direct, also)
        else:
            self._add_run(source, label, direct)

    def _add_run(self, op: Operation, label: str, to: set[int]) -> None:
        number = self._at.get((self._index[op], label))
        if number is not None:
            to.add(number)

    def _add_exit(
        self, source: Operation, frame: FrameKey, label: str, direct: _Runs, also: _Runs
    ) -> None:
        """It is alive in one iteration at most; if in none, it speaks when the loop is over."""
        inside = self._loops[frame, _numbers(label)]
        node = self._index[source]
        own = [n for n in inside if self._runs[n].node == node and self._frame_of[n] == frame]
        alive = [n for n in own if self._runs[n].kind == "run"]
        if alive:
            direct.add(alive[-1])
            return
        direct.update(own[-1:])
        also.update(inside)
        self._add_enters(frame, label, also)

    def _add_enters(self, frame: FrameKey, label: str, to: set[int]) -> None:
        for node in self._enters[frame]:
            number = self._at.get((node, label))
            if number is not None:
                to.add(number)

    def _add_start(self, number: int, op: Operation, at: _At, direct: _Runs, also: _Runs) -> None:
        """The iteration has to have begun."""
        key, label = at
        *outer, last = _numbers(label)
        number_of = int(last)
        if any(self._runs[n].iteration == label for n in direct):
            return  # whatever comes before it in the iteration has seen to that
        width = self._frames[key].parallel_iterations
        if number_of >= width:
            also.update(self._iterations[key, (*outer, str(number_of - width))])
            self._add_enters(key, ".".join(outer), also)
        if number_of and op.type not in MERGE:
            begins = [
                other
                for other in self._iterations[key, (*outer, str(number_of - 1))]
                if other != number
                and self._runs[other].kind == "run"
                and self._ops[self._runs[other].node].type in NEXT_ITERATION
            ]
            also.update(sorted(begins, key=lambda other: self._runs[other].ended)[:1])


def _numbers(label: str) -> tuple[str, ...]:
    return tuple(label.split(".")) if label else ()
