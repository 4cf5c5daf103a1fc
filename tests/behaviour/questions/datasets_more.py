"""tf.data: files, caches, generators, padding, threads, choices: what comes step by step."""

import os
import tempfile

import numpy as np

from tests.behaviour.asking import question, says
from tests.behaviour.questions.datasets import elements, steps


def _fails_at_one(tf, x):
    return tf.debugging.check_numerics(1.0 / tf.cast(x - 1, tf.float32), "oops")


class _Folder:
    """A new folder, with files."""

    def __init__(self, **files):
        self.path = tempfile.mkdtemp()
        for name, content in files.items():
            with open(self[name], "wb") as file:
                file.write(content)

    def __getitem__(self, name):
        return os.path.join(self.path, name)


# Threads ------------------------------------------------------------------------------------------


@question
def threads_and_errors(tf):
    numbers, inner = tf.data.Dataset.range(4), tf.data.Dataset.from_tensors

    def fails(x):
        return _fails_at_one(tf, x)

    def fails_inside(x):
        return tf.data.Dataset.range(x, x + 2).map(fails)

    return {
        "prefetch": elements(tf, numbers.map(fails).prefetch(2)),
        "prefetch of nothing": elements(tf, tf.data.Dataset.range(0).prefetch(2)),
        "prefetch twice": elements(tf, numbers.prefetch(1).prefetch(0)),
        "parallel map": elements(tf, numbers.map(fails, num_parallel_calls=2)),
        "parallel batch": elements(tf, numbers.map(fails).batch(2, num_parallel_calls=2)),
        "while opening": elements(
            tf, numbers.interleave(lambda x: inner(fails(x)), 2, num_parallel_calls=2)
        ),
        "inside": elements(tf, numbers.interleave(fails_inside, 2, num_parallel_calls=2)),
        "inside, in turns": elements(tf, numbers.interleave(fails_inside, 2)),
        "map and batch": elements(tf, numbers.apply(tf.data.experimental.map_and_batch(fails, 2))),
        "no threads": says(
            "num_parallel_calls must be greater than zero",
            elements,
            tf,
            numbers.map(fails, num_parallel_calls=0),
        ),
        "a negative buffer": says("buffer_size must be >= 0", elements, tf, numbers.prefetch(-2)),
        "autotuned cycle": elements(tf, numbers.interleave(tf.data.Dataset.range)),
    }


@question
def threads_and_structure(tf):
    pairs = tf.data.Dataset.from_tensor_slices(([1, 2, 3], ["a", "b", "c"]))

    def facts(dataset):
        return [dataset.output_types, dataset.output_shapes]

    return {
        "prefetch": facts(pairs.prefetch(1)),
        "parallel map": facts(pairs.map(lambda a, b: {"n": (a, b)}, num_parallel_calls=2)),
        "parallel batch": facts(pairs.batch(2, True, num_parallel_calls=2)),
        "cache": facts(pairs.cache()),
        "its elements": elements(tf, pairs.map(lambda a, b: (b, a), num_parallel_calls=3)),
        "repeated": elements(tf, pairs.prefetch(2).repeat(2).take(4)),
    }


# Files --------------------------------------------------------------------------------------------


@question
def lines(tf):
    folder = _Folder(
        a=b"1\n2\n3", b=b"", c=b"\n\nx\r\ny\r", d=b"no end", e=b"one\ntwo\n", f=b"\xff\xfe\n"
    )
    make = tf.data.TextLineDataset
    path = folder["a"]
    return {
        "lines": elements(tf, make(path)),
        "an empty file": elements(tf, make(folder["b"])),
        "carriage returns": elements(tf, make(folder["c"])),
        "no line end": elements(tf, make([folder["d"], folder["e"]])),
        "any bytes": elements(tf, make(folder["f"])),
        "several": elements(tf, make([path, folder["b"], path])),
        "in turns": elements(tf, make([path, folder["e"], path], num_parallel_reads=2)),
        "no files": elements(tf, make(tf.constant([], tf.string))),
        "a dataset of names": elements(tf, make(tf.data.Dataset.from_tensors(path).repeat(2))),
        "missing": elements(tf, make([folder["none"], path]), 3),
        "missing in the middle": elements(tf, make([path, folder["none"]]), 5),
        "ignored": elements(tf, make([path]).map(lambda x: tf.strings.to_number(x)).batch(2)),
        "a tiny buffer": elements(tf, make(path, buffer_size=1)),
        "a dataset": isinstance(make(path), tf.data.Dataset),
        "no strings": says("must contain `tf.string` elements", make, 5),
        "no names": says("must contain `tf.string` elements", make, tf.data.Dataset.range(2)),
    }


