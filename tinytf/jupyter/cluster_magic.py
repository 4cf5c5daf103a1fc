"""`%cluster`: a small cluster of processes: started, looked into, broken and stopped.

Every action is a method of `_Actions`; its docstring is what `%cluster help` says of it.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable
from typing import Any

from IPython.core.completer import SimpleCompletion, context_matcher
from IPython.core.error import UsageError
from IPython.core.magic import Magics, line_magic, magics_class
from IPython.core.magic_arguments import argument, magic_arguments, parse_argstring

from tinytf.distributed.local_cluster import LocalCluster, running_clusters
from tinytf.distributed.local_cluster.rules import CLIENT, parse_duration
from tinytf.distributed.wire.transport import CHOICES
from tinytf.jupyter import cluster_tables

DEFAULT_JOBS = {"ps": 1, "worker": 2}
IF_TAKEN = ("error", "replace", "reuse")
#: A line of the magic, or one that keeps what it returns.
_LINE = re.compile(r"\s*(?:[\w., ]+=\s*)?%cluster (.*)")
#: What stands between its words.
_BETWEEN = re.compile(r"[\s,|]+")
#: What may be said of `start`, and of what may happen later.
_START_OPTIONS = ["--ps", "--worker", "--ports", "--if-taken", "--transport"]
_LATER_OPTIONS = ["--after"]

#: Does what was asked for.
_Deed = Callable[[], None]


_ACTIONS_HELP = (
    "start, status, logs, stop; kill, restart, pause, resume; tasks, vars, queues, containers; "
    "delay, drop, partition, heal; help"
)


@magics_class
class ClusterMagics(Magics):
    """The magic and the cluster it started. One cluster to a kernel."""

    def __init__(self, shell: Any):
        super().__init__(shell)
        # %reload_ext makes new magics: the cluster goes on.
        before = shell.magics_manager.registry.get(type(self).__name__)
        self.running: LocalCluster | None = getattr(before, "running", None)
        matchers = shell.Completer.custom_matchers
        if before is not None and before.matcher in matchers:
            matchers.remove(before.matcher)
        self.matcher = _matcher_for(self)
        matchers.append(self.matcher)

    @magic_arguments()
    @argument("action", nargs="?", default="", help=_ACTIONS_HELP)
    @argument("arguments", nargs="*", metavar="TASK", help="tasks: worker:1")
    @argument("--ps", type=int, metavar="N", help="start: parameter servers (default: 1)")
    @argument("--worker", type=int, metavar="N", help="start: workers (default: 2)")
    @argument("--ports", type=int, metavar="FIRST", help="start: the first of the ports, 2221")
    @argument(
        "--if-taken",
        choices=IF_TAKEN,
        default=None,
        help="start: what to do if a port is taken by a task of yours",
    )
    @argument(
        "--transport",
        choices=CHOICES,
        help="start: grpc: tasks and sessions talk gRPC alone; auto: the fastest that there is",
    )
    @argument("--after", metavar="TIME", help="do it later, in the middle of what runs then: 500ms")
    @line_magic
    def cluster(self, line: str) -> Any:
        """Start, look into, break and stop a cluster of processes on this machine.

        Every task is a process with a server; open a session on one of them:

            cluster = %cluster start --worker 2
            tf.Session(cluster.target("worker:0"))

        %cluster help lists all actions. All of it ends with the kernel.
        """
        options = parse_argstring(self.cluster, line)
        action = _ACTIONS.get(options.action)
        if action is None:
            mistake = f"does not know {options.action!r}" if options.action else "needs an action"
            raise UsageError(f"%cluster {mistake}. It knows: {', '.join(_ACTIONS)}.")
        self._check_options(options)
        try:
            return action(_Actions(self, options))
        except (ValueError, RuntimeError) as error:
            raise UsageError(str(error)) from None

    def current(self) -> LocalCluster | None:
        """The cluster that `%cluster start` made; or else the last `tinytf.LocalCluster`."""
        if self.running is not None and self.running.stopped:  # by its own method
            self.running = None
        if self.running is not None:
            return self.running
        others = running_clusters()
        return others[-1] if others else None

    @staticmethod
    def _check_options(options: Any) -> None:
        action, given = options.action, vars(options)
        wrong = [o for o in _START_OPTIONS if given[o[2:].replace("-", "_")] is not None]
        if action != "start" and wrong:
            raise UsageError(f"%cluster {action} takes no {', '.join(wrong)}: start does.")
        if options.after is not None and action not in _LATER:
            raise UsageError(f"%cluster {action} happens now: --after is for {', '.join(_LATER)}.")

    def complete(self, line: str) -> tuple[str, list[str]] | None:
        """What may follow.

        Args:
          line: what is written, up to the cursor.

        Returns:
          the last word, as far as it is written, and what it may become; None if that is no line
          of this magic.
        """
        found = _LINE.match(line)
        if found is None:
            return None
        *words, word = _BETWEEN.split(found[1])
        return word, [each for each in self._words_after(words) if each.startswith(word)]

    def _words_after(self, words: list[str]) -> list[str]:
        if not words:
            return list(_ACTIONS)
        action = words[0]
        if action == "start":
            choices = {"--if-taken": IF_TAKEN, "--transport": CHOICES}
            return list(choices.get(words[-1], _START_OPTIONS))
        options = _LATER_OPTIONS if action in _LATER else []
        cluster = self.current()
        if action not in _WITH_TASKS or cluster is None:
            return options
        return cluster.tasks + ([CLIENT] if action in _WITH_CLIENT else []) + options


def _matcher_for(magics: ClusterMagics) -> Any:
    @context_matcher(identifier="tinytf.cluster", priority=100)
    def matcher(context: Any) -> dict[str, Any]:
        """Actions, options and names of tasks; nothing else makes sense on the magic's line."""
        found = magics.complete(context.text_until_cursor)
        if found is None:
            return {"completions": []}
        word, words = found
        return {
            "completions": [SimpleCompletion(text=each, type="cluster") for each in words],
            "matched_fragment": word,
            "suppress": True,
            "ordered": True,
        }

    return matcher


