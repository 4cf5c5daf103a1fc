"""`never_blocks`, `in_every_schedule`: a program under many seeded schedules."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from tinytf.framework.graph import Graph
from tinytf.framework.stacks import get_default_graph
from tinytf.grading.assertions.plain_values import plain, shown
from tinytf.grading.assertions.values import equal_to
from tinytf.grading.authoring import Wrong
from tinytf.session.session import Session

if TYPE_CHECKING:
    from tinytf.testing.schedules import ScheduledRun

SCHEDULES = 40
#: Turns after which a program is said to have no end: an exercise takes a few hundred.
MAX_TURNS = 20_000
#: Lines of the order that are shown, the last ones.
_LAST = 12
#: A line of a trace that says which operation ran: thread, operation, value.
_RAN = re.compile(r"(?:-->|   ) *\d+  (.*?)  +(\S+) \((\w+)\)(?:, iteration \d+)?( = \S+)?(?=\s|$)")
#: Nobody asks when these ran: they do nothing, or only say which variable or queue is meant.
_SILENT = re.compile(r"Const|NoOp|Placeholder|VarHandleOp|VariableV2|\w*QueueV2")

Program = Callable[[], Any] | Sequence[Any]


def never_blocks(
    program: Program,
    schedules: int | Iterable[int] = SCHEDULES,
    *,
    before: Any = None,
    graph: Graph | None = None,
    max_turns: int = MAX_TURNS,
    hint: str = "",
) -> None:
    """A program ends in every schedule: nobody waits for ever.

    It runs under one seeded schedule after the other (docs/schedules.md), until one of them
    blocks it. That is known at once and for certain, without a timeout, and the same on every
    machine.

    Args:
      program: a function without arguments that builds a graph, opens a session and runs it, in
        threads of its own. Or a list of fetches: each of them is run in a thread of its own, all
        in one session, which is new in every schedule.
      schedules: how many, the seeds from 0 on; or the seeds.
      before: with a list: what runs once before the threads start, such as an initialiser.
      graph: with a list: theirs; default: the default graph.
      max_turns: a program that takes more turns has no end. hint: what to think about.

    Raises:
      Wrong: saying in which schedule, who waits for what, and in what order operations ran before.
      What the program raises, with a note that names the schedule.

    Example:
      >>> queue = tf.FIFOQueue(1, tf.int32, shapes=[[]])
      >>> tinytf.grading.never_blocks([queue.enqueue(3), queue.dequeue()])
      >>> try:
      ...     tinytf.grading.never_blocks([queue.dequeue()])
      ... except tinytf.grading.Wrong as wrong:
      ...     print(wrong.message)
      schedule 0: somebody waits for ever
    """
    for seed in _seeds(schedules):
        _checked(_as_program(program, before, graph), seed, max_turns, hint)


def in_every_schedule(
    program: Callable[[], Any],
    holds: Any,
    schedules: int | Iterable[int] = SCHEDULES,
    *,
    what: str = "the result",
    max_turns: int = MAX_TURNS,
    hint: str = "",
) -> None:
    """What a program returns is right in every schedule.

    Args:
      program: as for `never_blocks`, a function; it returns what is to be looked at.
      holds: a function of that value: it raises `Wrong`, or returns False, or a text that says
        what is wrong. Or the value that every schedule must give, compared by `equal_to`.
      schedules, max_turns: as for `never_blocks`. what: names the value in the message.
      hint: what to think about.

    Raises:
      Wrong: saying in which schedule, what was wrong, and in what order the operations ran.
      What the program raises, with a note that names the schedule.

    Example:
      >>> import threading
      >>> def count():
      ...     with tf.Graph().as_default(), tf.Session() as sess:
      ...         total = tf.Variable(0.0)
      ...         sess.run(total.initializer)
      ...         add = tf.assign_add(total, 1.0)
      ...         threads = [threading.Thread(target=sess.run, args=[add]) for _ in range(2)]
      ...         [thread.start() for thread in threads]
      ...         [thread.join() for thread in threads]
      ...         return sess.run(total)
      >>> tinytf.grading.in_every_schedule(count, 2.0)
      >>> tinytf.grading.in_every_schedule(count, lambda value: value == 2.0)
    """
    for seed in _seeds(schedules):
        run = _checked(program, seed, max_turns, hint)
        try:
            _check_value(run.value, holds, what)
        except Wrong as wrong:
            raise _at(seed, wrong, run, hint) from None


def _check_value(value: Any, holds: Any, what: str) -> None:
    if not callable(holds):
        equal_to(value, holds, what=what)
        return
    verdict = holds(value)
    if isinstance(verdict, str) and verdict:
        raise Wrong(verdict)
    if verdict is not None and not isinstance(verdict, str) and not verdict:
        raise Wrong(f"{what} is wrong", "another one", shown(plain(value)))


def order(run: ScheduledRun, last: int | None = _LAST) -> str:
    """In what order the operations of a run ran: a line for each, with its thread."""
    found = [match for match in map(_RAN.match, run.trace.splitlines()) if match is not None]
    lines = [f"  {m[1]}: {m[2]}{m[4] or ''}" for m in found if not _SILENT.fullmatch(m[3])]
    cut = 0 if last is None else max(0, len(lines) - last)
    return "\n".join([f"  ... {cut} before"] * bool(cut) + lines[cut:])


def _seeds(schedules: int | Iterable[int]) -> Iterable[int]:
    return range(schedules) if isinstance(schedules, int) else schedules


def _checked(program: Callable[[], Any], seed: int, max_turns: int, hint: str) -> ScheduledRun:
    """A run that has ended by itself, and without an error."""
    from tinytf.testing.schedules import run_with_seed  # loaded when somebody asks

    run = run_with_seed(program, seed, max_turns=max_turns)
    if isinstance(run.error, Wrong):
        raise _at(seed, run.error, run, hint)
    if run.error is not None:
        run.error.add_note(f"(in schedule {seed})")
        raise run.error
    if run.broken:
        first, _, rest = run.broken.partition("\n")
        blocked = first.startswith("Deadlock")
        text = "somebody waits for ever" if blocked else "the program does not end"
        wrong = Wrong(text, "an end in every schedule", f"\n{rest}" if blocked else run.broken)
        raise _at(seed, wrong, run, hint)
    return run


def _at(seed: int, wrong: Wrong, run: ScheduledRun, hint: str) -> Wrong:
    """The same with the schedule, and the order in which operations ran."""
    ran = order(run)
    ran = f"\nThe order was:\n{ran}" if ran else ""
    message, got = f"schedule {seed}: {wrong.message}", wrong.got
    if wrong.expected is None and got is None:
        message += ran
    else:
        got = f"{got}{ran}"
    return Wrong(message, wrong.expected, got, hint=hint or wrong.hint)


def _as_program(program: Program, before: Any, graph: Graph | None) -> Callable[[], Any]:
    if callable(program):
        return program
    steps, graph = list(program), graph or get_default_graph()

    def run_steps() -> None:
        with Session(graph=graph) as sess:
            if before is not None:
                sess.run(before)
            threads = [
                threading.Thread(target=sess.run, args=[step], name=_name(number, step))
                for number, step in enumerate(steps, 1)
            ]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()

    return run_steps


def _name(number: int, step: Any) -> str:
    name = getattr(step, "name", "")
    return f"step {number} ({name})" if isinstance(name, str) and name else f"step {number}"
