"""What a report says: who waits, who could have helped, and what to type."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Sequence

from tinytf.diagnosis.picture import Actor, Picture, serves
from tinytf.diagnosis.producers import Producer
from tinytf.framework import call_site, waiting
from tinytf.framework.operation import Operation
from tinytf.framework.waiting import Wait
from tinytf.resources.contributions import GRADIENTS, TOKEN_QUEUE

#: How many of several operations or threads are named.
_MOST = 3
#: Longer source lines are cut.
_WIDTH = 90
#: need -> what somebody has to do.
_DOES = {
    "elements": "puts elements in",
    "room": "takes elements out",
    "close": "takes elements out, so that the enqueues before the close get done",
    "gradients": "applies gradients",
    "lock": "gives the lock back",
}
_BREAK = (
    "To break the circle: have one of them do what the other waits for before it waits itself, or "
    "in a thread of its own."
)
_END = (
    "Interrupt it to go on (Ctrl-C; in a notebook: Interrupt the kernel): the session can still be "
    "used. tf.why_stuck() shows all threads."
)


def of_stuck(actor: Actor, picture: Picture, stuck_actors: Sequence[Actor]) -> str:
    """The report about a thread that is stuck, and those who are stuck with it."""
    chain = _chain(actor, picture, stuck_actors)
    names = [each.name for each in chain]
    lasted = picture.taken - actor.blocked.since if actor.blocked is not None else 0.0
    head = f"This has waited for {lasted:.1f} seconds, and nothing that runs can end it"
    circle = _circle(chain, picture)
    if circle:
        head = (
            f"Deadlock: {_and([each.name for each in circle])} wait for each other, for "
            f"{lasted:.1f} seconds now, and nothing else that runs can help"
        )
    lines = [f"{head}:"]
    for each in chain:
        lines += ["", *_of_actor(each, picture, chain, bool(circle))]
    if circle:
        lines += ["", _BREAK]
    others = [each for each in stuck_actors if each.name not in names and _is_of_interest(each)]
    if others:
        lines += ["", "Others wait in vain, too:"]
        lines += [f"  {each.name}: {_short(each)}" for each in others[:_MOST]]
        lines += _more(len(others))
    lines += ["", *_deadline(actor, picture), _END]
    return "\n".join(lines)


def _deadline(actor: Actor, picture: Picture) -> Iterator[str]:
    deadline = None if actor.blocked is None else actor.blocked.deadline
    if deadline is not None:
        yield f"It ends by itself at its deadline, in {deadline - picture.taken:.1f} seconds."


# Who needs whom ---------------------------------------------------------------------------------


def _needs(actor: Actor, picture: Picture) -> list[Actor]:
    """The threads that wait, and would do what a thread waits for if they went on."""
    found: list[Actor] = []
    for wait in actor.waits:
        ops = _helpers(wait, actor)
        for other in picture.actors:
            is_other = other is not actor and other not in found and not _is_idle(other)
            if is_other and (
                other.thread in wait.threads or any(_would_run(other, op, wait) for op in ops)
            ):
                found.append(other)
    return found


def _is_idle(actor: Actor) -> bool:
    """Whether a thread waits for nothing, or just for the others to stop."""
    return all(wait.needs == "stop" for wait in actor.waits)


def _is_of_interest(actor: Actor) -> bool:
    """Not so a QueueRunner, or a dataset's thread, whose elements nobody takes."""
    is_users = actor.runs is None and not _is_idle(actor)
    return is_users and any(wait.op is not None or wait.needs == "end" for wait in actor.waits)


def _would_run(actor: Actor, op: Operation, wait: Wait) -> bool:
    """Whether what would end a wait is in a thread's step, or what it runs all the time."""
    if actor.runs is not None:
        return op in actor.runs
    if actor.blocked is not None and actor.blocked.waiter.is_in_step(op):
        # By name: in another graph that may be about something else.
        graph = actor.blocked.graph
        return serves(op if graph is None else graph._by_name.get(op.name, op), wait)
    run = waiting.run_of(op)
    return run is not None and run.thread == actor.name


def _chain(actor: Actor, picture: Picture, stuck_actors: Sequence[Actor]) -> list[Actor]:
    """The thread, and those that it needs and that are stuck, too."""
    chain, position = [actor], 0
    while position < len(chain) and len(chain) < 2 * _MOST:
        for other in _needs(chain[position], picture):
            if other in stuck_actors and other not in chain:
                chain.append(other)
        position += 1
    return chain


