"""Where Python does not let an interrupt through: tests send theirs at another moment."""

import threading
import weakref

#: What Python calls when an object goes, and what Hypothesis has it call when garbage is collected:
#: it swallows any error in there, an interrupt as well.
SWALLOWS = ("_remove", "__del__", "gc_callback")
#: Python's own threads are not safe from signals while they start: "release unlocked lock"; what
#: forgets a weak reference swallows them, too.
UNSAFE = (threading.__file__, weakref.__file__)


def is_lost(frame):
    """Whether an interrupt would get lost, or do harm, that is raised where this frame is."""
    while frame is not None:
        code = frame.f_code
        is_start = code.co_name == "start" and code.co_filename == threading.__file__
        if code.co_name in SWALLOWS or is_start:
            return True
        frame = frame.f_back
    return False
