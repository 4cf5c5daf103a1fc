"""The widget of a step's parts: the same one as of a placement, with other drawings and words."""

from __future__ import annotations

from typing import Any

import anywidget
import traitlets

from tinytf.jupyter import svg
from tinytf.jupyter.picture import Form
from tinytf.jupyter.step_parts import AFTER, Parts
from tinytf.jupyter.trace import script

_WORDS = {
    "label": "The parts of a step.",
    "key": "Thick lines lead from task to task; the bytes stand where they arrive.",
    "see": "what it is and what travels",
    "first": AFTER,
}


class PartsWidget(anywidget.AnyWidget):
    """Shows `Parts`.

    Attributes:
      selected: the key of the node that is described; may be set from Python.
    """

    _esm = script("clock.js", "page.js", "rooms_plan.js", "rooms.js")
    _css = script(*svg.STYLES, "choices.css", "rooms.css")
    content = traitlets.Dict().tag(sync=True)
    selected = traitlets.Unicode("").tag(sync=True)

    def __init__(self, parts: Parts):
        self.parts = parts
        super().__init__(content=content_of(parts))

    def __repr__(self) -> str:
        return repr(self.parts)


def content_of(parts: Parts) -> dict[str, Any]:
    """All that the browser gets; see static/rooms.js."""
    members = parts.picture.members
    forms = {parts.picture.picture_node(key).form for key in members}
    views = {
        name: {"svg": drawing, "cut": text, "gathered": {}}
        for name, (text, drawing) in parts.views.items()
    }
    shown = {
        "name": "Parts",
        "summary": "",
        "groups": {},
        "views": views,
        "key": svg.key_to([form for form in Form if form in forms]).replace(
            svg.MEANINGS[Form.COPY], "Send or Recv"
        ),
        "why": {key: list(parts.explain(key)) for key in members},
    }
    return {"placers": [shown], "differing": [], "words": _WORDS}
