"""The widget of a placement: drawings laid out in Python, explanations sent along with them."""

from __future__ import annotations

from typing import Any

import anywidget
import traitlets

from tinytf.jupyter import svg
from tinytf.jupyter.picture import Form
from tinytf.jupyter.placed import Placed
from tinytf.jupyter.trace import script

_MOST_MEMBERS = 30


class PlacementWidget(anywidget.AnyWidget):
    """Shows a `Placed`.

    Attributes:
      selected: the name of the operation that is explained; may be set from Python.
    """

    _esm = script("clock.js", "page.js", "rooms_plan.js", "rooms.js")
    _css = script(*svg.STYLES, "choices.css", "rooms.css")
    content = traitlets.Dict().tag(sync=True)
    selected = traitlets.Unicode("").tag(sync=True)

    def __init__(self, placed: Placed):
        self.placed = placed
        super().__init__(content=content_of(placed))

    def __repr__(self) -> str:
        return repr(self.placed)


def content_of(placed: Placed) -> dict[str, Any]:
    """All that the browser gets; see static/rooms.js."""
    placers = [_placer(placed, number) for number in range(len(placed.placements))]
    return {"placers": placers, "differing": placed.differing}


def _placer(placed: Placed, number: int) -> dict[str, Any]:
    placement, explainer = placed.placements[number], placed.explainers[number]
    views, alone = {}, {}
    for view, picture in placed.pictures[number].items():
        gathered = {}
        for key, ops in picture.members.items():
            rules = [[op.name, placement.decisions[op.name].rule] for op in ops[:_MOST_MEMBERS]]
            if len(ops) > 1:
                where = explainer.name(placement.device_of(ops[0].name))
                title = f"{key.partition(' on ')[0]} on {where}: {len(ops)} operations"
                gathered[key] = {"title": title, "rules": rules, "more": len(ops) - len(rules)}
            else:
                alone[key] = ops[0]
        drawing = placed.draw(number, view, styled=False)
        views[view] = {"svg": drawing, "cut": picture.cut, "gathered": gathered}
    forms = {node.form for picture in placed.pictures[number].values() for node in picture.nodes}
    explained = {key: explainer.explain(op) for key, op in alone.items()}
    return {
        "name": f"{placement.placer.capitalize()} placer",
        "summary": placed.summary(number),
        "groups": placed.groups_in(number),
        "views": views,
        "key": svg.key_to([form for form in Form if form in forms]),
        "why": {key: [why.headline, why.facts] for key, why in explained.items()},
    }
