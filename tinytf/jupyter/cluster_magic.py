"""`%cluster`: a small cluster of processes, started and stopped from a notebook."""

from __future__ import annotations

from typing import Any

from IPython.core.error import UsageError
from IPython.core.magic import Magics, line_magic, magics_class
from IPython.core.magic_arguments import argument, magic_arguments, parse_argstring

from tinytf.distributed.local_cluster import LocalCluster

DEFAULT_JOBS = {"ps": 1, "worker": 2}
_ACTIONS = ["start", "status", "stop"]
_OPTIONS = ["--ps", "--worker"]


@magics_class
class ClusterMagics(Magics):
    """The magic and the cluster it started. One cluster to a kernel."""

    def __init__(self, shell: Any):
        super().__init__(shell)
        # %reload_ext makes new magics: the cluster goes on.
        before = shell.magics_manager.registry.get(type(self).__name__)
        self.running: LocalCluster | None = getattr(before, "running", None)
        shell.set_hook("complete_command", _complete, str_key="%cluster")

    @magic_arguments()
    @argument("action", choices=_ACTIONS, help="what to do")
    @argument("--ps", type=int, metavar="N", help="parameter servers (default: 1)")
    @argument("--worker", type=int, metavar="N", help="workers (default: 2)")
    @line_magic
    def cluster(self, line: str) -> LocalCluster | None:
        """Start, show or stop a cluster of processes on this machine.

        Every task is a process with a server; open a session on one of them:

            cluster = %cluster start --worker 2
            tf.Session(cluster.target("worker", 0))

        Starting it again gives the cluster that runs. All of it ends with the kernel.
        """
        options = parse_argstring(self.cluster, line)
        if options.action == "start":
            return self._start(options.ps, options.worker)
        if options.ps is not None or options.worker is not None:
            raise UsageError(f"%cluster {options.action} takes no numbers of tasks.")
        if options.action == "stop":
            self._stop()
            return None
        if self.running is None:
            print("No cluster is running. Start one: %cluster start")
        return self.running

    def _start(self, ps: int | None, worker: int | None) -> LocalCluster:
        given = {"ps": ps, "worker": worker}
        if self.running is not None:
            return self._again(self.running, given)
        jobs = {job: DEFAULT_JOBS[job] if n is None else n for job, n in given.items()}
        try:
            self.running = LocalCluster(jobs)
        except ValueError as error:
            raise UsageError(str(error)) from None
        return self.running

    def _again(self, running: LocalCluster, given: dict[str, int | None]) -> LocalCluster:
        ended = [s for s in running.status() if not s.alive]
        if ended:
            tasks = "; ".join(f"/job:{s.job}/task:{s.index} {s.state}" for s in ended)
            raise UsageError(f"{tasks}. Stop the others, then start again: %cluster stop")
        spec = running.cluster_spec
        here = {job: spec.num_tasks(job) if job in spec.jobs else 0 for job in given}
        if any(count not in (None, here[job]) for job, count in given.items()):
            raise UsageError(
                f"A cluster of {here['ps']} ps and {here['worker']} worker is running already. To "
                f"have another one, stop it first: %cluster stop"
            )
        print("This cluster is running already; %cluster stop ends it.")
        return running

    def _stop(self) -> None:
        if self.running is None:
            print("No cluster is running.")
            return
        alive = sum(status.alive for status in self.running.status())
        self.running.stop()
        self.running = None
        print(f"Stopped: {alive} processes ended.")


def _complete(shell: Any, event: Any) -> list[str]:
    """Completions after "%cluster ": an action first, then the options of `start`."""
    words = event.line.split()
    return _OPTIONS if "start" in words[1:] else _ACTIONS
