"""The default-graph stack, and the stack class that default sessions share.

Thread-local, as in TensorFlow: a new thread starts with an empty stack and falls back to the
process's global default graph.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Generic, TypeVar

from tinytf.framework.graph import Graph

T = TypeVar("T")


class DefaultStack(threading.local, Generic[T]):
    """A thread-local stack whose top is "the default"."""

    def __init__(self) -> None:
        self.items: list[T] = []

    def top(self) -> T | None:
        """The current default, or None."""
        return self.items[-1] if self.items else None

    @contextmanager
    def pushed(self, item: T) -> Iterator[T]:
        """Make `item` the default inside the block.

        Raises:
          AssertionError: if blocks are left in another order than they were entered.
        """
        self.items.append(item)
        try:
            yield item
        finally:
            is_top = bool(self.items) and self.items[-1] is item
            self.forget(item)
            if not is_top:
                raise AssertionError(
                    f"Nesting violated for default stack of {type(item)} objects. Blocks are left "
                    f"in the opposite order of being entered, in the thread that entered them: "
                    f"`with` sees to that."
                )

    def forget(self, item: T) -> None:
        """Take out the latest entry of `item`, wherever it is, if there is one."""
        for position in reversed(range(len(self.items))):
            if self.items[position] is item:
                del self.items[position]
                return


class _GraphStack(DefaultStack[Graph]):
    pass


default_graphs: DefaultStack[Graph] = _GraphStack()
_global: list[Graph] = []
_global_lock = threading.Lock()


def get_default_graph() -> Graph:
    """The graph that operations are added to (TensorFlow: `tf.get_default_graph`).

    Example:
      >>> tf.constant(1.0).graph is tf.get_default_graph()  # True
    """
    top = default_graphs.items
    if top:
        return top[-1]
    if not _global:
        with _global_lock:
            if not _global:
                _global.append(Graph())
    return _global[0]


def graph_to_build_in(graph: Graph) -> Graph:
    """Where operations on tensors of `graph` are built: there, unless a function is being traced.

    Its body then captures what they need.
    """
    top = default_graphs.items
    return top[-1] if top and top[-1].building_function else graph


def reset_default_graph() -> None:
    """Forget the global default graph: the next operation starts a new one.

    Raises:
      AssertionError: inside a `with graph.as_default():`, as in TensorFlow.

    Example:
      >>> tf.reset_default_graph()  # doctest: +SKIP
    """
    if default_graphs.items:
        raise AssertionError(
            "Do not use tf.reset_default_graph() to clear nested graphs. If you need a cleared "
            "graph, exit the nesting and create a new graph."
        )
    with _global_lock:
        _global.clear()


class _SessionStack(DefaultStack[Any]):
    #: whether this thread has had one
    had_one = False

    def forget(self, item: Any) -> None:
        """See `DefaultStack.forget`."""
        self.had_one = True
        super().forget(item)


#: The default sessions of each thread; `tinytf.session` pushes, `Tensor.eval` looks.
default_sessions: DefaultStack[Any] = _SessionStack()


def get_default_session() -> Any:
    """The session that `eval()` and `run()` use in this thread, or None.

    Example:
      >>> with tf.Session() as sess:
      ...     print(tf.get_default_session() is sess)
      True
    """
    return default_sessions.top()


def _where_it_is(graph: Graph) -> str:
    """What is said to somebody who looks for a default session in vain."""
    if graph._why_finalized is not None:  # by a session of tf.train
        return (
            ". A MonitoredSession, or MonitoredTrainingSession, is never the default one: "
            "sess.run(...) it instead, which its hooks learn of, too."
        )
    if default_sessions.had_one:
        return (
            ". The default session ended with its `with tf.Session():` block, and so did the "
            "values of its variables: move this line into the block, by indenting it."
        )
    if threading.current_thread() is not threading.main_thread():
        return ". Every thread has a default session of its own: this one has none yet."
    return ". `with tf.Session():` makes one, for the lines of its block."


def session_for(graph: Graph, session: Any, action: str, method: str) -> Any:
    """The given session, or the default one; ValueError if there is none for this graph.

    TypeError: for what is no session.
    """
    kind = action.rpartition(" ")[2]
    with_session = f"{method[:-1]}{'' if method.endswith('()') else ', '}session=sess)"
    if session is None:
        session = default_sessions.top()
        if session is None:
            raise ValueError(
                f"Cannot {action} using `{method}`: No default session is registered. Use `with "
                f"sess.as_default(){':' if kind == 'operation' else ''}` or pass an explicit "
                f"session to `{with_session}`{_where_it_is(graph)}"
            )
        if session.graph is not graph:
            raise ValueError(
                f"Cannot use the default session to {action}: the {kind}'s graph is different "
                f"from the session's graph. Pass an explicit session to `{with_session}`."
            )
    elif not hasattr(session, "graph"):
        raise TypeError(
            f"Cannot {action}: the session must be a tf.Session, got {session!r} of type "
            f"{type(session).__name__}"
        )
    elif session.graph is not graph:
        raise ValueError(
            f"Cannot use the given session to {action}: the {kind}'s graph is different from "
            f"the session's graph."
        )
    return session
