"""Who gave the gradients of which step: what an accumulator keeps of the last steps.

A *giver* is one replica: the task that asked, its session, and the scope of the operation that
gave, which tells replicas of one session apart.
"""

from __future__ import annotations

import time
from collections import Counter, deque
from dataclasses import dataclass, field
from typing import Any, NamedTuple

#: The name of the token queue of synchronous training, by which all sessions of a cluster share it.
TOKEN_QUEUE = "sync_token_q"
#: How the names of its accumulators end, behind that of the variable.
GRADIENTS = "/grad_accum"
#: Of so many steps is kept who gave.
KEPT_STEPS = 64
#: When gradients came is kept of so many of a step.
KEPT_TIMES = 256


class Giver(NamedTuple):
    """A replica.

    Attributes:
      task: that asked; "" in a local session. session: its handle.
      scope: of the operation that gives.
    """

    task: str
    session: str
    scope: str


class Asker(NamedTuple):
    """A session that a task works for; `since`: when it was opened here, by `time.monotonic`."""

    task: str
    session: str
    since: float


@dataclass(slots=True)
class StepOfMany:
    """What came while an accumulator was at one step.

    Attributes:
      given: how many gradients of each. dropped: of each, with the step they were of, and whether
        that step was over already when the giver's session was opened: it was never told its step.
      ahead: how many were of a step that the accumulator has not reached.
      times: when gradients came, by `time.monotonic`, each with its key in `given` or `dropped`.
    """

    since: float = field(default_factory=time.monotonic)
    given: Counter[Giver] = field(default_factory=Counter)
    dropped: Counter[tuple[Giver, int, bool]] = field(default_factory=Counter)
    ahead: int = 0
    times: deque[tuple[float, Any]] = field(default_factory=lambda: deque(maxlen=KEPT_TIMES))


class Contributions:
    """Of one accumulator, which has it locked."""

    def __init__(self) -> None:
        self._steps: dict[int, StepOfMany] = {}
        #: How many gradients the last take asked for; 0 before there was one.
        self.required = 0
        self.at(0)

    def at(self, step: int) -> StepOfMany:
        """Of the step that the accumulator is at, which has begun now if it is new."""
        found = self._steps.get(step)
        if found is None:
            found = self._steps[step] = StepOfMany()
            if len(self._steps) > KEPT_STEPS:
                del self._steps[next(iter(self._steps))]
        return found

    def note(self, asker: Asker | None, name: str, local_step: int, step: int) -> None:
        """A gradient of `local_step` has come at `step`, by the operation of that name."""
        task, session, since = asker or ("", "", 0.0)
        giver = Giver(task, session, name.rpartition("/")[0])
        now = self.at(step)
        if local_step >= step:
            now.given[giver] += 1
            now.ahead += local_step > step
            now.times.append((time.monotonic(), giver))
            return
        # Steps are counted a moment after the accumulators have moved on: hence one more.
        first_told = max((n for n, each in self._steps.items() if each.since <= since), default=0)
        late = giver, local_step, local_step < first_told - 1
        now.dropped[late] += 1
        now.times.append((time.monotonic(), late))

    def begin_at(self, step: int) -> None:
        """Somebody has set the accumulator's step."""
        self._steps.clear()
        self.at(step)

    def as_json(self) -> list[dict[str, Any]]:
        """The steps, oldest first. Of each time also whose it is: its place in given + dropped."""
        return [_as_json(number, each) for number, each in self._steps.items()]


def _as_json(number: int, each: StepOfMany) -> dict[str, Any]:
    places = {key: place for place, key in enumerate([*each.given, *each.dropped])}
    return {
        "step": number,
        "since": each.since,
        "given": [[*giver, count] for giver, count in each.given.items()],
        "dropped": [[*g, step, lost, n] for (g, step, lost), n in each.dropped.items()],
        "ahead": each.ahead,
        "times": [[at, places[key]] for at, key in each.times],
    }