@question
def records(tf):
    folder = _Folder(fixed=b"HHaabbccF", odd=b"HHaabbcF")
    for name, options in (("plain", None), ("zipped", "GZIP")):
        kind = getattr(tf.python_io.TFRecordCompressionType, options) if options else 0
        how = tf.python_io.TFRecordOptions(kind) if options else None
        with tf.python_io.TFRecordWriter(folder[name], options=how) as writer:
            for text in (b"first", b"", b"third"):
                writer.write(text)
    with open(folder["plain"], "rb") as file:
        content = bytearray(file.read())
    content[12] ^= 1  # the first byte of the first record
    with open(folder["damaged"], "wb") as file:
        file.write(content)
    make, fixed = tf.data.TFRecordDataset, tf.data.FixedLengthRecordDataset
    return {
        "records": elements(tf, make(folder["plain"])),
        "compressed": elements(tf, make(folder["zipped"], "GZIP")),
        "damaged": elements(tf, make([folder["damaged"], folder["plain"]])),
        "of one length": elements(tf, fixed(folder["fixed"], 2, 2, 1)),
        "all of it": elements(tf, fixed(folder["fixed"], 9)),
        "that do not fit": elements(tf, fixed(folder["odd"], 2, 2, 1), 2),
        "of no length": elements(tf, fixed(folder["fixed"], 0), 2),
        "in turns": elements(tf, make([folder["plain"]] * 2, num_parallel_reads=2)),
    }


@question
def patterns(tf):
    folder = _Folder(**{"b.txt": b"", "a.txt": b"", "c.csv": b""})

    def names(found):
        return [os.path.basename(name) for name in found if name != "end"]

    ordered = tf.data.Dataset.list_files(folder["*.txt"], shuffle=False)
    both = tf.data.Dataset.list_files([folder["*.csv"], folder["a*"]], shuffle=False)
    mixed = elements(tf, tf.data.Dataset.list_files(folder["*"]).repeat(2))
    return {
        "in order": names(elements(tf, ordered)),
        "of two patterns": names(elements(tf, both)),
        "any order": sorted(names(mixed)),
        "none": says(
            "No files matched pattern", elements, tf, tf.data.Dataset.list_files(folder["*.none"])
        ),
    }


# Caches -------------------------------------------------------------------------------------------


def cached(tf, prepare, *counts):
    """Elements, and which of the input were computed, of an iterator that begins several times."""
    with tf.Graph().as_default():
        calls = []

        def note(number):
            calls.append(int(number))
            return number

        source = tf.data.Dataset.range(4).map(lambda x: tf.py_func(note, [x], tf.int64))
        iterator = prepare(source).make_initializable_iterator()
        element, found = iterator.get_next(), []
        with tf.Session() as session:
            for count in counts:
                session.run(iterator.initializer)
                found.append((steps(tf, session, element, count), sorted(set(calls))))
                calls.clear()
        return found


@question
def caches(tf):
    folder = _Folder()
    kept = cached(tf, lambda d: d.cache(folder["kept"]), 10, 10)
    return {
        "in memory": cached(tf, lambda d: d.cache(), 10, 10),
        "repeated": cached(tf, lambda d: d.cache().repeat(2), 10),
        "not read to the end": cached(tf, lambda d: d.cache().take(2).repeat(2), 10),
        "endless": cached(tf, lambda d: d.cache().repeat(), 7),
        "in a file": kept,
        "read by another": cached(tf, lambda d: d.cache(folder["kept"]), 10),
        "it is there": os.path.exists(folder["kept.index"]),
        "no lock is left": os.path.exists(folder["kept_0.lockfile"]),
        "of other types": cached(
            tf, lambda d: d.map(tf.strings.as_string).cache(folder["kept"]), 1
        ),
        "shuffled after it": [
            sorted(x for x in found if x != "end")
            for found, _ in cached(tf, lambda d: d.cache().shuffle(4), 10)
        ],
    }


