"""What happened to a cluster while it was followed: frames to play, each with a sentence.

A frame is what a drawing shows of each task and of what was sent, in few values, and what has
changed since the frame before.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from tinytf.devices.asking import readable
from tinytf.jupyter.cluster_view import ENDED, GONE, PAUSED, SERVING, SIGNS, SILENT, holds
from tinytf.jupyter.words import listed

#: How many frames are kept; then the oldest quarter goes.
MOST_FRAMES = 200
STOPPED = "The cluster is stopped: its processes have ended, and what they held is gone."
_NEWS = {
    PAUSED: "is paused: its process is there, and does not answer",
    SILENT: "does not answer in time",
    GONE: "cannot be reached",
}


def frame_of(state: Mapping[str, Any], before: Mapping[str, Any] | None) -> dict[str, Any]:
    """A state as a frame.

    Args:
      state: see `cluster_view.state_of`. before: the one before it; None: this is the first.

    Returns:
      "text": what has changed, "" for nothing that is told. "kind": "fail" if a task is gone.
      "tasks": for each task its state, what it holds, and of what it is the master.
      "edges": for each "a b" the bytes that went. "sent": those that more went along.
    """
    text, sent, failed = _news(before, state) if before else (_first(state), [], False)
    tasks = {
        task["name"]: [
            f"{SIGNS[task['state']]} {task['state']}",
            holds(task),
            f"master of {', '.join(task['master_of'])}" if task["master_of"] else "",
            task["state"],
        ]
        for task in state["tasks"]
    }
    edges = {
        f"{e['source']} {e['target']}": readable(e["bytes"]) if e["bytes"] else "signals"
        for e in state["edges"]
    }
    kind = "fail" if failed else "news"
    return {"text": text, "kind": kind, "tasks": tasks, "edges": edges, "sent": sent}


def _first(state: Mapping[str, Any]) -> str:
    up = [task["name"] for task in state["tasks"] if task["state"] == SERVING]
    down = [f"{t['name']} is {t['state']}" for t in state["tasks"] if t["state"] != SERVING]
    serves = f"{listed(up)} {'serve' if len(up) > 1 else 'serves'}" if up else "No task serves"
    return f"{'; '.join([serves, *down])}."


def _news(before: Mapping[str, Any], now: Mapping[str, Any]) -> tuple[str, list[str], bool]:
    """Sentences, the edges that something went along, and whether a task was lost."""
    old = {task["name"]: task for task in before["tasks"]}
    pairs = [(old.get(task["name"], task), task) for task in now["tasks"]]
    told = [text for pair in pairs for text in _task_news(*pair)]
    known = {session["name"] for session in before["sessions"]}
    fresh = [s for s in now["sessions"] if s["name"] not in known]
    told += [f"{s['name'].capitalize()} was opened; its master is {s['master']}." for s in fresh]
    closed = len(before["sessions"]) + len(fresh) - len(now["sessions"])
    if closed > 0:
        told.append("A session was closed." if closed == 1 else f"{closed} sessions were closed.")
    sent = []
    went = {(edge["source"], edge["target"]): edge for edge in before["edges"]}
    for edge in now["edges"]:
        ends = edge["source"], edge["target"]
        more = _more(went.get(ends), edge)
        if more:
            told.append(f"{ends[0]} sent {ends[1]} {more}.")
            sent.append(" ".join(ends))
    lost = any(a["state"] != b["state"] and b["state"] in (ENDED, GONE) for a, b in pairs)
    return " ".join(told), sent, lost


def _task_news(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterable[str]:
    name, state = new["name"], new["state"]
    again = "restarted" in new["note"] and "restarted" not in old["note"]
    if again or (old["state"] in (ENDED, GONE) and state == SERVING):
        yield f"{name} serves again: a new process, which has no sessions and no variables."
    elif state != old["state"]:
        if state == ENDED:
            yield f"{name} {new['note'] or 'has ended'}. What it held is gone."
        else:
            yield f"{name} {_NEWS.get(state, 'answers again')}."
    if old["told"] and new["told"] and holds(old) != holds(new) and not again:
        yield f"{name} now holds {holds(new)}."


def _more(old: Mapping[str, Any] | None, new: Mapping[str, Any]) -> str:
    """What went since then: "8 bytes (v/read)"; "" for nothing."""
    counts = {name: (times, size) for name, times, size in old["tensors"]} if old else {}
    names, total = [], 0
    for name, times, size in new["tensors"]:
        seen, seen_size = counts.get(name, (0, 0))
        if times < seen:  # its sender was started again, and counts anew
            seen = seen_size = 0
        if times > seen:
            names.append(name)
            total += size - seen_size
    if not names:
        return ""
    values = [name for name in names if not name.startswith("^")]
    return f"{readable(total)} ({listed(values, 3)})" if values else "a signal"
