"""The processes of a small cluster on this machine, for lessons and tests.

cluster   `tinytf.LocalCluster`
task      one task: its process, its pipes, its log
rules     the fault lab: what is delayed, lost, cut off, and what of it each task has to know
taking    ports that are taken, and what may be done about it
table     how a cluster shows itself

Every task is a `tinytf serve` in a process of its own, in a process session of its own. It ends
when this process does, however that comes about; nothing stays behind, not even after SIGKILL.
"""

from tinytf.distributed.local_cluster.cluster import LocalCluster, running_clusters
from tinytf.distributed.local_cluster.task import TaskStatus

__all__ = ["LocalCluster", "TaskStatus", "running_clusters"]
