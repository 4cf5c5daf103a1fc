"""`tf.train.Server`: one task of a cluster, serving sessions on a port."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from typing import Any

from tinytf.devices import open_devices
from tinytf.distributed import tls
from tinytf.distributed.cluster.addresses import LOOPBACK, is_loopback, parse_address
from tinytf.distributed.cluster.cluster_spec import ClusterSpec
from tinytf.distributed.cluster.task_names import TaskName
from tinytf.distributed.limits import Limits
from tinytf.distributed.master.master import Master
from tinytf.distributed.server.services import services, several
from tinytf.distributed.server.shared_cores import session_defaults
from tinytf.distributed.tasks.peers import Peers
from tinytf.distributed.wire import in_process
from tinytf.distributed.worker.worker import Worker
from tinytf.framework import errors
from tinytf.ops.base.arguments import explains_arguments
from tinytf.protos import config_pb2, tensorflow_server_pb2
from tinytf.resources.file_root import FileRoot
from tinytf.resources.manager import ResourceManager
from tinytf.runtime import switch_interval

_ALL_INTERFACES = ("0.0.0.0", "::")


class Server:
    """A task that runs graphs for its clients (TensorFlow: `tf.train.Server`).

    A server executes whatever graph a client sends it. Therefore it listens on this machine's
    loopback interface only, unless `allow_remote_clients` says otherwise. It goes on until `stop`
    is called or the process ends, even when nobody refers to it. What it takes on at most says
    `distributed.limits`; docs/safety.md tells what a server may do for whoever connects.

    Args:
      server_or_cluster_def: a `ServerDef`, a `ClusterDef`, a `ClusterSpec`, or a dict from job
        names to addresses.
      job_name: the job of this task; may be left out if there is one job.
      task_index: its index; may be left out if the job has one task.
      protocol: "grpc".
      config: a `ConfigProto`: defaults for all sessions.
      start: whether to serve at once.
      allow_remote_clients: listen on the interface that the task's address names, for everybody
        who can reach it. Only for networks whose users you trust with this machine, or with
        `credentials`.
      credentials: a `tinytf.distributed.tls.Credentials`: clients and other tasks then need a
        certificate of the same authority. None for those that the environment variable TINYTF_TLS
        names, if it is set.
      file_root: the folder below which graphs may read and write files, or several: relative names
        are relative to the first. None: those that the environment variable TINYTF_FILE_ROOT names
        (with ":" between them), by default the working folder. "/" for every file that this user
        may touch.
      limits: a `tinytf.distributed.limits.Limits`.
      transport: "auto": what is offered to peers of this user on this machine, and taken from them,
        is also a unix socket, which is faster. "grpc": gRPC alone. None: as the environment
        variable TINYTF_TRANSPORT says, by default "auto". Never anything but gRPC with
        `credentials`.

    Raises:
      TypeError, ValueError: for arguments that name no task. PermissionDeniedError: if the task's
        address is not on the loopback interface. UnknownError: if its port is taken.

    Example:
      >>> with tf.train.Server({"local": ["localhost:0"]}) as server:
      ...     with tf.Session(server.target) as sess:
      ...         print(sess.run(tf.constant(3) + 5))
      8
    """

    @explains_arguments
    def __init__(
        self,
        server_or_cluster_def: Any,
        job_name: str | None = None,
        task_index: int | None = None,
        protocol: str | None = None,
        config: Any = None,
        start: bool = True,
        *,
        allow_remote_clients: bool = False,
        credentials: Any = None,
        file_root: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] | None = None,
        limits: Limits | None = None,
        transport: str | None = None,
    ):
        self._server_def = make_server_def(
            server_or_cluster_def, job_name, task_index, protocol, config
        )
        host, port = _listening_address(self._server_def, allow_remote_clients)
        credentials = tls.chosen(credentials)
        if credentials is not None and host.strip("[]") not in _ALL_INTERFACES:
            credentials.check_host(parse_address(_address(self._server_def))[0])
        limits = limits or Limits()
        config = session_defaults(self._server_def)
        self._resources = ResourceManager(self._server_def.job_name, _file_root(file_root))
        # The incarnation tells a restart from this start.
        devices = open_devices(config, self.task, int.from_bytes(os.urandom(8), "little") or 1)
        from tinytf.distributed.wire.client_transport import ClientTransport
        from tinytf.distributed.wire.server_transport import ServerTransport

        def connect(address: str, task: str) -> ClientTransport:
            if not allow_remote_clients:
                self._check_reachable(address, task)
            return ClientTransport(address, credentials, transport)

        self._peers = Peers(ClusterSpec(self._server_def.cluster), connect)
        self._worker = Worker(
            self.task, devices, self._resources, self._peers, config, connect, limits
        )
        self._master = Master(self._worker, self._peers, self._server_def.default_session_config)
        answers = services(self._master, self._worker)
        self._transport = ServerTransport(
            host, port, answers, credentials, limits, transport, several(self._worker)
        )
        self._served: in_process.Served | None = None
        self._methods = {path: method for path, (_, method) in answers.items()}
        self._lock = threading.Lock()
        self._state = "new"  # guarded by self._lock; "new" -> "serving" -> "stopped"
        if start:
            self.start()

    @property
    def task(self) -> str:
        """The task's full name, "/job:worker/replica:0/task:0"."""
        definition = self._server_def
        return TaskName(definition.job_name, definition.task_index).full

    @property
    def server_def(self) -> Any:
        """A copy of the `ServerDef` that describes this server."""
        result = tensorflow_server_pb2.ServerDef()
        result.CopyFrom(self._server_def)
        return result

    @property
    def target(self) -> str:
        """What to pass to `tf.Session`: "grpc://localhost:port", with the real port."""
        host, _ = parse_address(_address(self._server_def))
        host = "localhost" if is_loopback(host) else host
        return f"grpc://{host}:{self._transport.port}"

    def start(self) -> None:
        """Begin to serve; nothing happens if the server does already.

        Raises:
          InvalidArgumentError: if the server was stopped.
        """
        with self._lock:
            if self._state == "stopped":
                raise errors.InvalidArgumentError(
                    "Server was stopped and cannot start again: make a new one."
                )
            if self._state == "new":
                switch_interval.shorten()
                self._transport.start()
                self._served = in_process.Served(self._methods)
                in_process.announce(self._transport.port, self._served)
                self._state = "serving"

    def join(self) -> None:
        """Wait until the server is stopped (by `stop` in another thread); can be interrupted."""
        self._transport.join()

    def stop(self, grace_seconds: float = 1.0) -> None:
        """Cancel the steps that run, end all sessions and give the port back.

        Args:
          grace_seconds: how long cancelled steps may take to tell their clients.

        TensorFlow's servers cannot be stopped.
        """
        with self._lock:
            before, self._state, self._served = self._state, "stopped", None
        if before == "stopped":
            return
        self._master.close()
        self._worker.close(errors.CancelledError("Step was cancelled: its server was stopped."))
        self._transport.stop(grace_seconds)
        self._peers.close()
        self._resources.clear_all()
        if before == "serving":
            switch_interval.restore()

    def learn_cluster(self, cluster: ClusterSpec) -> None:
        """Take over addresses that were not known when the server was made (ports of ":0")."""
        self._server_def.cluster.CopyFrom(cluster.as_cluster_def())
        self._peers.cluster = cluster

    def _check_reachable(self, address: str, task: str) -> None:
        """A client's picture of the cluster must not make this server call anybody it likes."""
        host, _ = parse_address(address)
        known = {a for job in self._server_def.cluster.job for a in job.tasks.values()}
        if address not in known and not is_loopback(host):
            raise errors.PermissionDeniedError(
                f"A session's cluster has {task} at '{address}', which is not in the cluster of "
                f"{self.task}, and not on this machine. A server for this machine only calls "
                f"nobody else for its clients, unless it is made with allow_remote_clients=True."
            )

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *exception: Any) -> None:
        self.stop()

    def __repr__(self) -> str:
        return f"<tf.train.Server {self.task} {self.target} ({self._state})>"

    @staticmethod
    def create_local_server(config: Any = None, start: bool = True) -> Server:
        """A cluster of one task, in this process, on a free port.

        Args:
          config: a `ConfigProto`: defaults for all sessions. start: whether to serve at once.
        """
        return Server({"localhost": ["localhost:0"]}, protocol="grpc", config=config, start=start)


