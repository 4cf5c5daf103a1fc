"""Records, CSV and examples, for both libraries: the seconds of a record."""

import os
import struct
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

REPEATS = 7
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


def write_records(tf: Any, folder: str, size: int, kind: str) -> float:
    """Records of so many bytes into a file."""
    record = bytes(range(256)) * (size // 256 + 1)
    record = record[:size]
    count = COUNT if size < 1000 and not kind else COUNT // 10
    path = os.path.join(folder, "records")

    def write() -> None:
        with tf.python_io.TFRecordWriter(path, kind) as writer:
            for _ in range(count):
                writer.write(record)

    return best(write, count)


def read_records(tf: Any, folder: str, size: int, kind: str) -> float:
    """The same read again."""
    record = (bytes(range(256)) * (size // 256 + 1))[:size]
    count = COUNT if size < 1000 and not kind else COUNT // 10
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


PROGRAMS: dict[str, Callable[[Any, str], float]] = {
    **{
        f"{what} records of {words}": partial(function, size=size, kind=kind)
        for what, function in (("write", write_records), ("read", read_records))
        for words, size, kind in (
            ("30 bytes", 30, ""),
            ("300 bytes", 300, ""),
            ("5,000 bytes", 5000, ""),
            ("300 bytes, gzip", 300, "GZIP"),
        )
    },
    "decode_csv of one record": lambda tf, _: decode_csv(tf, rows(10), single=True),
    "decode_csv of 1,000 records": lambda tf, _: decode_csv(tf, rows(1000)),
    "decode_csv of 1,000 records, quoted": lambda tf, _: decode_csv(tf, rows(1000, '"name, %d"')),
    "parse_single_example": lambda tf, _: parse_examples(tf, 1),
    "parse_example of 32": lambda tf, _: parse_examples(tf, 32),
    "parse_example of 512": lambda tf, _: parse_examples(tf, 512),
}
