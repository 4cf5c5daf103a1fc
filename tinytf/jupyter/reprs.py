"""What Graph, Tensor, Operation and Explanation show in a notebook, and `draw`.

Attached to the classes when tinytf is imported in a running notebook kernel; their text `repr`
stays as it is. Nothing here imports IPython or widgets.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np

from tinytf.framework.files import write_file
from tinytf.framework.graph import Graph
from tinytf.framework.operation import Operation
from tinytf.framework.stacks import get_default_graph
from tinytf.framework.tensor import Tensor
from tinytf.jupyter import picture, svg
from tinytf.placement.explain import Explanation
from tinytf.runtime.pruning import prune

_LONGEST_VALUE = 60


class Drawing:
    """A drawing of operations, for a notebook or a file.

    Attributes:
      caption: what it shows, in a sentence.
      picture: nodes and edges; None if there are too many to draw.

    Example:
      >>> total = tf.add(3, 5)
      >>> tinytf.jupyter.draw(total).caption
      'What Add depends on: 3 operations.'
    """

    def __init__(self, ops: Sequence[Operation], caption: str):
        self.picture: picture.Picture | None = None
        if 0 < len(ops) <= picture.MOST_NODES:
            self.picture = picture.picture_of(ops)
        elif ops:
            from tinytf.jupyter.graph_view import GraphView
            from tinytf.jupyter.graph_view_nodes import nodes_of

            self.picture = GraphView(nodes_of(ops), caption).picture
            caption += _advice(ops)
        self.caption = caption

    @property
    def svg(self) -> str:
        """The drawing as a complete SVG file; "" if there is none."""
        return "" if self.picture is None else svg.draw(self.picture, self.caption)

    def save(self, path: Any) -> None:
        """Write the drawing to an SVG file, at one stroke.

        Raises:
          ValueError: if there is nothing drawn. tf.errors.OpError: if the file system refuses.
        """
        if self.picture is None:
            raise ValueError(f"There is no drawing to save. {self.caption}")
        write_file(path, f"{self.svg}\n".encode())

    def _repr_html_(self) -> str:
        html = f'<p class="tinytf-aside">{escape(self.caption)}</p>'
        if self.picture is not None:
            html += svg.in_page(self.svg) + svg.key_to(self.picture.forms())
        return html

    def __repr__(self) -> str:
        return f"<Drawing: {self.caption}>"


def draw(what: Any = None) -> Drawing:
    """Draw a graph, or what some fetches need of it.

    Args:
      what: a `tf.Graph`; or a tensor, an operation, or a list of these: then only the operations
        that they depend on are drawn. Default: the default graph.

    Raises:
      TypeError: for anything else.

    Example:
      >>> tinytf.jupyter.draw(loss).save("loss.svg")  # doctest: +SKIP
    """
    if what is None:
        what = get_default_graph()
    if isinstance(what, Graph):
        return draw_graph(what)
    items = what if isinstance(what, list | tuple) else [what]
    roots: list[Operation] = []
    for item in items:
        item = getattr(item, "op", item)
        if not isinstance(item, Operation):
            raise TypeError(
                f"draw takes a tf.Graph, a tensor, an operation or a list of these, "
                f"got {type(item).__name__}"
            )
        roots.append(item)
    names = ", ".join(op.name for op in roots)
    ops = prune(roots, frozenset())
    return Drawing(ops, f"What {names} depends on: {picture.plural(len(ops), 'operation')}.")


def draw_graph(graph: Graph) -> Drawing:
    """The drawing of a whole graph."""
    ops = graph.get_operations()
    if not ops:
        return Drawing(ops, "An empty graph: build operations inside `with graph.as_default():`.")
    ended = " It is finalized: nothing can be added." if graph.finalized else ""
    return Drawing(ops, f"A graph with {picture.plural(len(ops), 'operation')}.{ended}")


def _advice(ops: Sequence[Operation]) -> str:
    """What a drawing that does not show everything says."""
    common = ", ".join(f"{n} {kind}" for kind, n in Counter(o.type for o in ops).most_common(5))
    return (
        f" Drawn by name scope. Most frequent: {common}. To see a part, draw what a tensor needs: "
        f"tinytf.jupyter.draw(tensor). Inside tf.name_scope, operations are drawn as one."
    )


# -------------------------------------------------------------------------- tensors, operations


def tensor_html(tensor: Tensor) -> str:
    """A tensor: what is known of it before anything runs."""
    op = tensor.op
    facts = [
        ("name", _code(tensor.name)),
        ("dtype", _code(tensor.dtype.name)),
        ("shape", _code(str(tensor.shape)) + _shape_note(tensor)),
        ("computed by", f"{_code(op.type)} operation {_code(op.name)}"),
        ("inputs", _codes([t.name for t in op.inputs])),
        ("runs after", _codes([c.name for c in op.control_inputs])),
        ("device", _code(tensor.device) if tensor.device else ""),
        ("built in", _origin(op)),
    ]
    return _page("Tensor", facts, _about_value(tensor))


def operation_html(op: Operation) -> str:
    """An operation: what it takes, gives, and where it was built."""
    attrs = [f"{name}={attr_text(value)}" for name, value in sorted(op.attrs.items())]
    facts = [
        ("name", _code(op.name)),
        ("type", _code(op.type)),
        ("inputs", "<br>".join(_code(picture.describe_tensor(t)) for t in op.inputs)),
        ("runs after", _codes([c.name for c in op.control_inputs])),
        ("outputs", "<br>".join(_code(picture.describe_tensor(t)) for t in op.outputs)),
        ("attributes", _codes(attrs)),
        ("device", _code(op.device) if op.device else ""),
        ("built in", _origin(op)),
    ]
    return _page("Operation", facts, f"It runs when a session runs it: sess.run({op.name!r})")


def explanation_html(explanation: Explanation) -> str:
    """Why an operation is where it is, as a table."""
    facts = [(title, "<br>".join(map(escape, lines))) for title, lines in explanation.facts]
    return _page(escape(explanation.headline), facts, "")


def _page(title: str, facts: list[tuple[str, str]], remark: str) -> str:
    rows = "".join(f"<tr><th>{name}</th><td>{html}</td></tr>" for name, html in facts if html)
    return (
        f"<style>{''.join(map(svg.static_text, svg.STYLES))}</style>"
        f'<p class="tinytf-title">{title}</p><table class="tinytf-facts">{rows}</table>'
        f'<p class="tinytf-aside">{escape(remark)}</p>'
    )


def _about_value(tensor: Tensor) -> str:
    run = f"sess.run({tensor.name!r})"
    if tensor.op.type == "Const":
        value = attr_text(tensor.op.attrs["value"])
        return f"A constant, {value}; even so, it is {run} that gives it."
    if tensor.op.type.startswith("Placeholder"):
        return (
            f"It has no value until a session runs it with one: "
            f"sess.run(..., feed_dict={{{tensor.name!r}: value}})"
        )
    return f"It has no value until a session runs it: {run}"


def _shape_note(tensor: Tensor) -> str:
    sizes = tensor.shape.sizes
    if sizes is None:
        return " (nothing is known of it before it runs)"
    if not sizes:
        return " (a single element)"
    return " (? is known only when it runs)" if None in sizes else ""


def _origin(op: Operation) -> str:
    line = picture.built_at(op)
    if line is None:
        return "an imported graph"
    place = f"{line.file}, line {line.line}"
    if line.function != "<module>":
        place += f", in {line.function}"
    return escape(place) + (f"<pre>{escape(line.text)}</pre>" if line.text else "")


def _code(text: str) -> str:
    return f"<code>{escape(text)}</code>"


def _codes(items: list[str]) -> str:
    return ", ".join(map(_code, items))


def attr_text(value: Any) -> str:
    """The value of an attribute in few words: long ones end with an ellipsis."""
    if isinstance(value, np.ndarray):
        with np.printoptions(threshold=8, edgeitems=2, precision=4):
            text = " ".join(str(value).split())
    elif isinstance(value, tuple):
        text = "[" + ", ".join(map(attr_text, value)) + "]"
    else:
        text = str(getattr(value, "name", value))
    return text if len(text) <= _LONGEST_VALUE else text[: _LONGEST_VALUE - 1] + "…"


# ---------------------------------------------------------------------------------- late binding


def attach() -> None:
    """Give the classes their notebook reprs. May be called again."""
    Graph._repr_html_ = lambda self: draw_graph(self)._repr_html_()  # type: ignore[attr-defined]
    Tensor._repr_html_ = tensor_html  # type: ignore[attr-defined]
    Operation._repr_html_ = operation_html  # type: ignore[attr-defined]
    Explanation._repr_html_ = explanation_html  # type: ignore[attr-defined]


def detach() -> None:
    """Take the notebook reprs away."""
    kinds: tuple[Any, ...] = (Graph, Tensor, Operation, Explanation)
    for kind in kinds:
        if "_repr_html_" in vars(kind):
            del kind._repr_html_
