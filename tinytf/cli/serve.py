"""`tinytf serve`: one task of a cluster as a process."""

import json
import os
import sys
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tinytf.distributed.server import Server


#: What an error of `tf.train.Server` names, and the option it is here.
_OPTIONS = {
    "job_name": "--job",
    "task_index": "--task",
    "allow_remote_clients": "--allow-remote-clients",
}


def run(
    job: str | None,
    task: int | None,
    cluster: Sequence[str],
    allow_remote_clients: bool,
    pipes: Sequence[int] | None,
) -> int:
    """Serve until interrupted; returns the exit code.

    Args:
      job, task: which task of the cluster this is; may be left out if there is only one.
      cluster: "job=host:port,host:port" for every job; empty for a task of its own on a free port.
      allow_remote_clients: as for `tf.train.Server`.
      pipes: of a local cluster's child: where to report the port, and where to read the addresses
        of all tasks from. The child ends when its stdin does.
    """
    if pipes is not None:
        threading.Thread(target=_end_with_stdin, daemon=True).start()
    from tinytf.distributed.server import Server
    from tinytf.framework.errors import OpError

    try:
        server = Server(
            _parse_cluster(cluster), job, task, start=False,
            allow_remote_clients=allow_remote_clients,
        )  # fmt: skip
    except (OpError, ValueError) as error:
        message = str(getattr(error, "message", error))
        options = [option for name, option in _OPTIONS.items() if name in message]
        hint = f" Here: {', '.join(options)}." if options else ""
        print(f"tinytf serve: {message}{hint}", file=sys.stderr)
        return 2
    try:
        if pipes is not None:
            _serve_for_parent(server, *pipes)
        else:
            server.start()
            print(f"Serving {server.task} at {server.target} (Ctrl-C stops it)", flush=True)
        server.join()
    except KeyboardInterrupt:
        server.stop()
    return 0


def _parse_cluster(items: Sequence[str]) -> dict[str, list[str]]:
    if not items:
        return {"localhost": ["localhost:0"]}
    cluster = {}
    for item in items:
        name, equals, addresses = item.partition("=")
        if not equals or not name or not addresses:
            raise ValueError(
                f"Could not understand {item!r} in --cluster. Write one item for every job: "
                f"ps=localhost:2221 worker=localhost:2222,localhost:2223"
            )
        cluster[name] = addresses.split(",")
    return cluster


def _serve_for_parent(server: "Server", report: int, addresses: int) -> None:
    from tinytf.distributed.cluster_spec import ClusterSpec

    with os.fdopen(report, "w") as out, os.fdopen(addresses) as incoming:
        print(server.target.rpartition(":")[2], file=out, flush=True)
        spec = json.load(incoming)  # the parent closes its end when all is written
        server.learn_cluster(ClusterSpec(spec))
        server.start()
        print("serving", file=out, flush=True)


def _end_with_stdin() -> None:
    while os.read(0, 4096):
        pass  # nothing is said there; only its end means something
    os._exit(0)  # at once, whatever the task is doing: its user is gone
