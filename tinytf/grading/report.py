"""What a learner is told about an answer."""

from __future__ import annotations

import html
from dataclasses import dataclass, field


@dataclass(slots=True, frozen=True)
class Outcome:
    """One check: its title, the points it gave of those it is worth, and why it gave no more."""

    title: str
    points: int
    worth: int
    reason: str = ""

    @property
    def passed(self) -> bool:
        """Whether it gave all its points."""
        return self.points == self.worth


@dataclass(slots=True)
class Report:
    """The reply to an answer.

    Attributes:
      exercise: its name. outcomes: one for each check that ran.
      problem: why the answer could not be checked (to the end); "" if it was.
      output: what the answer printed, cut short.

    Example:
      >>> tinytf.grading.Report("ch01.ex1", problem="It did not end in time.").passed  # False
    """

    exercise: str
    outcomes: list[Outcome] = field(default_factory=list)
    problem: str = ""
    output: str = ""

    @property
    def score(self) -> int:
        """The points reached."""
        return sum(outcome.points for outcome in self.outcomes)

    @property
    def worth(self) -> int:
        """The points there are."""
        return sum(outcome.worth for outcome in self.outcomes)

    @property
    def passed(self) -> bool:
        """Whether every check ran and passed."""
        return not self.problem and bool(self.outcomes) and self.score == self.worth

    def __repr__(self) -> str:
        lines = [f"{self.exercise}: {self.score} of {self.worth} points"]
        if self.problem:
            lines.append(f"  {self.problem}")
        for outcome in self.outcomes:
            lines.append(f"  [{'x' if outcome.passed else ' '}] {outcome.title}")
            if self._adds(outcome):
                lines.extend(f"      {line}" for line in outcome.reason.splitlines())
        if self.output and not self.passed:
            lines.append("  Your answer printed:")
            lines.extend(f"    {line}" for line in self.output.splitlines())
        return "\n".join(lines)

    def _adds(self, outcome: Outcome) -> bool:
        """Whether its reason says more than `problem`, which is shown above all outcomes."""
        return bool(outcome.reason) and outcome.reason != self.problem

    def _repr_html_(self) -> str:
        # Shape and words carry the meaning; the colour only helps.
        rows = "".join(
            f"<tr><td style='text-align:center'>{'&#10003;' if o.passed else '&#10007;'}</td>"
            f"<td style='text-align:left'>{html.escape(o.title)}"
            + (f"<br><small>{html.escape(o.reason)}</small>" if self._adds(o) else "")
            + f"</td><td>{o.points}/{o.worth}</td></tr>"
            for o in self.outcomes
        )
        problem = f"<p>{html.escape(self.problem)}</p>" if self.problem else ""
        printed = (
            f"<details><summary>Your answer printed</summary><pre>{html.escape(self.output)}</pre>"
            "</details>"
            if self.output and not self.passed
            else ""
        )
        mark = "passed" if self.passed else "not there yet"
        return (
            f"<div><strong>{html.escape(self.exercise)}: {self.score} of {self.worth} points, "
            f"{mark}</strong>{problem}<table>{rows}</table>{printed}</div>"
        )
