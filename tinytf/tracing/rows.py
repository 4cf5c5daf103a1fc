"""On which row of its device an activity is shown."""

from __future__ import annotations

from collections import defaultdict

from tinytf.tracing.activities import Activity


def assign_rows(activities: list[Activity], device: str, names: dict[int, str]) -> list[str]:
    """Give each activity of a device its row; the names of the rows.

    On a row, boxes lie one after the other or one inside the other: a call and what it calls. What
    a thread does besides, such as waiting for a queue, gets a second row of it. Of threads that are
    not known the rows are only kept apart.
    """
    by_thread: dict[int, list[Activity]] = defaultdict(list)
    for activity in activities:
        if activity.device == device:
            by_thread[activity.thread if activity.thread in names else 0].append(activity)
    rows: list[str] = []
    for thread in sorted(by_thread):
        ends: list[list[int]] = []
        for activity in by_thread[thread]:
            activity.row = len(rows) + _find_row(ends, activity, may_nest=thread != 0)
        title = f"{names[thread]} ({thread})" if thread else "constants"
        if not thread and len(by_thread) == 1 and any(a.start < a.end for a in by_thread[0]):
            rows += [f"row {number}" for number in range(len(ends))]
        else:
            rows += [title, *(f"{title}, besides {n}" for n in range(1, len(ends)))]
    return rows


def _find_row(rows: list[list[int]], activity: Activity, may_nest: bool) -> int:
    """The first row where an activity fits; `rows` are the ends of the boxes that are open."""
    for number, ends in enumerate(rows):
        while ends and ends[-1] <= activity.start:
            ends.pop()
        if not ends or (may_nest and activity.end <= ends[-1]):
            ends.append(activity.end)
            return number
    rows.append([activity.end])
    return len(rows) - 1
