"""What goes out with a notebook: the exercises' folders, without what a learner is not to see.

`grading.check("ch03.ex1")` in a learner's notebook looks for `exercises/ch03/ex1/` beside the
notebook first. So an exercise that was changed, or that tinytf does not have, works there as well.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path

from tinytf.grading.exercise import Exercise

#: What stays with the teacher.
KEPT_BACK = ("solution.py", "hidden.py", "bugs", "__pycache__")


def hand_out(exercises: Iterable[Exercise], folder: Path) -> None:
    """Write `exercises/` into a folder that learners get; what was there before is replaced.

    Example:
      >>> hand_out([exercise.find("ch03.ex1")], Path("release/ch03"))
      >>> sorted(path.name for path in Path("release/ch03/exercises/ch03/ex1").iterdir())
      ['checks.py', 'exercise.toml', 'stub.py', 'text.md']
    """
    target = folder / "exercises"
    shutil.rmtree(target, ignore_errors=True)
    leave_out = shutil.ignore_patterns(*KEPT_BACK)
    for one in exercises:
        shutil.copytree(one.folder, target / one.chapter / one.label, ignore=leave_out)