@question
def caches_of_two_and_foreign_files(tf):
    folder = _Folder(**{"foreign.index": b"something else"})
    first = tf.data.Dataset.range(3).cache(folder["both"]).make_initializable_iterator()
    second = tf.data.Dataset.range(3).cache(folder["both"]).make_initializable_iterator()
    one, two = first.get_next(), second.get_next()
    with tf.Session() as session:
        session.run([first.initializer, second.initializer])
        begun = session.run(one)
        meanwhile = steps(tf, session, two, 1)
    foreign = tf.data.Dataset.range(3).cache(folder["foreign"])
    return {
        "the first": begun,
        "the second meanwhile": meanwhile,
        "foreign": elements(tf, foreign, 1),
    }


# Generators ---------------------------------------------------------------------------------------


@question
def generators(tf):
    make = tf.data.Dataset.from_generator

    def numbers():
        yield 1
        yield 2

    def raises():
        yield 1
        raise ValueError("no more of these")

    def stops():
        yield 1
        return

    class Iterable:
        def __iter__(self):
            return iter([7, 8])

    ragged = [[1], [2, 3], []]
    return {
        "numbers": elements(tf, make(numbers, tf.int64)),
        "again": elements(tf, make(numbers, tf.int32, []).repeat(2)),
        "a list": elements(tf, make(lambda: [5, 6], tf.int32, [])),
        "an object": elements(tf, make(Iterable, tf.int32)),
        "rows": elements(tf, make(lambda: ragged, tf.int32, [None])),
        "tuples": elements(tf, make(lambda: [(1, "a"), (2, "b")], (tf.int32, tf.string))),
        "dictionaries": elements(
            tf, make(lambda: [{"a": 1, "b": 2.5}], {"a": tf.int32, "b": tf.float32})
        ),
        "arguments": elements(tf, make(lambda a, b: [a, b], tf.int32, [], args=(3, 4))),
        "raises": elements(tf, make(raises, tf.int32, [])),
        "returns": elements(tf, make(stops, tf.int32, [])),
        "another shape": elements(tf, make(lambda: ragged, tf.int32, [1])),
        "another structure": elements(tf, make(lambda: [(1, 2, 3)], (tf.int32, tf.int32))),
        "no number": elements(tf, make(lambda: ["a"], tf.int32)),
        "None": elements(tf, make(lambda: [None], tf.int32)),
        "text": elements(tf, make(lambda: ["\u00e4", b"x"], tf.string)),
        "batched": elements(tf, make(numbers, tf.int32, []).batch(2)),
        "prefetched": elements(tf, make(numbers, tf.int32, []).prefetch(1)),
        "types and shapes": [
            make(numbers, tf.int32).output_shapes,
            make(numbers, (tf.int32, tf.string)).output_types,
        ],
        "a list itself": says("must be a Python callable", make, [1, 2], tf.int32),
        "no types": says("To specify the output signature", make, numbers),
        "both": says(
            "can not be used together with",
            make,
            numbers,
            tf.int32,
            output_signature=tf.TensorSpec([], tf.int32),
        ),
        "a signature": elements(tf, make(numbers, output_signature=tf.TensorSpec([], tf.int32))),
    }


# Padding ------------------------------------------------------------------------------------------


