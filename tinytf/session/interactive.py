"""`tf.InteractiveSession`: a session that makes itself the default."""

from __future__ import annotations

import threading
import warnings
import weakref
from typing import Any

from tinytf.framework.graph import Graph
from tinytf.framework.stacks import default_graphs, default_sessions
from tinytf.ops.base.arguments import explains_arguments
from tinytf.protos import config_pb2
from tinytf.session.session import BaseSession

#: The interactive sessions of this process that are open; guarded by _lock.
_open: weakref.WeakSet[InteractiveSession] = weakref.WeakSet()
_lock = threading.Lock()


class InteractiveSession(BaseSession):
    """A session that makes itself the default when it is made, for shells and notebooks.

    `tensor.eval()` and `op.run()` then work without naming it. Call `close` when done with it: a
    warning tells of others that are still open. Only what a step needs is placed, so that an
    operation which cannot be placed does not spoil the session.

    Example:
      >>> session = tf.InteractiveSession()
      >>> tf.add(3, 5).eval()  # 8
      >>> session.close()
    """

    @explains_arguments
    def __init__(
        self,
        target: Any = "",
        graph: Graph | None = None,
        config: Any = None,
        *,
        credentials: Any = None,
    ):
        if config is None or isinstance(config, config_pb2.ConfigProto):
            pruned = config_pb2.ConfigProto()
            if config is not None:
                pruned.CopyFrom(config)
            pruned.graph_options.place_pruned_graph = True
            config = pruned
        super().__init__(target, graph, config, credentials=credentials)
        with _lock:
            count = len(_open)
            _open.add(self)
        if count:
            warnings.warn(
                f"An interactive session is already active ({count} more in all). This can cause "
                f"out-of-memory errors in some cases. You must explicitly call "
                f"`InteractiveSession.close()` to release resources held by the other session(s).",
                stacklevel=3,
            )
        self._named_graph = graph
        if graph is not None:
            default_graphs.items.append(graph)
        default_sessions.items.append(self)

    def close(self) -> None:
        """Close, and stop being the default."""
        with _lock:
            was_open = self in _open
            _open.discard(self)
        super().close()
        if was_open:
            default_sessions.forget(self)
            if self._named_graph is not None:
                default_graphs.forget(self._named_graph)
