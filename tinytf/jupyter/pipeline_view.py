"""An input pipeline of a session as it is: files, readers, queues and the stages of tf.data.

The stations are found in the graph: whoever makes a queue, a reader or an iterator is one. What
flows from where to where: an enqueue takes from those whose dequeue, read or get_next it needs.
Their numbers come from the session's resources.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from tinytf.framework.errors import UnimplementedError
from tinytf.framework.operation import Operation
from tinytf.framework.tensor import Tensor
from tinytf.jupyter.queue_view import line_of, queue_of, state_of, waiting_texts
from tinytf.jupyter.recording import given_session
from tinytf.resources.readers import Reader
from tinytf.session.fetches import FetchPlan

QUEUES = frozenset(["FIFOQueueV2", "RandomShuffleQueueV2", "PaddingFIFOQueueV2", "PriorityQueueV2"])
_READERS = frozenset(
    """
    WholeFileReaderV2 TextLineReaderV2 FixedLengthRecordReaderV2 TFRecordReaderV2 IdentityReaderV2
    """.split()
)
_ITERATORS = frozenset(["IteratorV2", "OneShotIterator"])
_TAKES = frozenset(
    """
    QueueDequeueV2 QueueDequeueManyV2 QueueDequeueUpToV2 ReaderReadV2 ReaderReadUpToV2
    IteratorGetNext
    """.split()
)
_READS = frozenset(["ReaderReadV2", "ReaderReadUpToV2"])
_PUTS = frozenset(["QueueEnqueueV2", "QueueEnqueueManyV2"])
#: The last station: what the program fetches.
END = "sess.run"


@dataclass
class Station:
    """A queue, a reader, an iterator, or the end of the pipeline.

    Attributes:
      op: what makes it; None for the end. sources: the names of the stations it takes from.
    """

    name: str
    op: Operation | None
    sources: dict[str, None] = field(default_factory=dict)


def local(session: Any) -> Any:
    """The session, or the default one; it has to run its steps in this process."""
    session = given_session(session)
    if session is None:
        raise ValueError("Whose queues? Pass the session: queue(q, sess), pipeline(batch, sess).")
    if not hasattr(session._backend, "resources"):
        raise UnimplementedError(
            "The steps of this session run on a server, whose queues are not here."
        )
    return session


def queue_handle(queue: Any) -> Tensor:
    """The handle of a queue; TypeError if it is something else."""
    handle = getattr(queue, "queue_ref", None)
    if handle is None or handle.op.type not in QUEUES:
        raise TypeError(
            f"This shows a queue, such as tf.FIFOQueue(...); {queue!r} is none. What "
            f"tf.train.batch and its like make is shown by tinytf.jupyter.pipeline()."
        )
    return handle


def stations_for(session: Any, fetches: Any) -> list[Station]:
    """The stations that fetches need, or all of the session's graph; ValueError if none."""
    wanted = list[Operation]()
    if fetches is not None:
        plan = FetchPlan(session.graph, fetches)
        wanted = [tensor.op for tensor in plan.tensors] + list(plan.targets)
    stations = stations_of(session.graph, wanted)
    if not any(station.op for station in stations):
        where = "The graph has" if fetches is None else "What you fetch needs"
        raise ValueError(f"{where} no queue, no reader and no iterator: there is no pipeline.")
    return stations


def stations_of(graph: Any, fetches: Sequence[Operation] = ()) -> list[Station]:
    """The stations of a graph, sources first.

    Args:
      fetches: only what is needed for these, and an end that takes from it; all by default.
    """
    ops = graph.get_operations()
    known = QUEUES | _READERS | _ITERATORS
    stations = {op.name: Station(op.name, op) for op in ops if op.type in known}
    for op in ops:
        if op.type in _PUTS:
            _connect(stations, op.inputs[0].op, _takes_from([t.op for t in op.inputs[1:]], op))
        elif op.type in _READS:
            _connect(stations, op.inputs[0].op, [op.inputs[1].op])
    if fetches:
        end = stations[END] = Station(END, None)
        end.sources = {op.name: None for op in _takes_from(fetches) if op.name in stations}
    return _in_order(stations, [END] if fetches else list(stations))


def _connect(stations: dict[str, Station], target: Operation, sources: Iterable[Operation]) -> None:
    station = stations.get(target.name)
    if station is not None:
        station.sources |= {op.name: None for op in sources if op.name in stations}


def _takes_from(ops: Iterable[Operation], own: Operation | None = None) -> list[Operation]:
    """Who makes what these need elements of."""
    found, seen, left = list[Operation](), set[Operation](), list(ops)
    if own is not None:
        left += own.control_inputs
    while left:
        op = left.pop()
        if op in seen:
            continue
        seen.add(op)
        if op.type in _TAKES:
            found.append(op.inputs[0].op)
        else:
            left += [tensor.op for tensor in op.inputs] + list(op.control_inputs)
    return found


