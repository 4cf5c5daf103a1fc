"""The widget of a prediction: it sends what was predicted, and gets what happened."""

from __future__ import annotations

from typing import Any

import anywidget
import traitlets

from tinytf.jupyter.predictions import Asked
from tinytf.jupyter.trace import script


class PredictWidget(anywidget.AnyWidget):
    """A question to answer; see `tinytf.jupyter.predictions`.

    Attributes:
      form: the question as HTML. reply: what was predicted, empty before; set by the browser.
      outcome: what happened; empty until a reply has come.
    """

    _esm = script("predict.js")
    _css = script("theme.css", "graph.css", "predict.css")
    form = traitlets.Unicode().tag(sync=True)
    reply = traitlets.List(traitlets.Unicode()).tag(sync=True)
    outcome = traitlets.Dict().tag(sync=True)

    def __init__(self, asked: Asked):
        super().__init__(form=asked.form())
        self._asked = asked

    @traitlets.observe("reply")
    def _committed(self, change: Any) -> None:
        if change["new"] and not self.outcome:
            self.outcome = self._asked.commit(tuple(change["new"]))
