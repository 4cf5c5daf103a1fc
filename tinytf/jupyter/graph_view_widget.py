"""The widget of a graph: everything is sent once, laid out and opened in the browser."""

from __future__ import annotations

import anywidget
import traitlets

from tinytf.jupyter import svg
from tinytf.jupyter.graph_view import GraphView

#: One module for the browser, in pieces that can be read; none of them imports anything.
SCRIPTS = """
    page.js graph_view_state.js graph_view_layout.js graph_view_draw.js graph_view_words.js
    graph_view_map.js graph_stage.js graph_search.js graph_view.js
""".split()


class GraphWidget(anywidget.AnyWidget):
    """Shows a `GraphView`; what is open or chosen is known to the browser alone."""

    _esm = "\n".join(map(svg.static_text, SCRIPTS))
    _css = "".join(map(svg.static_text, (*svg.STYLES, "graph_stage.css", "graph_view.css")))
    content = traitlets.Dict().tag(sync=True)

    def __init__(self, view: GraphView):
        self.view = view
        super().__init__(content=view.content())

    def __repr__(self) -> str:
        return repr(self.view)