def make_server_def(
    server_or_cluster_def: Any,
    job_name: str | None,
    task_index: int | None,
    protocol: str | None,
    config: Any,
) -> Any:
    """The `ServerDef` that the arguments of `Server` describe; errors as there."""
    result = tensorflow_server_pb2.ServerDef()
    if isinstance(task_index, str | float):
        raise TypeError(f"`task_index` must be an integer, got {task_index!r}")
    if isinstance(server_or_cluster_def, tensorflow_server_pb2.ServerDef):
        result.CopyFrom(server_or_cluster_def)
        if job_name is not None:
            result.job_name = job_name
        if task_index is not None:
            result.task_index = task_index
    else:
        try:
            cluster = ClusterSpec(server_or_cluster_def)
        except TypeError as error:
            raise TypeError(
                "Could not convert `server_or_cluster_def` to a `tf.train.ServerDef` or "
                f"`tf.train.ClusterSpec`. {error}"
            ) from None
        result.cluster.CopyFrom(cluster.as_cluster_def())
        result.job_name, result.task_index = _only_task(cluster, job_name, task_index)
    result.protocol = protocol or result.protocol or "grpc"
    if config is not None:
        if not isinstance(config, config_pb2.ConfigProto):
            raise TypeError(f"`config` must be a tf.ConfigProto, got {type(config).__name__}")
        result.default_session_config.MergeFrom(config)
    if result.protocol != "grpc":
        raise errors.NotFoundError(
            f"No server factory registered for the given ServerDef: its protocol is "
            f"{result.protocol!r}. The available server factories are: [ 'grpc' ]"
        )
    return result


