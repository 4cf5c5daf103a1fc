"""Freed memory stays with the process for a while, so that every step finds it again.

A step allocates the same large arrays as the step before it. By default glibc gives them back to
the operating system as soon as they are freed; the next step then gets fresh pages, and each first
touch of one costs a page fault: half of the time of adding a hundred 64 by 64 matrices. So arrays
up to 64 MiB come from the heap, and the heap shrinks only when 256 MiB at its end are free.
"""

from __future__ import annotations

import functools
import os

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # their numbers in malloc.h
_MEGABYTE = 1 << 20
#: Who has set one of these has decided already.
_SETTINGS = ("MALLOC_MMAP_THRESHOLD_", "MALLOC_TRIM_THRESHOLD_", "GLIBC_TUNABLES")


@functools.cache
def keep_freed_memory() -> bool:
    """Tell malloc to keep what is freed; once for the process.

    Returns:
      whether it does so now. Not when the user's environment sets malloc's thresholds
      (`MALLOC_TRIM_THRESHOLD_` and the like), nor where malloc is not glibc's.

    Example:
      >>> tinytf.runtime.memory.keep_freed_memory() in (True, False)
      True
    """
    if any(name in os.environ for name in _SETTINGS):
        return False
    import ctypes

    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is None:
        return False
    return bool(
        mallopt(_MMAP_THRESHOLD, 64 * _MEGABYTE) and mallopt(_TRIM_THRESHOLD, 256 * _MEGABYTE)
    )
