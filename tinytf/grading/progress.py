"""How far a learner has come: the best try of each exercise, remembered from day to day."""

from __future__ import annotations

import ast
import html
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from tinytf.grading import exercise as exercises
from tinytf.grading import progress_file
from tinytf.grading.progress_file import Kept, Predicted, Record, Records, UnusableError
from tinytf.grading.report import NOT_BEGUN, Report

__all__ = ["Progress", "Row", "forget", "has_passed", "kept", "note", "note_pace"]
__all__ += ["note_prediction", "progress"]


#: What was said already: once is enough.
_said: set[str] = set()
#: Exercises with full marks in this kernel, for when nothing is remembered.
_passed_here: set[str] = set()


def note(report: Report) -> None:
    """Remember the points of an answer that was checked. Whatever is wrong, it does not raise.

    An answer that was not begun is no try, and hidden checks do not count: a learner has the
    others. What keeps the points from being remembered is said once, in one line.

    Example:
      >>> note(Report("ch03.ex1"))  # nothing was checked: nothing is remembered
    """
    seen = [outcome for outcome in report.outcomes if not outcome.hidden]
    worth, score = sum(one.worth for one in seen), sum(one.points for one in seen)
    if {one.reason for one in seen} <= {NOT_BEGUN}:
        return
    if score == worth:
        _passed_here.add(report.exercise)

    def add(kept: Kept) -> None:
        record = kept.exercises.setdefault(report.exercise, Record())
        record.tries += 1
        # The latest comes last: of several, it says how the exercise was.
        record.best[worth] = max(record.best.pop(worth, 0), score)

    _remember("Your points are not remembered", add)


def note_prediction(name: str, reply: tuple[str, ...], right: bool) -> None:
    """Remember what was predicted, and whether it was right; like `note`, it does not raise.

    Example:
      >>> note_prediction("ch06.twice", ("3",), right=False)  # doctest: +SKIP
    """

    def add(kept: Kept) -> None:
        known = kept.predictions.setdefault(name, Predicted(reply, right, right))
        known.right = right

    _remember("Your predictions are not remembered", add)


def kept() -> Kept:
    """All that is remembered: predictions, paces, points. Like `progress`, it does not raise.

    Example:
      >>> kept().paces.get("ch01")  # doctest: +SKIP
      ('one session', 30000.0)
    """
    try:
        file = progress_file.path()
        return progress_file.load(file)[0] if file else Kept()
    except UnusableError as error:
        _say_once(f"What you have reached cannot be read: {error}")
        return Kept()


def note_pace(chapter: str, how: str, per_second: float) -> None:
    """Remember how fast a chapter trained; like `note`, it does not raise.

    Example:
      >>> note_pace("ch01", "one session", 30000.0)  # doctest: +SKIP
    """

    def add(kept: Kept) -> None:
        kept.paces[chapter] = how, per_second

    _remember("Your pace is not remembered", add)


def _remember(failed: str, add: Callable[[Kept], None]) -> None:
    try:
        file = progress_file.path()
        if file is not None:
            _say_once(progress_file.change(file, add))
    except UnusableError as error:
        _say_once(f"{failed}: {error}")
    except Exception as error:  # the learner asked for something else, and has it
        _say_once(f"{failed}: {type(error).__name__}: {error}")


def _say_once(line: str) -> None:
    if line and line not in _said:
        _said.add(line)
        print(line)


def forget(chapter: str | None = None) -> list[str]:
    """Forget the points of a chapter, "ch03" (None: of all); returns the exercises they were of.

    Raises:
      UnusableError: if the file cannot be changed.

    Example:
      >>> forget("ch03")  # doctest: +SKIP
      ['ch03.ex1']
    """
    forgotten: list[str] = []

    def remove(kept: Kept) -> None:
        for table in (kept.exercises, kept.predictions):
            for name in list(table):
                if chapter is None or name.partition(".")[0] == chapter:
                    del table[name]
                    if table is kept.exercises:
                        forgotten.append(name)

    file = progress_file.path()
    if file is not None and file.exists():
        progress_file.change(file, remove)
    _passed_here.difference_update(
        {name for name in _passed_here if chapter in (None, name.partition(".")[0])}
    )
    return forgotten


def has_passed(name: str) -> bool:
    """Whether an answer to that exercise had all its points, today or before.

    Example:
      >>> has_passed("ch03.ex1")  # doctest: +SKIP
      False
    """
    shown = progress()
    return name in _passed_here or any(row.passed for row in shown.rows if row.exercise == name)


# ---------------------------------------------------------------------------------- what is shown


@dataclass(slots=True, frozen=True)
class Row:
    """One exercise.

    Attributes:
      exercise: "ch03.ex1". title: for people. tries: how often an answer was checked.
      worth: the points there are; None if its checks do not load. points: of the best try.
      before: (points, of how many), reached before the exercise was changed; None if it was not.
    """

    exercise: str
    title: str
    worth: int | None
    points: int = 0
    tries: int = 0
    before: tuple[int, int] | None = None

    @property
    def passed(self) -> bool:
        """Whether the best try has all points."""
        return bool(self.worth) and self.points == self.worth

    @property
    def chapter(self) -> str:
        """Its chapter, "3" for "ch03.ex1"."""
        name = self.exercise.partition(".")[0]
        digits = name.removeprefix("ch")
        return str(int(digits)) if digits.isdecimal() else name


