"""Whether a model is ready, what it lacks, and who is expected to do something about it."""

from __future__ import annotations

import logging
from typing import Any

import numpy as np

from tinytf.framework.errors import FailedPreconditionError, OpError
from tinytf.framework.graph import Graph
from tinytf.framework.graph_keys import GraphKeys

_logger = logging.getLogger("tinytf")
#: So many names, and places in programs, a text has at most.
_SHOWN = 6
_SHOWN_ORIGINS = 2


class NotReady(Exception):
    """A model is not ready; the text says why, in TensorFlow's words.

    Args:
      text: why. names: of the variables without a value, as far as known.
    """

    def __init__(self, text: str, names: tuple[str, ...] = (), is_unanswered: bool = False):
        super().__init__(text)
        self.names = names
        #: whether nobody could be asked in time
        self.is_unanswered = is_unanswered

    @classmethod
    def unanswered(cls, error: OpError) -> NotReady:
        """Of a session that could not be asked in time."""
        return cls(error.message, is_unanswered=True)


def check(sess: Any, op: Any, options: Any = None) -> None:
    """Run a ready_op, or a ready_for_local_init_op.

    Raises:
      NotReady: if it tells of variables without a value, or fails because of one.
      TypeError: if it gives something else. tf.errors.OpError: if it fails otherwise.
    """
    if op is None:
        return
    try:
        found = sess.run(op, options=options)
    except FailedPreconditionError as error:
        if "uninitialized" not in error.message:
            _logger.warning("Model not ready : error [%s]", error.message)
            raise
        raise NotReady(error.message) from None
    # None of an operation; TensorFlow's first versions had int32 tensors that meant "ready".
    if found is None or getattr(found, "dtype", None) == np.int32 or np.size(found) == 0:
        return
    names = np.ravel(found).tolist()
    if not all(isinstance(name, bytes) for name in names):
        raise TypeError(
            f"{op} is to say what is not ready: a vector of strings, empty if all is, as "
            f"tf.report_uninitialized_variables() makes it. It gave {found!r}."
        )
    texts = tuple(name.decode(errors="replace") for name in names)
    raise NotReady(f"Variables not initialized: {', '.join(texts)}", texts)


def some(names: tuple[str, ...]) -> str:
    """Names as a text, not too long: "a, b and 7 more"."""
    shown, rest = names[:_SHOWN], len(names) - _SHOWN
    return ", ".join(shown) + (f" and {rest} more" if rest > 0 else "")


def advice(graph: Graph, lack: NotReady, restored_from: Any) -> str:
    """What to do when a chief's own initialisation was not enough: an error's last lines."""
    local = {v.op.name for v in graph.get_collection(GraphKeys.LOCAL_VARIABLES)}
    if restored_from:
        text = (
            f"The model was restored from {restored_from}, so init_op was not run: what the saver "
            f"does not restore has no value. Have it restore all (tf.train.Saver() without "
            f"var_list), or initialise the others in local_init_op."
        )
    elif lack.names and all(name in local for name in lack.names):
        text = (
            "These are local variables: tf.local_variables_initializer() initialises them, as "
            "local_init_op or in a group with init_op."
        )
    else:
        text = (
            "tf.global_variables_initializer() initialises the variables that are there when it "
            "is called: make init_op after the last of them."
        )
    return f"\n{text}{_origins(graph, lack.names)}"


def waiting_text(graph: Graph, lack: NotReady, master: str, times: str) -> str:
    """What a worker tells its user, once, when a wait lasts."""
    text = f"Waiting for the model to be ready. {who_is_to(graph, lack, master)}"
    separator = "\n" if "\n" in text else " "  # a line of a program stands alone
    return f"{text}{separator}This program looks again {times}."


def who_is_to(graph: Graph, lack: NotReady, master: str) -> str:
    """What is missing, and who is expected to do something about it."""
    if lack.is_unanswered:
        return f"Nobody could be asked whether it is: {lack}"
    if lack.names:
        total = len(lack.names)
        what = f"{total} variable{'s have' if total > 1 else ' has'} no value: {some(lack.names)}."
    else:
        what = str(lack)
    if not master:
        return (
            f"{what} The session's target is '', so its variables are this program's own, and no "
            f"other can initialise them: pass the target of a server of the cluster "
            f"(server.target); or be the chief (is_chief=True), if there is only this program."
        )
    if _has_others(graph, lack.names):
        return (
            f"{what} All others have one. If the chief still initialises or restores, this passes; "
            f"if not, its graph may have no such variable. All programs of a network have to build "
            f"the same, under the same names: see with which flags each was started, and what it "
            f"had built before."
            f"{_origins(graph, lack.names)}"
        )
    return (
        f"{what} The chief is to initialise or restore them: the program that was started as "
        f"such (is_chief=True, by convention task 0 of the workers), with the same graph, on the "
        f"same cluster. Does it run?"
    )


def _has_others(graph: Graph, names: tuple[str, ...]) -> bool:
    """Whether some of a graph's variables lack a value, and others do not."""
    known = {v.op.name for v in graph.get_collection(GraphKeys.GLOBAL_VARIABLES)}
    return bool(names) and set(names) < known


def _origins(graph: Graph, names: tuple[str, ...]) -> str:
    """Where the first of some variables were built."""
    lines = []
    for name in names[:_SHOWN_ORIGINS]:
        try:
            lines.append(graph.get_operation_by_name(name).describe_origin())
        except (KeyError, ValueError):
            continue  # a ready_op may tell of anything
    return "".join(f"\n{line}" for line in lines)
