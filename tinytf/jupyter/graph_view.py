"""A graph to look around in: name scopes that open and close, what is set aside, where nodes are.

    tinytf.jupyter.graph()             the default graph
    tinytf.jupyter.graph(loss)         what a fetch needs

`GraphView` holds it, as text, as SVG and as what the widget (graph_view_widget.py) sends to the
browser: nodes (graph_view_nodes.py), and the tree they are in (graph_view_tree.py).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from html import escape
from importlib.util import find_spec
from typing import Any

from tinytf.framework.errors import OpError, UnimplementedError
from tinytf.framework.graph import Graph
from tinytf.framework.graph_import import import_graph_def
from tinytf.framework.operation import Operation
from tinytf.framework.stacks import get_default_graph
from tinytf.jupyter import svg
from tinytf.jupyter.graph_view_nodes import Node, nodes_of, nodes_of_graph_def
from tinytf.jupyter.graph_view_tree import Tree, first_view, view_of
from tinytf.jupyter.picture import Form, Picture, PictureEdge, PictureNode, plural, shorten
from tinytf.jupyter.recording import graph_of
from tinytf.placement.crossings import FEEDABLE
from tinytf.placement.explain import placement_of, short_names
from tinytf.protos import graph_pb2
from tinytf.runtime.pruning import prune
from tinytf.session.feeds import check_feed_dict, resolve_feed
from tinytf.session.fetches import FetchPlan
from tinytf.session.session import BaseSession

#: With more nodes, details are left out: the message has to stay small.
MOST_DETAILED = 6000
_MOST_ROWS, _MOST_NODES = 24, 8
_EMPTY = "An empty graph: build operations inside `with graph.as_default():`."


class GraphView:
    """A graph as the widget shows it.

    Attributes:
      caption: what it is, in a sentence. remarks: what else has to be said of it.
      nodes: what is known of every node. tree: the scopes that they are in.

    Example:
      >>> total = tf.add(3, 5, name="total")
      >>> tinytf.jupyter.graph(total)
      What total needs: 3 operations.
        types    2 Const, 1 AddV2
        devices  none asked for
        scopes   total (AddV2) with 2 parts
    """

    def __init__(self, nodes: Sequence[Node], caption: str, remarks: Iterable[str] = ()):
        self.caption, self.remarks = caption, list(remarks)
        self.nodes = list(nodes)
        self.tree = Tree(self.nodes)
        for cycle in self.tree.cycles:
            names = [self.nodes[number].name for number in [*cycle, cycle[0]]]
            self.remarks.append(f"A cycle that is no loop, so it can never run: {_way(names)}.")
        if len(self.nodes) > MOST_DETAILED:
            self.remarks.append(
                f"More than {MOST_DETAILED:,} operations: attributes and lines of code are left "
                f"out. Ask for less to see them: tinytf.jupyter.graph(tensor)."
            )

    # Words --------------------------------------------------------------------------------------

    def _lines(self) -> Iterable[str]:
        yield self.caption
        yield from self.remarks
        if not self.nodes:
            return
        types = Counter(node.type for node in self.nodes).most_common()
        shown = ", ".join(f"{count} {kind}" for kind, count in types[:12])
        more = f", {plural(len(types) - 12, 'other type')}" if len(types) > 12 else ""
        yield f"  types    {shown}{more}"
        devices = Counter(node.device for node in self.nodes)
        if set(devices) == {""}:
            yield "  devices  none asked for"
        else:
            listed = (f"{devices[name]} {name or 'anywhere'}" for name in sorted(devices))
            yield f"  devices  {', '.join(listed)}"
        title = "scopes "
        items = self._first_level()
        outside = [item for item in items if not self.tree.is_group(item)]
        rows = [self._row(item) for item in items if self.tree.is_group(item)]
        if len(rows) > _MOST_ROWS:
            rows[_MOST_ROWS:] = [f"... and {plural(len(rows) - _MOST_ROWS, 'other scope')}"]
        rows += [self._row(item) for item in outside[:_MOST_NODES]]
        if len(outside) > _MOST_NODES:
            rows.append(f"... and {plural(len(outside) - _MOST_NODES, 'other operation')}")
        for row in rows:
            yield f"  {title}  {row}"
            title = " " * len(title)

    def _first_level(self) -> list[int]:
        """The items directly below the root, parts of many and boxes of asides looked into."""
        found: list[int] = []
        waiting = [self.tree.root]
        while waiting:
            for item in self.tree.group(waiting.pop()).children:
                is_group = self.tree.is_group(item)
                dissolves = is_group and self.tree.group(item).kind in ("part", "aside")
                (waiting if dissolves else found).append(item)
        return sorted(found, key=lambda item: (not self.tree.is_group(item), item))

    def _row(self, item: int) -> str:
        tree = self.tree
        label = tree.label(item)
        if not tree.is_group(item):
            return f"{label} ({self.nodes[item].type})"
        group = tree.group(item)
        if group.core >= 0:
            parts = plural(tree.sizes[item] - 1, "part")
            return f"{label} ({self.nodes[group.core].type}) with {parts}"
        kind = {"loop": "a loop", "function": "a function"}.get(group.kind, "")
        return f"{label}/ {plural(tree.sizes[item], 'operation')}{', ' if kind else ''}{kind}"

    def __repr__(self) -> str:
        return "\n".join(self._lines())

    # Drawings -----------------------------------------------------------------------------------

    @cached_property
    def picture(self) -> Picture | None:
        """The first view without what is inside of scopes: for pages where widgets do not run."""
        if not self.nodes:
            return None
        view = view_of(self.tree, ())
        place: dict[int, int] = {}
        nodes: list[PictureNode] = []
        for item in self.tree.group(self.tree.root).children:
            place[item] = len(nodes)
            nodes.append(self._picture_node(item))
        edges = []
        for (a, b), numbers in view.lines.items():
            outputs = [self.tree.edges[number][2] for number in numbers]
            is_control = all(output < 0 for output in outputs)
            title = plural(len(numbers), "control edge" if is_control else "tensor")
            edges.append(PictureEdge(place[a], place[b], is_control, title))
        return Picture(tuple(nodes), tuple(edges))

    def _picture_node(self, item: int) -> PictureNode:
        tree = self.tree
        beside = ", aside" if item in tree.aside else ""
        if not tree.is_group(item):
            node = self.nodes[item]
            title = f"{node.name} ({node.type}){beside}"
            kind = (node.value or node.type) + beside
            label = shorten(tree.label(item))
            return PictureNode(node.name, label, kind, node.form, node.device, title)
        group, count = tree.group(item), tree.sizes[item]
        title = f"{group.path or group.label}, {plural(count, 'operation')}{beside}"
        key, label = group.path or f"{group.label} ({item})", shorten(group.label)
        if group.core >= 0:
            core = self.nodes[group.core]
            kind = f"{core.type} and {count - 1} more{beside}"
            return PictureNode(key, label, kind, core.form, core.device, title)
        named = f", a {group.kind}" if group.kind in ("loop", "function") else ""
        kind = f"{plural(count, 'op')}{named}{beside}"
        return PictureNode(key, label, kind, Form.SCOPE, "", title)

    def svg(self) -> str:
        """The outermost scopes as a complete SVG file; "" for an empty graph."""
        return "" if self.picture is None else svg.draw(self.picture, self.caption)

    def as_html(self) -> str:
        """The drawing and the words, for pages where widgets do not run."""
        if self.picture is None:
            return f"<p>{escape(self.caption)}</p>"
        said = "".join(f"<p>{escape(remark)}</p>" for remark in self.remarks)
        words = f"<details><summary>In words</summary><pre>{escape(repr(self))}</pre></details>"
        return (
            f'<p class="tinytf-aside">{escape(self.caption)} The drawing shows the outermost '
            f"scopes; run the cell to open them.</p>{said}{svg.in_page(self.svg())}"
            f"{svg.key_to(self.picture.forms())}{words}"
        )

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        plain = {"text/plain": repr(self), "text/html": self.as_html()}
        if not self.nodes or find_spec("anywidget") is None:
            return plain, {}
        from tinytf.jupyter.graph_view_widget import GraphWidget

        self.widget = GraphWidget(self)
        bundle = self.widget._repr_mimebundle_(**kwargs)
        data, metadata = bundle if isinstance(bundle, tuple) else (bundle or {}, {})
        return {**data, **plain}, metadata

    # For the browser ----------------------------------------------------------------------------

    def content(self) -> dict[str, Any]:
        """All that the browser gets, once; see static/graph_view_state.js."""
        tree, detailed = self.tree, len(self.nodes) <= MOST_DETAILED
        tables: dict[str, dict[Any, int]] = {
            name: {} for name in ("types", "devices", "asked", "lines", "attrs", "outputs")
        }

        def put(table: str, value: Any) -> int:
            return tables[table].setdefault(value, len(tables[table]))

        nodes = [
            [
                node.name,
                put("types", (node.type, str(node.form))),
                put("devices", node.device),
                put("asked", node.asked),
                put("lines", node.line if detailed else ""),
                [put("attrs", pair) for pair in node.attrs] if detailed else [],
                [number for pair in node.inputs for number in pair],
                node.controls,
                [put("outputs", text) for text in node.outputs],
                node.value,
                node.note,
                list(node.calls),
            ]
            for node in self.nodes
        ]
        return {
            "caption": self.caption,
            "remarks": self.remarks,
            **{name: list(table) for name, table in tables.items()},
            "nodes": nodes,
            "groups": [[g.label, g.kind, g.core, g.path, g.loop] for g in tree.groups],
            "parent": tree.parent,
            "labels": [[item, label] for item, label in tree.labels.items()],
            "aside": sorted(tree.aside),
            "open": sorted(first_view(tree)),
            "cycles": tree.cycles,
        }


def _way(names: Sequence[str]) -> str:
    if len(names) > 8:
        names = [*names[:6], "...", names[-1]]
    return " → ".join(names)


def graph(
    graph_or_fetches: Any = None,
    feed_dict: Mapping[Any, Any] | Iterable[Any] | None = None,
    session: Any = None,
) -> GraphView:
    """A graph to look around in: a widget in a notebook, words and a drawing elsewhere.

    Nothing runs. In the widget, name scopes open and close, a click shows what is known of a node,
    "/" searches.

    Args:
      graph_or_fetches: a `tf.Graph` or a `GraphDef`, shown whole; or fetches as for `Session.run`:
        then only what they need. Default: the session's graph, or else the default graph.
      feed_dict: tensors that will be fed; what only they need is left out. A list will do.
      session: a local session: operations are shown on the devices where it has put them. Without
        one they are shown on the devices that they ask for.

    Returns:
      a `GraphView`; its `.svg()` is a drawing of the outermost scopes.

    Raises:
      TypeError, ValueError: for fetches and feeds that `Session.run` does not take.

    Example:
      >>> tinytf.jupyter.graph(loss, session=sess)  # doctest: +SKIP
    """
    what = graph_or_fetches
    if session is not None and not isinstance(session, BaseSession):
        raise TypeError(
            f"Cannot draw a graph: the session must be a tf.Session, got {session!r} of type "
            f"{type(session).__name__}"
        )
    if isinstance(what, graph_pb2.GraphDef):
        return _of_graph_def(what)
    if what is None or isinstance(what, Graph):
        shown = what or (get_default_graph() if session is None else session.graph)
        fetches: Any = None
    else:
        shown, fetches = graph_of(what) if session is None else session.graph, what
    check_feed_dict(feed_dict)
    fed = {resolve_feed(shown, key) for key in feed_dict or ()}
    ops, caption = shown.get_operations(), ""
    fetched: list[Any] = []
    running: set[Operation] | None = None
    if fetches is not None:
        plan = FetchPlan(shown, fetches)
        fetched = list(dict.fromkeys([*(t.op for t in plan.tensors), *plan.targets]))
        running = set(prune(fetched, frozenset(fed)))
        used = {tensor for op in running for tensor in op.inputs}.union(plan.tensors)
        needed = running | {t.op for t in fed if t in used or t.op.type in FEEDABLE}
        ops = [op for op in ops if op in needed]
        names = ", ".join(op.name for op in fetched[:4]) + (" ..." if len(fetched) > 4 else "")
        if not fetched:
            return GraphView([], "No fetches: there is nothing that they need.")
        caption = f"What {names} needs: {plural(len(ops), 'operation')}."
    elif not ops:
        return GraphView([], _EMPTY)
    places, remarks = _places(session, shown)
    ended = " It is finalized: nothing can be added." if shown.finalized else ""
    caption = caption or f"A graph with {plural(len(ops), 'operation')}.{ended}"
    nodes = nodes_of(ops, fed, fetched, places, running)
    return GraphView(nodes, caption, remarks)


def _places(session: Any, shown: Graph) -> tuple[dict[str, str], list[str]]:
    """Where a session has put operations, by their names, short."""
    if session is None:
        return {}, []
    if session.graph is not shown:
        return {}, ["The session has another graph: devices are those asked for."]
    try:
        placement, error = placement_of(session)
    except UnimplementedError:
        return {}, ["The session's server places operations: devices are those asked for."]
    if placement is None:
        reason = str(error).partition("\n")[0]
        return {}, [f"The session cannot place it; devices are those asked for. {reason}"]
    short = short_names(session.list_devices())
    return {op.name: short[placement.device_of(op.name)] for op in shown.get_operations()}, []


def _of_graph_def(graph_def: graph_pb2.GraphDef) -> GraphView:
    count = plural(len(graph_def.node), "node")
    if not graph_def.node and not graph_def.library.function:
        return GraphView([], "An empty GraphDef: it has no nodes.")
    imported = Graph()
    try:
        with imported.as_default():
            import_graph_def(graph_def, name="")
    except (ValueError, TypeError, OpError) as error:
        return _as_it_stands(graph_def, count, str(error))
    return GraphView(nodes_of(imported.get_operations()), f"A GraphDef with {count}.")


def _as_it_stands(graph_def: graph_pb2.GraphDef, count: str, reason: str) -> GraphView:
    nodes, problems = nodes_of_graph_def(graph_def)
    first = reason.partition("\n")[0]
    remark = f"It cannot be imported, so types and shapes of tensors are unknown: {first}"
    return GraphView(nodes, f"A GraphDef with {count}.", [remark, *problems])
