"""Readers: what they make of files, queues and mistakes, read by read."""

import gzip
import os
import tempfile
import zlib

from tests.behaviour.asking import question, says

#: (question, label) -> (the answer here, why it is not TensorFlow's)
DIFFERENCES = {
    ("damaged_records", "several, the last one damaged"): (
        "[b'one', b'']",
        "the records before the damaged one are not lost; the error comes at the next read",
    )
}


class Desk:
    """A session, a queue of filenames, and a folder of files."""

    def __init__(self, tf, **files):
        self.tf = tf
        self.folder = tempfile.mkdtemp()
        for name, content in files.items():
            with open(self.path(name), "wb") as file:
                file.write(content)
        self.queue = tf.FIFOQueue(20, tf.string, shapes=[[]])
        self.name = tf.placeholder(tf.string, [])
        self.put = self.queue.enqueue(self.name)
        self.session = tf.Session(config=tf.ConfigProto(operation_timeout_in_ms=20_000))

    def path(self, name):
        return os.path.join(self.folder, name)

    def give(self, *names, closed=True):
        """Put filenames into the queue, and close it."""
        for name in names:
            self.session.run(self.put, {self.name: self.path(name)})
        if closed:
            self.session.run(self.queue.close())
        return self

    def run(self, *fetches):
        return self.session.run(fetches[0] if len(fetches) == 1 else list(fetches))

    def read(self, op, times=1):
        """Records "key value", with the folder cut from their keys; errors by their first words."""
        found = []
        for _ in range(times):
            try:
                key, value = self.session.run(op)
            except self.tf.errors.OpError as error:
                found.append(f"{type(error).__name__}: {said(error)}")
            else:
                found.append(f"{os.path.basename(key).decode()} {value.decode()}")
        return found

    def counts(self, reader):
        """Records and files so far."""
        counts = reader.num_records_produced(), reader.num_work_units_completed()
        return [int(count) for count in self.session.run(counts)]


PHRASES = (
    "No such file or directory",
    "Is a directory",
    "is closed and has insufficient elements",
    "corrupted record at 0 (Is this even a TFRecord file?)",
    "corrupted record at 47",
    "truncated record at 35",
    "reached end of file",
    "incorrect header check",
    "incorrect data check",
    "Permission denied",
)


def said(error):
    """What a message says that people would search for."""
    return next((phrase for phrase in PHRASES if phrase in error.message), error.message)


def tf_records(*contents):
    """The bytes of a TFRecord file; the checksums were computed once, by TensorFlow."""
    known = {
        b"one": bytes.fromhex("0300000000000000b099490e6f6e6501405508"),
        b"": bytes.fromhex("00000000000000002903980 7d8ea82a2".replace(" ", "")),
        b"three": bytes.fromhex("0500000000000000eab2043e746872656560 23fb45".replace(" ", "")),
    }
    return b"".join(known[content] for content in contents)


# Lines ------------------------------------------------------------------------------------------


@question
def ends_of_lines(tf):
    texts = {
        "unix": b"a\nb\n",
        "no last end": b"a\nb",
        "dos": b"a\r\nb\r\n",
        "old mac": b"a\rb\r",
        "doubled": b"a\r\r\nb",
        "empty lines": b"\n\na\n\n",
        "only an end": b"\n",
        "a carriage return at the end": b"a\n\r",
        "zero bytes": b"a\0b\nc",
    }
    answers = {}
    for label, text in texts.items():
        desk = Desk(tf, text=text).give("text")
        reader = tf.TextLineReader()
        answers[label] = desk.read(reader.read(desk.queue), 6)
    return answers


@question
def header_lines(tf):
    answers = {}
    for skipped in (0, 1, 2, 3):
        desk = Desk(tf, a=b"h1\nh2\nx\n", b=b"h1\n", c=b"h1\nh2\ny").give("a", "b", "c")
        reader = tf.TextLineReader(skip_header_lines=skipped)
        answers[f"{skipped} skipped"] = desk.read(reader.read(desk.queue), 8)
        answers[f"counts, {skipped} skipped"] = desk.counts(reader)
    return answers


@question
def a_very_long_line(tf):
    desk = Desk(tf, long=b"x" * 2_000_000 + b"\nshort").give("long")
    op = tf.TextLineReader().read(desk.queue)
    key, value = desk.run(op)
    return {"key": os.path.basename(key), "length": len(value), "next": desk.read(op)}


# When counters count ------------------------------------------------------------------------------


