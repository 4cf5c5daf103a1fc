"""What a learner is told about an answer."""

from __future__ import annotations

import html
from dataclasses import dataclass, field

#: Reasons: of a function that was not begun, and of a check that fails for a reason told before.
NOT_BEGUN = "Not done yet."
SAME_CAUSE = "Not checked: the reason is above."
#: Colours of JupyterLab's theme; elsewhere, some that can be read on light and on dark.
_PASSED = "var(--jp-success-color1, #388e3c)"
_FAILED = "var(--jp-error-color1, #d84315)"
_TOP = "vertical-align:top"
_TEXT = "white-space:pre-wrap;overflow-wrap:anywhere"


@dataclass(slots=True, frozen=True)
class Outcome:
    """One check: its title, the points it gave of those it is worth, and why it gave no more.

    Attributes:
      hidden: whether only an instructor runs it.
    """

    title: str
    points: int
    worth: int
    reason: str = ""
    hidden: bool = False

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
      output: what the answer printed, cut short. advice: a last line, for who is not there yet.

    Example:
      >>> tinytf.grading.Report("ch01.ex1", problem="It did not end in time.").passed  # False
    """

    exercise: str
    outcomes: list[Outcome] = field(default_factory=list)
    problem: str = ""
    output: str = ""
    advice: str = ""

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
        if self.advice and not self.passed:
            lines.append(f"  {self.advice}")
        return "\n".join(lines)

    def _adds(self, outcome: Outcome) -> bool:
        """Whether its reason says more than `problem`, which is shown above all outcomes."""
        return bool(outcome.reason) and outcome.reason != self.problem

    def _repr_html_(self) -> str:
        # Signs and words carry the meaning; the colours, which follow the theme, only help.
        rows = "".join(self._row(outcome) for outcome in self.outcomes)
        problem = f"<p style='{_TEXT}'>{html.escape(self.problem)}</p>" if self.problem else ""
        printed = (
            f"<details><summary>Your answer printed</summary><pre>{html.escape(self.output)}</pre>"
            "</details>"
            if self.output and not self.passed
            else ""
        )
        advice = f"<p>{html.escape(self.advice)}</p>" if self.advice and not self.passed else ""
        mark = "passed" if self.passed else "not there yet"
        line = f"4px solid {_PASSED}" if self.passed else f"4px dashed {_FAILED}"
        return (
            f"<div class='tinytf-report' style='border-left:{line};padding-left:0.8em'>"
            f"<strong>{html.escape(self.exercise)}: {self.score} of {self.worth} points, "
            f"{mark}</strong>{problem}<table style='margin:0.5em 0'>{rows}</table>"
            f"{printed}{advice}</div>"
        )

    def _row(self, outcome: Outcome) -> str:
        """One line of the table: sign, title, reason, points."""
        sign = (
            f"<td style='{_TOP};color:{_PASSED}' title='passed'>&#10003;</td>"
            if outcome.passed
            else f"<td style='{_TOP};color:{_FAILED}' title='failed'>&#10007;</td>"
        )
        title = html.escape(outcome.title)
        if self._adds(outcome):
            reason = f"<div style='{_TEXT};margin-top:0.3em'>{html.escape(outcome.reason)}</div>"
            title = f"<strong>{title}</strong>{reason}"
        return (
            f"<tr>{sign}<td style='{_TOP};text-align:left;max-width:60em'>{title}</td>"
            f"<td style='{_TOP};white-space:nowrap'>{outcome.points} of {outcome.worth}</td></tr>"
        )
