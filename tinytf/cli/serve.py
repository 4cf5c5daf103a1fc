"""`tinytf serve`: one task of a cluster as a process.

The cluster comes from the command line, from a file, or from the environment variable TF_CONFIG,
in TensorFlow's own form: {"cluster": {"ps": ["host:2221"], ...}, "task": {"type": "ps",
"index": 0}}.
"""

import json
import os
import signal
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from tinytf.distributed.server.server import Server

TF_CONFIG = "TF_CONFIG"

#: What an error of `tf.train.Server` names, and the option it is here.
_OPTIONS = {
    "job_name": "--job",
    "task_index": "--task",
    "allow_remote_clients": "--allow-remote-clients",
    "credentials=": "--tls",
}
_EXAMPLE = '{"ps": ["localhost:2221"], "worker": ["localhost:2222", "localhost:2223"]}'


class Pipes(NamedTuple):
    """File descriptors that a local cluster's child has from its parent.

    Attributes:
      report: where to say that it serves. control: where it is told which calls to delay or lose.
      code, replies: of the console; -1 without one.
    """

    report: int
    control: int
    code: int = -1
    replies: int = -1


def run(
    job: str | None = None,
    task: int | None = None,
    cluster: Sequence[str] = (),
    cluster_file: str | None = None,
    allow_remote_clients: bool = False,
    pipes: Pipes | None = None,
    die_with_parent: bool = False,
    tls: str | None = None,
    file_root: str | None = None,
    limits: Sequence[str] = (),
    transport: str | None = None,
) -> int:
    """Serve until interrupted or terminated (SIGINT, SIGTERM); returns the exit code.

    Args:
      job, task: which task of the cluster this is; may be left out if there is only one, or if
        TF_CONFIG says it.
      cluster: "job=host:port,host:port" for every job.
      cluster_file: a JSON file with the same. Without both it is that of TF_CONFIG; without that, a
        task of its own on a free port.
      allow_remote_clients: as for `tf.train.Server`.
      pipes: of a local cluster's child, which ends when its stdin does.
      die_with_parent: whether the system shall end it with the thread that started it.
      tls: the folder of its credentials. file_root: as for `tf.train.Server`.
      limits: "sessions=40" and the like. transport: as for `tf.train.Server`.
    """
    if pipes is not None:
        threading.Thread(target=_end_with_stdin, daemon=True).start()
    if die_with_parent:
        _die_with_parent()
    from tinytf.distributed.limits import Limits
    from tinytf.distributed.server.server import Server
    from tinytf.distributed.tls import Credentials
    from tinytf.framework.errors import OpError

    try:
        jobs, job, task = _which_task(cluster, cluster_file, job, task)
        server = Server(
            jobs,
            job,
            task,
            start=False,
            allow_remote_clients=allow_remote_clients,
            credentials=Credentials.from_folder(tls) if tls else None,
            file_root=file_root,
            limits=Limits.from_words(limits),
            transport=transport,
        )
    except (OpError, TypeError, ValueError) as error:
        message = str(getattr(error, "message", error))
        options = [option for name, option in _OPTIONS.items() if name in message]
        hint = f" Here: {', '.join(options)}." if options else ""
        print(f"tinytf serve: {message}{hint}", file=sys.stderr)
        return 2
    if pipes is not None:
        _serve_for_parent(server, pipes)
    else:
        _serve(server)
    return 0


# ------------------------------------------------------------------------------- by hand


class _Terminated(BaseException):
    """SIGTERM came."""


def _serve(server: "Server") -> None:
    in_main = threading.current_thread() is threading.main_thread()
    before = signal.signal(signal.SIGTERM, _terminate) if in_main else None
    try:
        server.start()
        print(f"Serving {server.task} at {server.target} (Ctrl-C stops it)", flush=True)
        server.join()
    except (KeyboardInterrupt, _Terminated):
        server.stop()
    finally:
        if in_main:
            signal.signal(signal.SIGTERM, before)


def _terminate(number: int, frame: Any) -> None:
    signal.signal(number, signal.SIG_IGN)  # once is enough: the end is on its way
    raise _Terminated


# ------------------------------------------------------------------------------- which task


def _which_task(
    cluster: Sequence[str], cluster_file: str | None, job: str | None, task: int | None
) -> tuple[Mapping[str, Any], str | None, int | None]:
    """The cluster, the job and the index; ValueError that names the source of a mistake."""
    if cluster and cluster_file is not None:
        raise ValueError("Give --cluster or --cluster-file, not both.")
    if cluster:
        return _parse_cluster(cluster), job, task
    if cluster_file is not None:
        return _jobs(_read(cluster_file), cluster_file), job, task
    if os.environ.get(TF_CONFIG, "").strip():
        return _from_tf_config(os.environ[TF_CONFIG], job, task)
    return {"localhost": ["localhost:0"]}, job, task