class _Actions:
    """What `%cluster ACTION` does. Mistakes are ValueError or RuntimeError with a clear message."""

    def __init__(self, magics: ClusterMagics, options: Any):
        self.magics, self.options = magics, options
        self.arguments: list[str] = options.arguments

    # ------------------------------------------------------------------------- start and stop

    def start(self) -> LocalCluster:
        """Start it; a second time gives the same."""
        self._no_arguments("Numbers of tasks are options: %cluster start --ps 1 --worker 2")
        given = {"ps": self.options.ps, "worker": self.options.worker}
        self.magics.current()
        if self.magics.running is not None:
            return self._again(self.magics.running, given)
        jobs = {job: DEFAULT_JOBS[job] if n is None else n for job, n in given.items()}
        self.magics.running = LocalCluster(
            jobs,
            first_port=self.options.ports,
            if_taken=self.options.if_taken or "error",
            transport=self.options.transport,
        )
        return self.magics.running

    def _again(self, running: LocalCluster, given: dict[str, int | None]) -> LocalCluster:
        ended = [s for s in running.status() if not s.alive]
        if ended:
            tasks = "; ".join(f"/job:{s.job}/task:{s.index} {s.state}" for s in ended)
            names = " ".join(f"{s.job}:{s.index}" for s in ended)
            raise ValueError(
                f"{tasks}. Start it again: %cluster restart {names}. Or stop all of them: "
                f"%cluster stop"
            )
        spec = running.cluster_spec
        here = {job: spec.num_tasks(job) if job in spec.jobs else 0 for job in given}
        first = int(running.target(running.tasks[0]).rpartition(":")[2])
        is_other = self.options.ports not in (None, first)
        is_other |= self.options.transport not in (None, running.transport)
        if is_other or any(count not in (None, here[job]) for job, count in given.items()):
            raise ValueError(
                f"A cluster of {here['ps']} ps and {here['worker']} worker is running already, on "
                f"ports from {first}, with --transport {running.transport}. To have another one, "
                f"stop it first: %cluster stop"
            )
        print("This cluster is running already; %cluster stop ends it.")
        return running

    def stop(self) -> None:
        """End all of it."""
        self._no_arguments("It stops the whole cluster; %cluster kill worker:1 ends one task.")
        running = self.magics.current()
        if running is None:
            print("No cluster is running.")
            return
        alive = sum(status.alive for status in running.status())
        running.stop()
        self.magics.running = None
        print(f"Stopped: {alive} processes ended.")

    def status(self) -> LocalCluster | None:
        """Its tasks, their addresses and how they are."""
        self._no_arguments("It shows all tasks.")
        running = self.magics.current()
        if running is None:
            print("No cluster is running. Start one: %cluster start")
        return running

    def logs(self) -> None:
        """What the tasks wrote."""
        cluster = self._cluster()
        for name in self._tasks() or cluster.tasks:
            lines = cluster.log(name).splitlines() or ["(nothing was written)"]
            print("\n".join(f"[{name}] {line}" for line in lines))

    def help(self) -> None:
        """This list."""
        self._no_arguments("It tells all actions.")
        for name, action in _ACTIONS.items():
            print(
                f"%cluster {name} {_ARGUMENTS.get(name, '')}".rstrip() + f"\n    {action.__doc__}"
            )
        print("--after 500ms, with an action that breaks or repairs something: it happens later.")

    # ------------------------------------------------------------------------- one task

    def kill(self) -> Any:
        """End its process at once, as kill -9 does."""
        return self._with_each("kill", self._cluster().kill)

    def restart(self) -> Any:
        """Start it again at the same address, without sessions and variables."""
        return self._with_each("restart", self._cluster().restart)

    def pause(self) -> Any:
        """Its process comes to a halt, and answers nobody."""
        return self._with_each("pause", self._cluster().pause)

    def resume(self) -> Any:
        """A paused process goes on."""
        return self._with_each("resume", self._cluster().resume)

    def _with_each(self, action: str, do: Callable[[str], None]) -> Any:
        names = self._tasks()
        if not names:
            raise ValueError(
                f"%cluster {action} needs the name of a task. Tasks: "
                f"{', '.join(self._cluster().tasks)}"
            )

        def deed() -> None:
            for name in names:
                do(name)

        return self._do(deed)

    # ------------------------------------------------------------------------- looking into it

    def tasks(self) -> Any:
        """The threads of the tasks, and by which transport they call each other."""
        return self._look("tasks")

    def vars(self) -> Any:
        """The variables that live on the tasks, and their bytes."""
        return self._look("variables")

    def queues(self) -> Any:
        """The queues that live on the tasks, and how full they are."""
        return self._look("queues")

    def containers(self) -> Any:
        """The containers on the tasks, and what is in them."""
        return self._look("containers")

    def _look(self, what: str) -> Any:
        cluster = self._cluster()
        names = self._tasks() or cluster.tasks
        silent = {
            f"{s.job}:{s.index}": s.state for s in cluster.status() if s.paused or not s.alive
        }
        addresses = {name: cluster.task(name).address for name in names}
        return cluster_tables.look(what, addresses, silent)

    # ------------------------------------------------------------------------- the fault lab

    def delay(self) -> Any:
        """Calls to and from it (or between the two) are late; 0: no more."""
        cluster = self._cluster()
        if len(self.arguments) not in (2, 3):
            raise ValueError("Write %cluster delay worker:1 200ms, or delay worker:1 ps:0 200ms.")
        *names, duration = self.arguments
        seconds = parse_duration(duration)
        names = self._tasks(names, client=True)
        return self._do(lambda: cluster.delay(names[0], seconds, *names[1:]))

    def drop(self) -> Any:
        """All that the two say to each other is lost, until heal."""
        cluster = self._cluster()
        if len(self.arguments) != 2:
            raise ValueError("Write %cluster drop worker:0 ps:0: it takes two tasks.")
        one, other = self._tasks(client=True)
        return self._do(lambda: cluster.drop(one, other))

    def partition(self) -> Any:
        """Tasks on different sides do not reach each other, until heal."""
        cluster = self._cluster()
        sides = [side.replace(",", " ").split() for side in " ".join(self.arguments).split("|")]
        if len(sides) < 2 or not all(sides):
            raise ValueError("Write the sides with | between: partition worker:0,worker:1 | ps:0")
        groups = [self._tasks(side, client=True) for side in sides]
        return self._do(lambda: cluster.partition(*groups))

    def heal(self) -> Any:
        """Nothing is late or lost any more; what was lost arrives now."""
        self._no_arguments("It heals all of the network.")
        return self._do(self._cluster().heal)

    # ------------------------------------------------------------------------- what they share

    def _cluster(self) -> LocalCluster:
        cluster = self.magics.current()
        if cluster is None:
            raise ValueError("No cluster is running. Start one: %cluster start")
        return cluster

    def _tasks(self, names: list[str] | None = None, client: bool = False) -> list[str]:
        """The names as the cluster writes them; ValueError for one that it does not have."""
        cluster = self._cluster()
        result = []
        for name in self.arguments if names is None else names:
            if client and name == CLIENT:
                result.append(CLIENT)
            else:
                result.append(str(cluster.task(name).name))
        return result

    def _no_arguments(self, hint: str) -> None:
        if self.arguments:
            words = " ".join(self.arguments)
            raise ValueError(
                f"%cluster {self.options.action} takes no more words, got {words!r}. {hint}"
            )

    def _do(self, deed: _Deed) -> LocalCluster | None:
        """Do it now, and show the cluster; or later, and say so then."""
        cluster = self._cluster()
        if self.options.after is None:
            deed()
            return cluster
        seconds = parse_duration(self.options.after)
        words = " ".join([self.options.action, *self.arguments])
        timer = threading.Timer(seconds, _later, (words, deed))
        timer.daemon = True
        timer.start()
        print(f"In {seconds:g} s: {words}")
        return None


