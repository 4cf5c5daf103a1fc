"""Tools to test graphs with, for learners as much as for tinytf's own tests."""

from typing import Any

_SCHEDULES = ("BrokenSchedule", "Exploration", "ScheduledRun", "explore", "run_with_seed")


def __getattr__(name: str) -> Any:  # who checks a gradient need not load schedules
    if name in _SCHEDULES:
        from tinytf.testing import schedules

        return getattr(schedules, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
