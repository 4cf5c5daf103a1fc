"""Readers: files in, records out. The files are in tests/conformance/files."""

from pathlib import Path
from typing import Any

import numpy as np

from tests.conformance.registry import Program, case

#: From the root of the project, where tests are started: recorded graphs and feeds hold the names.
FILES = Path("tests/conformance/files")
_READ = ("ReaderReadV2", "FIFOQueueV2")


def reading(
    tf: Any, reader: Any, *names: str, runs: int = 1, up_to: int | None = None, then: Any = None
) -> Program:
    """Enqueue the names of files and close the queue; then read from them in each run.

    Keys are cut to what follows the folder.
    """
    filenames = tf.placeholder(tf.string, [None])
    queue = tf.FIFOQueue(20, tf.string, shapes=[[]])
    first = tf.placeholder_with_default(False, [])
    fill = tf.cond(first, lambda: enqueue_and_close(tf, queue, filenames), tf.no_op)
    with tf.control_dependencies([fill]):
        key, value = reader.read(queue) if up_to is None else reader.read_up_to(queue, up_to)
    fetches = [tf.strings.regex_replace(key, "^.*/", ""), value]
    if then is not None:
        with tf.control_dependencies([key]):
            fetches += then()
    given = np.array([str(FILES / name).encode() for name in names], object)
    feeds = [{filenames: given, first: number == 0} for number in range(runs)]
    return Program(fetches, feed=feeds)


def enqueue_and_close(tf: Any, queue: Any, filenames: Any) -> Any:
    """Put the filenames in, no others."""
    with tf.control_dependencies([queue.enqueue_many([filenames])]):
        return queue.close()


def counted(reader: Any) -> Any:
    """What a reader has read so far, in each run."""
    return lambda: [reader.num_records_produced(), reader.num_work_units_completed()]


# Kinds of readers ---------------------------------------------------------------------------------

_COUNTED = ("ReaderNumRecordsProducedV2", "ReaderNumWorkUnitsCompletedV2")


@case("TextLineReaderV2", *_READ, *_COUNTED, each=[0, 1, 3])
def lines(tf, skipped):
    reader = tf.TextLineReader(skip_header_lines=skipped)
    then = counted(reader)
    return reading(tf, reader, "people.csv", "people.csv", runs=2 * (5 - skipped), then=then)


@case("TextLineReaderV2", *_READ, error="is closed and has insufficient elements (requested 1")
def lines_after_the_last(tf):
    return reading(tf, tf.TextLineReader(skip_header_lines=4), "people.csv", runs=2)


@case("TextLineReaderV2", *_READ, error="is closed and has insufficient elements (requested 1")
def more_header_lines_than_lines(tf):
    return reading(tf, tf.TextLineReader(skip_header_lines=10), "people.csv")


@case("TextLineReaderV2", *_READ, error="skip_header_lines must be >= 0 not -1")
def fewer_header_lines_than_none(tf):
    return reading(tf, tf.TextLineReader(skip_header_lines=-1), "people.csv")


@case("TextLineReaderV2", *_READ, error="No such file or directory")
def lines_of_a_missing_file(tf):
    return reading(tf, tf.TextLineReader(), "missing.csv")


@case("TextLineReaderV2", *_READ, error="Is a directory")
def lines_of_a_folder(tf):
    return reading(tf, tf.TextLineReader(), "")


@case("WholeFileReaderV2", *_READ, *_COUNTED)
def whole_files(tf):
    reader = tf.WholeFileReader()
    return reading(tf, reader, "people.csv", "pairs.bin", runs=2, then=counted(reader))


@case("WholeFileReaderV2", *_READ, error="No such file or directory")
def whole_missing_file(tf):
    return reading(tf, tf.WholeFileReader(), "missing.csv")


@case("IdentityReaderV2", *_READ, *_COUNTED)
def names_as_they_are(tf):
    reader = tf.IdentityReader()
    program = reading(tf, reader, "a", "b", runs=2, then=counted(reader))
    return Program([program.fetches[0], *program.fetches[2:]], feed=program.feed)


@case("FixedLengthRecordReaderV2", *_READ, *_COUNTED, each=[0, 1, 3])
def records_of_a_fixed_length(tf, hop):
    reader = tf.FixedLengthRecordReader(2, header_bytes=2, footer_bytes=1, hop_bytes=hop)
    return reading(tf, reader, "pairs.bin", runs=[4, 7, 0, 3][hop], then=counted(reader))


@case("FixedLengthRecordReaderV2", *_READ)
def bytes_left_over(tf):
    return reading(tf, tf.FixedLengthRecordReader(3), "pairs.bin", "pairs.bin", runs=6)


@case("FixedLengthRecordReaderV2", *_READ, error="reached end of file")
def a_header_longer_than_the_file(tf):
    return reading(tf, tf.FixedLengthRecordReader(1, header_bytes=100), "pairs.bin")


@case(
    "FixedLengthRecordReaderV2",
    *_READ,
    error="_bytes must be >= 0 not -1",
    each=["header_bytes", "footer_bytes", "hop_bytes"],
)
def impossible_lengths(tf, name):
    return reading(tf, tf.FixedLengthRecordReader(2, **{name: -1}), "pairs.bin")


