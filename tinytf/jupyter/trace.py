"""A recording as the browser gets it, once: for static/replay.js and what builds on it."""

from __future__ import annotations

from typing import Any

from tinytf.jupyter import svg
from tinytf.jupyter.recording import Event, Recording, Run

_OF_RECORDING = "clock names counters fed threads lines order".split()
_OF_EVENT = "kind node iteration text time run".split()
_OF_RUN = "node iteration kind thread ready taken ended released blocked".split()


def _plain(of: Any, names: list[str], **others: Any) -> dict[str, Any]:
    """What the browser takes as it is, and what it takes otherwise."""
    return {name: getattr(of, name) for name in names} | others


def trace_of(recording: Recording) -> dict[str, Any]:
    """The recording in plain dicts and lists; see stateAt in static/replay.js for the events.

    Without a drawing ("svg") and a remark ("remark"): each widget adds its own.
    """
    lanes = [{"title": e.title, "place": e.place, "stream": e.is_stream} for e in recording.lanes]
    events, runs = map(_event, recording.events), map(_run, recording.runs)
    shown = {"intraOp": recording.intra_op, "complete": recording.is_complete, "lanes": lanes}
    return _plain(recording, _OF_RECORDING, events=list(events), runs=list(runs)) | shown


def _event(event: Event) -> dict[str, Any]:
    changes = [[c.node, c.count, c.iteration] for c in event.changes]
    ready, values = [list(item) for item in event.ready], list(event.values)
    return _plain(event, _OF_EVENT, changes=changes, ready=ready, values=values)


def _run(run: Run) -> dict[str, Any]:
    shards = [[shard.lane, shard.start, shard.end] for shard in run.shards]
    needs = {"needs": list(run.needs), "also": list(run.also), "shards": shards}
    return _plain(run, _OF_RUN, device=run.lane, **needs)


def script(*names: str) -> str:
    """Files of tinytf/jupyter/static as one module: browsers get it inline, and nothing else."""
    return "\n".join(map(svg.static_text, names))


def with_texts(bundle: Any, text: str, html: str) -> Any:
    """What a widget shows itself with, and these where no widget can be shown."""
    if bundle is None:
        return None
    data, metadata = bundle if isinstance(bundle, tuple) else (bundle, {})
    return {**data, "text/plain": text, "text/html": html}, metadata