@dataclass(slots=True)
class Progress:
    """How far a learner has come; a notebook shows it as a table.

    Attributes:
      rows: one for each exercise. remarks: what else there is to say, a line each.

    Example:
      >>> mine = tinytf.grading.progress()
      >>> mine.points <= mine.worth
      True
    """

    rows: list[Row]
    remarks: list[str] = field(default_factory=list)

    @property
    def points(self) -> int:
        """Of the best try of each exercise, together."""
        return sum(row.points for row in self.rows)

    @property
    def worth(self) -> int:
        """The points there are."""
        return sum(row.worth or 0 for row in self.rows)

    def __repr__(self) -> str:
        lines = [("chapter", "exercise", "points", "tries", "passed"), *self._cells()]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        table = [
            "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
            for line in lines
        ]
        return "\n".join(table + self.remarks)

    def _repr_html_(self) -> str:
        left = "style='text-align:left'"
        head = "".join(
            f"<th scope='col' {left}>{name}</th>"
            for name in ("chapter", "exercise", "points of your best try", "tries", "passed")
        )
        *rows, total = (
            "<tr>" + "".join(f"<td {left}>{html.escape(cell)}</td>" for cell in line) + "</tr>"
            for line in self._cells()
        )
        remarks = "".join(f"<p>{html.escape(remark)}</p>" for remark in self.remarks)
        return (
            f"<table class='tinytf-progress'><thead><tr>{head}</tr></thead>"
            f"<tbody>{''.join(rows)}</tbody>"
            f"<tfoot style='font-weight:bold'>{total}</tfoot></table>{remarks}"
        )

    def _cells(self) -> Iterator[tuple[str, str, str, str, str]]:
        """The rows, and the total. A chapter's name stands at its first exercise only."""
        chapter = ""
        for row in self.rows:
            label = row.exercise.partition(".")[2]
            worth = "?" if row.worth is None else row.worth
            yield (
                "" if row.chapter == chapter else row.chapter,
                f"{label} {row.title}".strip(),
                f"{row.points} of {worth}",
                str(row.tries or ""),
                "yes" if row.passed else "",
            )
            chapter = row.chapter
        passed = sum(row.passed for row in self.rows)
        yield (
            "total",
            "" if len(self.rows) == 1 else f"{len(self.rows)} exercises",
            f"{self.points} of {self.worth}",
            str(sum(row.tries for row in self.rows) or ""),
            str(passed or ""),
        )


def progress() -> Progress:
    """The points of each exercise's best try.

    Returns:
      a `Progress`, which a notebook shows as a table. It does not raise: what keeps the points from
      being read stands in its remarks.

    Example:
      >>> tinytf.grading.progress()  # doctest: +SKIP
      chapter  exercise                              points   tries  passed
      1        ex1 What runs, and how often          6 of 6   2      yes
      total    1 exercises                           6 of 6   2      1
    """
    records: Records = {}
    remarks = []
    try:
        file = progress_file.path()
        if file is None:
            remarks.append(f"Nothing is remembered: {progress_file.VARIABLE} is off.")
        else:
            kept, remark = progress_file.load(file)
            records = kept.exercises
            remarks += [remark] if remark else []
    except UnusableError as error:
        remarks.append(f"Your points cannot be read: {error}")
    return overview(records, remarks)


def overview(records: Records, remarks: list[str]) -> Progress:
    """The exercises there are, with the points that are remembered."""
    rows = []
    for name in exercises.names():
        try:
            one = exercises.find(name)
            row = _row(one, worth_of(one), records.get(name, Record()))
        except Exception as error:  # whatever an author has written there
            row = Row(name, "", None, tries=records.get(name, Record()).tries)
            remarks.append(f"{name} does not load: {type(error).__name__}: {error}")
        rows.append(row)
        if row.before:
            reached, of = row.before
            remarks.append(
                f"{name} has changed since you reached {reached} of {of} points: check it again."
            )
    if not rows:
        remarks.append(f"There are no exercises in {exercises.root()}.")
    gone = sorted(set(records) - {row.exercise for row in rows})
    for name in gone:
        best = " and ".join(f"{n} of {worth}" for worth, n in records[name].best.items())
        remarks.append(f"{name} is not in this course; you reached {best} points.")
    return Progress(rows, remarks)


def _row(one: exercises.Exercise, worth: int, record: Record) -> Row:
    if worth in record.best or not record.best:
        return Row(one.name, one.title, worth, record.best.get(worth, 0), record.tries)
    of, reached = list(record.best.items())[-1]
    return Row(one.name, one.title, worth, 0, record.tries, (reached, of))


def worth_of(exercise: exercises.Exercise) -> int:
    """The points that the visible checks of an exercise give together, as their source says it.

    They are not loaded: what operations they define would be in the learner's program.

    Raises:
      ValueError: if there are none, or the number is not written where they are marked.

    Example:
      >>> worth_of(exercises.find("ch03.ex1"))
      6
    """
    points = {}  # by name: of two functions with one name, the second counts
    for node in ast.parse(exercise.checks).body:
        for mark in getattr(node, "decorator_list", ()):
            if isinstance(mark, ast.Call) and ast.unparse(mark.func).endswith("point"):
                points[node.name] = _points(mark)  # type: ignore[attr-defined]
    if not points:
        raise ValueError("no function in checks.py is marked with @point")
    return sum(points.values())


def _points(mark: ast.Call) -> int:
    """The number in `@point("title", 2)`."""
    given = [one.value for one in mark.keywords if one.arg == "points"] or mark.args[1:2]
    value = getattr(given[0], "value", None) if given else 1
    if not isinstance(value, int) or isinstance(value, bool):
        raise ValueError(f"line {mark.lineno} of checks.py: the points must be a number")
    return value
