"""One pipeline after the other, run by either library; `benchmarks/datasets.py` starts it twice.

It waits for a line with the name of a pipeline, runs it, and prints how long it took.
"""

import sys
import time
from typing import Any

RECORDS = 20_000


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


PIPELINES = {
    one.__name__: one
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


def seconds(tf: Any, name: str, path: str) -> float:
    """How long a record of a pipeline takes, the time for building and beginning left out."""
    with tf.Graph().as_default(), tf.Session() as session:
        dataset, rows = PIPELINES[name](tf, path)
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


def main(library: str, path: str) -> None:
    """Serve requests."""
    if library == "tensorflow":
        import tensorflow.compat.v1 as tf

        tf.disable_v2_behavior()
    else:
        import tinytf as tf  # type: ignore[no-redef]
    print("ready", flush=True)
    for line in sys.stdin:
        print(seconds(tf, line.strip(), path), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