def _in_order(stations: dict[str, Station], roots: Sequence[str]) -> list[Station]:
    ordered: dict[str, Station] = {}
    visiting: set[str] = set()

    def visit(name: str) -> None:
        if name in visiting:
            return
        visiting.add(name)
        for source in sorted(stations[name].sources, key=list(stations).index):
            visit(source)
        ordered[name] = stations[name]

    for name in roots:
        visit(name)
    return list(ordered.values())


# As it is ---------------------------------------------------------------------------------------


def rows_of(session: Any, stations: Sequence[Station]) -> list[dict[str, Any]]:
    """The numbers of all stations at this moment; see static/pipeline.js."""
    resources = {
        (kind, name): resource for _, kind, name, resource in session._backend.resources.items()
    }
    columns: dict[str, int] = {}
    rows: list[dict[str, Any]] = []
    for station in stations:
        after = [columns[source] for source in station.sources if source in columns]
        column = columns[station.name] = 1 + max(after, default=-1)
        row: dict[str, Any] = dict.fromkeys("held capacity made seconds".split())
        row |= {"kind": "", "note": "", "line": "", "unit": "elements", "waits": []}
        row |= {"key": station.name, "column": column, "closed": False}
        row["from"] = list(station.sources)
        op = station.op
        if op is None:
            rows.append(row | {"kind": "your program"})
        elif op.type in QUEUES:
            rows.append(row | _of_queue(session, op))
        elif op.type in _READERS:
            rows.append(row | _of_reader(op, resources))
        else:
            stages = _of_iterator(op, resources, row)
            columns[station.name] = stages[-1]["column"]
            rows += stages
    return rows


def _of_queue(session: Any, op: Operation) -> dict[str, Any]:
    state = state_of(op, queue_of(session, op.outputs[0]))
    same = {key: state[key] for key in ("kind", "capacity", "closed", "line")}
    counts = {"held": state["count"], "made": state["in"]}
    return same | counts | {"note": state["why"], "waits": waiting_texts(state)}


def _name_of(op: Operation) -> str:
    return op.attrs["shared_name"].decode() or f"_{op.name}"


def _of_reader(op: Operation, resources: dict[tuple[str, str], Any]) -> dict[str, Any]:
    known = {"kind": op.type.removesuffix("V2"), "unit": "records", "made": 0, "line": line_of(op)}
    reader = next(
        (r for (_, name), r in resources.items() if name == _name_of(op) and isinstance(r, Reader)),
        None,
    )
    if reader is None:
        return known
    files = reader.num_work_units_completed
    return known | {
        "made": reader.num_records_produced,
        "note": f"{files} {'file' if files == 1 else 'files'} read to the end",
    }


def _of_iterator(
    op: Operation, resources: dict[tuple[str, str], Any], row: dict[str, Any]
) -> list[dict[str, Any]]:
    """An iterator as its stages, the first one in front."""
    found = (
        r for (kind, name), r in resources.items() if kind == "Iterator" and name.endswith(op.name)
    )
    iterator = next(found, None)
    stages = [] if iterator is None else iterator.snapshot()
    if not stages:
        return [row | {"kind": op.type.removesuffix("V2"), "made": 0, "line": line_of(op)}]
    deepest = max(stage.depth for stage in stages)
    rows, path = list[dict[str, Any]](), dict[int, dict[str, Any]]()
    for stage in stages:
        key = op.name if stage.depth == 0 else f"{op.name}: {stage.name}"
        # A dataset made by a function has names of its own: there may be two of a name.
        alike = sum(known["name"] == key for known in rows)
        station = {"held": stage.buffered, "capacity": stage.capacity, "made": stage.produced}
        path[stage.depth] = (
            row
            | station
            | {
                "name": key,
                "key": key if not alike else f"{key} #{alike + 1}",
                "kind": stage.type.removesuffix("V2").removesuffix("V4"),
                "column": row["column"] + deepest - stage.depth,
                "from": [],
                "seconds": round(stage.seconds, 3),
                "line": line_of(stage.op),
            }
        )
        rows.append(path[stage.depth])
        if stage.depth:
            path[stage.depth - 1]["from"].append(path[stage.depth]["key"])
    for known in rows:
        del known["name"]
    return rows[::-1]


def as_text(rows: Sequence[dict[str, Any]]) -> str:
    """The pipeline as a line for each station."""
    return "\n".join(map(_as_line, rows))


def _as_line(row: dict[str, Any]) -> str:
    facts = []
    if row["held"] is not None:
        room = "" if row["capacity"] is None else f" of {row['capacity']}"
        facts.append(f"holds {row['held']}{room}{', closed' if row['closed'] else ''}")
    if row["made"] is not None:
        facts.append(f"{row['made']} {row['unit']} so far")
    facts += row["waits"]
    if row["note"]:
        facts.append(row["note"])
    source = f" <- {', '.join(row['from'])}" if row["from"] else ""
    return f"{row['key']} ({row['kind']}){source}: {'; '.join(facts) or 'takes what comes'}"
