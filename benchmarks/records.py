"""Records, CSV and examples beside real TensorFlow: `python -m benchmarks.records`.

Rows are ratios of seconds per record, both libraries taking turns in this run on this machine. The
exit code is 1 if a bar is missed.

Run as `python benchmarks/records.py tinytf|tensorflow NAME...` it times one library: prints one
JSON object, name -> seconds per record, each the best of several repetitions after a warm-up.
"""

import json
import os
import statistics
import struct
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

import numpy as np

ROUNDS, REPEATS = 3, 7
#: Not slower, but for the noise of a shared machine.
BAR = 1.1
#: Large batches, where every record costs TensorFlow less than a call of Python: what is reached.
BARS = {
    "decode_csv of 1,000 records": 2.0,
    "decode_csv of 1,000 records, quoted": 7.0,
    "parse_example of 32": 2.0,
    "parse_example of 512": 3.0,
}
COUNT = 20_000


def best(function: Callable[[], Any], records: int, times: int = 1) -> float:
    """Seconds for one record, the best of short stretches."""
    function()
    results = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        for _ in range(times):
            function()
        results.append((time.perf_counter() - start) / times / records)
    return min(results)


def write_records(tf: Any, size: int, kind: str = "") -> float:
    """Records of so many bytes into a file."""
    record = bytes(range(256)) * (size // 256 + 1)
    record = record[:size]
    count = COUNT if size < 1000 and not kind else COUNT // 10
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "records")

        def write() -> None:
            with tf.python_io.TFRecordWriter(path, kind) as writer:
                for _ in range(count):
                    writer.write(record)

        return best(write, count)


