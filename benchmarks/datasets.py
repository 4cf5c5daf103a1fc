"""Pipelines of tf.data, for both libraries: the seconds of a record."""

import random
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

RECORDS = 20_000


def file_in(folder: str) -> str:
    """Rows of four fractions and a whole number, with a header; written if it is not there."""
    path = Path(folder, "rows.csv")
    if not path.exists():
        numbers = random.Random(1)
        rows = [
            ",".join([*(f"{numbers.random():.4f}" for _ in range(4)), str(numbers.randrange(10))])
            for _ in range(RECORDS)
        ]
        path.write_text("\n".join(["a,b,c,d,label", *rows]) + "\n")
    return str(path)


def csv(tf: Any, path: str) -> tuple[Any, int]:
    """Lines of a file, decoded, shuffled and put into batches."""

    def decode(line: Any) -> Any:
        columns = tf.decode_csv(line, [[0.0]] * 4 + [[0]])
        return tf.stack(columns[:4]), columns[4]

    dataset = tf.data.TextLineDataset(path).skip(1).map(decode).shuffle(1000, seed=1)
    return dataset.batch(100).prefetch(2), 100


def csv_parallel(tf: Any, path: str) -> tuple[Any, int]:
    """The same, decoded by several threads."""

    def decode(line: Any) -> Any:
        columns = tf.decode_csv(line, [[0.0]] * 4 + [[0]])
        return tf.stack(columns[:4]), columns[4]

    dataset = tf.data.TextLineDataset(path).skip(1).map(decode, num_parallel_calls=2)
    return dataset.shuffle(1000, seed=1).batch(100).prefetch(2), 100


def lines(tf: Any, path: str) -> tuple[Any, int]:
    """Lines only."""
    return tf.data.TextLineDataset(path).batch(100), 100


def batches_decoded(tf: Any, path: str) -> tuple[Any, int]:
    """Batches of lines, decoded at once: how to do it fast."""
    defaults = [[0.0]] * 4 + [[0]]
    dataset = tf.data.TextLineDataset(path).skip(1).batch(100)
    return dataset.map(lambda rows: tf.decode_csv(rows, defaults)).prefetch(2), 100


def mapped(tf: Any, path: str) -> tuple[Any, int]:
    """A function of numbers."""
    return tf.data.Dataset.range(RECORDS).map(lambda x: x * 2 + 1).batch(100), 100


def batched(tf: Any, path: str) -> tuple[Any, int]:
    """Batches of numbers."""
    return tf.data.Dataset.range(RECORDS).batch(100), 100


def shuffled(tf: Any, path: str) -> tuple[Any, int]:
    """Numbers in random order."""
    return tf.data.Dataset.range(RECORDS).shuffle(1000, seed=1).batch(100), 100


def prefetched(tf: Any, path: str) -> tuple[Any, int]:
    """Numbers one by one through a buffer, put into batches."""
    return tf.data.Dataset.range(RECORDS).prefetch(10).batch(100), 100


def one_by_one(tf: Any, path: str) -> tuple[Any, int]:
    """A step for each number."""
    return tf.data.Dataset.range(RECORDS // 4), 1


def seconds(pipeline: Callable[[Any, str], tuple[Any, int]], tf: Any, folder: str) -> float:
    """How long a record takes, the time for building and beginning left out."""
    dataset, rows = pipeline(tf, file_in(folder))
    with tf.Session() as session:
        iterator = dataset.make_initializable_iterator()
        element = session.make_callable(iterator.get_next())
        count = 0
        session.run(iterator.initializer)
        element()
        start = time.perf_counter()
        try:
            while True:
                element()
                count += rows
        except tf.errors.OutOfRangeError:
            return (time.perf_counter() - start) / count


PROGRAMS = {
    one.__name__: partial(seconds, one)
    for one in (
        csv,
        csv_parallel,
        batches_decoded,
        lines,
        mapped,
        batched,
        shuffled,
        prefetched,
        one_by_one,
    )
}