@question
def padding(tf):
    growing = tf.data.Dataset.range(4).map(lambda x: tf.fill([x], x))
    unknown = tf.data.Dataset.range(2).map(lambda x: tf.py_func(lambda v: v, [x], tf.int64))
    pairs = tf.data.Dataset.from_tensor_slices(([1, 2, 3], ["a", "b", "c"]))
    return {
        "zeros": elements(tf, growing.padded_batch(2)),
        "its shape": growing.padded_batch(2).output_shapes,
        "whole batches": growing.padded_batch(3, drop_remainder=True).output_shapes,
        "to a size": elements(tf, growing.padded_batch(3, [4], tf.constant(7, tf.int64))),
        "scalars": elements(tf, pairs.padded_batch(2, ([], []))),
        "a list of shapes": says("If shallow structure is a sequence", pairs.padded_batch, 2, 5),
        "to less": elements(tf, growing.padded_batch(2, [1])),
        "another rank": says("is not compatible with the shape", growing.padded_batch, 2, []),
        "another type": says("does not match type", growing.padded_batch, 2, [None], 1.5),
        "unknown rank": says("You must provide `padded_shapes`", unknown.padded_batch, 2),
        "of unknown rank": elements(tf, unknown.padded_batch(2, [])),
        "of another rank": elements(tf, unknown.padded_batch(2, [3])),
        "a negative size": says("must be >= -1", elements, tf, growing.padded_batch(2, [-2])),
    }


# Choices and options ------------------------------------------------------------------------------


@question
def choices(tf):
    experimental = tf.data.experimental
    numbers, few = tf.data.Dataset.range(3), tf.data.Dataset.range(10, 12)
    slices = tf.data.Dataset.from_tensor_slices
    choice = slices(np.array([0, 1, 1, 1, 0, 0, 0, 1]))
    choose, sample = experimental.choose_from_datasets, experimental.sample_from_datasets
    grouped = experimental.group_by_window
    return {
        "unique": elements(tf, slices([1, 2, 1, 3]).apply(experimental.unique())),
        "errors ignored": elements(
            tf, numbers.map(lambda x: _fails_at_one(tf, x)).apply(experimental.ignore_errors())
        ),
        "chosen": elements(tf, choose([numbers, few], choice)),
        "up to an empty one": elements(tf, choose([numbers, few], choice, True)),
        "one that is not there": elements(tf, choose([numbers, few], slices(np.array([0, 5])))),
        "of another type": says("Invalid `choice_dataset`", choose, [numbers, few], slices([0])),
        "of none": says("should not be empty", choose, [], choice),
        "of other elements": says("must have compatible", choose, [numbers, slices([1.0])], choice),
        "sampled": elements(tf, sample([numbers, few], [0.5, 0.5], seed=1)),
        "too few weights": says("should have the same length", sample, [numbers, few], [1.0]),
        "groups": elements(
            tf, tf.data.Dataset.range(7).apply(grouped(lambda x: x % 3, lambda k, d: d.batch(2), 2))
        ),
        "groups of several sizes": elements(
            tf,
            tf.data.Dataset.range(9).apply(
                grouped(
                    lambda x: x % 2,
                    lambda k, d: d.batch(9).map(lambda v: (k, v)),
                    window_size_func=lambda k: k + 2,
                )
            ),
        ),
        "no size": says("must be specified", numbers.apply, grouped(lambda x: x, lambda k, d: d)),
        "as many as expected": elements(tf, numbers.apply(experimental.assert_cardinality(3))),
        "not as many": elements(tf, numbers.apply(experimental.assert_cardinality(4))),
        "counted": elements(tf, experimental.Counter(2, 3).take(3)),
        "shuffled and repeated": elements(
            tf, numbers.apply(experimental.shuffle_and_repeat(3, 2, seed=3))
        ),
    }


@question
def options(tf):
    chosen = tf.data.Options()
    chosen.experimental_deterministic = False
    chosen.threading.private_threadpool_size = 2
    numbers = tf.data.Dataset.range(2).with_options(chosen)
    other = tf.data.Options()
    other.deterministic = True
    return {
        "elements": elements(tf, numbers),
        "an older name": chosen.deterministic,
        "kept": numbers.map(lambda x: x).options().threading.private_threadpool_size,
        "of none": tf.data.Dataset.range(2).options().deterministic,
        "merged": [
            chosen.merge(other).deterministic,
            chosen.merge(other).threading.private_threadpool_size,
        ],
        "that does not exist": says("Cannot set the property", setattr, chosen, "speed", 3),
        "of another type": says("must be of type", setattr, chosen, "deterministic", "yes"),
    }
