"""Programs with threads under seeded schedules: find the order that breaks one, and see it again.

    explore(program)              100 seeds; raises the first schedule that breaks the program
    run_with_seed(program, 17)    one of them again, exactly, with its trace

The files, in the order to read them: `choices` (what a schedule is), `controlled` and `baton` (one
thread at a time), `watching`, `primitives` and `patching` (whose waits it knows of), `trace`,
`running`, `exploring`.
"""

from tinytf.testing.schedules.exploring import BrokenSchedule, Exploration, explore
from tinytf.testing.schedules.running import ScheduledRun, run_with_seed

__all__ = ["BrokenSchedule", "Exploration", "ScheduledRun", "explore", "run_with_seed"]
