"""`tinytf progress`: the points of each exercise's best try."""

from __future__ import annotations

import json

from tinytf.grading.progress import progress

__all__ = ["run"]


def run(as_json: bool = False) -> int:
    """Print what `tinytf.grading.progress()` shows; return 0.

    Example:
        >>> run()  # doctest: +SKIP
        0
    """
    found = progress()
    if not as_json:
        print(found)
        return 0
    rows = [
        {name: getattr(row, name) for name in "exercise title points worth tries passed".split()}
        for row in found.rows
    ]
    content = {"points": found.points, "worth": found.worth, "exercises": rows}
    print(json.dumps({**content, "remarks": found.remarks}, indent=2))
    return 0