def _later(words: str, deed: _Deed) -> None:
    try:
        deed()
        outcome = "done"
    except (ValueError, RuntimeError) as error:  # the cluster may have been stopped meanwhile
        outcome = str(error)
    # One string, written at once: another cell may be printing.
    print(f"[%cluster, {time.strftime('%H:%M:%S')}] {words}: {outcome}\n", end="", flush=True)


_ACTIONS: dict[str, Callable[[_Actions], Any]] = {
    name: getattr(_Actions, name)
    for name in """
        start status logs stop kill restart pause resume tasks vars queues containers delay
        drop partition heal help
    """.split()
}
_ARGUMENTS = {
    "start": "[--ps N] [--worker N] [--ports FIRST] [--if-taken error|replace|reuse] "
    "[--transport auto|grpc]",
    **dict.fromkeys(["logs", "tasks", "vars", "queues", "containers"], "[TASK ...]"),
    **dict.fromkeys(["kill", "restart", "pause", "resume"], "TASK ..."),
    "delay": "TASK [TASK] TIME",
    "drop": "TASK TASK",
    "partition": "TASK,TASK | TASK",
}
_WITH_CLIENT = ["delay", "drop", "partition"]
_LATER = ["kill", "restart", "pause", "resume", "delay", "drop", "partition", "heal"]
_WITH_TASKS = [*_LATER[:-1], "logs", "tasks", "vars", "queues", "containers"]
