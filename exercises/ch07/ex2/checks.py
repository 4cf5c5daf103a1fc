"""Checks of ch07.ex2."""

import functools
import tempfile
import threading
from pathlib import Path

import tinytf as tf
from tinytf.grading import Wrong, point
from tinytf.testing.schedules.running import run_with_seed

KEYS = ("id", "scores", "tag")
#: Schedules in which the order is looked at.
SEEDS = 6
#: More than any answer takes; one that takes more has no end.
TURNS = 20_000


def example(number, tag):
    """A record; without a tag for None."""
    feature = {
        "id": tf.train.Feature(int64_list=tf.train.Int64List(value=[number])),
        "scores": tf.train.Feature(
            float_list=tf.train.FloatList(value=[number, number / 2, number / 4])
        ),
    }
    if tag is not None:
        feature["tag"] = tf.train.Feature(bytes_list=tf.train.BytesList(value=[tag]))
    return tf.train.Example(features=tf.train.Features(feature=feature))


def records(*sizes):
    """Files of so many records each, numbered from 1 on; every third one has no tag."""
    files, number = [], 0
    for size in sizes:
        numbers = range(number + 1, number + size + 1)
        files.append(tuple((n, f"tag {n}".encode() if n % 3 else None) for n in numbers))
        number += size
    return tuple(files)


def write(folder, files):
    """Write files of (number, tag); their names."""
    names = []
    for index, some in enumerate(files):
        names.append(str(Path(folder) / f"part{index}.tfrecord"))
        with tf.io.TFRecordWriter(names[-1]) as writer:
            for number, tag in some:
                writer.write(example(number, tag).SerializeToString())
    return names


def built(answer, files, batch_size, epochs):
    """The answer's tensors; refused unless they are a dictionary of three."""
    before = set(threading.enumerate())
    batch = answer(files, batch_size, epochs)
    if not isinstance(batch, dict) or sorted(batch) != sorted(KEYS):
        got = sorted(batch) if isinstance(batch, dict) else type(batch).__name__
        raise Wrong("build_batches must return a dictionary", sorted(KEYS), got)
    for key in KEYS:
        if not isinstance(batch[key], tf.Tensor):
            kind = type(batch[key]).__name__
            raise Wrong(
                f"batch[{key!r}] must be a tensor",
                "a tensor",
                f"a {kind}",
                hint="a feature with a fixed number of values is a FixedLenFeature",
            )
    started = {thread.name for thread in set(threading.enumerate()) - before}
    if any(name.startswith("QueueRunner") for name in started):
        raise Wrong(
            "build_batches started threads",
            "only built operations",
            "threads",
            hint="whoever uses the batches starts the queue runners",
        )
    return batch


@functools.cache  # each call is made once for all checks
def batches(answer, files, batch_size, epochs, seed=0):
    """All batches of files of (number, tag) in one schedule, as lists of Python values."""
    enough = sum(map(len, files)) * epochs

    def program():
        with tempfile.TemporaryDirectory() as folder, tf.Graph().as_default():
            tf.set_random_seed(seed)
            batch = built(answer, write(folder, files), batch_size, epochs)
            with tf.Session() as sess:
                return take(sess, batch, enough)

    run = run_with_seed(program, seed, max_turns=TURNS)
    if run.error is not None:
        raise run.error
    if run.broken:
        hint = "has every queue a runner in the collection, and is it closed?"
        what = f"schedule {seed}: the next batch does not come"
        raise Wrong(what, "a batch, or the end", f"\n{run.broken}", hint)
    return run.value


def take(sess, batch, enough):
    """Run a batch until the end."""
    taken = []
    sess.run(tf.local_variables_initializer())
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess, coord)
    try:
        while sum(len(one["id"]) for one in taken) <= enough:
            taken.append({key: value.tolist() for key, value in sess.run(batch).items()})
        raise Wrong("it does not end", f"{enough} records", "more", hint="who counts the epochs?")
    except tf.errors.OutOfRangeError:
        pass
    finally:
        coord.request_stop()
    coord.join(threads)
    return taken


def ids(taken):
    """The numbers of the records, in their order."""
    return [number for one in taken for number in one["id"]]


def must_have_values(taken, files):
    """Every record has its scores and its tag."""
    wanted = {number: (tag, [number, number / 2, number / 4]) for f in files for number, tag in f}
    for one in taken:
        for number, scores, tag in zip(one["id"], one["scores"], one["tag"], strict=True):
            if number not in wanted:
                raise Wrong("batch['id'] is wrong", sorted(wanted), number)
            if scores != wanted[number][1]:
                raise Wrong(
                    f"batch['scores'] of record {number} is wrong", wanted[number][1], scores
                )
            right = b"none" if wanted[number][0] is None else wanted[number][0]
            if tag != right:
                hint = "a FixedLenFeature has a default, for records without it"
                hint = "a tag that is empty is a tag, too" if right == b"" else hint
                raise Wrong(f"batch['tag'] of record {number} is wrong", right, tag, hint)


@point("a batch is a dictionary with the right values", 2)
def values_of_a_batch(answer):
    files = (((1, b"tag 1"), (2, b"tag 2")), ((4, b"tag 4"), (5, b"tag 5")))
    taken = batches(answer, files, 4, 1)
    if not taken:
        raise Wrong("there was no batch at all", "4 records", "none")
    must_have_values(taken, files)


@point("a record without a tag has the tag none", 1)
def missing_tags(answer):
    must_have_values(batches(answer, records(7), 7, 1), records(7))


@point("every record comes once in each epoch", 2)
def every_epoch(answer):
    for epochs in (1, 3):
        taken = sorted(ids(batches(answer, records(5, 3, 4), 4, epochs)))
        wanted = sorted(list(range(1, 13)) * epochs)
        if taken != wanted:
            raise Wrong(
                f"12 records, {epochs} epochs, batches of 4: not every record came {epochs} times",
                wanted,
                taken,
                hint="what does the producer of names count, and what `batch`?",
            )


def must_be_in_order(answer, sizes, batch_size, epochs, seed):
    """The records come file by file, epoch by epoch."""
    taken = ids(batches(answer, records(*sizes), batch_size, epochs, seed))
    wanted = list(range(1, sum(sizes) + 1)) * epochs
    if sorted(taken) == sorted(wanted) and taken != wanted:
        raise Wrong(
            f"schedule {seed}: the order is another one",
            wanted,
            taken,
            hint="what does string_input_producer do unless it is told not to? How many threads "
            "read?",
        )
    if taken != wanted:
        raise Wrong(f"schedule {seed}: the records are not those of {epochs} epochs", wanted, taken)


@point("in the order of the files, and of the records in them", 2)
def in_order(answer):
    for seed in range(SEEDS):
        must_be_in_order(answer, [3] * 5, 4, 2, seed)


@point("the last batch holds the rest", 2)
def the_rest(answer):
    for sizes, size, epochs, wanted in (((5, 6), 4, 1, [4, 4, 3]), ((5,), 4, 2, [4, 4, 2])):
        got = [len(one["id"]) for one in batches(answer, records(*sizes), size, epochs)]
        if got != wanted:
            raise Wrong(
                f"{sum(sizes)} records, {epochs} epochs, batches of {size}: the sizes are wrong",
                wanted,
                got,
                hint="`batch` makes full batches unless it is told otherwise",
            )
