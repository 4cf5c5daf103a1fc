"""A script, started once for each task of a cluster on this machine; who dies is started again.

launch    `launch`, and what it returns: the tasks, and who is started again when
process   one task: its process, its output
checks    what can be said about a call before anything is started

The script is told which task it is by flags, --ps_hosts, --worker_hosts, --job_name, --task_index,
and by the environment variable TF_CONFIG. It may be a program of TensorFlow's as well.
"""

from tinytf.distributed.launcher.launch import Launch, launch
from tinytf.distributed.launcher.process import LaunchedTask

__all__ = ["Launch", "LaunchedTask", "launch"]
