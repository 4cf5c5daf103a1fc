"""Assertions for checks: each raises `Wrong`, in words that teach, or returns None.

    equal_to, plain                     values: trust nothing that the answer brings along
    depends_on, does_not_depend_on      who waits for whom, by the graph
    placed_on                           where an operation really is
    count_sends, moves_at_most          what travels in a step; `transfers` lists it
    overlaps                            what may run at the same time
    never_blocks, in_every_schedule     programs with threads, under seeded schedules
    speed_up_at_least                   the only one with a clock

docs/grading_assertions.md has an example of each.
"""

from tinytf.grading.assertions.graph import depends_on, does_not_depend_on
from tinytf.grading.assertions.overlap import overlaps
from tinytf.grading.assertions.placing import placed_on
from tinytf.grading.assertions.plain_values import plain
from tinytf.grading.assertions.schedules import in_every_schedule, never_blocks
from tinytf.grading.assertions.speed import speed_up_at_least
from tinytf.grading.assertions.transfers import Transfer, count_sends, moves_at_most, transfers
from tinytf.grading.assertions.values import equal_to

__all__ = ["Transfer", "count_sends", "depends_on", "does_not_depend_on", "equal_to"]
__all__ += ["in_every_schedule", "moves_at_most", "never_blocks", "overlaps", "placed_on", "plain"]
__all__ += ["speed_up_at_least", "transfers"]
