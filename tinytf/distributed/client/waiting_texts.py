"""What a client says while it waits for a server; the server is asked for the reason."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tinytf.distributed import inspection
from tinytf.distributed.cluster import task_advice
from tinytf.framework.errors import OpError, UnimplementedError

#: How long the server may take to give a reason.
ASK_SECONDS = 1.0
_GIVE_UP = "Interrupt this cell to give up (Ctrl-C; in a notebook: Interrupt the kernel)."


def of_placement(address: str) -> str:
    """Where the log of a session with `log_device_placement` is to be found."""
    return (
        f"log_device_placement: the server at grpc://{address} places the operations, and writes "
        f"where into its own log; that of a LocalCluster's task is shown by %cluster logs."
    )


def of_deadline(transport: Any, address: str) -> str:
    """What is added to the error of a server that has not answered in time; "": it is there."""
    try:
        inspection.look_through(transport, ["waits"], ASK_SECONDS)
    except UnimplementedError:  # TensorFlow's
        return ""
    except OpError as error:
        return f" It {_state(address, error)}. {task_advice.START_SERVER}, or check the address."
    return ""


def _state(address: str, error: OpError) -> str:
    """How the server fails to answer: "is refused: nothing listens there"."""
    state = task_advice.how(error)
    if "HTTP/2" in task_advice.details_of(error):
        return "is another program: it answers, but does not speak gRPC; check the port"
    if task_advice.somebody_listens(address):
        state = task_advice.SILENT
    verb = "" if state == task_advice.UNREACHABLE else "is "
    return verb + task_advice.in_words(state, task_advice.details_of(error))


def of_session(transport: Any, address: str, filters: Sequence[str]) -> str:
    """Why a session has not begun: the server is not there, or waits for its tasks.

    Args:
      transport: the client's connection. filters: the session's `device_filters`.

    Returns:
      "": nothing is wrong, as far as the server knows.
    """
    try:
        seen = inspection.look_through(transport, ["waits"], ASK_SECONDS)
    except UnimplementedError:  # TensorFlow's
        return (
            f"grpc://{address} answers, but has not opened the session: a TensorFlow server waits "
            f"until all tasks of its cluster run. Start those that do not; or leave them out with "
            f"tf.ConfigProto(device_filters=...). {_GIVE_UP}"
        )
    except OpError as error:
        return task_advice.of_absence(address, _state(address, error))
    mine = [each for each in seen["waits"]["sessions"] if each["filters"] == list(filters)]
    if not mine:
        return ""
    oldest = max(mine, key=lambda each: float(each["seconds"]))
    count = len(oldest["tasks"])
    return (
        f"The session waits for {count} task{'s' * (count > 1)} of its cluster:\n"
        f"{task_advice.of_missing(oldest['tasks'])}\n{_GIVE_UP}"
    )