@question
def counters_read_by_read(tf):
    answers = {}
    for name, make in (
        ("lines", tf.TextLineReader),
        ("whole", tf.WholeFileReader),
        ("same", tf.IdentityReader),
    ):
        desk = Desk(tf, a=b"1\n2\n", none=b"", b=b"3").give("a", "none", "b")
        reader = make()
        op, found = reader.read(desk.queue), [desk.counts(reader)]
        for _ in range(4):
            desk.read(op)
            found.append(desk.counts(reader))
        answers[name] = found
    return answers


@question
def counters_of_read_up_to(tf):
    desk = Desk(tf, a=b"1\n2\n3\n4", none=b"", b=b"5").give("a", "none", "b")
    reader = tf.TextLineReader()
    op, found = reader.read_up_to(desk.queue, 2), []
    for _ in range(4):
        try:
            _, values = desk.run(op)
            found.append((values.tolist(), desk.counts(reader)))
        except tf.errors.OutOfRangeError:
            found.append("the end")
    return {"read by read": found, "none at all": desk.run(reader.read_up_to(desk.queue, 0))}


@question
def resetting(tf):
    desk = Desk(tf, a=b"1\n2\n3", b=b"4\n5").give("a", "b")
    reader = tf.TextLineReader()
    op = reader.read(desk.queue)
    before = desk.read(op, 2)
    result = desk.run(reader.reset())
    return {
        "before": before,
        "the operation gives": result,
        "counts": desk.counts(reader),
        "it goes on with the next file": desk.read(op, 3),
        "counts then": desk.counts(reader),
    }


# Files that cannot be read ------------------------------------------------------------------------


@question
def missing_files(tf):
    answers = {}
    for name, make in (
        ("lines", tf.TextLineReader),
        ("whole", tf.WholeFileReader),
        ("fixed", lambda: tf.FixedLengthRecordReader(1)),
        ("records", tf.TFRecordReader),
    ):
        desk = Desk(tf, a=b"", b=b"").give("a", "missing", "b")
        reader = make()
        answers[name] = desk.read(reader.read(desk.queue), 4)
        answers[f"counts of {name}"] = desk.counts(reader)
    return answers


@question
def after_a_missing_file(tf):
    desk = Desk(tf, a=b"1\n2", b=b"3").give("a", "missing", "b")
    op = tf.TextLineReader().read(desk.queue)
    several = Desk(tf, a=b"1\n2", b=b"3").give("a", "missing", "b")
    up_to = tf.TextLineReader().read_up_to(several.queue, 10)
    found = []
    for _ in range(3):
        try:
            found.append(several.run(up_to)[1].tolist())
        except tf.errors.NotFoundError:
            found.append("missing")
    return {"lines": desk.read(op, 5), "several lines": found}


@question
def folders(tf):
    answers = {}
    for name, make in (
        ("lines", tf.TextLineReader),
        ("whole", tf.WholeFileReader),
        ("fixed", lambda: tf.FixedLengthRecordReader(1)),
        ("records", tf.TFRecordReader),
        ("lines behind a header", lambda: tf.TextLineReader(skip_header_lines=1)),
    ):
        desk = Desk(tf, a=b"h\n1").give("", "a")
        reader = make()
        op = reader.read(desk.queue)
        answers[name] = [text.split(" ")[0] for text in desk.read(op, 3)]
        if name == "lines":
            desk.run(reader.reset())
            answers["lines after a reset"] = desk.read(op)
    return answers


@question
def damaged_records(tf):
    whole = tf_records(b"one", b"", b"three")
    changed = bytearray(whole)
    changed[47] ^= 1
    answers = {}
    for label, content in (
        ("whole", whole),
        ("changed content", bytes(changed)),
        ("cut", whole[:-3]),
        ("cut in a header", whole[:40]),
        ("no records", b"hello world, this is text"),
        ("too short for a header", b"hello"),
    ):
        desk = Desk(tf, a=content, b=tf_records(b"one")).give("a", "b")
        reader = tf.TFRecordReader()
        answers[label] = desk.read(reader.read(desk.queue), 5)
        answers[f"{label}: counts"] = desk.counts(reader)
    desk = Desk(tf, a=bytes(changed)).give("a")
    several = tf.TFRecordReader().read_up_to(desk.queue, 5)
    try:
        answers["several, the last one damaged"] = desk.run(several)[1].tolist()
    except tf.errors.DataLossError as error:
        answers["several, the last one damaged"] = said(error)
    answers["several, again"] = says("corrupted record at 47", desk.run, several)
    return answers


