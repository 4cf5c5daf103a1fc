"""What a server answers: the paths of TensorFlow's two services and of ours, and who answers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tinytf.distributed import inspection
from tinytf.distributed.master.master import Master
from tinytf.distributed.server.views import views
from tinytf.distributed.wire.requests import MASTER_SERVICE, RECEIVE_SEVERAL, WORKER_SERVICE
from tinytf.distributed.worker.worker import Worker
from tinytf.protos import master_pb2, worker_pb2


def services(master: Master, worker: Worker) -> dict[str, tuple[Any, Callable[..., Any]]]:
    """Path -> (the class of the request, or what makes a request of bytes; who answers it)."""
    of_master = {
        "CreateSession": master.create_session,
        "ExtendSession": master.extend_session,
        "PartialRunSetup": master.partial_run_setup,
        "RunStep": master.run_step,
        "CloseSession": master.close_session,
        "ListDevices": master.list_devices,
        "Reset": master.reset,
        "MakeCallable": master.make_callable,
        "RunCallable": master.run_callable,
        "ReleaseCallable": master.release_callable,
    }
    of_worker = {
        "GetStatus": worker.get_status,
        "CreateWorkerSession": worker.create_worker_session,
        "DeleteWorkerSession": worker.delete_worker_session,
        "RegisterGraph": worker.register_graph,
        "DeregisterGraph": worker.deregister_graph,
        "RunGraph": worker.run_graph,
        "CleanupGraph": worker.cleanup_graph,
        "CleanupAll": worker.cleanup_all,
        "RecvTensor": worker.tensors.recv_tensor,
        "Logging": worker.logging,
        "Tracing": worker.tracing,
        "MarkRecvFinished": worker.mark_recv_finished,
    }
    found = {
        **_service(MASTER_SERVICE, master_pb2, of_master),
        **_service(WORKER_SERVICE, worker_pb2, of_worker),
    }
    look = inspection.Inspection(views(master, worker)).look
    found[inspection.PATH] = inspection.parse_request, look
    return found


def several(worker: Worker) -> dict[str, tuple[Any, Callable[..., Any]]]:
    """The same of what has several answers."""
    return {RECEIVE_SEVERAL: (worker_pb2.RecvTensorRequest, worker.tensors.recv_tensors)}


def _service(
    path: str, messages: Any, methods: dict[str, Callable[..., Any]]
) -> dict[str, tuple[Any, Callable[..., Any]]]:
    return {
        path + method: (getattr(messages, f"{method}Request"), answer)
        for method, answer in methods.items()
    }
