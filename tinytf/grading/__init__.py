"""Exercises that grade themselves: `tinytf.grading.check("ch01.ex1")`.

The answer runs in a process of its own, with a deadline and a memory limit, so that whatever it
does (loop for ever, exit, print by the megabyte) the notebook gets a mark and a reason.
"""

from tinytf.grading.assertions import (
    Transfer,
    count_sends,
    depends_on,
    does_not_depend_on,
    equal_to,
    in_every_schedule,
    moves_at_most,
    never_blocks,
    overlaps,
    placed_on,
    plain,
    speed_up_at_least,
    transfers,
)
from tinytf.grading.authoring import Wrong, point
from tinytf.grading.check import check
from tinytf.grading.hints import hint, solution
from tinytf.grading.progress import progress
from tinytf.grading.report import Report

__all__ = ["Report", "Transfer", "Wrong", "check", "count_sends", "depends_on"]
__all__ += ["does_not_depend_on", "equal_to", "hint", "in_every_schedule", "moves_at_most"]
__all__ += ["never_blocks", "overlaps", "placed_on", "plain", "point", "progress", "solution"]
__all__ += ["speed_up_at_least", "transfers"]