@question
def compressed_records(tf):
    whole = tf_records(b"one", b"", b"three")
    wrong = bytearray(zlib.compress(whole))
    wrong[-1] ^= 1
    answers = {}
    for label, compression, content in (
        ("zlib", "ZLIB", zlib.compress(whole)),
        ("gzip", "GZIP", gzip.compress(whole)),
        ("two gzip streams", "GZIP", gzip.compress(whole) * 2),
        ("two zlib streams", "ZLIB", zlib.compress(whole) * 2),
        ("gzip for zlib", "ZLIB", gzip.compress(whole)),
        ("plain for gzip", "GZIP", whole),
        ("gzip for plain", "", gzip.compress(whole)),
        ("empty", "GZIP", b""),
        ("wrong checksum", "ZLIB", bytes(wrong)),
    ):
        desk = Desk(tf, a=content).give("a")
        reader = tf.TFRecordReader(options=tf.python_io.TFRecordOptions(compression))
        answers[label] = desk.read(reader.read(desk.queue), 7)
    return answers


# Records of a fixed length ------------------------------------------------------------------------


@question
def fixed_lengths(tf):
    files = {
        "whole": b"HHaabbccF",
        "a byte too many": b"HHaabbccxF",
        "nothing": b"HHF",
        "no footer": b"HH",
        "empty": b"",
        "only half a header": b"H",
    }
    answers = {}
    for label, content in files.items():
        for hop in (0, 1, 3):
            desk = Desk(tf, a=content).give("a")
            reader = tf.FixedLengthRecordReader(2, 2, 1, hop)
            answers[f"{label}, hop {hop}"] = desk.read(reader.read(desk.queue), 7)
    return answers


@question
def lengths_that_cannot_be(tf):
    desk = Desk(tf, a=b"abc").give("a")
    answers = {}
    for label, lengths in (
        ("record", {"record_bytes": -1}),
        ("header", {"record_bytes": 1, "header_bytes": -1}),
        ("footer", {"record_bytes": 1, "footer_bytes": -1}),
        ("hop", {"record_bytes": 1, "hop_bytes": -1}),
    ):
        op = tf.FixedLengthRecordReader(**lengths).read(desk.queue)
        answers[label] = says(f"{label}_bytes must be >", desk.run, op)
    return answers


# State ------------------------------------------------------------------------------------------


@question
def state(tf):
    desk = Desk(tf).give("a", "b", "c", "d")
    reader, other = tf.IdentityReader(name="one"), tf.IdentityReader(name="other")
    op = reader.read(desk.queue)
    answers = {"of a new reader": desk.run(reader.serialize_state())}
    desk.read(op)
    saved = desk.run(reader.serialize_state())
    answers["its length"] = len(saved) - len(desk.path("a"))
    desk.read(op)
    answers["restored"] = desk.run(reader.restore_state(saved))
    answers["counts"] = desk.counts(reader)
    answers["the queue stays"] = os.path.basename(desk.run(op.key))
    desk.run(other.restore_state(saved))
    answers["of another reader"] = desk.counts(other)
    answers["no state"] = says(
        "Could not parse state for IdentityReader 'other': garb",
        desk.run,
        other.restore_state(b"garbage"),
    )
    answers["counts after that"] = desk.counts(other)
    answers["begun and not done"] = says(
        "Inconsistent work started vs. finished when restoring in IdentityReader 'other'",
        desk.run,
        other.restore_state(b"\x08\x02\x10\x01"),
    )
    answers["empty"] = desk.run(other.restore_state(b""))
    return answers


@question
def readers_without_state(tf):
    desk = Desk(tf, a=b"1\n2").give("a")
    answers = {}
    for name, make in (
        ("TextLineReader", tf.TextLineReader),
        ("TFRecordReader", tf.TFRecordReader),
        ("FixedLengthRecordReader", lambda: tf.FixedLengthRecordReader(1)),
    ):
        reader = make()
        answers[f"{name} says so"] = reader.supports_serialize
        answers[f"saving, {name}"] = says(
            "Reader SerializeState", desk.run, reader.serialize_state()
        )
        answers[f"restoring, {name}"] = says(
            "Reader RestoreState", desk.run, reader.restore_state("")
        )
    answers["WholeFileReader"] = tf.WholeFileReader().supports_serialize
    answers["IdentityReader"] = tf.IdentityReader().supports_serialize
    return answers


# Queues -----------------------------------------------------------------------------------------
