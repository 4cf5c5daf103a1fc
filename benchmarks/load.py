"""How busy the machine is while something is measured: figures are worth little without it."""

import os


def load() -> str:
    """The processes that ran or waited for a processor in the last minute, of how many."""
    return f"{os.getloadavg()[0]:.1f} on {len(os.sched_getaffinity(0))} processors"