def _only_task(
    cluster: ClusterSpec, job_name: str | None, task_index: int | None
) -> tuple[str, int]:
    if job_name is None:
        if len(cluster.jobs) != 1:
            raise ValueError(f"Must specify an explicit `job_name`, one of {cluster.jobs}.")
        job_name = cluster.jobs[0]
    if task_index is None:
        indices = cluster.task_indices(job_name)
        if len(indices) != 1:
            raise ValueError(
                f"Must specify an explicit `task_index`: job {job_name!r} has {indices}."
            )
        task_index = indices[0]
    return job_name, task_index


def _address(definition: Any) -> str:
    for job in definition.cluster.job:
        if job.name == definition.job_name:
            if definition.task_index not in job.tasks:
                raise errors.InternalError(
                    f'Task {definition.task_index} was not defined in job "{job.name}", which '
                    f"has the tasks {sorted(job.tasks)}"
                )
            return job.tasks[definition.task_index]
    raise errors.InternalError(
        f'Job "{definition.job_name}" was not defined in cluster, which has the jobs '
        f"{[job.name for job in definition.cluster.job]}"
    )


def _listening_address(definition: Any, allow_remote_clients: bool) -> tuple[str, int]:
    address = _address(definition)
    try:
        host, port = parse_address(address)
    except errors.InvalidArgumentError:
        raise errors.InvalidArgumentError(
            f'Could not parse port for local server from "{address}". Write it like '
            f'"localhost:2222", or "localhost:0" for any free port.'
        ) from None
    if is_loopback(host):
        return LOOPBACK if host == "localhost" else host, port
    if not allow_remote_clients:
        raise errors.PermissionDeniedError(
            f"Task /job:{definition.job_name}/task:{definition.task_index} has the address "
            f"'{address}', which others can reach. A server executes any graph for whoever "
            f"connects, so it listens on 'localhost' only. For a network whose users you trust "
            f"with this machine: tf.train.Server(..., allow_remote_clients=True), better with "
            f"credentials=... (docs/safety.md)."
        )
    return host, port


def _file_root(given: Any) -> FileRoot:
    if given is None:
        given = os.environ.get("TINYTF_FILE_ROOT", "").split(os.pathsep)
    folders = [given] if isinstance(given, str | os.PathLike) else list(given)
    paths = [os.fspath(folder) or os.getcwd() for folder in folders]
    for path in paths:
        if not os.path.isdir(path):
            raise errors.NotFoundError(f"file_root: there is no folder {path}")
    return FileRoot(*paths)
