"""Before and after: what the optimisations of a step did to its graph."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from html import escape
from typing import Any

from tinytf.jupyter.picture import plural
from tinytf.jupyter.recording import graph_of
from tinytf.jupyter.reprs import Drawing
from tinytf.protos.config_pb2 import ConfigProto
from tinytf.resources.manager import ResourceManager
from tinytf.runtime.compiler import compile_plan
from tinytf.runtime.optimise import Change, Passes
from tinytf.runtime.preparation import CompileRequest
from tinytf.session.feeds import resolve_feed
from tinytf.session.fetches import FetchPlan

_MOST_ROWS = 40


class Optimised:
    """The graph of a step before and after, and what was done to it.

    Attributes:
      before, after: drawings. changes: one entry for each thing that was done, in order; each
        says which optimisation it was (`by`), on which operation (`op`), and `what` it did.

    Example:
      >>> y = tf.identity(tf.constant(2.0) * 3.0)
      >>> [change.by for change in tinytf.jupyter.optimised(y).changes]
      ['constant folding', 'constant folding']
    """

    def __init__(self, before: Drawing, after: Drawing, changes: list[Change]):
        self.before, self.after, self.changes = before, after, changes

    def __repr__(self) -> str:
        lines = [f"Before: {_first(self.before)}", f"After: {_first(self.after)}"]
        for title, rows in self._tables():
            lines += [f"{title}:", *(f"  {name}: {what}" for name, what in rows)]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        columns = "".join(
            f'<div><p class="tinytf-aside">{title}</p>{drawing._repr_html_()}</div>'
            for title, drawing in (("Before", self.before), ("After", self.after))
        )
        tables = "".join(
            f"<details><summary>{escape(title)}</summary><ul>"
            + "".join(f"<li><code>{escape(name)}</code> {escape(what)}</li>" for name, what in rows)
            + "</ul></details>"
            for title, rows in self._tables()
        )
        return f'{tables}<div style="display: flex; flex-wrap: wrap; gap: 2em">{columns}</div>'

    def _tables(self) -> Iterable[tuple[str, list[tuple[str, str]]]]:
        """For each optimisation: its title, and what it did to which operation."""
        for by in dict.fromkeys(change.by for change in self.changes):
            rows = [(change.op, change.what) for change in self.changes if change.by == by]
            shown, more = rows[:_MOST_ROWS], len(rows) - _MOST_ROWS
            yield f"{by} ({len(rows)})", shown + ([("...", f"{more} more")] if more > 0 else [])
        if not self.changes:
            yield "There was nothing to optimise", []


def _first(drawing: Drawing) -> str:
    return drawing.caption.partition(". ")[0].rstrip(".") + "."


def optimised(fetches: Any, feeds: Any = (), config: Any = None) -> Optimised:
    """What a session makes of the graph of a step before it runs it.

    A session folds constants, leaves out what changes nothing or what nobody takes, computes equal
    things once, and lets chains of element-wise operations work in one array. Nothing is run here.

    Args:
      fetches: as for `Session.run`. feeds: the tensors that will be fed; a feed_dict will do.
      config: the session's `tf.ConfigProto`; `graph_options` switches optimisations off.

    Raises:
      TypeError, ValueError: for fetches and feeds that `Session.run` does not take.

    Example:
      >>> x = tf.placeholder(tf.float32, [])
      >>> y = tf.tanh(x * 1.0) + tf.tanh(x)
      >>> print(tinytf.jupyter.optimised(y, [x]))
      Before: The step as it was built: 5 operations.
      After: What runs: 2 operations.
      arithmetic (1):
        mul: gives back Placeholder:0
      common subexpressions (1):
        Tanh_1: is the same as Tanh
    """
    graph = graph_of(fetches)
    plan = FetchPlan(graph, fetches)
    fed = [resolve_feed(graph, key) for key in feeds]
    request = CompileRequest(fed, plan.tensors, plan.targets, ResourceManager())
    before = compile_plan(request)
    after = compile_plan(replace(request, passes=Passes.of(config or ConfigProto())))
    return Optimised(
        Drawing(before.ops, f"The step as it was built: {plural(len(before.ops), 'operation')}."),
        Drawing(after.ops, f"What runs: {plural(len(after.ops), 'operation')}."),
        after.changes,
    )
