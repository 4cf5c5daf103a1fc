"""`tinytf smi`: the GPUs, simulated ones as well, their memory, and the programs on them."""

from __future__ import annotations

import sys

from tinytf.devices import report
from tinytf.framework.errors import OpError

__all__ = ["run"]


def run(machine: str | None = None, as_json: bool = False) -> int:
    """Print the GPUs of a simulated machine, or all; return 0, or 2 if it cannot be done.

    Example:
        >>> run()  # doctest: +SKIP
        0
    """
    try:
        found = report.gpus(machine)
    except (ValueError, OpError) as error:
        print(f"tinytf smi: {error}", file=sys.stderr)
        return 2
    print(found.as_json() if as_json else found)
    return 0