def _circle(chain: Sequence[Actor], picture: Picture) -> list[Actor]:
    """Those of the chain that need themselves in the end, the first one and others; or none."""
    needs = {each.thread: [one.thread for one in _needs(each, picture)] for each in chain}

    def reached(start: int) -> set[int]:
        seen: set[int] = set()
        left = list(needs[start])
        while left:
            thread = left.pop()
            if thread in needs and thread not in seen:
                seen.add(thread)
                left += needs[thread]
        return seen

    return [each for each in chain if each.thread in reached(each.thread)]


def _helpers(wait: Wait, actor: Actor) -> list[Operation]:
    """The operations of the graph that could end a wait; not those that close the queue."""
    graph = actor.blocked.graph if actor.blocked is not None else None
    if graph is None and wait.op is not None:
        graph = wait.op.graph
    if graph is None or wait.on is None:
        return []
    return [
        op
        for op in graph.get_operations()
        if serves(op, wait)
        and not op.type.startswith("QueueClose")
        and (wait.op is None or op.name != wait.op.name)
    ]


# One thread -------------------------------------------------------------------------------------


def _of_actor(
    actor: Actor, picture: Picture, chain: Sequence[Actor], in_circle: bool
) -> Iterator[str]:
    several = len(chain) > 1
    indent = "    " if several else "  "
    if several:
        yield f"  {actor.name}:"
    for number, wait in enumerate(actor.waits):
        if number and wait.needs == "stop":
            continue  # it waits for threads; that others may ask them to stop is no news
        for line in _of_wait(wait, actor, picture, chain, in_circle):
            yield f"{indent}{line}"


def _of_wait(
    wait: Wait, actor: Actor, picture: Picture, chain: Sequence[Actor] = (), in_circle: bool = False
) -> Iterator[str]:
    if wait.caller:
        yield wait.caller.rstrip(": ")
    if wait.op is not None:
        yield placed(wait.op)
    elif actor.line:
        yield actor.line
    if wait.needs == "end":
        yield from _of_join(wait, actor, picture)
        return
    where = "" if wait.on is None else f" in {wait.on.describe()}"
    yield f"waits for {wait.what.removeprefix('for ')}{where}.{_history(wait)}"
    if wait.on is None or wait.needs not in _DOES:
        return
    yield from _kept(wait)
    sync = getattr(wait.on, "sync", None)
    if sync is not None:
        if wait.needs == "elements":  # who waits for a token tells for both
            yield from sync.lines()
        return
    ops = _helpers(wait, actor)
    if not ops:
        yield f"Nothing in this graph {_DOES[wait.needs]}: it has no {_kinds(wait)} for it."
        yield from _closing(wait)
        return
    runners = [p for p in picture.producers if any(op in p.enqueue_ops for op in ops)]
    for number, runner in enumerate(runners):
        yield from _of_runner(runner, is_last=number == len(runners) - 1)
    left = [op for op in ops if not any(op in runner.enqueue_ops for runner in runners)]
    waits_too = False
    for other in chain:
        theirs = [] if other is actor else [op for op in ops if _would_run(other, op, wait)]
        if theirs:
            waits_too = True
            left = [op for op in left if op not in theirs]
            named = f"{theirs[0].name} ({theirs[0].type})"
            yield f"{other.name} {_DOES[wait.needs]}, with {named}, but it waits itself."
    if left and not runners and not (waits_too and in_circle):
        yield from _of_idle(left, wait)
        yield from _closing(wait)


def _of_join(wait: Wait, actor: Actor, picture: Picture) -> Iterator[str]:
    """Of a wait for threads to end."""
    known = [each for each in picture.actors if each.thread in wait.threads]
    names = [each.name for each in known if not _is_idle(each)] or [each.name for each in known]
    left = f" and {len(names) - _MOST} more" if len(names) > _MOST else ""
    yield f"waits for threads to end: {', '.join(names[:_MOST])}{left}."
    if any(each.needs == "stop" for each in actor.waits):
        yield "Nobody has asked them to stop: call coord.request_stop() before coord.join(threads)."


_NOTHING = " Nothing was ever put in."


def _history(wait: Wait) -> str:
    """What has happened to a queue so far."""
    snapshot = getattr(wait.on, "snapshot", None)
    found = None if snapshot is None else snapshot()
    put_in, taken_out = getattr(found, "put_in", None), getattr(found, "taken_out", None)
    if put_in is None or taken_out is None:
        return ""
    if not put_in:
        return _NOTHING
    taken = [held for missing, held in found.dequeues if held] if found is not None else []
    if wait.needs == "elements" and len(taken) == 1:
        return f" {_were(put_in)} put in so far, and this holds {taken[0]} until it has all."
    return f" {_were(put_in)} put in so far, and {taken_out} taken out."


def _were(count: int) -> str:
    return "1 was" if count == 1 else f"{count} were"


