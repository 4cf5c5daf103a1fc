"""The widget of a timeline: all boxes are sent once, in columns; the browser draws what is seen."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import anywidget
import traitlets

from tinytf.jupyter import svg
from tinytf.jupyter.timeline_picture import (
    MEANINGS,
    Box,
    kind_of,
    made_text,
    meaning_of,
    note_of,
)
from tinytf.jupyter.timeline_svg import what_is_shown
from tinytf.jupyter.trace import script

if TYPE_CHECKING:
    from tinytf.jupyter.timelines import Timeline


class TimelineWidget(anywidget.AnyWidget):
    """Shows a `Timeline`.

    Attributes:
      selected: the number of the box that is described, by step and start; -1 for none.
    """

    _esm = script("clock.js", "page.js", "timeline_layout.js", "timeline_draw.js", "timeline.js")
    _css = script(*svg.STYLES, "timeline.css")
    content = traitlets.Dict().tag(sync=True)
    selected = traitlets.Int(-1).tag(sync=True)

    def __init__(self, timeline: Timeline):
        self.timeline = timeline
        super().__init__(content=content_of(timeline))

    def __repr__(self) -> str:
        return repr(self.timeline)


class _Table:
    """Values that occur often, each once."""

    def __init__(self) -> None:
        self.values: list[Any] = []
        self._numbers: dict[Any, int] = {}

    def number(self, key: Any) -> int:
        if key not in self._numbers:
            self._numbers[key] = len(self.values)
            self.values.append(key)
        return self._numbers[key]


def _group_of(group: Any) -> dict[str, Any]:
    """What stands together: the rows of one device, or of a pool."""
    return {
        "title": group.title,
        "pool": group.is_pool,
        "opens": group.opens,
        "lanes": [[lane.title, lane.depth] for lane in group.lanes],
        "queue": group.queue,
    }


_OF_NODE = "name op kind what inputs made route".split()


def _known(numbers: dict[int, int], keys: Iterable[int]) -> list[int]:
    """The numbers of those that have one, each once."""
    return list(dict.fromkeys(numbers[key] for key in keys if key in numbers))


def content_of(timeline: Timeline) -> dict[str, Any]:
    """All that the browser gets; see static/timeline.js."""
    picture = timeline.picture
    nodes, notes = _Table(), _Table()
    notes.number("")
    numbers = {id(box.activity): n for n, box in enumerate(picture.boxes) if box.count == 1}

    def node_of(box: Box) -> int:
        activity = box.activity
        made = tuple(made_text(made) for made in activity.made)
        key = activity.name, activity.op, kind_of(activity), meaning_of(activity)
        route = activity.label if activity.op == "_Recv" else ""
        return nodes.number((*key, tuple(activity.inputs), made, route))

    boxes = picture.boxes
    return {
        "clock": timeline.clock,
        "headline": timeline.headline,
        "remark": timeline.remark,
        "clocks": timeline.clocks,
        "cut": timeline.cut,
        "text": repr(timeline),
        "key": {what: MEANINGS[what] for what in what_is_shown(picture)},
        "lengths": picture.lengths,
        "groups": [_group_of(group) for group in picture.groups],
        "boxes": {
            "node": [node_of(box) for box in boxes],
            "note": [notes.number(note_of(box.activity)) for box in boxes],
            "step": [box.activity.step for box in boxes],
            "group": [box.group for box in boxes],
            "lane": [box.lane for box in boxes],
            "depth": [box.depth for box in boxes],
            "start": [box.start for box in boxes],
            "length": [box.end - box.start for box in boxes],
            "waited": [
                -1 if (ready := box.activity.scheduled) is None else box.activity.start - ready
                for box in boxes
            ],
            "sources": [
                _known(numbers, (id(source) for _, source in box.activity.sources)) for box in boxes
            ],
            "many": [box.count for box in boxes],
        },
        "notes": notes.values,
        "nodes": [
            dict(zip(_OF_NODE, node)) | {"line": timeline.line_of(node[0])} for node in nodes.values
        ],
        "arrows": picture.arrows,
    }
