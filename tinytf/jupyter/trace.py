"""A recording as the browser gets it, once: for static/replay.js and what builds on it."""

from __future__ import annotations

from typing import Any

from tinytf.jupyter import svg
from tinytf.jupyter.recording import Event, Recording, Run


def trace_of(recording: Recording) -> dict[str, Any]:
    """The recording in plain dicts and lists; see stateAt in static/replay.js for the events.

    Without a drawing ("svg") and a remark ("remark"): each widget adds its own.
    """
    return {
        "clock": recording.clock,
        "names": recording.names,
        "counters": recording.counters,
        "fed": recording.fed,
        "threads": recording.threads,
        "intraOp": recording.intra_op,
        "lanes": [
            {"title": lane.title, "place": lane.place, "stream": lane.is_stream}
            for lane in recording.lanes
        ],
        "lines": recording.lines,
        "order": recording.order,
        "complete": recording.is_complete,
        "events": [_event(event) for event in recording.events],
        "runs": [_run(run) for run in recording.runs],
    }


def _event(event: Event) -> dict[str, Any]:
    return {
        "kind": event.kind,
        "node": event.node,
        "iteration": event.iteration,
        "changes": [[c.node, c.count, c.iteration] for c in event.changes],
        "ready": [list(item) for item in event.ready],
        "values": list(event.values),
        "text": event.text,
        "time": event.time,
        "run": event.run,
    }


def _run(run: Run) -> dict[str, Any]:
    return {
        "node": run.node,
        "iteration": run.iteration,
        "kind": run.kind,
        "device": run.lane,
        "thread": run.thread,
        "ready": run.ready,
        "taken": run.taken,
        "ended": run.ended,
        "needs": list(run.needs),
        "also": list(run.also),
        "released": run.released,
        "blocked": run.blocked,
        "shards": [[shard.lane, shard.start, shard.end] for shard in run.shards],
    }


def script(*names: str) -> str:
    """Files of tinytf/jupyter/static as one module: browsers get it inline, and nothing else."""
    return "\n".join(map(svg.static_text, names))


def with_texts(bundle: Any, text: str, html: str) -> Any:
    """What a widget shows itself with, and these where no widget can be shown."""
    if bundle is None:
        return None
    data, metadata = bundle if isinstance(bundle, tuple) else (bundle, {})
    return {**data, "text/plain": text, "text/html": html}, metadata
