"""A fleet of trials: one network per task of a cluster, each with a container of its own.

TensorFlow has no such thing; whoever tuned with it wrote these threads. Trials wait in a line, and
a thread for each task takes the next one, until none is left.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tinytf.framework.errors import AbortedError, DeadlineExceededError, OpError, UnavailableError
from tinytf.framework.graph import Graph
from tinytf.framework.scope_functions import container
from tinytf.protos.config_pb2 import ConfigProto
from tinytf.session.session import Session

if TYPE_CHECKING:
    from tinytf.distributed.local_cluster import LocalCluster

HEAD = ("trial", "settings", "task", "state", "score")
#: What a trial is: called with a session and its settings, it yields a score from time to time.
Program = Callable[..., Generator[float, None, None]]


@dataclass(eq=False)
class Trial:
    """One trial of a fleet.

    Attributes:
      number: its place among the settings. settings: the keyword arguments of its program.
      container: where its variables are, on `task` ("worker:1"; None before it begins).
      state: "waits", "runs", "done", "cancelled" or "failed". error: why it failed.
      scores: what it has yielded so far.
    """

    number: int
    settings: Mapping[str, Any]
    container: str
    task: str | None = None
    state: str = "waits"
    scores: list[float] = field(default_factory=list)
    error: BaseException | None = None
    _session: Session | None = None

    @property
    def score(self) -> float | None:
        """The latest score; None before the first."""
        return self.scores[-1] if self.scores else None


class Fleet:
    """Runs a program once for each of some settings, one at a time on each task.

    Each trial has a graph and a container of its own, and a session that sees its task only. What
    it does not place is on that task. The variables of a trial that is done stay there, to be used;
    those of one that was cancelled or has failed are forgotten (`tf.Session.reset`, which ends all
    other sessions of that task, too). A trial whose task dies begins again on another one.

    Args:
      cluster: a `tf.LocalCluster`.
      program: `program(session, **settings)` builds a network in the default graph, trains it, and
        yields a score from time to time: the higher, the better.
      settings: a dictionary of keyword arguments for each trial.
      tasks: where trials run; by default, on all tasks of the job "worker".
      progress: called as `progress(fleet, trial)` after each score, in the trial's own thread: a
        place to cancel what looks bad.
      name: containers are called `name` and the trial's number. Two fleets that run in one cluster
        need two names, or the second finds the variables of the first.
      patience: seconds that a session waits for its task before the task counts as dead.

    Raises:
      ValueError: if there are no settings or no tasks. TypeError: for settings that are none.

    Example:
      >>> def program(sess, rate):
      ...     weight = tf.Variable(0.0)
      ...     train = tf.assign_add(weight, rate)
      ...     sess.run(weight.initializer)
      ...     for _ in range(3):
      ...         yield sess.run(train)
      >>> with tf.LocalCluster(worker=2) as cluster:
      ...     fleet = Fleet(cluster, program, [{"rate": 0.1}, {"rate": 0.5}, {"rate": 0.2}])
      ...     fleet.wait()
      ...     fleet.best().settings
      {'rate': 0.5}
    """

    def __init__(
        self,
        cluster: LocalCluster,
        program: Program,
        settings: Iterable[Mapping[str, Any]],
        tasks: Sequence[str] | None = None,
        progress: Callable[[Fleet, Trial], None] | None = None,
        name: str = "trial",
        patience: float = 15.0,
    ) -> None:
        given = list(settings)
        for one in given:
            if not isinstance(one, Mapping):
                raise TypeError(f"Settings are a dictionary for each trial, got {one!r} among them")
        if tasks is None:
            tasks = [task for task in cluster.tasks if task.startswith("worker:")]
        if not given or not tasks:
            missing = "tasks" if given else "settings"
            raise ValueError(
                f"A fleet needs {missing}: there is no trial to run, or nowhere to run it."
            )
        self.trials = [Trial(n, dict(one), f"{name}{n}") for n, one in enumerate(given)]
        self._targets = {task: cluster.target(task) for task in tasks}
        self._program, self._progress, self._patience = program, progress, patience
        self._waiting = deque(self.trials)
        self._left = set(tasks)
        #: notified when a trial begins, scores or ends; guards the states and the line
        self._changed = threading.Condition()
        self._changes = 0
        self._threads = [
            threading.Thread(target=self._work, args=[task], name=f"fleet on {task}")
            for task in tasks
        ]
        for thread in self._threads:
            thread.start()

    def cancel(self, trial: int | Trial) -> None:
        """Give a trial up: at once if it waits in a step. One that has ended stays as it is.

        Raises:
          LookupError: if there is no trial of that number.
        """
        if not isinstance(trial, Trial) and not 0 <= trial < len(self.trials):
            raise LookupError(f"There is no trial {trial}: they are 0 to {len(self.trials) - 1}.")
        one = trial if isinstance(trial, Trial) else self.trials[trial]
        with self._changed:
            if one.state not in ("waits", "runs"):
                return
            session = one._session
            self._set(one, "cancelled")
        if session is not None:
            session.close()  # whatever it waits for fails

    def changed(self, since: int, timeout: float | None = None) -> int:
        """Wait until there were more changes than `since`; how many there are now.

        Example:
          >>> seen = fleet.changed(seen)  # doctest: +SKIP
        """
        with self._changed:
            self._changed.wait_for(lambda: self._changes > since or self.ended, timeout)
            return self._changes

    @property
    def ended(self) -> bool:
        """Whether no trial waits or runs any more."""
        return all(trial.state not in ("waits", "runs") for trial in self.trials)

    def wait(self) -> list[Trial]:
        """Wait until all trials have ended; all of them, in the order of their settings."""
        for thread in self._threads:
            thread.join()
        return self.trials

    def best(self, count: int | None = None) -> Any:
        """Of the trials that are done, the one with the highest score; or a list of so many.

        Raises:
          ValueError: if fewer are done.
        """
        done = [trial for trial in self.trials if trial.state == "done" and trial.scores]
        if len(done) < (count or 1):
            states = ", ".join(f"{one.number} {one.state}" for one in self.trials)
            raise ValueError(f"{count or 1} trials are asked for, {len(done)} are done ({states}).")
        ranked = sorted(done, key=lambda trial: -trial.scores[-1])
        return ranked[0] if count is None else ranked[:count]

    def __enter__(self) -> Fleet:
        return self

    def __exit__(self, *exception: Any) -> None:
        """Cancel what still waits or runs, and wait for its end."""
        for trial in self.trials:
            self.cancel(trial)
        self.wait()

    # ------------------------------------------------------------------------- a task's thread

    def _work(self, task: str) -> None:
        while (trial := self._next(task)) is not None:
            try:
                self._run(trial, task)
            except BaseException as error:  # a trial's own; the fleet goes on
                self._note_failure(trial, task, error)
            if trial.state in ("cancelled", "failed") and task in self._left:
                self._forget(trial, task)

    def _next(self, task: str) -> Trial | None:
        """The next trial for a task; None if there is none, or the task was lost."""
        with self._changed:
            while task in self._left and not self.ended:
                trial = self._waiting.popleft() if self._waiting else None
                if trial is None:
                    self._changed.wait()  # one that runs comes back into the line if its task dies
                elif trial.state == "waits":
                    trial.task, trial.scores = task, []
                    self._set(trial, "runs")
                    return trial
            return None

    def _run(self, trial: Trial, task: str) -> None:
        with Graph().as_default() as graph, container(trial.container):
            session = self._open(task, graph)
            with self._changed:
                trial._session = session if trial.state == "runs" else None
            try:
                for score in _scores(self._program, session, trial.settings):
                    with self._changed:
                        if trial.state != "runs":
                            return
                        trial.scores.append(float(score))
                        self._set(trial, "runs")
                    if self._progress is not None:
                        self._progress(self, trial)
            finally:
                trial._session = None
                session.close()
        with self._changed:
            if trial.state == "runs":
                self._set(trial, "done")

    def _open(self, task: str, graph: Graph) -> Session:
        """A session on a task; UnavailableError if nobody answers there for so long."""
        try:
            # A deadline of a session holds for its steps as well: so another one asks first.
            with Session(self._targets[task], Graph(), _sees_only(task, self._patience)) as first:
                first.list_devices()
        except DeadlineExceededError as error:
            raise UnavailableError(None, None, f"{task} did not answer: {error}") from error
        return Session(self._targets[task], graph, _sees_only(task))

    def _set(self, trial: Trial, state: str) -> None:
        trial.state = state
        self._changes += 1
        self._changed.notify_all()

    def _note_failure(self, trial: Trial, task: str, error: BaseException) -> None:
        """A trial has ended with an error: whose fault was it?"""
        with self._changed:
            if trial.state != "runs":
                return  # cancelled: whatever it waited for has failed
            if not isinstance(error, UnavailableError | AbortedError):
                trial.error = error
                self._set(trial, "failed")
                return
            self._left.discard(task)
            self._waiting.appendleft(trial)
            self._set(trial, "waits")
            if not self._left:
                for one in self._waiting:
                    one.error = error
                    self._set(one, "failed" if one.state == "waits" else one.state)

    def _forget(self, trial: Trial, task: str) -> None:
        with suppress(OpError):  # the task may have died since
            config = _sees_only(task, self._patience)
            Session.reset(self._targets[task], [trial.container], config)

    def rows(self) -> list[tuple[str, ...]]:
        """What there is to see of each trial: number, settings, task, state, latest score."""
        rows: list[tuple[str, ...]] = []
        for one in self.trials:
            settings = ", ".join(f"{name}={value}" for name, value in one.settings.items())
            score = "" if one.score is None else f"{one.score:.3g}"
            rows.append((str(one.number), settings, one.task or "", one.state, score))
        return rows

    def __repr__(self) -> str:
        rows = [HEAD, *self.rows()]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        return "\n".join("  ".join(map(str.ljust, row, widths)).rstrip() for row in rows)


def _scores(program: Program, session: Session, settings: Mapping[str, Any]) -> Iterable[float]:
    """What a program yields; TypeError for one that yields nothing."""
    scores: Any = program(session, **settings)
    if not isinstance(scores, Iterable):
        name = getattr(program, "__name__", program)
        raise TypeError(
            f"A trial's program yields its score from time to time; {name!r} has returned "
            f"{scores!r}. Write `yield score` where it is to be seen, at the end at least, "
            f"instead of `return score`."
        )
    return scores


def _sees_only(task: str, seconds: float = 0.0) -> ConfigProto:
    """Other tasks may die or be missing: the session does not look at them."""
    job, _, index = task.partition(":")
    filters = [f"/job:{job}/task:{index}"]
    return ConfigProto(device_filters=filters, operation_timeout_in_ms=round(1000 * seconds))
