"""The fault lab's rules: what of the network is slow, loses everything, or is cut in two.

Pure: rules in, a table for each task out. `faults` obeys the tables.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from tinytf.distributed.wire.faults import LOST

#: The program that made the cluster, in rules: its sessions are clients of the tasks.
CLIENT = "client"


@dataclass
class Rules:
    """Everything that is wrong on purpose. Members are "worker:1", or `CLIENT`.

    Attributes:
      late: seconds by which every call to or from a member is delayed.
      late_between: the same for the calls between two. lost_between: pairs that do not reach each
        other. groups: of a partition: members of different groups do not reach each other.
    """

    late: dict[str, float] = field(default_factory=dict)
    late_between: dict[frozenset[str], float] = field(default_factory=dict)
    lost_between: set[frozenset[str]] = field(default_factory=set)
    groups: list[frozenset[str]] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.late or self.late_between or self.lost_between or self.groups)

    def clear(self) -> None:
        """No rules any more."""
        for rules in (self.late, self.late_between, self.lost_between, self.groups):
            rules.clear()

    def seconds(self, one: str, other: str) -> float:
        """How long a call between two members is held back; `LOST`: for ever."""
        pair = frozenset((one, other))
        if pair in self.lost_between or self._are_apart(one, other):
            return LOST
        return sum(self.late.get(member, 0.0) for member in pair) + self.late_between.get(pair, 0.0)

    def table(self, caller: str, addresses: Mapping[str, str]) -> dict[str, float]:
        """What a member has to know: address -> seconds, without those that are reached as ever.

        Args:
          caller: the member. addresses: of all tasks.
        """
        table = {
            address: self.seconds(caller, name)
            for name, address in addresses.items()
            if name != caller
        }
        return {address: seconds for address, seconds in table.items() if seconds}

    def of(self, member: str) -> str:
        """What is wrong with a member's network, in words; empty: nothing."""
        words = []
        if self.late.get(member):
            words.append(f"its calls are {in_words(self.late[member])} late")
        for pair, seconds in self.late_between.items():
            if member in pair:
                words.append(f"calls to {_other(pair, member)} are {in_words(seconds)} late")
        lost = sorted(_other(pair, member) for pair in self.lost_between if member in pair)
        away = {m for group in self.groups if member not in group for m in group}
        if away and any(member in group for group in self.groups):
            lost += sorted(away - set(lost))
        if lost:
            words.append(f"cut off from {', '.join(lost)}")
        return "; ".join(words)

    def _are_apart(self, one: str, other: str) -> bool:
        where = [{i for i, group in enumerate(self.groups) if m in group} for m in (one, other)]
        return bool(where[0] and where[1]) and not where[0] & where[1]


def _other(pair: frozenset[str], member: str) -> str:
    return next((name for name in pair if name != member), member)


def in_words(seconds: float) -> str:
    """0.2 -> "200 ms", 1.5 -> "1.5 s"."""
    return f"{seconds:g} s" if seconds >= 1 else f"{1000 * seconds:g} ms"


def parse_duration(text: str) -> float:
    """Seconds of "200ms", "1.5s", "1.5"; ValueError for anything else."""
    number, unit = text.strip(), 1.0
    for suffix, factor in (("ms", 1e-3), ("s", 1.0)):
        if number.endswith(suffix):
            number, unit = number.removesuffix(suffix), factor
            break
    try:
        return check_seconds(float(number) * unit)
    except ValueError:
        raise ValueError(f"{text!r} is no duration. Write it like 200ms or 1.5s.") from None


def check_seconds(seconds: float) -> float:
    """The same number; ValueError if it is no time to wait."""
    if not 0 <= seconds < math.inf:
        raise ValueError(f"A delay must be a number of seconds, 0 or more; got {seconds!r}.")
    return seconds
