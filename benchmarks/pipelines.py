"""Files through queues and readers, for both libraries: the seconds of a record."""

import os
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

FILES, LINES, BATCH = 4, 20_000, 100
#: How often a measurement is repeated, and how many batches each has.
REPEATS, BATCHES = 7, 20
RECORDS = 50_000


def files(folder: str) -> list[str]:
    """The CSV files, which are made if they are not there: numbers, a word, a label."""
    names = [os.path.join(folder, f"part{number}.csv") for number in range(FILES)]
    for name in names:
        if not os.path.exists(name):
            lines = (f"{n},{n * 0.5},{n / 7:.4f},word{n % 50},{n % 2}\n" for n in range(LINES))
            Path(name).write_text("".join(lines))
    return names


def steady(take: Callable[[], Any], records: int) -> float:
    """Seconds for a record while batches of so many are taken, once things have settled."""
    for _ in range(BATCHES):
        take()
    found = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        for _ in range(BATCHES):
            take()
        found.append((time.perf_counter() - start) / (BATCHES * records))
    return statistics.median(found)


def running(tf: Any, fetch: Any, records: int) -> float:
    """Seconds for a record of a pipeline whose QueueRunners fill it."""
    with tf.Session() as session:
        session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        coordinator = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(session, coordinator)
        try:
            return steady(lambda: session.run(fetch), records)
        finally:
            coordinator.request_stop()
            coordinator.join(threads, stop_grace_period_secs=30)


def csv_through_queues(tf: Any, folder: str) -> float:
    """string_input_producer, TextLineReader, decode_csv, batch."""
    names = tf.train.string_input_producer(files(folder), shuffle=False)
    _, line = tf.TextLineReader().read(names)
    defaults = [[0], [0.0], [0.0], [""], [0]]
    columns = tf.decode_csv(line, record_defaults=defaults)
    return running(tf, tf.train.batch(columns, BATCH), BATCH)


def _reading(tf: Any, folder: str, threads: int) -> float:
    """So many threads, each with a reader, on one queue of filenames and into one queue."""
    names = tf.train.string_input_producer(files(folder), shuffle=False)
    records = tf.FIFOQueue(2_000, [tf.string], shapes=[[]])
    enqueues = [records.enqueue(tf.TextLineReader().read(names)[1]) for _ in range(threads)]
    tf.train.add_queue_runner(tf.train.QueueRunner(records, enqueues))
    return running(tf, records.dequeue_many(BATCH), BATCH)


def one_reader_thread(tf: Any, folder: str) -> float:
    """One thread reads lines into a queue."""
    return _reading(tf, folder, 1)


def four_reader_threads(tf: Any, folder: str) -> float:
    """Four threads, each with a reader of its own, read lines into one queue."""
    return _reading(tf, folder, 4)


def reader_alone(tf: Any, folder: str) -> float:
    """`reader.read` and nothing else, a record in each step."""
    names = tf.FIFOQueue(100, tf.string, shapes=[[]])
    put = names.enqueue_many([files(folder) * 10])
    key_value = tf.TextLineReader().read(names)
    with tf.Session() as session:
        session.run(put)

        def take() -> None:
            for _ in range(BATCH):
                session.run(key_value)

        return steady(take, BATCH)


def many_records_of_a_reader(tf: Any, folder: str) -> float:
    """`reader.read_up_to`, a hundred records in each step."""
    names = tf.FIFOQueue(100, tf.string, shapes=[[]])
    put = names.enqueue_many([files(folder) * 10])
    several = tf.TextLineReader().read_up_to(names, BATCH)
    with tf.Session() as session:
        session.run(put)
        return steady(lambda: session.run(several), BATCH)


def enqueue_and_dequeue(tf: Any, folder: str) -> float:
    """A step that enqueues a pair and one that dequeues it."""
    queue = tf.FIFOQueue(10, [tf.float32, tf.int32], shapes=[[], []])
    put, get = queue.enqueue([1.5, 2]), queue.dequeue()
    with tf.Session() as session:

        def take() -> None:
            for _ in range(BATCH):
                session.run(put)
                session.run(get)

        return steady(take, BATCH)


def enqueue_and_dequeue_many(tf: Any, folder: str) -> float:
    """The same with a hundred elements in each step."""
    queue = tf.FIFOQueue(2 * BATCH, [tf.float32, tf.int32], shapes=[[], []])
    put = queue.enqueue_many([tf.zeros([BATCH]), tf.zeros([BATCH], tf.int32)])
    get = queue.dequeue_many(BATCH)
    with tf.Session() as session:

        def take() -> None:
            session.run(put)
            session.run(get)

        return steady(take, BATCH)


def _record_file(folder: str) -> str:
    return os.path.join(folder, f"{os.getpid()}.tfrecord")


def tf_record_writing(tf: Any, folder: str) -> float:
    """`TFRecordWriter`, records of 100 bytes."""
    found, content = [], bytes(100)
    for _ in range(REPEATS):
        start = time.perf_counter()
        with tf.python_io.TFRecordWriter(_record_file(folder)) as writer:
            for _ in range(RECORDS):
                writer.write(content)
        found.append((time.perf_counter() - start) / RECORDS)
    return statistics.median(found)


def tf_record_reading(tf: Any, folder: str) -> float:
    """`TFRecordReader.read_up_to`, a hundred records in each step."""
    path = _record_file(folder)
    with tf.python_io.TFRecordWriter(path) as writer:
        for _ in range(RECORDS):
            writer.write(bytes(100))
    names = tf.FIFOQueue(100, tf.string, shapes=[[]])
    put = names.enqueue_many([[path] * 10])
    several = tf.TFRecordReader().read_up_to(names, BATCH)
    with tf.Session() as session:
        session.run(put)
        return steady(lambda: session.run(several), BATCH)


def tf_record_iterating(tf: Any, folder: str) -> float:
    """`tf_record_iterator` over a file."""
    path = _record_file(folder)
    with tf.python_io.TFRecordWriter(path) as writer:
        for _ in range(RECORDS):
            writer.write(bytes(100))
    found = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        count = sum(1 for _ in tf.python_io.tf_record_iterator(path))
        found.append((time.perf_counter() - start) / count)
    return statistics.median(found)


PROGRAMS = {
    function.__name__: function
    for function in (
        csv_through_queues,
        one_reader_thread,
        four_reader_threads,
        reader_alone,
        many_records_of_a_reader,
        enqueue_and_dequeue,
        enqueue_and_dequeue_many,
        tf_record_writing,
        tf_record_reading,
        tf_record_iterating,
    )
}
