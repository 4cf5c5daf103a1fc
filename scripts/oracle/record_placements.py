"""Record where TensorFlow's placer puts random graphs, into tests/placement/recorded.json.gz.

    python3 scripts/oracle/record_placements.py             all seeds
    python3 scripts/oracle/record_placements.py --print 3 7 the lines of these, to stdout

The graphs are those of `tests/placement/random_graphs.py`; the lines are those that the placer
prints for `log_device_placement`, in its order, or the error it ends with.
"""

from __future__ import annotations

import ctypes
import json
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.oracle.environment import continue_under_tensorflow

if __name__ == "__main__":
    continue_under_tensorflow()  # before anything is imported that only that environment has

from tests.placement.random_graphs import CPUS, SEEDS, allows_soft_placement, phases
from tests.placement.recordings import error_text, write


def printed_by(function: Callable[[], None]) -> str:
    """What a call writes to the process's standard output, from C++ as well."""
    libc = ctypes.CDLL(None)
    sys.stdout.flush()
    libc.fflush(None)
    saved = os.dup(1)
    with tempfile.TemporaryFile() as file:
        os.dup2(file.fileno(), 1)
        try:
            function()
        finally:
            libc.fflush(None)
            os.dup2(saved, 1)
            os.close(saved)
        file.seek(0)
        return file.read().decode()


def placements(tf: Any, seed: int) -> list[list[str]]:
    """For each time the graph is placed: the lines of the log, or the error as a single one."""
    config = tf.ConfigProto(
        device_count={"CPU": CPUS},
        log_device_placement=True,
        allow_soft_placement=allows_soft_placement(seed),
    )
    config.graph_options.rewrite_options.disable_meta_optimizer = True
    found = []
    with tf.Graph().as_default(), tf.Session(config=config) as session:
        for target in phases(tf, seed):
            try:
                text = printed_by(lambda target=target: session.run(target))
            except tf.errors.OpError as error:
                found.append([error_text(error)])
                break
            found.append(text.splitlines())
    return found


def main(arguments: list[str]) -> int:
    """Record, or print."""
    import tensorflow.compat.v1 as tf
    from tensorflow.python.framework import error_interpolation

    # The messages as the runtime gives them, without stack traces of this program.
    error_interpolation.interpolate_graph = lambda message, graph: message
    tf.logging.set_verbosity(tf.logging.ERROR)
    tf.disable_v2_behavior()
    if arguments[:1] == ["--print"]:
        print(json.dumps({seed: placements(tf, int(seed)) for seed in arguments[1:]}))
        return 0
    found = [placements(tf, seed) for seed in SEEDS]
    write(found)
    errors = sum(len(times[-1]) == 1 for times in found)
    print(f"{len(found)} graphs, {errors} of them cannot be placed")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
