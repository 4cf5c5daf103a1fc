r"""Receiving late: a copy is made when it is about to be used, and takes memory from then on.

A Recv is ready as soon as the tensor has been computed on the other device, which is often long
before anybody here has a use for it: all the large tensors that a step sends to a GPU would be
there at once, and wait. So a Recv is made to wait for what its users need anyway:

    before --------> use           before --------> use
    Recv ----------/                    \-> Recv --/

`use` needs `before` and the tensor. The control edge from `before` to the Recv lets the copy begin
when `before` has run. Where the first user needs nothing else, look further: what takes a large
tensor and gives a sum of it is put off together with its Recv, until the sum is about to be used.

What is guaranteed, T being what the static cost model says a transfer takes:

  * Who needs the tensor also needs what its Recv waits for. So nothing waits for something it
    would not have waited for anyway, apart from the Recv and what is put off with it; and that
    costs T at most. Each transfer put off delays what follows by at most its own 2 T.
  * No cycle: a Recv waits for nothing that depends on it, edges added before counted.
  * The same values. If what a Recv waits for is dead, whoever would have used the tensor is dead
    as well; iterations of loops do not mix. What has effects, or is fetched, is never put off.

Memory of the sender is held for longer: it keeps what has not been taken. TensorFlow: section 5.2
of its white paper of 2015; core/graph/costmodel.cc, and AddControlEdges in graph_partition.cc,
which adds edges by an estimated schedule instead and promises none of this.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Mapping, Sequence

from tinytf.framework import dtypes
from tinytf.framework.errors import InternalError
from tinytf.framework.operation import Operation
from tinytf.framework.registry import Kernel
from tinytf.framework.tensor import Tensor
from tinytf.runtime.frames import CONTROL_FLOW, MERGE, FrameKey, assign_frames
from tinytf.runtime.live_reads import live_reads
from tinytf.runtime.optimise.step_graph import Change
from tinytf.runtime.partition import crosses, is_copy, leaves
from tinytf.runtime.pruning import is_fed_placeholder
from tinytf.simulation.amounts import GIVEN, STATE, size_of
from tinytf.simulation.costs import Costs
from tinytf.simulation.rates import default_links

#: A control edge costs about as much as copying so many bytes: smaller tensors come as they come.
LEAST_BYTES = 16 << 10
#: The analysis takes memory by the square of the number of operations: beyond, none is put off.
MOST_OPERATIONS = 10_000
#: How many operations are put off together with one Recv.
_MOST_BETWEEN = 64
#: A dead input does not make these dead.
_OUTLIVES = MERGE | {"ControlTrigger"}


def receive_late(
    ops: Sequence[Operation],
    fetches: Iterable[Tensor],
    fed: frozenset[Tensor],
    transfers: Mapping[Operation, Kernel],
) -> tuple[list[Operation], list[Change]]:
    """Let the Recvs of a partitioned step wait until what they bring is about to be used.

    Args:
      ops: of the step, with Sends and Recvs, producers first. fetches, fed: its signature.
      transfers: the kernels of Sends and Recvs.

    Returns:
      the same operations, in an order in which everything comes after what it waits for; and
      which Recvs wait for what. Their control inputs are changed.
    """
    if len(ops) > MOST_OPERATIONS:
        return list(ops), []
    analysis = _Analysis(ops, fetches, fed)
    late = [op for op in ops if op in transfers and _is_worth_it(op, transfers[op])]
    late = [op for op in late if analysis.is_asked_for(op)]
    late.sort(key=analysis.first_use, reverse=True)
    for recv in late:
        analysis.put_off(recv)
    return analysis.finish()


def _is_worth_it(op: Operation, kernel: Kernel) -> bool:
    if not crosses(op) or not op.outputs or not is_copy(kernel):
        return False
    (tensor,) = op.outputs
    return tensor.shape.sizes is None or size_of(tensor) >= LEAST_BYTES


class _Analysis:
    """Who comes before whom. Sets of operations are integers: bit n is `ops[n]`."""

    def __init__(self, ops: Sequence[Operation], fetches: Iterable[Tensor], fed: frozenset[Tensor]):
        self._ops, self._fed, self._frames = list(ops), fed, assign_frames(ops, fed)
        self._number = {op: number for number, op in enumerate(ops)}
        self._fetched = {self._number[t.op] for t in fetches if t.op in self._number}
        self._live = live_reads(ops, fed, fetches, waits=False)
        self._costs, self._link = Costs(), default_links()
        self._producers = [self._producers_of(number) for number in range(len(ops))]
        self._users: list[list[int]] = [[] for _ in ops]
        #: what comes before each in an iteration: a cycle would lead through this
        self._before = [0] * len(ops)
        #: what has to be alive for each to be alive: never what is behind a Merge
        self._needs = [0] * len(ops)
        #: operations that Recvs may wait for, by device and frame
        self._plain: dict[tuple[str, FrameKey], int] = {}
        for number, op in enumerate(ops):
            for producer in self._producers[number]:
                self._users[producer].append(number)
            self._take_over(number)
            if self._is_plain(op):
                place = self._place(op)
                self._plain[place] = self._plain.get(place, 0) | 1 << number
        self._waits: dict[int, int] = {}

    def _producers_of(self, number: int) -> list[int]:
        op = self._ops[number]
        found = [self._number[t.op] for t in op._inputs if t not in self._fed]
        for control in op._controls:
            if control in self._number and not is_fed_placeholder(control, self._fed):
                found.append(self._number[control])
        # What comes from further down goes around a loop: it is of the iteration before.
        return [producer for producer in dict.fromkeys(found) if producer < number]

    def _is_plain(self, op: Operation) -> bool:
        special = crosses(op) or leaves(op) or op.type in CONTROL_FLOW
        return not special and op.type not in {"NoOp", "ControlTrigger"} | STATE | GIVEN

    def _place(self, op: Operation) -> tuple[str, FrameKey]:
        return op.device, self._frames[op]

    def _take_over(self, number: int) -> bool:
        """Let what is before its producers be before it; returns whether that is news."""
        before, needs = self._before[number], self._needs[number]
        for producer in self._producers[number]:
            before |= self._before[producer] | 1 << producer
            needs |= self._needs[producer] | 1 << producer
        if self._ops[number].type in _OUTLIVES:
            needs = 0
        news = (before, needs) != (self._before[number], self._needs[number])
        self._before[number], self._needs[number] = before, needs
        return news

    def is_asked_for(self, recv: Operation) -> bool:
        """Whether somebody uses it, and the caller does not."""
        number = self._number[recv]
        return bool(self._users[number]) and number not in self._fetched

    def first_use(self, recv: Operation) -> int:
        """Where the first that uses it stands."""
        return min(self._users[self._number[recv]])

    def put_off(self, recv: Operation) -> None:
        """Let it wait for what its users need anyway, and what does not depend on it."""
        number = self._number[recv]
        needed = self._needed_by_users(number) & self._plain.get(self._place(recv), 0)
        last = self._last(needed & ~self._before[number], number)
        if not last:
            return
        self._waits[number] = last
        for producer in _members(last):
            self._producers[number].append(producer)
            self._users[producer].append(number)
        pending = [number]
        while pending:
            changed = pending.pop()
            if self._take_over(changed):
                pending.extend(self._users[changed])

    def _last(self, candidates: int, number: int) -> int:
        """Those that none of the others comes after; not what depends on `number`."""
        last = 0
        while candidates:
            candidate = candidates.bit_length() - 1
            candidates &= ~(1 << candidate)
            if not self._before[candidate] >> number & 1:
                last = (last & ~self._before[candidate]) | 1 << candidate
                candidates &= ~self._before[candidate]
        return last

    def _needed_by_users(self, number: int) -> int:
        """What everyone needs who uses a tensor, directly or through what is put off with it."""
        between = self._between(number)
        needed: dict[int, int] = {}
        for one in (*reversed(between), number):
            common = -1
            for user in self._users[one]:
                common &= needed.get(user, self._needs[user])
            needed[one] = self._needs[one] | common
        return needed[number]

    def _between(self, number: int) -> list[int]:
        """The operations that may be put off together with a Recv, producers first."""
        recv = self._ops[number]
        allowed = self._seconds(recv)
        done_after = {number: 0.0}
        waiting = sorted(self._users[number])
        found = list[int]()
        while waiting and len(found) < _MOST_BETWEEN:
            user = heapq.heappop(waiting)
            if user in done_after or not self._may_wait(user, recv):
                continue
            start = max(done_after.get(producer, 0.0) for producer in self._producers[user])
            done = start + self._seconds(self._ops[user])
            if done <= allowed:
                done_after[user] = done
                found.append(user)
                for further in self._users[user]:
                    heapq.heappush(waiting, further)
        return found

    def _may_wait(self, number: int, recv: Operation) -> bool:
        """Whether nobody notices when an operation runs later, or not where its users do not."""
        op = self._ops[number]
        return (
            bool(self._users[number])
            and number not in self._fetched
            and self._is_plain(op)
            and not op.op_def.is_stateful
            and self._place(op) == self._place(recv)
            and not any(
                t.dtype.is_ref or t in self._live or t.dtype in (dtypes.resource, dtypes.variant)
                for t in (*op._inputs, *op.outputs)
            )
        )

    def _seconds(self, op: Operation) -> float:
        if crosses(op):
            source, destination = (op.attrs[f"{end}_device"].decode() for end in ("send", "recv"))
            return self._link(source, destination).seconds(size_of(op.outputs[0]))
        return self._costs.static_seconds(op, op.device)

    def finish(self) -> tuple[list[Operation], list[Change]]:
        """Give the Recvs their control inputs; the operations in order, and what was done."""
        changes = list[Change]()
        for number, waits in sorted(self._waits.items()):
            # Edges added later may say already that one of these comes after another.
            last = [self._ops[one] for one in _members(self._last(waits, number))]
            recv = self._ops[number]
            recv._controls = (*recv._controls, *last)
            names = ", ".join(op.name for op in last)
            changes.append(Change("late receives", recv.name, f"received when {names} has run"))
        return self._sorted() if changes else self._ops, changes

    def _sorted(self) -> list[Operation]:
        """The order that there was, with what has to wait further down."""
        missing = [len(set(producers)) for producers in self._producers]
        ready = [number for number, count in enumerate(missing) if not count]
        order = list[Operation]()
        while ready:
            number = heapq.heappop(ready)
            order.append(self._ops[number])
            for user in dict.fromkeys(self._users[number]):
                missing[user] -= 1
                if not missing[user]:
                    heapq.heappush(ready, user)
        if len(order) < len(self._ops):
            raise InternalError("Receiving late has put Recvs into a circle.")
        return order


def _members(bits: int) -> Iterable[int]:
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest
