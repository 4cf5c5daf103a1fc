"""Tasks of one machine share its cores: how many threads the kernels of each may use.

Each process's BLAS would start a thread for every core, which go on turning for a while after each
product, on cores that other tasks need: three tasks on two cores trained at a quarter of the speed
that they have with one BLAS thread each. So a task with others beside it holds BLAS to one thread,
and large kernels are split over a pool whose threads sleep when there is nothing to do.
"""

from __future__ import annotations

from typing import Any

from tinytf.distributed.cluster.addresses import is_loopback
from tinytf.protos import config_pb2
from tinytf.runtime import blas
from tinytf.runtime.pools import cores, intra_op_threads


def tasks_beside(definition: Any) -> int:
    """How many tasks of a `ServerDef`'s cluster have the host of its own task, itself included."""
    jobs = {job.name: job.tasks for job in definition.cluster.job}
    own = _host(jobs[definition.job_name][definition.task_index])
    return sum(_host(address) == own for tasks in jobs.values() for address in tasks.values())


def session_defaults(definition: Any) -> config_pb2.ConfigProto:
    """A `ServerDef`'s defaults for sessions, with threads for a task among others on its machine.

    Who said how many intra-op threads there are, in the configuration or the environment, is
    obeyed; and a task alone on its machine has all cores. Otherwise it has twice its share: few
    clusters compute in more than half of their tasks at a time, as parameter servers wait for
    workers, and these for them.

    Example:
      >>> session_defaults(ServerDef of 1 of 3 tasks on 8 cores).intra_op_parallelism_threads
      5
    """
    config = config_pb2.ConfigProto()
    config.CopyFrom(definition.default_session_config)
    count = tasks_beside(definition)
    if count > 1 and intra_op_threads(config) is None:
        config.intra_op_parallelism_threads = min(cores(), max(1, 2 * cores() // count))
    return config


def threads_of(config: config_pb2.ConfigProto) -> dict[str, int | None]:
    """How many threads a kernel of these sessions has, and a product that BLAS computes.

    The latter is None where numpy's BLAS has no switch that is known.
    """
    asked = intra_op_threads(config)
    return {"kernel": asked or cores(), "blas": blas.threads_now() if asked is None else 1}


def _host(address: str) -> str:
    host = address.rpartition(":")[0]
    return "localhost" if is_loopback(host) else host
