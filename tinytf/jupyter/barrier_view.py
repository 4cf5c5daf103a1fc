"""Synchronous training as it is: which gradients made which step, and who waited for whom."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import Any

from tinytf.jupyter.picture import plural
from tinytf.jupyter.words import listed

#: How many gradients can be played back.
MOST_GRADIENTS = 160
#: How many steps of usual length the lanes show.
STEPS_SHOWN = 6.5


@dataclass(frozen=True, slots=True)
class Stay:
    """What a worker did from one token to the next.

    Attributes:
      worker, step: whose gradient it was (a name), and of which version of the variables.
      began, came, left: when it had the token, when its gradient was there, and when it got the
        next token; in seconds. None: not known, or not yet.
      dropped: whether the step was over when the gradient came.
    """

    worker: str
    step: int
    began: float | None
    came: float
    left: float | None
    dropped: bool


@dataclass(frozen=True)
class Barrier:
    """All that is known of a synchronous training.

    Attributes:
      stays: by the time the gradients came. made: step -> when it was made.
      needed: how many gradients make a step. tokens: how many wait in the queue.
      total: how many gradients came in all, those that are not kept any more included.

    Example:
      >>> Barrier([Stay("a", 0, 0.0, 1.0, 3.0, False), Stay("b", 0, 0.0, 2.5, 3.0, False)], {0: 3.0}, 2)
      1 step of 2 gradients each, of 2 workers.
        a: gave 1 gradient, waited 67% of its time
        b: gave 1 gradient, waited 17% of its time
    """

    stays: Sequence[Stay]
    made: Mapping[int, float]
    needed: int
    tokens: int = 0
    total: int = 0

    @property
    def workers(self) -> list[str]:
        """Who has given a gradient."""
        return sorted({stay.worker for stay in self.stays})

    @property
    def steps(self) -> int:
        """How many steps have been made, of those that are known."""
        return len(self.made)

    @property
    def dropped(self) -> int:
        """How many gradients came too late."""
        return sum(stay.dropped for stay in self.stays)

    @property
    def headline(self) -> str:
        """What there is to say, in a sentence."""
        if not self.stays:
            return "No gradient has come yet."
        text = (
            f"{plural(self.steps, 'step')} of {plural(self.needed, 'gradient')} each, "
            f"of {plural(len(self.workers), 'worker')}."
        )
        if self.dropped:
            text += f" {plural(self.dropped, 'gradient')} came too late, and "
            text += "was dropped." if self.dropped == 1 else "were dropped."
        return text

    def waits(self) -> list[dict[str, Any]]:
        """For each worker: what it gave, what was dropped of it, how it spent its time."""
        rows = []
        for worker in self.workers:
            stays = [stay for stay in self.stays if stay.worker == worker]
            computed = sum(s.came - s.began for s in stays if s.began is not None)
            waited = sum(s.left - s.came for s in stays if s.left is not None)
            late = sum(stay.dropped for stay in stays)
            row = {"worker": worker, "given": len(stays) - late, "dropped": late}
            share = waited / (computed + waited) if computed + waited > 0 else 0.0
            rows.append(row | {"waited": round(waited, 4), "share": round(share, 3)})
        return rows

    def __repr__(self) -> str:
        lines = [self.headline]
        for row in self.waits():
            late = f", {row['dropped']} more dropped" if row["dropped"] else ""
            lines.append(
                f"  {row['worker']}: gave {plural(row['given'], 'gradient')}{late}, "
                f"waited {row['share']:.0%} of its time"
            )
        return "\n".join(lines)


def barrier_of(
    gradients: Iterable[Any],
    made: Mapping[int, float],
    needed: int,
    tokens: int = 0,
    total: int = 0,
) -> Barrier:
    """What each worker did when, from when gradients came and steps were made.

    Args:
      gradients: with `worker`, `step`, `came`, `dropped`, and `released`: when the worker went on;
        None: when the step was made, or at once if the gradient was dropped.
    """
    left: dict[str, float | None] = {}
    stays = []
    for gradient in sorted(gradients, key=lambda gradient: gradient.came):
        on = gradient.released
        if on is None:
            on = gradient.came if gradient.dropped else made.get(gradient.step)
        began = left.get(gradient.worker, made.get(gradient.step - 1))
        if began is not None and began > gradient.came:  # a worker that began anew
            began = None
        stays.append(
            Stay(gradient.worker, gradient.step, began, gradient.came, on, gradient.dropped)
        )
        left[gradient.worker] = on
    return Barrier(stays, dict(made), needed, tokens, total or len(stays))


def state_of(barrier: Barrier) -> dict[str, Any]:
    """All that the browser gets; see static/barrier.js. Times are in seconds from 0 on."""
    stays = list(barrier.stays[-MOST_GRADIENTS:])
    since = stays[0].came if stays else 0.0
    made = {step: at for step, at in sorted(barrier.made.items()) if at >= since}
    span = _span(stays, made)
    begins = [stay.began for stay in stays[: len(barrier.workers)] if stay.began is not None]
    zero = min([since - span / STEPS_SHOWN / 4, *begins])  # something before the first gradient
    return {
        "headline": barrier.headline,
        "workers": barrier.workers,
        "needed": barrier.needed,
        "stays": [_row(stay, zero) for stay in stays],
        "steps": [[step, round(at - zero, 5)] for step, at in made.items()],
        "events": list(_events(barrier.needed, stays, made, zero)),
        "waits": barrier.waits(),
        "span": round(span, 5),
        "total": barrier.total,
        "before": barrier.total - len(stays),
        "dropped": barrier.dropped,
        "tokens": barrier.tokens,
    }


def _row(stay: Stay, zero: float) -> dict[str, Any]:
    row: dict[str, Any] = {"worker": stay.worker, "step": stay.step, "dropped": stay.dropped}
    for name in ("began", "came", "left"):
        at = getattr(stay, name)
        row[name] = None if at is None else round(at - zero, 5)
    return row


def _span(stays: Sequence[Stay], made: Mapping[int, float]) -> float:
    """How many seconds the lanes show: a few steps."""
    times = sorted(made.values())
    if len(times) > 1:
        lengths = [after - before for before, after in pairwise(times)]
        return max(median(lengths) * STEPS_SHOWN, 1e-4)
    return max(1.25 * (stays[-1].came - stays[0].came), 1e-4) if stays else 1.0


def _events(
    needed: int, stays: Sequence[Stay], made: Mapping[int, float], zero: float
) -> Iterable[dict[str, Any]]:
    """What happened, one after the other, in a learner's words."""
    moments: list[tuple[float, int, Any]] = [(stay.came, 0, stay) for stay in stays]
    moments += [(at, 1, step) for step, at in made.items()]
    gave: dict[int, list[str]] = {}
    for at, _, what in sorted(moments, key=lambda moment: moment[:2]):
        kind = ""
        if not isinstance(what, Stay):
            text = made_text(what, gave.get(what, []))
            kind = "right"
        elif what.dropped:
            text, kind = dropped_text(what, made.get(what.step)), "wrong"
        else:
            names = gave.setdefault(what.step, [])
            names.append(what.worker)
            text = came_text(what, len(names), needed)
        yield {"at": round(at - zero, 5), "text": text, "kind": kind}


