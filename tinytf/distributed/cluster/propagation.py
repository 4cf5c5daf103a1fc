"""A client's own picture of the cluster: `ConfigProto.cluster_def`, for one session.

The session calls tasks and devices by the names that its picture has; servers need not know each
other, nor any cluster. Its state is its own. TensorFlow: ClusterSpec propagation, in
core/distributed_runtime/master.cc and worker_session.
"""

from __future__ import annotations

import copy
from dataclasses import replace

from tinytf.devices.device import Device
from tinytf.distributed.cluster.addresses import parse_address
from tinytf.distributed.cluster.cluster_spec import ClusterSpec
from tinytf.distributed.cluster.task_names import TaskName
from tinytf.framework.errors import InvalidArgumentError
from tinytf.protos import cluster_pb2


def checked_cluster(cluster: cluster_pb2.ClusterDef) -> ClusterSpec:
    """The cluster of a message; InvalidArgumentError if an address is none."""
    for job in cluster.job:
        for address in job.tasks.values():
            parse_address(address)
    return ClusterSpec(cluster)


def task_of_master(cluster: cluster_pb2.ClusterDef, target: str, own: str) -> str:
    """What a picture calls the task that a client has asked for the session.

    Args:
      target: how the client addressed it, "grpc://localhost:2222". own: its name as it was started.

    Raises:
      InvalidArgumentError: if it is not in the picture under that address, or twice, or has the
        very name there that it was started with.
    """
    address = target.partition("://")[2] or target
    found = [
        (job.name, index) for job in cluster.job for index, a in job.tasks.items() if a == address
    ]
    if not found:
        raise InvalidArgumentError(
            f"The master (current machine) is not included in the provided cluster_def. None of "
            f"its tasks has the address '{address}', which the session was opened with, letter "
            f"by letter:\n{cluster}"
        )
    if len(found) > 1:
        raise InvalidArgumentError(
            f"Found multiple matching tasks that correspond to to the master. Master target: "
            f"'{target}'. They are {found}. ClusterDef:\n{cluster}"
        )
    [(job, index)] = found
    task = TaskName(job, index).full
    if task == own:
        raise InvalidArgumentError(
            f"The ClusterSpec names the job and task index to be the same names that were provided "
            f"when the server booted. This is currently not allowed. Job: {job}, task index: "
            f"{index}. (Name the job otherwise; or leave cluster_def out, if the server's own "
            f"cluster is meant.)"
        )
    return task


def renamed(device: Device, task: str) -> Device:
    """A device under the name that it has in a picture: the same memory and streams."""
    twin = copy.copy(device)
    twin.attributes = replace(device.attributes, name=renamed_device(device.name, task))
    return twin


def renamed_device(name: str, task: str) -> str:
    """ "/job:a/replica:0/task:1/device:CPU:0" of another task."""  # noqa: D210
    return f"{task}/device:{name.partition('/device:')[2]}"
