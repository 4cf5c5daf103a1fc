"""A hook that shows a progress bar, in notebooks and terminals; tinytf's own."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from numbers import Real
from typing import TYPE_CHECKING, Any, TextIO

from tinytf.framework.stacks import get_default_graph
from tinytf.training.hooks import timer
from tinytf.training.hooks.bars import Bar, LineBar, TqdmBar
from tinytf.training.hooks.global_step_hook import GlobalStepHook
from tinytf.training.hooks.graph_elements import graph_element
from tinytf.training.hooks.session_run_hook import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunValues,
)
from tinytf.training.hooks.stop_at_step import StopAtStepHook

if TYPE_CHECKING:
    from tinytf.session.session import BaseSession

#: Seconds from one picture to the next; the runs between cost nothing.
_PAUSE = 0.1
#: What says that nobody looks: set by pytest, also for the notebooks that it runs; and for pages.
_UNSEEN = (("PYTEST_CURRENT_TEST", None), ("TINYTF_PREDICTIONS", "fold"))


class ProgressBarHook(GlobalStepHook):
    """Shows how far the training is: the global step, steps per second, and values if wished.

    TensorFlow has none. It is shown in a notebook or a terminal, with tqdm if that is installed
    (`pip install tinytf[course]`), otherwise as a line; where nobody looks, as in a log file or
    where a notebook is validated, nothing is shown and nothing is run.

    Args:
      last_step: the global step at which the training ends, or the `tf.train.StopAtStepHook` that
        ends it; without it the bar has no end.
      tensors: values to show, single numbers: a list of tensors or names, or a dict of what to call
        them.
      description: what to write in front.
      file: where to write, if that is a terminal; by default standard error.

    Raises:
      TypeError: if `tensors` is a single one, or `last_step` no step. When the session is made,
        as `tf.train.LoggingTensorHook` for unknown tensors. RuntimeError: then, if there is no
        global step.

    Example:
      >>> from tinytf.training.hooks import ProgressBarHook
      >>> step = tf.train.get_or_create_global_step()
      >>> train_op, loss = tf.assign_add(step, 1), tf.constant(0.5, name="loss")
      >>> stop = tf.train.StopAtStepHook(last_step=100)
      >>> hooks = [stop, ProgressBarHook(stop, [loss])]
      >>> with tf.train.SingularMonitoredSession(hooks) as sess:  # 100/100 [..., loss=0.5]
      ...     while not sess.should_stop():
      ...         number = sess.run(train_op)
    """

    def __init__(
        self,
        last_step: int | StopAtStepHook | None = None,
        tensors: Mapping[str, Any] | Iterable[Any] = (),
        description: str = "",
        file: TextIO | None = None,
    ):
        if isinstance(tensors, str) or hasattr(tensors, "op"):
            raise TypeError(
                f"ProgressBarHook takes a list or a dict of tensors, got {tensors!r}. Write a list "
                f"with this one in it."
            )
        if not (last_step is None or isinstance(last_step, StopAtStepHook | Real)):
            raise TypeError(
                f"last_step must be a number or a tf.train.StopAtStepHook object, got {last_step!r}"
            )
        if isinstance(tensors, Mapping):
            self._tensors = dict(tensors)
        else:
            names = {each: _name(each) for each in tensors}
            short = Counter(_last_part(name) for name in names.values())
            self._tensors = {
                _last_part(name) if short[_last_part(name)] == 1 else name: each
                for each, name in names.items()
            }
        self._goal, self._description, self._file = last_step, description, file
        self._bar: Bar | None = None

    def begin(self) -> None:
        super().begin()
        graph = get_default_graph()
        self._fetches = {
            tag: graph_element(each, graph, "ProgressBarHook")
            for tag, each in self._tensors.items()
        }
        self._close()

    def after_create_session(self, session: BaseSession, coord: Any) -> None:
        super().after_create_session(session, coord)
        self._due, self._shown = 0.0, ""
        if self._bar is None:
            self._make_bar = _kind_of_bar(self._file)

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs | None:
        self._is_time = self._make_bar is not None and timer.clock() >= self._due
        return SessionRunArgs((self._global_step, self._fetches)) if self._is_time else None

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        if self._is_time and self._make_bar is not None:
            step, values = int(run_values.results[0]), run_values.results[1]
            self._shown = ", ".join(f"{tag}={_text(value)}" for tag, value in values.items())
            if self._bar is None:  # by now a hook that stops after so many steps knows the last one
                self._bar = self._make_bar(self._last_step(), step, self._description)
            self._bar.show(step, self._shown)
            self._due = timer.clock() + _PAUSE

    def end(self, session: BaseSession) -> None:
        if self._bar is not None:
            self._bar.show(int(self._step_now(session)), self._shown)
            self._close()

    def _last_step(self) -> int | None:
        goal: Any = self._goal
        found = goal.last_step if isinstance(goal, StopAtStepHook) else goal
        return None if found is None else int(found)

    def _close(self) -> None:
        if self._bar is not None:
            self._bar.close()
            self._bar = None


def _kind_of_bar(file: TextIO | None) -> Callable[[int | None, int, str], Bar] | None:
    """What makes a bar of the last step, the first one, and a description; None if nobody looks."""
    for variable, value in _UNSEEN:
        if variable in os.environ and value in (None, os.environ[variable]):
            return None
    in_notebook = file is None and _in_notebook()
    file = file or (sys.stdout if in_notebook else sys.stderr)
    if not in_notebook and not _is_terminal(file):
        return None
    try:
        import tqdm  # noqa: F401  # only if it is shown
    except ImportError:
        return partial(LineBar, file)
    return partial(TqdmBar, None if in_notebook else file)


def _in_notebook() -> bool:
    # Asks without importing: whoever runs in a notebook has it.
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return hasattr(shell, "kernel")


def _is_terminal(file: Any) -> bool:
    ask = getattr(file, "isatty", None)
    return bool(ask is not None and ask())


def _name(tensor: Any) -> str:
    name = tensor if isinstance(tensor, str) else getattr(tensor, "name", None) or str(tensor)
    return name.removesuffix(":0")


def _last_part(name: str) -> str:
    return name.rpartition("/")[2]


def _text(value: Any) -> str:
    try:
        return f"{float(value):.4g}"
    except (TypeError, ValueError):
        return " ".join(str(value).split())[:40]
