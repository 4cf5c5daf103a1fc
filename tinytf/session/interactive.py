"""`tf.InteractiveSession`: a session that makes itself the default."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any

from tinytf.framework.graph import Graph
from tinytf.session.session import BaseSession


class InteractiveSession(BaseSession):
    """A session that makes itself the default when it is made, for shells and notebooks.

    `tensor.eval()` and `op.run()` then work without naming it. Call `close` when done with it.

    Example:
      >>> session = tf.InteractiveSession()
      >>> tf.add(3, 5).eval()  # 8
      >>> session.close()
    """

    def __init__(
        self, target: Any = "", graph: Graph | None = None, config: Any = None, *,
        credentials: Any = None,
    ):  # fmt: skip
        super().__init__(target, graph, config, credentials=credentials)
        self._context = ExitStack()
        if graph is not None:
            self._context.enter_context(graph.as_default())
        self._context.enter_context(self.as_default())

    def close(self) -> None:
        """Close, and stop being the default."""
        super().close()
        self._context.close()