def came_text(stay: Stay, there: int, needed: int) -> str:
    """A gradient came in time."""
    text = f"The gradient of {stay.worker} for version {stay.step} is there: {there} of {needed}. "
    if there < needed:
        return text + f"{_beginning(stay.worker)} waits at the barrier."
    return text + "These are enough: the chief takes their mean."


def made_text(step: int, workers: Sequence[str]) -> str:
    """A step was made."""
    of = f" of the gradients of {listed(workers, most=8)}" if workers else ""
    return f"Step {step + 1} is made{of}: version {step + 1}. Who waited gets a token and goes on."


def dropped_text(stay: Stay, made: float | None) -> str:
    """A gradient came too late."""
    late = f" {milliseconds(stay.came - made)} after that step was made" if made is not None else ""
    return (
        f"The gradient of {stay.worker} for version {stay.step} came{late}: too late, and "
        f"dropped. {_beginning(stay.worker)} takes the next token and goes on."
    )


def _beginning(name: str) -> str:
    """A name at the beginning of a sentence."""
    return name[:1].upper() + name[1:]


def milliseconds(seconds: float) -> str:
    """A time in a few letters."""
    return f"{seconds:.3g} s" if seconds >= 1 else f"{seconds * 1e3:.3g} ms"


def reader(optimizer: Any) -> Callable[[Any], Barrier]:
    """What reads a synchronous optimizer's training out of a session.

    Raises:
      ValueError: before `apply_gradients`.
    """
    raise NotImplementedError(optimizer)