def _kept(wait: Wait) -> Iterator[str]:
    kept = getattr(wait.on, "min_after_dequeue", 0)
    snapshot = getattr(wait.on, "snapshot", None)
    if wait.needs == "elements" and kept and snapshot is not None and snapshot().contents:
        yield (
            f"A RandomShuffleQueue keeps min_after_dequeue={kept} elements to choose from, until "
            f"it is closed: only what is above that can be taken."
        )


def _kinds(wait: Wait) -> str:
    assert wait.on is not None
    kinds = sorted(k for k in wait.on.served_by[wait.needs] if "Close" not in k)
    newest = [kind for kind in kinds if kind.endswith("V2")]
    return " or ".join((newest or kinds)[:2])


def _of_runner(producer: Producer, is_last: bool) -> Iterator[str]:
    op = producer.enqueue_ops[0]
    if not producer.was_started:
        yield "A QueueRunner for it was built, but its threads were never started. It runs"
        yield f"  {placed(op)}"
        if is_last:
            yield f"Type this before the step that waits: {producer.advice}"
    elif producer.failures:
        error = producer.failures[0]
        yield "The threads of its QueueRunner have died, because of this error:"
        message = getattr(error, "message", None) or str(error)
        for line in _brief(type(error).__name__, message, getattr(error, "op", None)):
            yield f"  {line}"
        yield from _remedy(type(error).__name__, message)
        yield (
            "With a coordinator the queue would be closed then, and you would be told: "
            "tf.train.start_queue_runners(sess=sess, coord=coord)"
        )
    elif not producer.threads:
        yield "The threads of its QueueRunner have ended: their input has, or they were stopped."


def _of_idle(ops: Sequence[Operation], wait: Wait) -> Iterator[str]:
    """Operations that would help, and that no thread runs."""
    if wait.needs == "gradients" and str(getattr(wait.on, "name", "")).endswith(GRADIENTS):
        yield _NO_GRADIENTS
        return
    ops = sorted(ops, key=_interest, reverse=True)
    yield f"No thread runs what {_DOES[wait.needs]}:"
    for op in ops[:_MOST]:
        yield f"  {placed(op)}"
        yield from _of_run(op, wait)
    yield from _more(len(ops))
    if getattr(wait.on, "name", "") == TOKEN_QUEUE and wait.needs == "elements":
        yield _NO_TOKENS
    run = waiting.run_of(ops[0])
    command = f'sess.run("{ops[0].name}")'
    if run is not None and run.failed_in:
        yield from _remedy(*run.error)
        yield f"Mend that, and run it again, in a thread or before this step: {command}"
    else:
        yield f"Run it before this step, or in another thread: {command}"


def _interest(op: Operation) -> int:
    """Those that somebody has run say more, those that failed most."""
    run = waiting.run_of(op)
    return 0 if run is None else bool(run.thread) + bool(run.failed_in)


def _of_run(op: Operation, wait: Wait) -> Iterator[str]:
    """Who last ran an operation, and how that ended."""
    run = waiting.run_of(op)
    if run is None or not run.thread:
        return
    if run.failed_in:
        yield f"    Its last run, in {_thread(run.failed_in)}, failed:"
        for line in _brief(*run.error, _named(op, run.error[1])):
            yield f"      {line}"
    else:
        yield f"    It was last run by {_thread(run.thread)}."
        if wait.needs == "elements" and _history(wait) == _NOTHING:
            yield "    That put nothing into this queue. Was it in another session? Each has queues"
            yield "    of its own, also of one shared_name, unless they share a tf.train.Server."


def _thread(name: str) -> str:
    if name == threading.current_thread().name:
        return f"this thread, {name}"
    if any(thread.name == name for thread in threading.enumerate()):
        return f"the thread {name}"
    return f"the thread {name}, which has ended"


def _closing(wait: Wait) -> Iterator[str]:
    if wait.needs == "elements":
        snapshot = getattr(wait.on, "snapshot", None)
        if snapshot is not None and getattr(snapshot(), "put_in", None):
            yield (
                "If no more will come, close the queue: sess.run(queue.close()). Who waits is told "
                "so then, and dequeue_up_to takes the rest."
            )
    elif wait.needs == "room":
        yield (
            "Or make the queue larger (capacity=...). To stop those who wait for room: "
            "sess.run(queue.close(cancel_pending_enqueues=True))"
        )


_NO_TOKENS = (
    "This is the token queue of tf.train.SyncReplicasOptimizer: each worker's step takes a token. "
    "The chief has to put in the first ones, once, and to start the runner that gives more: "
    "sess.run(optimizer.get_init_tokens_op()) and optimizer.get_chief_queue_runner()."
    "create_threads(sess, coord=coord, start=True)"
)
_NO_GRADIENTS = (
    "Each replica gives one, and then waits for a token. The others never came, or have ended: "
    "start them, each with its own session or thread. If replicas_to_aggregate is larger than "
    "total_num_replicas, the first tokens were forgotten: the hook puts them in, or "
    "sess.run(optimizer.get_init_tokens_op()) in the chief."
)


