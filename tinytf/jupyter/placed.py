"""Where the operations of a step are, and why: as text, as a drawing, and as a widget."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property, partial
from html import escape
from importlib.util import find_spec
from typing import Any

from tinytf.devices.asking import readable
from tinytf.devices.device import DeviceAttributes
from tinytf.framework.operation import Operation
from tinytf.framework.tensor import Tensor
from tinytf.jupyter import placed_picture, svg
from tinytf.jupyter.picture import plural
from tinytf.jupyter.placed_picture import MOST_OPERATIONS
from tinytf.jupyter.recording import given_session, graph_of
from tinytf.placement import simple
from tinytf.placement.cost_model import place_by_cost, step_costs
from tinytf.placement.crossings import FEEDABLE
from tinytf.placement.explain import Explainer, Explanation, assumptions_of, placement_of
from tinytf.placement.placement import Placement
from tinytf.runtime.pruning import prune
from tinytf.session.feeds import resolve_feed
from tinytf.session.fetches import FetchPlan
from tinytf.session.session import Session

_MOST_ROWS = 40


class Placed:
    """A step's operations on their devices.

    Attributes:
      placements: the session's, and that of the other placer; empty if there can be none.
      error: why not: what running the step would raise; None if it can.

    Example:
      >>> placed = tinytf.jupyter.placed(tf.add(3, 5, name="sum"))
      >>> placed.why("sum").headline
      'sum (AddV2) is on CPU:0, placed by the simple placer'
    """

    def __init__(
        self,
        ops: Sequence[Operation],
        devices: Sequence[DeviceAttributes],
        placements: Sequence[Placement],
        *,
        fed: Iterable[Tensor] = (),
        fetched: Iterable[Tensor] = (),
        error: Exception | None = None,
        assumptions: Mapping[str, Any] = {},
    ):
        self.placements, self.error = tuple(placements), error
        self.fed, self.fetched = list(fed), list(fetched)
        self.explainers = [
            Explainer(
                ops,
                devices,
                placement,
                fed=self.fed,
                fetched=self.fetched,
                costs=step_costs(ops, placement, **assumptions) if placement else None,
                others=[other for other in self.placements if other is not placement],
                error=error,
            )
            for placement in self.placements or [None]
        ]
        self.ops = self.explainers[0].ops

    def why(self, op: Operation | Tensor | str) -> Explanation:
        """Why an operation is where it is; of two placers, where the first one put it.

        Args:
          op: it, its name, or a tensor that it makes.

        Raises:
          KeyError: for an unknown name. ValueError: if the step does not need it.
        """
        if isinstance(op, str):
            if op not in self.ops:
                raise KeyError(f"There is no operation {op!r} in this step. See the table.")
            op = self.ops[op]
        return self.explainers[0].explain(op)

    @cached_property
    def differing(self) -> list[str]:
        """The names of the operations that two placers put on different devices, feeds apart."""
        fed = {tensor.op.name for tensor in self.explainers[0].places.fed}
        return [
            name
            for name in self.ops
            if name not in fed and len({p.device_of(name) for p in self.placements}) > 1
        ]

    # Drawings -----------------------------------------------------------------------------------

    @cached_property
    def pictures(self) -> list[dict[str, placed_picture.PlacedPicture]]:
        """For each placement: "operations", one node each; of many an "overview", by scope."""
        views: dict[str, Any] = {}
        if len(self.ops) <= MOST_OPERATIONS:
            views["operations"] = placed_picture.by_name
        if len(self.ops) > placed_picture.MANY_OPERATIONS:
            views["overview"] = placed_picture.by_scope(list(self.ops.values()))
        return [
            {
                view: placed_picture.PlacedPicture(explainer, key_of)
                for view, key_of in views.items()
            }
            for explainer in self.explainers
            if explainer.placement is not None
        ]

    def groups_in(self, number: int) -> dict[str, str]:
        """Of a placement's operations that are tied to others: the letter of their group."""
        letters: dict[tuple[str, ...], str] = {}
        found = {}
        for name in self.ops:
            group = tuple(sorted(self.placements[number].decisions[name].group))
            if sum(member in self.ops for member in group) > 1:
                found[name] = letters.setdefault(group, _letter(len(letters)))
        return found

    def draw(self, number: int, view: str, styled: bool = True) -> str:
        """One placement as SVG."""
        picture, groups = self.pictures[number][view], self.groups_in(number)
        differing = set(self.differing)
        marks = {
            key: svg.Mark(
                badge=groups.get(key, ""),
                note="≠" if any(op.name in differing for op in members) else "",
            )
            for key, members in picture.members.items()
        }
        return picture.draw(self.summary(number), marks, styled)

    @property
    def svg(self) -> str:
        """The first placement as a complete SVG file; "" if the graph cannot be placed."""
        return self.draw(0, next(iter(self.pictures[0]))) if self.placements else ""

    # Words --------------------------------------------------------------------------------------

    def summary(self, number: int) -> str:
        """One placement in a sentence."""
        explainer = self.explainers[number]
        placement = self.placements[number]
        fed = {t.op.name for t in explainer.places.fed}.intersection(self.ops)
        used = {placement.device_of(name) for name in self.ops if name not in fed}
        used |= {explainer.places.home} if fed else set()
        text = (
            f"{placement.placer.capitalize()} placer: {plural(len(self.ops), 'operation')} on "
            f"{plural(len(used), 'device')}, "
        )
        sizes = [c.size for c in explainer.crossings if c.tensor is not None]
        if not sizes:
            return text + "nothing crosses."
        known, unknown = [size for size in sizes if size is not None], sizes.count(None)
        text += plural(len(sizes), "transfer")
        if not known:
            return f"{text} of unknown size."
        text += f": {readable(sum(known))}"
        return text + (f" and {unknown} of unknown size." if unknown else ".")

    def _lines(self) -> Iterable[str]:
        if self.error is not None:
            yield "The graph cannot be placed. Running it raises:"
            yield from (f"  {line}" for line in str(self.error).splitlines())
        for number, explainer in enumerate(self.explainers if self.placements else ()):
            yield self.summary(number)
            rows = [
                (name, f"{explainer.name(d.device)}: {d.rule}")
                for name, d in self.placements[number].decisions.items()
                if name in self.ops
            ]
            name = explainer.name
            rows += [
                (c.name, f"{name(c.source.device)} -> {name(c.target.device)}, {c.amount}")
                for c in explainer.crossings
            ]
            width = max((len(name) for name, _ in rows[:_MOST_ROWS]), default=0)
            yield from (f"  {name:{width}}  {text}" for name, text in rows[:_MOST_ROWS])
            if len(rows) > _MOST_ROWS:
                yield f"  ... and {len(rows) - _MOST_ROWS} more lines"
        if len(self.placements) > 1:
            yield f"Placed differently: {', '.join(self.differing[:_MOST_ROWS]) or 'nothing'}"

    def __repr__(self) -> str:
        return "\n".join(self._lines())

    def as_html(self) -> str:
        """Drawings and words, for pages where widgets do not run."""
        if not self.placements:
            return f"<pre>{escape(repr(self))}</pre>"
        drawings = "".join(
            f'<p class="tinytf-aside">{escape(self.summary(n))}</p>'
            + svg.in_page(self.draw(n, next(iter(reversed(views))), styled=not n))
            for n, views in enumerate(self.pictures)
        )
        words = f"<details><summary>Why?</summary><pre>{escape(repr(self))}</pre></details>"
        return drawings + words

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        plain = {"text/plain": repr(self), "text/html": self.as_html()}
        if not self.placements or find_spec("anywidget") is None:
            return plain, {}
        from tinytf.jupyter.placed_widget import PlacementWidget

        self.widget = PlacementWidget(self)
        bundle = self.widget._repr_mimebundle_(**kwargs)
        data, metadata = bundle if isinstance(bundle, tuple) else (bundle or {}, {})
        return {**data, **plain}, metadata


