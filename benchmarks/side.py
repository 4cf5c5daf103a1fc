"""One library in a process: `python benchmarks/side.py KIND FOLDER` times what its input names.

A line of the input is a room and the name of a program in it, as JSON; the answer is what the
program found: seconds, a list of a row's parts, or either by side.
"""

import contextlib
import gc
import importlib
import json
import os
import sys
from typing import Any


def library(kind: str) -> Any:
    """tinytf, or TensorFlow as it was: quiet and in graph mode."""
    if kind == "tinytf":
        return importlib.import_module("tinytf")
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    tf = importlib.import_module("tensorflow.compat.v1")
    tf.disable_v2_behavior()
    tf.logging.set_verbosity(tf.logging.ERROR)
    return tf


if __name__ == "__main__":
    tf = library(sys.argv[1])
    for line in sys.stdin:
        room, name = json.loads(line)
        program = importlib.import_module(f"benchmarks.{room}").PROGRAMS[name]
        gc.collect()
        with contextlib.redirect_stdout(sys.stderr), tf.Graph().as_default():
            found = program(tf, sys.argv[2])
        print(json.dumps(found), flush=True)
