"""Placers side by side: what each predicts of a step, and what the step really takes."""

from __future__ import annotations

import statistics
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from typing import Any

from tinytf.framework.device_spec import DeviceSpec
from tinytf.framework.errors import InvalidArgumentError
from tinytf.framework.graph import Graph
from tinytf.framework.graph_import import import_graph_def
from tinytf.framework.operation import Operation
from tinytf.framework.tensor import Tensor
from tinytf.placement import simple
from tinytf.placement.cost_model import Links, duration, place_by_cost, predict
from tinytf.placement.placement import Placement
from tinytf.protos import config_pb2
from tinytf.runtime.pruning import prune
from tinytf.session.session import Session
from tinytf.simulation.costs import Costs
from tinytf.simulation.measured import Measured
from tinytf.simulation.rates import beside_measurements


@dataclass(frozen=True, slots=True)
class Row:
    """One placer.

    Attributes:
      placer: its name. placement: what it made.
      predicted: seconds of a step by the cost model. measured: the median of the steps that ran.
      quickest: the least of them. moved: bytes between devices. operations: how many by device.
    """

    placer: str
    placement: Placement
    predicted: float
    measured: float
    quickest: float
    moved: float
    operations: Mapping[str, int]

    @property
    def error(self) -> float:
        """By what share of the measured time the prediction is off; negative: too low."""
        return self.predicted / self.measured - 1


class Comparison:
    """What `compare_placers` found; a table in text and in a notebook.

    Attributes:
      rows: by the name of the placer. simulated: whether some of the devices only play their part.
    """

    def __init__(self, rows: Mapping[str, Row], costs: str, simulated: bool):
        self.rows = dict(rows)
        self._costs = costs
        self.simulated = simulated

    def __getitem__(self, placer: str) -> Row:
        return self.rows[placer]

    def _table(self) -> list[tuple[str, ...]]:
        lines: list[tuple[str, ...]] = [
            ("placer", "predicted", "measured", "error", "moved", "operations")
        ]
        for row in self.rows.values():
            places = ", ".join(f"{count} on {device}" for device, count in row.operations.items())
            times = duration(row.predicted), duration(row.measured), f"{row.error:+.0%}"
            lines.append((row.placer, *times, f"{row.moved / 1e6:.2f} MB", places))
        return lines

    @property
    def caption(self) -> str:
        """What the times are, in a sentence or two."""
        text = f"Time of a step; costs {self._costs}; measured: the median."
        if self.simulated:
            text += " Some devices are simulated: they compute on the CPU, at its speed."
        return text

    def __repr__(self) -> str:
        table = self._table()
        widths = [max(len(line[i]) for line in table) for i in range(len(table[0]))]
        lines = [
            "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
            for line in table
        ]
        return "\n".join([*lines, self.caption])

    def _repr_html_(self) -> str:
        head, *body = self._table()
        titles = "".join(f'<th scope="col">{escape(title)}</th>' for title in head)
        rows = "".join(
            f'<tr><th scope="row">{escape(line[0])}</th>'
            + "".join(f"<td>{escape(cell)}</td>" for cell in line[1:])
            + "</tr>"
            for line in body
        )
        return (
            f"<table><caption>{escape(self.caption)}</caption><thead><tr>{titles}</tr></thead>"
            f"<tbody>{rows}</tbody></table>"
        )


def compare_placers(
    fetches: Tensor | Operation | Sequence[Tensor | Operation],
    feed_dict: Mapping[Tensor, Any] | None = None,
    *,
    config: Any = None,
    prepare: Operation | Sequence[Operation] = (),
    steps: int = 20,
    measured: bool = True,
    links: Links | None = None,
    others: Mapping[str, Placement] | None = None,
) -> Comparison:
    """Run one step under the simple placer, round-robin and the cost model, and compare.

    Every placer has a session of its own, on a copy of the graph; the sessions take turns, so that
    whatever else the machine does happens to all of them. The operations of the step alone are
    placed. Costs are measured under the simple placer first, in steps that are traced.

    Args:
      fetches, feed_dict: the step, as for `Session.run`.
      config: of the sessions; `device_count={"CPU": 2}` for example.
      prepare: operations to run first: initialisers.
      steps: how many are timed for each placer, after a few that are not.
      measured: False: costs are static, from types and shapes.
      links: between devices, see `place_by_cost`.
      others: further placements of the step, by name.

    Returns:
      The comparison, with the rows "simple", "round-robin" and "cost model".

    Raises:
      InvalidArgumentError: if there is nothing to fetch, or an operation cannot be placed.
      TypeError: for what is neither a tensor nor an operation.

    Example:
      >>> x = tf.zeros([1000])
      >>> total = tf.reduce_sum(tf.tanh(x)) + tf.reduce_sum(tf.exp(x))
      >>> found = compare_placers(total, config=tf.ConfigProto(device_count={"CPU": 2}), steps=2)
      >>> sorted(found.rows)
      ['cost model', 'round-robin', 'simple']
    """
    step = _Step(fetches, feed_dict or {}, prepare, config or config_pb2.ConfigProto())
    with Session(graph=step.graph, config=step.config) as session:
        devices = session.list_devices()
    task = DeviceSpec.from_string(devices[0].name)
    task.device_type = task.device_index = None
    how = {
        "task": task.to_string(),
        "kept": {},
        "allow_soft_placement": step.config.allow_soft_placement,
    }
    by_rule = simple.place(step.ops, devices, **how)
    costs = Costs()
    if measured:
        rates = beside_measurements(device.description for device in devices)
        costs = Costs(rates, _measure(step, by_rule))
    placements = {
        "simple": by_rule,
        "round-robin": round_robin(by_rule),
        "cost model": place_by_cost(
            step.ops, devices, **how, costs=costs, links=links, step=step.needed
        ),
        **(others or {}),
    }
    times = _times(step, placements, steps)
    rows = {}
    for name, placement in placements.items():
        execution = predict(step.needed, placement, costs, links)
        on = Counter(placement.device_of(op.name).rpartition("device:")[2] for op in step.needed)
        took = execution.makespan, statistics.median(times[name]), min(times[name])
        moved = sum(transfer.size for transfer in execution.transfers)
        rows[name] = Row(name, placement, *took, moved, dict(sorted(on.items())))
    kind = "measured in traced steps" if measured else "static, from types and shapes"
    return Comparison(rows, kind, any("simulated" in d.description.lower() for d in devices))