def _letter(number: int) -> str:
    """A, B ... Z, AA, AB ..."""
    outer, inner = divmod(number, 26)
    return (_letter(outer - 1) if outer else "") + chr(ord("A") + inner)


def placed(
    fetches: Any = None, session: Any = None, feeds: Iterable[Any] = (), compare: bool = True
) -> Placed:
    """Where operations are, and why: a widget in a notebook, text elsewhere.

    Args:
      fetches: as for `Session.run`; what they need is shown. Default: the whole graph.
      session: a local session; default: the default one, or else a new one, as `tf.Session()`.
      feeds: tensors that will be fed, besides the placeholders; a feed_dict will do.
      compare: whether to ask the other placer, too, where there are several devices.

    Returns:
      what is known of the placement: `.why(op)` explains an operation, `.svg` is a drawing. If the
      graph cannot be placed it says why not, and `.why(op)` what an operation would need.

    Raises:
      UnimplementedError: if the session's steps are placed by a server.
      TypeError, ValueError: for fetches and feeds that `Session.run` does not take.

    Example:
      >>> with tf.device("/cpu:0"):
      ...     total = tf.add(3, 5, name="total")
      >>> tinytf.jupyter.placed(total)
      Simple placer: 3 operations on 1 device, nothing crosses.
        total/x  CPU:0: pinned by tf.device('/device:CPU:0')
        total/y  CPU:0: pinned by tf.device('/device:CPU:0')
        total    CPU:0: pinned by tf.device('/device:CPU:0')
    """
    session = given_session(session)
    if session is None:
        with Session(graph=graph_of(fetches)) as session:
            return placed(fetches, session, feeds, compare)
    plan = FetchPlan(session.graph, [] if fetches is None else fetches)
    fed = {resolve_feed(session.graph, key) for key in feeds}
    built = session.graph.get_operations()
    roots = built if fetches is None else [*(t.op for t in plan.tensors), *plan.targets]
    needed = set(prune(roots, frozenset(fed))) | {t.op for t in fed if t.op.type in FEEDABLE}
    ops = [op for op in built if op in needed]
    placement, error = placement_of(session)
    placements = [] if placement is None else [placement]
    if compare and placement is not None and len(placement.devices) > 1:
        placements.append(_other(placement, session, ops))
    how: dict[str, Any] = {"fed": fed, "fetched": plan.tensors, "error": error}
    assumptions = assumptions_of(session)
    return Placed(ops, session.list_devices(), placements, **how, assumptions=assumptions)


def _other(placement: Placement, session: Any, step: Sequence[Operation]) -> Placement:
    """What the other placer would do in a new session."""
    backend = session._backend
    place = simple.place
    if placement.placer == "simple":
        place = partial(place_by_cost, step=step, **assumptions_of(session))
    ops, soft = session.graph.get_operations(), backend.config.allow_soft_placement
    devices, task = session.list_devices(), backend.task
    return place(ops, devices, task=task, allow_soft_placement=soft, kept={})