@case("FixedLengthRecordReaderV2", *_READ)
def compressed_records_of_a_fixed_length(tf):
    reader = tf.FixedLengthRecordReader(10, encoding="GZIP")
    return reading(tf, reader, "three.tfrecord.gz", runs=5)


_ENDS = {"": "", "ZLIB": ".zlib", "GZIP": ".gz"}


@case("TFRecordReaderV2", *_READ, *_COUNTED, each=list(_ENDS))
def tf_records(tf, compression):
    options = tf.io.TFRecordOptions(compression)
    reader = tf.TFRecordReader(options=options)
    name = "three.tfrecord" + _ENDS[compression]
    return reading(tf, reader, name, name, runs=6, then=counted(reader))


@case("TFRecordReaderV2", *_READ, error="corrupted record at 0 (Is this even a TFRecord file?)")
def text_is_no_tf_records(tf):
    return reading(tf, tf.TFRecordReader(), "people.csv")


@case("TFRecordReaderV2", *_READ, error="incorrect header check", each=["ZLIB", "GZIP"])
def not_compressed(tf, compression):
    reader = tf.TFRecordReader(options=tf.io.TFRecordOptions(compression))
    return reading(tf, reader, "three.tfrecord")


# Several at once ----------------------------------------------------------------------------------

_UP_TO = ("ReaderReadUpToV2", "FIFOQueueV2")


@case("TextLineReaderV2", *_UP_TO, *_COUNTED, each=[1, 3, 100])
def several_lines(tf, most):
    reader = tf.TextLineReader()
    runs = {1: 10, 3: 4, 100: 2}[most]
    then = counted(reader)
    return reading(tf, reader, "people.csv", "people.csv", runs=runs, up_to=most, then=then)


@case("TextLineReaderV2", *_UP_TO)
def no_lines_at_all(tf):
    return reading(tf, tf.TextLineReader(), "missing.csv", up_to=0)


@case("TFRecordReaderV2", *_UP_TO, each=[2, 10])
def several_tf_records(tf, most):
    runs = {2: 2, 10: 1}[most]
    return reading(tf, tf.TFRecordReader(), "three.tfrecord", up_to=most, runs=runs)


@case("WholeFileReaderV2", *_UP_TO)
def several_whole_files(tf):
    return reading(tf, tf.WholeFileReader(), "people.csv", "pairs.bin", up_to=5, runs=2)


@case("TextLineReaderV2", *_UP_TO, error="Shape must be rank 0 but is rank 1")
def a_list_of_numbers_of_lines(tf):
    return reading(tf, tf.TextLineReader(), "people.csv", up_to=[1, 2])


# State, queues ------------------------------------------------------------------------------------


@case("ReaderSerializeStateV2", "ReaderRestoreStateV2", "IdentityReaderV2", *_COUNTED)
def state_goes_to_another_reader(tf):
    queue = tf.FIFOQueue(3, tf.string)
    one, other = tf.IdentityReader("one"), tf.IdentityReader("other")
    with tf.control_dependencies([queue.enqueue("work")]):
        key, _ = one.read(queue)
    with tf.control_dependencies([key]):
        state = one.serialize_state()
    with tf.control_dependencies([other.restore_state(state)]):
        return Program([state, *counted(other)()], runs=2)


@case("ReaderResetV2", "IdentityReaderV2", *_COUNTED)
def resetting(tf):
    queue = tf.FIFOQueue(3, tf.string)
    reader = tf.IdentityReader()
    with tf.control_dependencies([queue.enqueue("work")]):
        key, _ = reader.read(queue)
    with tf.control_dependencies([key]):
        before = reader.num_records_produced()
    with tf.control_dependencies([before]):
        reset = reader.reset()
    with tf.control_dependencies([reset]):
        return Program([before, *counted(reader)()], runs=2)


@case("ReaderSerializeStateV2", error="Reader SerializeState")
def state_that_cannot_be_saved(tf):
    return tf.TextLineReader().serialize_state()


@case("ReaderRestoreStateV2", error="Reader RestoreState")
def state_that_cannot_be_restored(tf):
    return tf.TFRecordReader().restore_state("")


@case(
    "ReaderRestoreStateV2",
    error="when restoring in WholeFileReader",
    each=[b"\x08\x02\x10\x01", b"\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"],
)
def impossible_states(tf, state):
    return tf.WholeFileReader(name="reader").restore_state(state)


@case("ReaderRestoreStateV2", error="Could not parse state for IdentityReader")
def no_state(tf):
    return tf.IdentityReader(name="reader").restore_state(b"garbage")


@case(*_READ, error="Expected queue with single string component")
def a_queue_of_numbers(tf):
    queue = tf.FIFOQueue(3, tf.int32)
    with tf.control_dependencies([queue.enqueue(1)]):
        return tf.TextLineReader().read(queue)[0]


@case(*_READ, error="Expected single component queue")
def a_queue_of_pairs(tf):
    queue = tf.FIFOQueue(3, [tf.string, tf.string])
    with tf.control_dependencies([queue.enqueue(["a", "b"])]):
        return tf.TextLineReader().read(queue)[0]


@case(*_READ, "IdentityReaderV2")
def a_queue_of_vectors_of_one_string(tf):
    queue = tf.FIFOQueue(3, tf.string)
    with tf.control_dependencies([queue.enqueue([["name"]])]):
        return list(tf.IdentityReader().read(queue))
