"""Who gave the gradients of which step: `contributions(optimizer, sess)`, while it trains.

The accumulators know it, on the servers that have them. TensorFlow's servers do not tell.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tinytf.distributed.cluster.task_names import TaskName, parse_task
from tinytf.framework.device_spec import DeviceSpec
from tinytf.framework.errors import UnimplementedError
from tinytf.resources.accumulators import Accumulator
from tinytf.resources.contributions import Giver
from tinytf.resources.queues.queue import Queue

if TYPE_CHECKING:
    from tinytf.training.sync_replicas.optimizer import SyncReplicasOptimizer

_NOT = "Your synchronous training is not synchronous:"
#: What a server is asked.
_VIEWS = ("accumulators", "queues")
#: So many steps are shown.
_SHOWN = 8
#: Over so many of the last steps is judged whether all replicas take part.
_JUDGED = 16


@dataclass(frozen=True, slots=True)
class Late:
    """A gradient that was dropped.

    Attributes:
      replica: whose. step: at which the replica took it to be.
      was_told: whether it may have been told that step; else nothing has initialised its step.

    Example:
      >>> from tinytf.training.sync_replicas import Late
      >>> Late("worker:1", step=6, was_told=True).step
      6
    """

    replica: str
    step: int
    was_told: bool


@dataclass(frozen=True, slots=True)
class Given:
    """A gradient, and when it came.

    Attributes:
      replica: whose. step: for which one it was computed. dropped: whether that was over by then.
      came: when, in seconds by the clock of the server that has the accumulator.
    """

    replica: str
    step: int
    came: float
    dropped: bool


@dataclass(frozen=True, slots=True)
class SyncStep:
    """One step.

    Attributes:
      step: its number, that of the global step while it was made.
      given: how many gradients of which replica it has. dropped: those that came too late for it.

    Example:
      >>> from tinytf.training.sync_replicas import Late, SyncStep
      >>> SyncStep(7, {"worker:0": 2}, (Late("worker:1", step=6, was_told=True),)).given
      {'worker:0': 2}
    """

    step: int
    given: Mapping[str, int]
    dropped: tuple[Late, ...] = ()


@dataclass(frozen=True)
class SyncContributions:
    """What `contributions` returns; its text is a table of the last steps, and what is not well.

    Attributes:
      needed: how many gradients a step takes. steps: the last ones, the one under way at the end.
      tokens: how many wait to be taken; None if there is no queue yet.
      held: how many gradients each accumulator has now.
      dropped: how many gradients were too late in all.
      runs: whether the chief's queue runner waits for gradients.
      remarks: what is not as synchronous training should be, by a word for it.
      gradients: of these steps, as they came to the accumulator of the first variable, whose
        gradient is the last that is computed. made: step -> when it was made, by the same clock.

    Example:
      >>> from tinytf.training.sync_replicas import SyncContributions, SyncStep
      >>> steps = (SyncStep(0, {"worker:0": 1, "worker:1": 1}), SyncStep(1, {"worker:1": 1}))
      >>> SyncContributions(2, steps, tokens=0, held={"w:0/grad_accum": 1}, dropped=0, runs=True)
      Step 1 has 1 of 2 gradients.
        step  gradients of        dropped
           0  worker:0, worker:1
           1  worker:1
      Tokens that wait: 0. The chief's queue runner waits for gradients.
      Gradients in the accumulators: w:0/grad_accum 1.
    """

    needed: int
    steps: tuple[SyncStep, ...]
    tokens: int | None
    held: Mapping[str, int]
    dropped: int
    runs: bool
    remarks: Mapping[str, str] = field(default_factory=dict)
    gradients: tuple[Given, ...] = field(default=())
    made: Mapping[int, float] = field(default_factory=dict)

    def __repr__(self) -> str:
        if not self.steps:
            return "\n".join(["No replica has run a step yet.", *self.remarks.values()])
        now = self.steps[-1]
        lines = [f"Step {now.step} has {sum(now.given.values())} of {self.needed} gradients."]
        rows = [(str(s.step), _given(s.given), _late(s.dropped)) for s in self.steps[-_SHOWN:]]
        rows.insert(0, ("step", "gradients of", "dropped"))
        widths = [max(len(row[column]) for row in rows) for column in (0, 1)]
        for number, given, late in rows:
            lines.append(f"  {number:>{widths[0]}}  {given:<{widths[1]}}  {late}".rstrip())
        if self.dropped:
            lines.append(f"Dropped in all: {_gradients(self.dropped)}.")
        tokens = "no queue yet" if self.tokens is None else str(self.tokens)
        lines.append(f"Tokens that wait: {tokens}. The chief's queue runner {_state(self)}.")
        held = ", ".join(f"{name} {count}" for name, count in self.held.items())
        lines.append(f"Gradients in the accumulators: {held}.")
        return "\n".join([*lines, *self.remarks.values()])


def contributions(optimizer: SyncReplicasOptimizer, sess: Any) -> SyncContributions:
    """Which replica gave a gradient to which step, what was dropped, and what waits.

    It can be called at any time, from another thread or another program of the cluster, too.

    Args:
      optimizer: whose `minimize` has built the graph of the session.
      sess: a session on the cluster, or a monitored one.

    Raises:
      ValueError: before `apply_gradients`. UnimplementedError: if the accumulators are on a
        TensorFlow's server, which does not tell. Other errors of a server that is not there.

    Example:
      >>> w, step = tf.Variable(5.0), tf.train.get_or_create_global_step()
      >>> optimizer = tf.train.GradientDescentOptimizer(0.1)
      >>> optimizer = tf.train.SyncReplicasOptimizer(optimizer, replicas_to_aggregate=1)
      >>> fetches = {"step": optimizer.minimize(tf.square(w), step)}
      >>> tinytf.training.sync_replicas.contributions(optimizer, sess)
      No replica has run a step yet.
    """
    if not optimizer._gradients_applied:
        raise ValueError("contributions() should be called after apply_gradients().")
    sess = getattr(sess, "_tf_sess", lambda: sess)()
    accumulators, queues = _looked_at(optimizer, sess)
    names = [a.accumulator_ref.op.attrs["shared_name"].decode() for a, _ in _listed(optimizer)]
    by_name = {row["name"]: row for row in accumulators}
    rows = [by_name[name] for name in names if name in by_name]
    name = optimizer._sync_token_queue.queue_ref.op.attrs["shared_name"].decode()
    tokens = next((row["size"] for row in queues if row["name"] == name), None)
    return summary(rows, tokens, optimizer._replicas_to_aggregate, optimizer._total_num_replicas)


def summary(
    rows: Sequence[Mapping[str, Any]], tokens: int | None, needed: int, total: int
) -> SyncContributions:
    """What accumulators tell, put together.

    Args:
      rows: of each accumulator, see `Accumulator.contributions`. tokens: that wait.
      needed, total: as this program's optimizer has it.
    """
    given, dropped, ahead = _merged(rows)
    label = _labels([*(g for each in given.values() for g in each)], dropped)
    steps = tuple(
        SyncStep(
            number,
            dict(sorted((label[giver], count) for giver, count in each.items())),
            tuple(
                Late(label[giver], step, not lost)
                for (giver, step, lost), count in sorted(dropped.get(number, Counter()).items())
                for _ in range(count)
            ),
        )
        for number, each in sorted(given.items())
    )
    required = max((row["required"] for row in rows), default=0)
    found = SyncContributions(
        required or needed,
        steps,
        tokens,
        {row["name"]: row["count"] for row in rows},
        max((row["dropped"] for row in rows), default=0),
        any(row["takes"] for row in rows),
        gradients=tuple(_timed(rows[0], label)) if rows and given else (),
        made=_made(rows[0]) if rows else {},
    )
    remarks = dict(_remarks(found, required, needed, total, ahead))
    return SyncContributions(**{**vars(found), "remarks": remarks})


# What is not well ---------------------------------------------------------------------------------


def _remarks(
    found: SyncContributions, required: int, needed: int, total: int, ahead: bool
) -> Iterable[tuple[str, str]]:
    replicas = {name for each in found.steps for name in each.given}
    if required and required != needed:
        text = (
            f"The chief takes {_gradients(required)} for a step, and this program's optimizer has "
            f"replicas_to_aggregate={needed}: all replicas have to build the same graph."
        )
        yield "other numbers", text
    if found.needed == 1 and len(replicas) > 1:
        text = (
            f"{_NOT} {len(replicas)} replicas train, and each gradient makes a step of its own "
            f"(replicas_to_aggregate=1)."
        )
        yield "one makes a step", text
    elif needed <= total:
        yield from _uneven(found, replicas, total)
    if ahead:
        text = (
            "Gradients are of steps that the accumulators have not reached, so late ones are not "
            "dropped. Something else counts the global step, too (an optimizer that is not within "
            "the SyncReplicasOptimizer); or the chief did not run optimizer.chief_init_op."
        )
        yield "another counter", text
    dropped = [late for each in found.steps for late in each.dropped]
    lost = sorted({late.replica for late in dropped if not late.was_told})
    if lost:
        text = (
            f"The first gradient of {_and(lost)} was dropped because its local step was never "
            f"initialised, not because it was late: run optimizer.local_step_init_op (the hook "
            f"does, or local_init_op of a Supervisor) when its session begins."
        )
        yield "never initialised", text


def _uneven(found: SyncContributions, replicas: set[str], total: int) -> Iterable[tuple[str, str]]:
    """Of replicas that give several gradients to most steps, as others give none."""
    over = [each for each in found.steps[:-1] if each.given][-_JUDGED:]
    twice = [each for each in over if max(each.given.values()) > 1]
    if len(over) < _JUDGED // 2 or 2 * len(twice) < len(over):
        return
    most = Counter(max(each.given, key=each.given.__getitem__) for each in twice)
    last = {name for each in over[-_JUDGED // 2 :] for name in each.given}
    gone = sorted(replicas - last)
    who = f" {_and(gone)} gave none to the last {_JUDGED // 2} steps." if gone else ""
    text = (
        f"{_NOT} {most.most_common(1)[0][0]} gave several gradients to {len(twice)} of the last "
        f"{len(over)} steps, which {len(last)} of {total} replicas make.{who} A replica that died, "
        f"or never came, leaves its tokens to the others."
    )
    yield "several of one", text


# Where it comes from ------------------------------------------------------------------------------


def _listed(optimizer: Any) -> list[tuple[Any, str]]:
    listed: list[tuple[Any, str]] = optimizer._accumulator_list
    return listed


def _looked_at(optimizer: Any, sess: Any) -> tuple[list[Any], list[Any]]:
    """What there is of accumulators and queues, on all tasks that have those of an optimizer."""
    backend = sess._backend
    resources = getattr(backend, "resources", None)
    if resources is not None:
        items = [resource for _, _, _, resource in resources.items()]
        accumulators = [each.contributions() for each in items if isinstance(each, Accumulator)]
        queues = [{"name": q.name, "size": q.size()} for q in items if isinstance(q, Queue)]
        return accumulators, queues
    devices = {device for _, device in _listed(optimizer)} | {optimizer._global_step.device}
    try:
        return _of_cluster(backend, map(DeviceSpec.from_string, devices))
    except UnimplementedError:
        raise UnimplementedError(
            "The accumulators, or the master of this session, are on a TensorFlow's server, which "
            "does not tell who gave the gradients."
        ) from None


def _of_cluster(backend: Any, devices: Iterable[DeviceSpec]) -> tuple[list[Any], list[Any]]:
    seen = backend.look(["tasks", *_VIEWS])
    [master] = seen["tasks"]
    addresses = {str(parse_task(name)): address for name, address in master["cluster"]}
    own = str(parse_task(master["task"]))
    tasks = {own if d.job is None else str(TaskName(d.job, d.task or 0)) for d in devices}
    found = [seen]
    found += [backend.look(_VIEWS, addresses[task]) for task in sorted(tasks - {own})]
    accumulators, queues = ([row for each in found for row in each[view]] for view in _VIEWS)
    return accumulators, queues


# Words --------------------------------------------------------------------------------------------


def _merged(
    rows: Sequence[Mapping[str, Any]],
) -> tuple[dict[int, Counter[Giver]], dict[int, Counter[tuple[Giver, int, bool]]], bool]:
    """A replica gives to each accumulator: what the one that knows most tells, counts."""
    given: dict[int, Counter[Giver]] = {}
    dropped: dict[int, Counter[tuple[Giver, int, bool]]] = {}
    ahead = False
    for row in rows:
        for step in row["steps"]:
            of_step = Counter({Giver(t, s, scope): n for t, s, scope, n in step["given"]})
            late = Counter[tuple[Giver, int, bool]]()
            for *giver, number, lost, count in step["dropped"]:
                late[Giver(*giver), number, lost] = count
            given[step["step"]] = given.get(step["step"], Counter()) | of_step
            dropped[step["step"]] = dropped.get(step["step"], Counter()) | late
            ahead = ahead or bool(step["ahead"])
    if not any(given.values()) and not any(dropped.values()):
        return {}, {}, ahead
    return given, dropped, ahead


def _timed(row: Mapping[str, Any], label: Mapping[Giver, str]) -> Iterable[Given]:
    for each in row["steps"]:
        given = [(Giver(t, s, scope), each["step"], False) for t, s, scope, _ in each["given"]]
        late = [(Giver(*giver), step, True) for *giver, step, _, _ in each["dropped"]]
        for came, place in each["times"]:
            giver, step, dropped = [*given, *late][place]
            yield Given(label[giver], step, came, dropped)


def _made(row: Mapping[str, Any]) -> dict[int, float]:
    """A step is made when the next one begins."""
    return {each["step"] - 1: each["since"] for each in row["steps"][1:]}


def _labels(givers: Iterable[Giver], dropped: Mapping[int, Iterable[Any]]) -> dict[Giver, str]:
    """How replicas are called: by their tasks if these differ, by their scopes, by sessions."""
    late = [giver for each in dropped.values() for giver, _, _ in each]
    known = sorted({*givers, *late})
    tasks = {giver: _task(giver.task) for giver in known}
    found = dict(tasks)
    for task in set(tasks.values()):
        same = [giver for giver in known if tasks[giver] == task]
        scopes = {giver.scope for giver in same}
        sessions = sorted({giver.session for giver in same})
        for giver in same:
            if len(scopes) > 1:
                scope = giver.scope.rpartition("/")[0] or giver.scope
                found[giver] = scope if len(set(tasks.values())) == 1 else f"{task} {scope}"
            elif len(sessions) > 1:
                found[giver] += f" (session {sessions.index(giver.session) + 1})"
    return {giver: name or "this session" for giver, name in found.items()}


def _task(name: str) -> str:
    return str(parse_task(name)) if name else ""


def _given(given: Mapping[str, int]) -> str:
    names = [name if count == 1 else f"{name} ({count} times)" for name, count in given.items()]
    return ", ".join(names) or "–"


def _late(dropped: Iterable[Late]) -> str:
    return ", ".join(
        f"{late.replica} (of step {late.step})"
        if late.was_told
        else f"{late.replica} (never initialised: of step {late.step})"
        for late in dropped
    )


def _state(found: SyncContributions) -> str:
    return "waits for gradients" if found.runs else "does not wait for gradients"


def _gradients(count: int) -> str:
    return "1 gradient" if count == 1 else f"{count} gradients"


def _and(names: Sequence[str]) -> str:
    return " and ".join(names) if len(names) < 3 else f"{', '.join(names[:-1])} and {names[-1]}"