def read_records(tf: Any, size: int, kind: str = "") -> float:
    """The same read again."""
    record = (bytes(range(256)) * (size // 256 + 1))[:size]
    count = COUNT if size < 1000 and not kind else COUNT // 10
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "records")
        with tf.python_io.TFRecordWriter(path, kind) as writer:
            for _ in range(count):
                writer.write(record)

        def read() -> None:
            for _ in tf.python_io.tf_record_iterator(path, kind):
                pass

        return best(read, count)


def decode_csv(tf: Any, rows: list[bytes], single: bool = False) -> float:
    """Records with an integer, two floats, a name and another integer, one or a thousand a step."""
    with tf.Graph().as_default():
        # In a variable: what is constant would be decoded once and for all.
        records = tf.Variable(rows[7] if single else rows)
        defaults = [[0], [0.0], ["?"], tf.constant([], tf.float64), [0]]
        columns = tf.decode_csv(records, defaults)
        with tf.Session() as session:
            session.run(records.initializer)
            count = 1 if single else len(rows)
            return best(lambda: session.run(columns), count, 200 if single else 3)


def rows(count: int, name: str = "name%d") -> list[bytes]:
    """Records of CSV."""
    numbers = range(count)
    return [f"{i},{i * 0.37:.4f},{name % i},{i / 7:.3f},{i % 3}".encode() for i in numbers]


def examples(count: int) -> list[bytes]:
    """Serialised examples: a label, ten floats, a name, a few numbers."""

    def field(number: int, content: bytes) -> bytes:
        return bytes([number << 3 | 2, len(content)]) + content

    def feature(name: bytes, kind: int, content: bytes) -> bytes:
        return field(1, field(1, name) + field(2, field(kind, field(1, content))))

    made = []
    for i in range(count):
        parts = [
            feature(b"label", 3, bytes([i % 100])),
            feature(b"x", 2, struct.pack("<10f", *range(i, i + 10))),
            feature(b"name", 1, b"name%d" % i),
            feature(b"ids", 3, bytes(range(i % 7))),
        ]
        made.append(field(1, b"".join(parts)))
    return made


def parse_examples(tf: Any, count: int) -> float:
    """A batch of examples with a label, ten floats, a name and a list, in one step."""
    with tf.Graph().as_default():
        serialized = tf.placeholder(tf.string, [] if count == 1 else [None])
        parse = tf.parse_single_example if count == 1 else tf.parse_example
        parsed = parse(
            serialized,
            {
                "label": tf.FixedLenFeature([], tf.int64),
                "x": tf.FixedLenFeature([10], tf.float32),
                "name": tf.FixedLenFeature([], tf.string),
                "ids": tf.VarLenFeature(tf.int64),
            },
        )
        given = np.array(examples(count), object)
        feed = {serialized: given[0] if count == 1 else given}
        with tf.Session() as session:
            return best(lambda: session.run(parsed, feed), count, 200 if count == 1 else 20)


PROGRAMS: dict[str, Callable[[Any], float]] = {
    "write records of 30 bytes": lambda tf: write_records(tf, 30),
    "write records of 300 bytes": lambda tf: write_records(tf, 300),
    "write records of 5,000 bytes": lambda tf: write_records(tf, 5000),
    "write records of 300 bytes, gzip": lambda tf: write_records(tf, 300, "GZIP"),
    "read records of 30 bytes": lambda tf: read_records(tf, 30),
    "read records of 300 bytes": lambda tf: read_records(tf, 300),
    "read records of 5,000 bytes": lambda tf: read_records(tf, 5000),
    "read records of 300 bytes, gzip": lambda tf: read_records(tf, 300, "GZIP"),
    "decode_csv of one record": lambda tf: decode_csv(tf, rows(10), single=True),
    "decode_csv of 1,000 records": lambda tf: decode_csv(tf, rows(1000)),
    "decode_csv of 1,000 records, quoted": lambda tf: decode_csv(tf, rows(1000, '"name, %d"')),
    "parse_single_example": lambda tf: parse_examples(tf, 1),
    "parse_example of 32": lambda tf: parse_examples(tf, 32),
    "parse_example of 512": lambda tf: parse_examples(tf, 512),
}


def load_library(library: str) -> Any:
    """The module to time: "tinytf", or "tensorflow" in graph mode."""
    if library == "tinytf":
        import tinytf

        return tinytf
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    import tensorflow.compat.v1 as tf

    tf.disable_v2_behavior()
    return tf


def main() -> int:
    """Measure and print; the exit code tells whether every bar was met."""
    from benchmarks.graph_and_step import call, micro
    from benchmarks.load import load
    from tinytf.cli import machine

    wanted = [name for name in PROGRAMS if not sys.argv[1:] or any(a in name for a in sys.argv[1:])]
    tensorflow = machine.tensorflow_python()
    print(f"     load of the machine: {load()}")
    ours: list[dict[str, float]] = []
    theirs: list[dict[str, float]] = []
    for _ in range(ROUNDS):
        for library, python, found in (
            ("tinytf", sys.executable, ours),
            ("tensorflow", tensorflow, theirs),
        ):
            if python:
                text = call(str(python), "benchmarks/records.py", library, *wanted)
                found.append(json.loads(text.splitlines()[-1]))
    failed = False
    for name in wanted:
        mine = statistics.median(run[name] for run in ours)
        if not theirs:
            print(f"     {name:<38} {micro(mine):>10} a record (real TensorFlow not found)")
            continue
        ratio = statistics.median(a[name] / b[name] for a, b in zip(ours, theirs, strict=True))
        real = statistics.median(run[name] for run in theirs)
        bar = BARS.get(name, BAR)
        failed |= ratio > bar
        verdict = "MISS" if ratio > bar else "ok  "
        print(
            f"{verdict} {name:<38} {ratio:6.2f} of TensorFlow's time (bar {bar})"
            f"  {micro(mine)} against {micro(real)} a record, load {load()}"
        )
    return 1 if failed else 0


if __name__ == "__main__":
    if sys.argv[1:2] in (["tinytf"], ["tensorflow"]):
        module = load_library(sys.argv[1])
        print(json.dumps({name: PROGRAMS[name](module) for name in sys.argv[2:]}))
    else:
        sys.exit(main())