def round_robin(placement: Placement) -> Placement:
    """Each group of a placement on the next of its feasible devices, whatever that costs."""
    turns: Counter[tuple[str, ...]] = Counter()
    chosen: dict[str, str] = {}
    for name, decision in placement.decisions.items():
        if name not in chosen:
            feasible = decision.feasible or (decision.device,)
            device = feasible[turns[feasible] % len(feasible)]
            turns[feasible] += 1
            chosen.update(dict.fromkeys((name, *decision.group), device))
    decisions = {
        name: replace(decision, device=chosen[name], rule="its turn")
        for name, decision in placement.decisions.items()
    }
    return replace(placement, placer="round-robin", decisions=decisions)


class _Step:
    """What is run, by name: it is run on copies of the graph."""

    def __init__(self, fetches: Any, feeds: Mapping[Tensor, Any], prepare: Any, config: Any):
        is_list = isinstance(fetches, Sequence) and not isinstance(fetches, str)
        listed = fetches if is_list else [fetches]
        if not listed:
            raise InvalidArgumentError("compare_placers needs something to fetch")
        first = prepare if isinstance(prepare, Sequence) else [prepare]
        for one in (*listed, *first):
            if not isinstance(one, Tensor | Operation):
                raise TypeError(
                    f"compare_placers runs tensors and operations, got {one!r} of type "
                    f"{type(one).__name__}"
                )
        roots = [f.op if isinstance(f, Tensor) else f for f in (*listed, *first)]
        self.graph: Graph = roots[0].graph
        self.fetches = [f.name for f in listed]
        self.prepare = [op.name for op in first]
        self.feeds = {tensor.name: value for tensor, value in feeds.items()}
        self.config = config
        #: all that has to be placed, and of these what the step runs
        self.ops = prune(roots, frozenset(feeds))
        self.needed = prune(roots[: len(listed)], frozenset(feeds))

    def open(self, placement: Placement) -> Session:
        """A session in which everything is where a placement says, ready for the step."""
        graph_def = self.graph.as_graph_def()
        placed = set(placement.decisions)
        for node in graph_def.node:
            if node.name in placed:
                node.device = placement.device_of(node.name)
        graph = Graph()
        with graph.as_default():
            import_graph_def(graph_def, name="")
        session = Session(graph=graph, config=self.config)
        if self.prepare:
            session.run(self.prepare)
        return session

    def run(self, session: Session, **traced: Any) -> None:
        """One step."""
        session.run(self.fetches, self.feeds, **traced)


def _measure(step: _Step, placement: Placement, rounds: int = 5) -> Measured:
    """What the operations take: the step is traced, after two that warm up."""
    options = config_pb2.RunOptions(trace_level=config_pb2.RunOptions.FULL_TRACE)
    traces = []
    with step.open(placement) as session:
        for number in range(2 + rounds):
            metadata = config_pb2.RunMetadata()
            step.run(session, options=options, run_metadata=metadata)
            if number >= 2:
                traces.append(metadata)
    return Measured.from_steps(traces)


def _times(step: _Step, placements: Mapping[str, Placement], steps: int) -> dict[str, list[float]]:
    """Seconds of the steps, by placer; the sessions take turns."""
    sessions = {name: step.open(placement) for name, placement in placements.items()}
    times: dict[str, list[float]] = {name: [] for name in sessions}
    try:
        for number in range(3 + max(1, steps)):
            for name, session in sessions.items():
                start = time.perf_counter()
                step.run(session)
                if number >= 3:
                    times[name].append(time.perf_counter() - start)
    finally:
        for session in sessions.values():
            session.close()
    return times
