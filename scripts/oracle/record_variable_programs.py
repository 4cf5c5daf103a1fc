#!/usr/bin/env python3
"""Run the random programs of tests/runtime/variable_programs.py under TensorFlow.

    record_variable_programs.py                   write tests/runtime/variable_programs.json.gz
    record_variable_programs.py --compare N       run N others in both libraries, write nothing

TensorFlow's rewriting of graphs (Grappler) is off: it loses writes in loops and branches. What it
gives for "unordered" programs is one of several right answers, and another one now and then.
"""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
TARGET = ROOT / "tests" / "runtime" / "variable_programs.json.gz"
ORDERED, UNORDERED = range(200), range(60)

sys.path.insert(0, str(ROOT))


def answers(tf: Any, seeds: range, ordered: bool, **session: Any) -> dict[str, Any]:
    """What each program gives."""
    from tests.runtime import variable_programs

    found = {}
    for seed in seeds:
        with tf.Graph().as_default():
            program = (
                variable_programs.build(tf, seed)
                if ordered
                else variable_programs.build_small(tf, seed)
            )
            found[str(seed)] = variable_programs.run(tf, program, **session)
    return found


def tensorflow_answers(wanted: dict[str, range]) -> dict[str, Any]:
    """The answers of a real TensorFlow, in a process of its own."""
    from tinytf.cli import machine

    python = machine.tensorflow_python()
    if python is None:
        sys.exit("No TensorFlow 2.15 found; docs/oracle.md says how to install one.")
    bounds = [f"{kind}:{seeds.start}:{seeds.stop}" for kind, seeds in wanted.items()]
    command = [str(python), __file__, "--in-tensorflow", *bounds]
    return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)


def in_tensorflow(bounds: list[str]) -> None:
    """The child: print the answers."""
    import tensorflow.compat.v1 as tf

    tf.disable_v2_behavior()
    config = tf.ConfigProto(inter_op_parallelism_threads=1)
    config.graph_options.rewrite_options.disable_meta_optimizer = True
    found = {}
    for bound in bounds:
        kind, first, last = bound.split(":")
        seeds = range(int(first), int(last))
        found[kind] = answers(tf, seeds, kind == "ordered", config=config)
    print(json.dumps(found))


def main(arguments: list[str]) -> int:
    """Record, or compare."""
    if arguments[:1] == ["--in-tensorflow"]:
        in_tensorflow(arguments[1:])
        return 0
    if arguments[:1] == ["--compare"]:
        return compare(range(len(ORDERED), len(ORDERED) + int(arguments[1])))
    found = tensorflow_answers({"ordered": ORDERED, "unordered": UNORDERED})
    text = json.dumps(found, sort_keys=True, separators=(",", ":")).encode()
    TARGET.write_bytes(gzip.compress(text, mtime=0))
    print(f"{TARGET.relative_to(ROOT)}: {len(ORDERED)} ordered, {len(UNORDERED)} unordered")
    return 0


def compare(seeds: range) -> int:
    """Print the seeds of programs that differ."""
    import tinytf

    theirs = tensorflow_answers({"ordered": seeds})["ordered"]
    ours = answers(tinytf, seeds, True)
    wrong = [seed for seed in theirs if theirs[seed] != ours[seed]]
    print(f"{len(seeds)} programs, {len(wrong)} differ: {', '.join(wrong) or 'none'}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