def _remedy(kind: str, message: str) -> Iterator[str]:
    """What to do about an error that has ended a producer."""
    is_known = "_initializer()" in message  # it says so itself
    if kind == "FailedPreconditionError" and "uninitialized" in message and not is_known:
        what = "tf.global_variables_initializer()"
        if "epochs" in message:
            what = "tf.local_variables_initializer()"
            yield "num_epochs counts epochs in a local variable, which was never initialised."
        yield f"Type this before the threads are started: sess.run({what})"


# Words ------------------------------------------------------------------------------------------


def placed(op: Operation) -> str:
    """An operation and the line that built it, in one line."""
    line = call_site.user_line(op._frames)
    if line is None:
        return f"{op.name} ({op.type}), of an imported graph"
    text = line.text if len(line.text) <= _WIDTH else f"{line.text[: _WIDTH - 3]}..."
    return f"{op.name} ({op.type}), built at {line.file}, line {line.line}: {text}"


def _brief(kind: str, message: str, op: Operation | None) -> Iterator[str]:
    """An error in two lines: what, and where."""
    what = message.partition("\n\t [[")[0].strip()
    lines = what.splitlines() or [""]
    yield f"{kind}: {lines[0] if len(lines[0]) <= 300 else lines[0][:297] + '...'}"
    if op is not None:
        yield f"in {placed(op)}"


def _named(op: Operation, message: str) -> Operation | None:
    """The operation that an error is about, by the name in its text."""
    found = re.search(r"\{\{node ([^}]*)\}\}", message)
    try:
        return None if found is None else op.graph.get_operation_by_name(found.group(1))
    except KeyError:
        return None


def _more(count: int) -> list[str]:
    return [f"  and {count - _MOST} more"] if count > _MOST else []


def _and(names: Sequence[str]) -> str:
    return " and ".join(names) if len(names) < 3 else f"{', '.join(names[:-1])} and {names[-1]}"


def _short(actor: Actor) -> str:
    return "; ".join(map(waiting.describe, actor.waits))


# Everything -------------------------------------------------------------------------------------


def of_picture(picture: Picture, with_runners: bool = True) -> str:
    """All threads that wait, stuck or not, and the QueueRunners."""
    waiters = [actor for actor in picture.actors if actor.waits and not _is_idle(actor)]
    idle = [actor for actor in picture.actors if actor.waits and _is_idle(actor)]
    lines = list(_all_waits(waiters, picture)) if waiters else ["No thread waits for anything."]
    if idle:
        threads = "1 thread waits" if len(idle) == 1 else f"{len(idle)} threads wait"
        lines += ["", f"{threads} for coord.request_stop()."]
    if picture.producers and with_runners:
        lines += ["", "QueueRunners:", *map(_state, picture.producers)]
    return "\n".join(lines)


def _all_waits(waiters: Sequence[Actor], picture: Picture) -> Iterator[str]:
    without_me = picture.find_live(but=picture.me)
    for number, actor in enumerate(waiters):
        if number:
            yield ""
        since = picture.taken if actor.blocked is None else actor.blocked.since
        lasted = f", for {picture.taken - since:.1f} seconds" if actor.blocked is not None else ""
        yield f"{actor.name}{lasted}, {_verdict(actor, picture, without_me)}:"
        for wait in actor.waits:
            if actor.is_live:
                yield f"  {waiting.describe(wait)}"
            elif wait.needs != "stop":
                for line in _of_wait(wait, actor, picture, waiters):
                    yield f"  {line}"


def _verdict(actor: Actor, picture: Picture, without_me: frozenset[int]) -> str:
    if actor.thread in without_me:
        return "may go on"
    me = picture.actor(picture.me)
    if actor.is_live and me is not None:
        return f"waits for you: nobody but {me.name} can end this"
    return "stuck"


def _state(producer: Producer) -> str:
    if not producer.was_started:
        state = f"never started. Type {producer.advice}"
    elif producer.threads:
        names = ", ".join(thread.name for thread in producer.threads[:_MOST])
        state = f"{len(producer.threads)} running: {names}"
        state += "" if len(producer.threads) <= _MOST else " ..."
    elif producer.failures:
        error = producer.failures[0]
        state = f"ended by {type(error).__name__}: {(str(error).splitlines() or [''])[0]}"
    else:
        state = "ended"
    return f"  {producer.name}: {state}"
