"""Processes that end in the middle of saving, at each of the calls that change files.

crash_program.py FOLDER: for each n, a child saves over a checkpoint and ends, without any tidying,
in its n-th such call. Prints as JSON for each n which checkpoint was there then, 1 or 2, until a
child saved to the end.
"""

import builtins
import json
import os
import sys

import numpy as np

from tinytf.framework import dtypes
from tinytf.resources.checkpoint_files import bundle, v1


def save(prefix, value, parts):
    """A checkpoint full of one number; of several parts, merged, if there are."""
    content = np.full(1000, value, np.float32)
    names = [f"{prefix}_temp/{part}" for part in range(parts)] or [prefix]
    for number, name in enumerate(names):
        bundle.write_bundle(name, [(b"v%d" % number, None, content, dtypes.float32)])
    if parts:
        bundle.merge_bundles(names, prefix)


def ends_at(count):
    """Let this process end in its `count`-th call that changes files."""
    left = [count]

    def watched(function):
        def call(*args, **kwargs):
            writes = function is not real_open or set("wx") & set("".join(map(str, args[1:2])))
            if writes:
                left[0] -= 1
                if not left[0]:
                    os._exit(7)
            return function(*args, **kwargs)

        return call

    real_open = builtins.open
    builtins.open = watched(real_open)
    for name in ("replace", "fsync", "unlink", "mkdir", "rmdir"):
        setattr(os, name, watched(getattr(os, name)))


def whole(prefix, parts):
    """The number of which the checkpoint is full."""
    reader = v1.open_checkpoint(prefix)
    found = {float(each) for part in range(max(parts, 1)) for each in reader.read(f"v{part}")}
    [value] = found
    return int(value)


def main(folder):
    """Print what was there after each end."""
    os.fsync = lambda descriptor: None  # the machine goes on, and disks are slow
    seen = {}
    for parts in (0, 2):
        code, count = 7, 0
        while code == 7:
            count += 1
            prefix = os.path.join(folder, f"{parts}-{count}", "model")
            os.makedirs(os.path.dirname(prefix))
            save(prefix, 1, parts)
            if not (child := os.fork()):
                ends_at(count)
                save(prefix, 2, parts)
                os._exit(0)
            code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            seen.setdefault(parts, []).append(whole(prefix, parts))
            save(prefix, 3, parts)
            assert whole(prefix, parts) == 3
    print(json.dumps(seen))


main(sys.argv[1])
