"""How a cluster shows itself: as text, and as a table in a notebook."""

from __future__ import annotations

import html
from collections.abc import Sequence

from tinytf.distributed.local_cluster.task import TaskStatus
from tinytf.distributed.wire.transport import AUTO


def as_text(statuses: Sequence[TaskStatus], client: str = "", transport: str = AUTO) -> str:
    """A line for each task; `client`: what is wrong with this program's own calls."""
    lines = [
        f"  /job:{s.job}/task:{s.index}  {s.target}  process {s.pid}, {s.state}" for s in statuses
    ]
    if client:
        lines.append(f"  this program: {client}")
    return "\n".join([f"<cluster on this machine{_by(transport)}", *lines]) + ">"


def as_html(statuses: Sequence[TaskStatus], client: str = "", transport: str = AUTO) -> str:
    """A table with a row for each task. States are words; nothing is said by colour alone."""
    # JupyterLab puts the cells of all tables to the right.
    td, th, caption = (f'<{tag} style="text-align:left">' for tag in ("td", "th", "caption"))
    rows = "".join(
        f"<tr>{td}/job:{html.escape(s.job)}/task:{s.index}</td>"
        f"{td}<code>{html.escape(s.target)}</code></td>"
        f"{td}process {s.pid}</td>{td}{_mark(s)} {html.escape(s.state)}</td></tr>"
        for s in statuses
    )
    if client:
        rows += f"<tr>{td}this program</td><td></td><td></td>{td}⚠ {html.escape(client)}</td></tr>"
    titles = "".join(f"{th}{title}</th>" for title in ("task", "target", "process", "state"))
    return (
        f"<table>{caption}A cluster of processes on this machine{_by(transport)}</caption>"
        f"<thead><tr>{titles}</tr></thead><tbody>{rows}</tbody></table>"
    )


def _by(transport: str) -> str:
    return "" if transport == AUTO else ", by gRPC alone"


def _mark(status: TaskStatus) -> str:
    if not status.alive:
        return "✗"
    if status.paused:
        return "⏸"
    return "⚠" if status.faults else "●"
