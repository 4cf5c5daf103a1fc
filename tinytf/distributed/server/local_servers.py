"""`tf.test.create_local_cluster`: servers of one cluster, all in this process."""

from __future__ import annotations

import itertools
from typing import Any

from tinytf.distributed.cluster.cluster_spec import ClusterSpec
from tinytf.distributed.cluster.ports import reserve
from tinytf.distributed.server.server import Server


def create_local_cluster(
    num_workers: int,
    num_ps: int,
    protocol: str = "grpc",
    worker_config: Any = None,
    ps_config: Any = None,
) -> tuple[list[Server], list[Server]]:
    """Servers for jobs "worker" and "ps", on free ports of this machine.

    TensorFlow: `tf.test.create_local_cluster`. `tf.LocalCluster` starts processes instead.

    Args:
      num_workers, num_ps: how many of each. protocol: "grpc".
      worker_config, ps_config: a `tf.ConfigProto` for each server of the job.

    Returns:
      (workers, parameter servers); a session takes the `target` of one.

    Example:
      >>> workers, ps = tf.test.create_local_cluster(num_workers=2, num_ps=1)
      >>> with tf.Session(workers[0].target) as sess:
      ...     with tf.device("/job:ps/task:0"):
      ...         print(sess.run(tf.constant(1) + 2))
      3
      >>> for server in [*workers, *ps]:
      ...     server.stop()
    """
    jobs = {"worker": (num_workers, worker_config), "ps": (num_ps, ps_config)}
    sockets = {job: [reserve() for _ in range(count)] for job, (count, _) in jobs.items()}
    addresses = {
        job: [f"localhost:{socket.getsockname()[1]}" for socket in reserved]
        for job, reserved in sockets.items()
    }
    cluster = ClusterSpec({job: tasks for job, tasks in addresses.items() if tasks})
    try:
        workers, ps = (
            [Server(cluster, job, task, protocol=protocol, config=config) for task in range(count)]
            for job, (count, config) in jobs.items()
        )
    finally:
        for socket in itertools.chain(*sockets.values()):
            socket.close()
    return workers, ps
