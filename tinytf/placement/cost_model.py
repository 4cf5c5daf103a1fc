"""The placer by a cost model: the "dynamic placer" of the white paper (2015), section 3.2.1.

It walks the graph as a step would run it, in virtual time, and puts what it reaches where that
ends first, transfers included. What has to be together and what is possible where is the simple
placer's finding: this one only chooses otherwise among the feasible devices of each group.

TensorFlow never released its own. Ours does more than the paper tells, because a walk that looks
at one operation at a time scatters what belongs together: it has other starts as well, of which
one deals out whole chains, and as long as the simulated step gets shorter it moves groups of the
chain that makes the step so long.

The parts: what operations cost is in `simulation/costs.py`, the simulated execution in
`simulation/execution.py`, the walk, the starts and the moves in `simulation/search.py` and
`clusters.py`; the switch that a user
throws is in `cost_model_switch.py`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from tinytf.devices.device import DeviceAttributes
from tinytf.framework.operation import Operation
from tinytf.framework.tensor import Tensor
from tinytf.placement import simple
from tinytf.placement.placement import Placement
from tinytf.simulation.clusters import clustered
from tinytf.simulation.costs import Costs, work_of
from tinytf.simulation.execution import Execution, Simulator, simulate
from tinytf.simulation.machine import Link, Machine
from tinytf.simulation.rates import default_links
from tinytf.simulation.search import Choice, Groups, greedy, search

#: The link from one device to another, by their full names.
Links = Callable[[str, str], Link]

#: How many nodes may be simulated in looking for a better placement: half a second or a second.
EFFORT = 250_000


def place_by_cost(
    ops: Sequence[Operation],
    devices: Sequence[DeviceAttributes],
    *,
    task: str,
    allow_soft_placement: bool,
    kept: Mapping[str, str],
    costs: Costs | None = None,
    links: Links | None = None,
    step: Collection[Operation] | None = None,
    effort: int = EFFORT,
) -> Placement:
    """Place operations so that a step ends early, as far as a cost model can tell.

    Args:
      ops, devices, task, allow_soft_placement, kept: as for the simple placer.
      costs: what operations cost; by default what static shapes and assumed rates say.
      links: by default what `default_links` assumes.
      step: the operations of the step that counts; others go where those are that they are
        connected with. None: all count, as if one step ran the whole graph.
      effort: how many nodes may be simulated to improve the greedy result; 0: only the walk.

    Returns:
      A placement whose `placer` is "cost model".

    Raises:
      InvalidArgumentError: as the simple placer.
    """
    found = simple.place(
        ops, devices, task=task, allow_soft_placement=allow_soft_placement, kept=kept
    )
    if len(found.devices) == 1:
        return replace(found, placer="cost model")
    counting = set(ops if step is None else step)
    limits = {d.name: d.memory_limit_bytes for d in devices if d.device_type != "CPU"}
    model = Model([op for op in ops if op in counting], found, costs, links, limits, kept)
    choice, estimates = model.choose(effort)
    device_of = {name: found.devices[d] for name, d in model.devices_of(choice).items()}
    rules = model.rules(choice, estimates, effort)
    _follow(ops, found, device_of, rules, kept)
    decisions = {
        name: replace(decision, device=device_of[name], rule=rules[name])
        for name, decision in found.decisions.items()
    }
    return replace(found, placer="cost model", decisions=decisions)


class Model:
    """A graph as work in groups, on a machine: what is asked what a placement would cost.

    Args:
      ops: those that count. placement: their groups and feasible devices; any placer's.
      costs, links: see `place_by_cost`.
      limits: bytes of memory by device; those that are missing are not bounded.
      kept: operations that have to stay where they are.
    """

    def __init__(
        self,
        ops: Sequence[Operation],
        placement: Placement,
        costs: Costs | None = None,
        links: Links | None = None,
        limits: Mapping[str, float] | None = None,
        kept: Collection[str] = (),
    ):
        self.placement = placement
        decisions = placement.decisions
        possible = {
            op.name: decisions[op.name].feasible or (decisions[op.name].device,) for op in ops
        }
        self.work = work_of(simple.producers_first(ops), costs or Costs(), possible)
        self.machine = Machine(
            {name: (limits or {}).get(name) for name in placement.devices}, links or default_links()
        )
        numbers = {name: number for number, name in enumerate(placement.devices)}
        members: dict[tuple[str, ...], list[int]] = {}
        for number, node in enumerate(self.work.nodes):
            members.setdefault(decisions[node.name].group or (node.name,), []).append(number)
        self._join_constants(ops, members, kept)
        feasible: list[list[int]] = []
        for group in members:
            first = decisions[group[0]]
            stays = not first.feasible or any(name in kept for name in group)
            devices = (first.device,) if stays else first.feasible
            feasible.append([numbers[device] for device in devices])
        simulator = Simulator(self.work, self.machine)
        self.groups = Groups(simulator, list(members.values()), feasible)
        self.current: Choice = [numbers[decisions[group[0]].device] for group in members]

    def _join_constants(
        self,
        ops: Sequence[Operation],
        members: dict[tuple[str, ...], list[int]],
        kept: Collection[str],
    ) -> None:
        """Let constants go with the first that takes them: that costs nothing, moving them does."""
        decisions = self.placement.decisions
        for op in ops:
            alone = decisions[op.name].group or (op.name,)
            if op.type != "Const" or len(alone) > 1 or op.name in kept:
                continue
            node = self.work.nodes[self.work.number_of(op.name)]
            users = [c for t in node.outputs for c in self.work.tensors[t].consumers]
            if users:
                user = decisions[self.work.nodes[users[0]].name]
                if set(user.feasible) <= set(decisions[op.name].feasible):
                    members[user.group or (user.op,)] += members.pop(alone)

    def simulate(self) -> Execution:
        """The step under the placement, in virtual time."""
        names = [node.name for node in self.work.nodes]
        return simulate(
            self.work, self.machine, {name: self.placement.device_of(name) for name in names}
        )

    def choose(self, effort: int) -> tuple[Choice, Sequence[Mapping[int, float]]]:
        """The best choice found, and what the greedy walk expected of each group by device."""
        walked, estimates = greedy(self.groups)
        if effort <= 0:
            return walked, estimates
        starts = [walked, clustered(self.groups), greedy(self.groups, by_rank=True)[0]]
        starts.append(self.current)
        for device in range(len(self.placement.devices)):  # all of it together
            starts.append([device if device in f else f[0] for f in self.groups.feasible])
        return search(self.groups, starts, effort)[0], estimates

    def devices_of(self, choice: Choice) -> dict[str, int]:
        """The device of every operation under a choice, as a number."""
        where = self.groups.where(choice)
        return {node.name: where[number] for number, node in enumerate(self.work.nodes)}

    def alternatives(self, op: str, choice: Choice | None = None) -> list[Alternative]:
        """What each feasible device would cost for an operation and its group, all else staying.

        Args:
          op: its name. choice: what all else has; by default the placement's.

        Raises:
          KeyError: if the operation is not among those of the model.
        """
        group = self.groups.of[self.work.number_of(op)]
        return self._alternatives(group, self.current if choice is None else choice)

    def _alternatives(self, group: int, choice: Choice) -> list[Alternative]:
        groups = self.groups
        found = []
        for device in dict.fromkeys([choice[group], *groups.feasible[group]]):
            trial = choice.copy()
            trial[group] = device
            where = groups.where(trial)
            makespan, record = groups.simulator.record(where)
            groups.spent += len(where)
            finish = max(record.ends[node] for node in groups.members[group])
            moved = sum(
                self.work.tensors[tensor].size
                for tensor, to in record.sent
                if group
                in (
                    groups.of[self.work.tensors[tensor].producer],
                    *(groups.of[c] for c in self.work.tensors[tensor].consumers if where[c] == to),
                )
            )
            found.append(Alternative(self.placement.devices[device], finish, makespan, moved))
        return found

    def rules(
        self, choice: Choice, estimates: Sequence[Mapping[int, float]], effort: int
    ) -> dict[str, str]:
        """For every operation one line: what the alternatives would have cost.

        Small graphs are simulated once more with each group elsewhere; of large ones the greedy
        walk's expectations are told.
        """
        groups = self.groups
        is_exact = effort > 0 and sum(map(len, groups.feasible)) * len(self.work) <= effort
        rules: dict[str, str] = {}
        for number, members in enumerate(groups.members):
            if len(groups.feasible[number]) == 1:
                rule = "the only device that is possible"
            elif is_exact:
                rule = _rule(self._alternatives(number, choice))
            else:
                rule = self._expectation(choice[number], estimates[number])
            rules.update((self.work.nodes[node].name, rule) for node in members)
        return rules

    def _expectation(self, device: int, estimate: Mapping[int, float]) -> str:
        names = self.placement.devices
        others = ", ".join(
            f"{duration(ends)} on {_short(names[d])}" for d, ends in estimate.items() if d != device
        )
        text = f"when it was reached: finishes at {duration(estimate[device])} here, {others}"
        if estimate[device] > min(estimate.values()):
            text += "; here the whole step ends earlier"
        return text


@dataclass(frozen=True, slots=True)
class Alternative:
    """What a device would cost for an operation and its group.

    Attributes:
      device: its full name. finish: when the last of the group would end; step: when the step
        would, in seconds from its start. moved: bytes that would go to and from the group.
    """

    device: str
    finish: float
    step: float
    moved: float


def alternatives(
    op: Operation | Tensor,
    placement: Placement,
    ops: Sequence[Operation] | None = None,
    costs: Costs | None = None,
    links: Links | None = None,
) -> list[Alternative]:
    """What each feasible device would have cost for an operation, all others staying.

    Args:
      op: the operation, or the one that makes a tensor.
      placement: any placer's.
      ops: the operations that count; by default all of the graph that were placed.
      costs, links: see `place_by_cost`.

    Returns:
      The device that was chosen first, then the others in order of preference.
    """
    op = op.op if isinstance(op, Tensor) else op
    return Model(_placed(op, placement, ops), placement, costs, links).alternatives(op.name)


def step_costs(
    ops: Sequence[Operation],
    placement: Placement,
    costs: Costs | None = None,
    links: Links | None = None,
) -> Callable[[str, str], float | None]:
    """For `Explainer(costs=...)`: (operation, device) -> the predicted seconds of the step.

    None for operations that are not among `ops`, and for devices that are not feasible.
    """
    model = Model(ops, placement, costs, links)
    known: dict[str, dict[str, float]] = {}
    names = {node.name for node in model.work.nodes}

    def seconds(op: str, device: str) -> float | None:
        if op not in names:
            return None
        if op not in known:
            known[op] = {a.device: a.step for a in model.alternatives(op)}
        return known[op].get(device)

    return seconds


def predict(
    ops: Sequence[Operation],
    placement: Placement,
    costs: Costs | None = None,
    links: Links | None = None,
) -> Execution:
    """The step under a placement in virtual time: its makespan is the predicted step time."""
    return Model(ops, placement, costs, links).simulate()


def duration(seconds: float) -> str:
    """Seconds as text: "3.1 ms"."""
    return f"{seconds * 1e6:.0f} us" if seconds < 1e-3 else f"{seconds * 1e3:.1f} ms"


def _placed(
    op: Operation, placement: Placement, ops: Sequence[Operation] | None
) -> Sequence[Operation]:
    if ops is not None:
        return ops
    return [o for o in op.graph.get_operations() if o.name in placement.decisions]


def _rule(found: Sequence[Alternative]) -> str:
    here, others = found[0], found[1:]
    elsewhere = ", ".join(f"{duration(a.finish)} on {_short(a.device)}" for a in others)
    steps = ", ".join(duration(a.step) for a in others)
    return (
        f"finishes at {duration(here.finish)} here, {elsewhere}; "
        f"the step at {duration(here.step)}, else {steps}"
    )


def _short(device: str) -> str:
    return device.rpartition("/device:")[2]


def _follow(
    ops: Iterable[Operation],
    found: Placement,
    device_of: dict[str, str],
    rules: dict[str, str],
    kept: Collection[str],
) -> None:
    """Give those that do not count a place: beside most of their neighbours that have one."""
    for op in ops:
        if op.name in device_of:
            continue
        decision = found.decisions[op.name]
        stays = any(name in kept for name in decision.group)
        group = decision.group or (op.name,)
        settled = [device_of[name] for name in group if name in device_of]
        beside = [t.op for t in op.inputs] + [c for t in op.outputs for c in t.consumers()]
        votes = Counter(
            device_of[o.name]
            for o in beside
            if o.name in device_of and device_of[o.name] in decision.feasible
        )
        device, rule = decision.device, decision.rule
        if settled:
            device, rule = settled[0], "with its group"
        elif votes and not stays:
            device, rule = votes.most_common(1)[0][0], "not in the step: beside its neighbours"
        for name in group:
            if name not in device_of:
                device_of[name], rules[name] = device, rule
