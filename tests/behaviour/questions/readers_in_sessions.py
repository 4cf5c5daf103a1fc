"""Readers, continued: several of them, shared ones, waits and mistakes."""

import threading

from tests.behaviour.asking import question, says
from tests.behaviour.questions.readers import Desk

#: (question, label) -> (the answer here, why it is not TensorFlow's)
DIFFERENCES = {
    ("a_queue_of_the_wrong_kind", "what is left of numbers"): (
        "int32[] 1",
        "the queue is looked at before something is taken out of it",
    ),
    ("a_queue_of_the_wrong_kind", "what is left of pairs"): (
        "int32[] 1",
        "the queue is looked at before something is taken out of it",
    ),
}


@question
def two_readers_on_one_queue(tf):
    desk = Desk(tf, a=b"a1\na2", b=b"b1\nb2", c=b"c1").give("a", "b", "c")
    one, other = tf.TextLineReader(), tf.TextLineReader()
    first, second = one.read(desk.queue), other.read(desk.queue)
    in_turns = [text for _ in range(4) for op in (first, second) for text in desk.read(op)]
    return {"in turns": in_turns, "counts": [desk.counts(one), desk.counts(other)]}


@question
def two_reads_of_one_reader(tf):
    desk = Desk(tf, a=b"1\n2\n3\n4", b=b"5\n6").give("a")
    other = tf.FIFOQueue(5, tf.string)
    desk.run(other.enqueue(desk.path("b")))
    desk.run(other.close())
    reader = tf.TextLineReader()
    op, of_other = reader.read(desk.queue), reader.read(other)
    answers = {"the file stays, whatever the queue": desk.read(op) + desk.read(of_other)}
    both = desk.run([op.value, of_other.value])
    answers["both in one step"] = sorted(both)
    answers["then from its own queue"] = desk.read(of_other, 3)
    return answers


@question
def readers_are_of_the_session(tf):
    desk = Desk(tf, a=b"1\n2").give("a")
    reader = tf.TextLineReader()
    op = reader.read(desk.queue)
    first = desk.read(op)
    with tf.Session() as session:
        counts = session.run([reader.num_records_produced(), desk.queue.size()])
    return {"here": first, "in another session": [int(n) for n in counts], "then": desk.read(op)}


@question
def shared_readers(tf):
    gone = Desk(tf, a=b"1\n2\n3").give("a")
    with tf.container("box"):
        reader = tf.TextLineReader()
    return {
        "container": reader.reader_ref.op.get_attr("container"),
        "shared name": reader.reader_ref.op.get_attr("shared_name"),
        "reads": gone.read(reader.read(gone.queue), 2),
    }


@question
def a_queue_of_the_wrong_kind(tf):
    answers = {}
    reader = tf.TextLineReader()
    with tf.Session() as session:
        for label, kinds, values, phrase in (
            ("numbers", tf.int32, 1, "Expected queue with single string component"),
            ("pairs", [tf.string, tf.string], ["a", "b"], "Expected single component queue"),
        ):
            queue = tf.FIFOQueue(5, kinds)
            session.run(queue.enqueue(values))
            answers[label] = says(phrase, session.run, reader.read(queue))
            answers[f"what is left of {label}"] = session.run(queue.size())
    return answers


@question
def kinds_of_queues(tf):
    answers = {}
    for label, queue in (
        ("shuffling", tf.RandomShuffleQueue(5, 0, tf.string, shapes=[[]])),
        ("padding", tf.PaddingFIFOQueue(5, tf.string, shapes=[[None]])),
        ("of vectors", tf.FIFOQueue(5, tf.string, shapes=[[1]])),
        ("by its handle", tf.FIFOQueue(5, tf.string)),
    ):
        shape = [1] if label in ("padding", "of vectors") else []
        reader = tf.IdentityReader()
        op = reader.read(queue.queue_ref if label == "by its handle" else queue)
        with tf.Session() as session:
            session.run(queue.enqueue(tf.fill(shape, "name")))
            answers[label] = session.run(op)
    return answers


@question
def closing_while_a_read_waits(tf):
    return {f"cancel_pending_enqueues={cancel}": two_waiting(tf, cancel) for cancel in (0, 1)}


def two_waiting(tf, cancel):
    """What two reads give when one line comes and the queue is closed then."""
    desk, found = Desk(tf, a=b"1"), []
    op = tf.TextLineReader().read(desk.queue)
    threads = [threading.Thread(target=lambda: found.extend(desk.read(op))) for _ in range(2)]
    for thread in threads:
        thread.start()
    desk.give("a", closed=False)
    desk.run(desk.queue.close(cancel_pending_enqueues=bool(cancel)))
    for thread in threads:
        thread.join(30)
    return sorted(found)


@question
def a_deadline(tf):
    desk = Desk(tf, a=b"1\n2")
    reader = tf.TextLineReader()
    op = reader.read(desk.queue)
    options = tf.RunOptions(timeout_in_ms=50)
    answers = {
        "nothing in the queue": says(
            "Timed out waiting for notification", desk.session.run, op, None, options
        )
    }
    desk.give("a", closed=False)
    answers["nothing is lost"] = desk.read(op, 2)
    return answers


# The graph --------------------------------------------------------------------------------------


@question
def tensors(tf):
    queue = tf.FIFOQueue(5, tf.string)
    reader = tf.TextLineReader(name="mine")
    return {
        "reader": reader.reader_ref,
        "read": reader.read(queue),
        "named": reader.read(queue, name="next"),
        "up to": reader.read_up_to(queue, 3),
        "records": reader.num_records_produced(),
        "files": reader.num_work_units_completed(),
        "state": reader.serialize_state(),
        "reset": reader.reset(),
        "restore": reader.restore_state("x"),
        "unnamed": [
            tf.WholeFileReader().reader_ref,
            tf.TextLineReader().reader_ref,
            tf.FixedLengthRecordReader(4).reader_ref,
            tf.TFRecordReader().reader_ref,
            tf.IdentityReader().reader_ref,
        ],
        "is a ReaderBase": isinstance(reader, tf.ReaderBase),
        "attributes": dict(
            tf.FixedLengthRecordReader(4, hop_bytes=2, encoding="GZIP").reader_ref.op.node_def.attr
        ).keys()
        >= {"header_bytes", "record_bytes", "footer_bytes", "hop_bytes", "encoding"},
    }


@question
def mistakes_when_built(tf):
    queue, reader = tf.FIFOQueue(5, tf.string), tf.TextLineReader()
    return {
        "half a record": says("Expected int64", reader.read_up_to, queue, 2.5),
        "a word for a number": says("Expected int64", reader.read_up_to, queue, "x"),
        "a list of numbers": says(
            "Shape must be rank 0 but is rank 1", reader.read_up_to, queue, [1, 2]
        ),
        "a string for a queue": says(
            "has type string that does not match expected type of resource",
            reader.read,
            tf.constant("x"),
        ),
        "a list of states": says(
            "Shape must be rank 0 but is rank 1", reader.restore_state, ["a", "b"]
        ),
        "no length": says("record_bytes", tf.FixedLengthRecordReader),
        "header lines of text": says("Expected int for argument", tf.TextLineReader, "two"),
        "another compression": says(
            "Not a valid compression_type", tf.python_io.TFRecordOptions, "LZMA"
        ),
    }