def _parse_cluster(items: Sequence[str]) -> dict[str, list[str]]:
    cluster: dict[str, list[str]] = {}
    for item in items:
        name, equals, addresses = item.partition("=")
        if not equals or not name or not addresses:
            raise ValueError(
                f"Could not understand {item!r} in --cluster. Write one item for every job: "
                f"ps=localhost:2221 worker=localhost:2222,localhost:2223"
            )
        if name in cluster:
            raise ValueError(
                f"Job {name!r} is twice in --cluster. Write its addresses in one item: "
                f"{name}={','.join([*cluster[name], addresses])}"
            )
        cluster[name] = addresses.split(",")
    return cluster


def _read(file: str) -> Any:
    try:
        text = Path(file).read_text()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ValueError(f"Could not read --cluster-file {file}: {reason}.") from None
    return _json(text, f"--cluster-file {file}")


def _json(text: str, source: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise ValueError(
            f"{source} is no JSON: {error}. The form of a cluster is {_EXAMPLE}"
        ) from None


def _jobs(value: Any, source: str) -> dict[str, Any]:
    """The jobs in the JSON of a cluster, which may be inside of {"cluster": ...}."""
    if isinstance(value, dict) and isinstance(value.get("cluster"), dict):
        value = value["cluster"]
    if not isinstance(value, dict) or not value:
        raise ValueError(f"{source} names no jobs. The form of a cluster is {_EXAMPLE}")
    jobs: dict[str, Any] = {}
    for job, tasks in value.items():
        if isinstance(tasks, str):  # TensorFlow's programs have a lone chief like that
            tasks = [tasks]
        addresses = tasks.values() if isinstance(tasks, dict) else tasks
        indices = list(tasks) if isinstance(tasks, dict) else []
        good = isinstance(tasks, list | dict) and all(isinstance(a, str) for a in addresses)
        if not good or not all(index.isdecimal() for index in indices):
            raise ValueError(
                f"{source}: the tasks of job {job!r} must be a list of addresses, or an object "
                f'from index to address ({{"1": "localhost:2222"}}); got {json.dumps(tasks)}'
            )
        jobs[job] = {int(i): a for i, a in tasks.items()} if isinstance(tasks, dict) else tasks
    return jobs


def _from_tf_config(
    text: str, job: str | None, task: int | None
) -> tuple[dict[str, Any], str | None, int | None]:
    value = _json(text, TF_CONFIG)
    if not isinstance(value, dict) or "cluster" not in value:
        raise ValueError(
            f'{TF_CONFIG} must have a "cluster", and a "task": {{"cluster": {_EXAMPLE}, "task": '
            f'{{"type": "worker", "index": 1}}}}. To serve without it, unset {TF_CONFIG}.'
        )
    jobs = _jobs(value["cluster"], f"{TF_CONFIG}'s cluster")
    said = value.get("task", {})
    if not isinstance(said, dict):
        raise ValueError(f'{TF_CONFIG}: "task" must be {{"type": ..., "index": ...}}, got {said!r}')
    if job is None:
        job = said.get("type")
        if job is not None and job not in jobs:
            raise ValueError(
                f"{TF_CONFIG}: the task is of type {job!r}, which is no job of its cluster: "
                f"{', '.join(map(repr, jobs))}. Tasks that are not in the cluster do not serve."
            )
        if task is None:
            task = _index(said.get("index"))
    return jobs, job, task


def _index(value: Any) -> int | None:
    if isinstance(value, str) and value.isdecimal():  # some launchers write it so
        return int(value)
    if value is not None and (not isinstance(value, int) or isinstance(value, bool)):
        raise ValueError(f"{TF_CONFIG}: the task's index must be a number, got {value!r}.")
    return value


# ------------------------------------------------------------------------------- local clusters


def _serve_for_parent(server: "Server", pipes: Pipes) -> None:
    from tinytf.distributed.wire import faults

    for fd in (pipes.report, pipes.control):
        os.set_inheritable(fd, False)  # a program that a step starts has no part in this
    with os.fdopen(pipes.report, "w") as report, os.fdopen(pipes.control, "rb") as control:
        # What is wrong with the network is so from the beginning.
        faults.obey_once(control, report)
        server.start()
        print("serving", file=report, flush=True)
        threading.Thread(target=faults.obey, args=(control, report), daemon=True).start()
        if pipes.code >= 0:
            from tinytf.distributed.console import task_console

            # In this thread, because an interrupt reaches no other.
            task_console.serve(pipes.code, pipes.replies, server)
        server.join()


def _end_with_stdin() -> None:
    while os.read(0, 4096):
        pass  # nothing is said there; only its end means something
    os._exit(0)  # at once, whatever the task is doing: its user is gone


def _die_with_parent() -> None:
    """Also a process that is stopped, and cannot notice the end of its stdin, shall end.

    Linux can send a signal then; elsewhere the end of stdin has to do.
    """
    if sys.platform != "linux":
        return
    import ctypes

    set_parent_death_signal = 1
    ctypes.CDLL(None, use_errno=True).prctl(set_parent_death_signal, signal.SIGKILL)
