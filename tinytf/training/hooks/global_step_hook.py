"""What hooks share: reading the global step, and being of one session at a time.

`global_step_read` mirrors `_get_or_create_global_step_read` of
tensorflow/python/training/training_util.py.
"""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

from tinytf.framework.graph import Graph
from tinytf.framework.stacks import get_default_graph
from tinytf.ops.control_flow.cond import cond
from tinytf.ops.variables.state import is_variable_initialized
from tinytf.ops.variables.variable import Variable
from tinytf.training.global_step import get_global_step
from tinytf.training.hooks.session_run_hook import SessionRunHook

if TYPE_CHECKING:
    from tinytf.session.session import BaseSession

#: The collection of the tensor that all hooks of a graph read the global step by.
GLOBAL_STEP_READ = "global_step_read_op_cache"


def global_step_read(graph: Graph | None = None) -> Any:
    """A tensor with the global step's value, one for each graph; None if there is no global step.

    Before the variable is initialised it gives the initial value. In a run that trains as well it
    may be the value before or after: whoever needs the one after runs it again, by itself.
    """
    graph = graph or get_default_graph()
    made = graph.get_collection(GLOBAL_STEP_READ)
    if made:
        return made[0]
    step = get_global_step(graph)
    if step is None:
        return None
    with graph.as_default(), graph.name_scope(None), graph.name_scope(step.op.name + "/"):
        value = step
        if isinstance(step, Variable):
            is_there = is_variable_initialized(step)
            value = cond(is_there, step.read_value, lambda: step.initial_value)
        read = value + 0  # a copy: the variable itself goes on
        graph.add_to_collection(GLOBAL_STEP_READ, read)
    return read


class OneSessionHook(SessionRunHook):
    """A hook that remembers something of its session, and so serves one session at a time."""

    _session_before: weakref.ref[Any] | None = None

    def begin(self) -> None:
        """Raises RuntimeError if the hook is in use by another session, which is still open."""
        # A session that takes the place of a lost one does not begin again.
        before = None if self._session_before is None else self._session_before()
        if before is not None and not before.is_closed:
            name = type(self).__name__
            raise RuntimeError(
                f"This {name} is in use by another session, which is still open, and would mix up "
                f"the steps of the two. Make a {name} for each session (or close the other session "
                f"first)."
            )

    def after_create_session(self, session: BaseSession, coord: Any) -> None:
        """Remembers whose it is; sessions of other kinds than tinytf's are not told apart."""
        is_known = hasattr(session, "is_closed")
        self._session_before = weakref.ref(session) if is_known else None


class GlobalStepHook(OneSessionHook):
    """A hook that goes by the global step.

    Attributes:
      _global_step: a tensor with its value, for a run that trains as well.
      _behind: by how much that is behind the step after the run: 1 if the run reads before it
        counts, 0 if it reads after. Nothing orders the two, but each run of a training does the
        same: so `_step_now` finds out.
    """

    _global_step: Any = None
    _behind = 1

    def begin(self) -> None:
        """Raises RuntimeError if the graph has no global step, or as `OneSessionHook`."""
        super().begin()
        self._global_step = global_step_read()
        if self._global_step is None:
            raise RuntimeError(
                f"Global step should be created to use {type(self).__name__}. Call "
                f"tf.train.get_or_create_global_step() while the graph is built, and pass what it "
                f"returns to minimize(loss, global_step=...), which counts it up."
            )
        self._variable = get_global_step()

    def _step_now(self, session: BaseSession, of_run: Any = None) -> Any:
        """The global step after a run; `of_run` is what the run itself has read."""
        step = session.run(self._variable)
        if of_run is not None:
            self._behind = 0 if of_run >= step else 1
        return step
