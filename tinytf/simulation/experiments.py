"""Holding a simulation against figures that others have published, without fitting it to them.

An experiment has at most one constant that its source does not tell: it is set so that one
published point comes out. All other points are predicted, and stand with what they are off by.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

_HALVINGS = 16


@dataclass(frozen=True, slots=True)
class Point:
    """A published figure, and how the simulation arrives at one.

    Attributes:
      what: in words. published: the figure. unit: "" for a mere number.
      predict: the experiment's constant -> the simulated figure.
    """

    what: str
    published: float
    unit: str
    predict: Callable[[float], float]


@dataclass(frozen=True, slots=True)
class Constant:
    """What an experiment's source does not tell.

    Attributes:
      name: in words, with its unit. low, high: between which it is looked for.
    """

    name: str
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Experiment:
    """Published figures of one cluster.

    Attributes:
      name, source: where to read of it. assumed: what the source does not say, and was taken.
      points: predicted. note: where and why the simulation misses.
      constant: set on the point `calibrated`; None: the source tells all.
    """

    name: str
    source: str
    assumed: str
    points: tuple[Point, ...]
    note: str
    constant: Constant | None = None
    calibrated: Point | None = None

    def value(self) -> float:
        """The constant with which the calibrated point comes out; nan without one.

        Raises:
          ValueError: if it does not come out with any that is looked at.
        """
        return _value(self)

    def rows(self) -> list[Row]:
        """The points with what the simulation says, the calibrated one first."""
        constant = self.value()
        points = ((self.calibrated,) if self.calibrated else ()) + self.points
        return [Row(self, point, point.predict(constant)) for point in points]


@dataclass(frozen=True, slots=True)
class Row:
    """A point beside what was simulated."""

    experiment: Experiment
    point: Point
    simulated: float

    @property
    def is_calibrated(self) -> bool:
        """Whether it comes out because it was made to."""
        return self.point is self.experiment.calibrated

    @property
    def residual(self) -> float:
        """What it is off by, as a share of the published figure."""
        return self.simulated / self.point.published - 1

    @property
    def residual_text(self) -> str:
        """In the table."""
        return "calibrated" if self.is_calibrated else f"{self.residual:+.0%}"


@cache
def _value(experiment: Experiment) -> float:
    constant, point = experiment.constant, experiment.calibrated
    if constant is None or point is None:
        return math.nan
    low, high = constant.low, constant.high
    rises = point.predict(high) > point.predict(low)
    if not min(at := (point.predict(low), point.predict(high))) <= point.published <= max(at):
        raise ValueError(
            f"{experiment.name}: {point.what} is published as {point.published:g}; simulated, it "
            f"is {at[0]:.3g} to {at[1]:.3g} for {constant.name} from {low:g} to {high:g}"
        )
    for _ in range(_HALVINGS):
        middle = math.sqrt(low * high)
        if (point.predict(middle) < point.published) == rises:
            low = middle
        else:
            high = middle
    return math.sqrt(low * high)


def as_text(experiments: tuple[Experiment, ...]) -> str:
    """A table of all experiments."""
    lines = []
    for experiment in experiments:
        lines += [f"{experiment.name}  ({experiment.source})", f"  assumed: {experiment.assumed}"]
        if experiment.constant is not None:
            lines.append(f"  calibrated: {experiment.constant.name} = {experiment.value():.3g}")
        for row in experiment.rows():
            unit = f" {row.point.unit}" if row.point.unit else ""
            lines.append(
                f"  {row.point.what:<44}{_short(row.point.published):>8}{unit:<9}"
                f"{_short(row.simulated):>8}{unit:<9}{row.residual_text:>10}"
            )
        lines += [f"  {experiment.note}", ""]
    return "\n".join(lines).rstrip()


def as_markdown(experiments: tuple[Experiment, ...]) -> str:
    """The same for docs/scaling.md."""
    lines = []
    for experiment in experiments:
        lines += [f"### {experiment.name}", "", f"Source: {experiment.source}.", ""]
        lines += [f"Assumed: {experiment.assumed}.", ""]
        if experiment.constant is not None:
            lines += [f"Calibrated: {experiment.constant.name} = {experiment.value():.3g}.", ""]
        lines += ["| | published | simulated | residual |", "|---|---:|---:|---:|"]
        for row in experiment.rows():
            unit = f" {row.point.unit}" if row.point.unit else ""
            lines.append(
                f"| {row.point.what} | {_short(row.point.published)}{unit} "
                f"| {_short(row.simulated)}{unit} | {row.residual_text} |"
            )
        lines += ["", experiment.note, ""]
    return "\n".join(lines).rstrip()


def _short(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"
