"""Checks of ch08.ex3: predictions, compared with what the pipelines of `build` really give."""

import functools
import operator
from unittest.mock import patch

import numpy as np

import tinytf as tf
from tinytf.grading import Wrong, point


def build(rows, epochs, size, buffer, seed):
    numbers = tf.data.Dataset.range(rows)
    return {
        "repeat batch": numbers.repeat(epochs).batch(size),
        "batch repeat": numbers.batch(size).repeat(epochs),
        "drop repeat": numbers.batch(size, drop_remainder=True).repeat(epochs),
        "shuffle": numbers.shuffle(buffer, seed),
        "take shuffle": numbers.take(size).shuffle(buffer, seed),
        "shuffle take": numbers.shuffle(buffer, seed).take(size),
        "repeat shuffle": numbers.repeat(epochs).shuffle(buffer, seed),
        "shuffle repeat": numbers.shuffle(buffer, seed).repeat(epochs),
    }


#: rows, epochs, size, buffer: what the visible checks ask.
CASES = ((7, 2, 3, 4), (6, 3, 4, 2))
#: What can come is what comes with one of these seeds.
SEEDS = 40
#: More than there are elements: to get them all in one step.
ALL = 1_000


@functools.cache
def opened(case):
    """A session with the pipelines for a case, and the seed that they are fed."""
    with tf.Graph().as_default():
        seed = tf.placeholder(tf.int64, [])
        return tf.Session(), build(*case, seed), seed


@functools.cache  # all checks ask for the same few
def really(name, case):
    """All elements of a pipeline: a list of them for each seed; one if there is no shuffling."""
    sess, pipelines, seed = opened(case)
    is_shuffled = "shuffle" in name
    with sess.graph.as_default():
        pipeline = pipelines[name].batch(ALL) if is_shuffled else pipelines[name]
        iterator = pipeline.make_initializable_iterator()
        element = iterator.get_next()
    runs = []
    for number in range(SEEDS if is_shuffled else 1):
        sess.run(iterator.initializer, {seed: number})
        runs.append(sess.run(element).tolist() if is_shuffled else taken(sess, element))
    return runs


def taken(sess, element):
    """All elements that come."""
    found = []
    try:
        while True:
            found.append(sess.run(element).tolist())
    except tf.errors.OutOfRangeError:
        return found


def predicted(answer, name, case):
    """What an answer predicts of a pipeline; it must not run anything for that."""

    def refuse(*_args, **_options):
        raise Wrong(
            "predict runs a session: a prediction is made before",
            "numbers of your own",
            "what the program gives",
            hint="think, count, and look afterwards",
        )

    with patch.object(tf.Session, "__init__", refuse):
        given = answer(*case)
    if not isinstance(given, dict):
        raise Wrong("predict must return a dictionary", "{question: answer}", type(given).__name__)
    if name not in given:
        raise Wrong("predict says nothing of this pipeline", repr(name), sorted(map(str, given)))
    return given[name]


def whole(value):
    """A whole number, of whatever type: 3, numpy's, 3.0."""
    if isinstance(value, float | np.floating) and float(value).is_integer():
        return int(float(value))
    return operator.index(value)


def numbers_of(value, where):
    """A prediction as a list of numbers."""
    try:
        return [whole(number) for number in value]
    except TypeError:
        raise Wrong(
            f"{where}: a list of whole numbers is asked for", "[...]", repr(value)[:60]
        ) from None


def place_of(value, where):
    """A prediction as a place, or None."""
    try:
        return None if value is None else whole(value)
    except TypeError:
        raise Wrong(
            f"{where}: a place is asked for", "a whole number, or None", repr(value)[:60]
        ) from None


def at(name, case):
    """Where a prediction is about, for messages."""
    rows, epochs, size, buffer = case
    return f"{name!r} with rows={rows}, epochs={epochs}, size={size}, buffer={buffer}"


def sizes(answer, name, case):
    """The sizes of the batches, in their order."""
    (batches,) = really(name, case)
    wanted = [len(batch) for batch in batches]
    got = numbers_of(predicted(answer, name, case), at(name, case))
    if got == wanted:
        return
    rows, epochs, size, _ = case
    across = [size] * (rows * epochs // size) + [rows * epochs % size or size]
    apart = [len(batch) for batch in really("batch repeat", case)[0]]
    hint = "how many elements does `batch` get, and in how many pieces?"
    if name == "repeat batch" and got == apart:
        hint = "`batch` gets all epochs in a row, and does not know where one ends"
    if name == "batch repeat" and got[: len(apart)] == across[: len(apart)]:
        hint = "`repeat` repeats the batches as they are, the small one of each epoch, too"
    raise Wrong(
        f"{at(name, case)}: the sizes of the batches", wanted, got, f"it gives {batches}; {hint}"
    )


def never(answer, name, case):
    """The numbers that never come."""
    (batches,) = really(name, case)
    come = {number for batch in batches for number in batch}
    wanted = sorted(set(range(case[0])) - come)
    got = sorted(numbers_of(predicted(answer, name, case), at(name, case)))
    if got != wanted:
        hint = "`drop_remainder` drops the rest of each epoch; `repeat` comes after, and gets none"
        raise Wrong(
            f"{at(name, case)}: the numbers that never come",
            wanted,
            got,
            f"it gives {batches}; {hint}",
        )


def can_come(answer, name, case, count, what, hint):
    """The numbers that can be among the first `count`; all of them for None."""
    runs = really(name, case)
    come = {number: (seed, run) for seed, run in enumerate(runs) for number in run[:count]}
    got = set(numbers_of(predicted(answer, name, case), at(name, case)))
    where = f"{at(name, case)}: {what}"
    for number in sorted(set(come) - got):
        seed, run = come[number]
        raise Wrong(
            where, sorted(come), sorted(got), f"{number} can, too: with seed {seed} it gives {run}"
        )
    for number in sorted(got - set(come)):
        raise Wrong(
            where,
            sorted(come),
            sorted(got),
            f"{number} cannot, and with {SEEDS} seeds it never did: {hint}",
        )


def earliest(answer, name, case):
    """The earliest place at which a number comes that has come before; None if none does."""
    found = []
    for seed, run in enumerate(really(name, case)):
        repeated = [place for place, number in enumerate(run) if number in run[:place]]
        if repeated:
            found.append((repeated[0], seed, run))
    wanted, seed, run = min(found, default=(None, 0, really(name, case)[0]))
    got = place_of(predicted(answer, name, case), at(name, case))
    if got == wanted:
        return
    if wanted is None:
        hint = f"no number comes twice, for example {run}"
    elif got is None or got > wanted:
        hint = f"with seed {seed} it gives {run}: {run[wanted]} again at place {wanted}"
    else:
        hint = f"with {SEEDS} seeds it was never so early; the earliest was {run}"
        if name == "shuffle repeat":
            hint += "; `repeat` starts `shuffle` again only when its buffer is empty"
    raise Wrong(
        f"{at(name, case)}: the earliest place of a number that has come before", wanted, got, hint
    )


def ask(answer, name, cases=CASES):
    """Compare what an answer predicts of a pipeline with what it gives."""
    for case in cases:
        if name in ("repeat batch", "batch repeat"):
            sizes(answer, name, case)
        elif name == "drop repeat":
            never(answer, name, case)
        elif name == "shuffle":
            can_come(
                answer,
                name,
                case,
                1,
                "the numbers that can come first",
                "only what is in the buffer can be given out",
            )
        elif name == "take shuffle":
            can_come(
                answer,
                name,
                case,
                None,
                "the numbers that can come at all",
                "`take` comes first, and the order is not mixed yet",
            )
        elif name == "shuffle take":
            can_come(
                answer,
                name,
                case,
                None,
                "the numbers that can come at all",
                "the buffer takes in one number for each that it gives out",
            )
        else:
            earliest(answer, name, case)


@point("repeat, batch: the sizes of the batches")
def repeat_batch(answer):
    ask(answer, "repeat batch")


@point("batch, repeat: the sizes of the batches")
def batch_repeat(answer):
    ask(answer, "batch repeat")


@point("batches without the rest, repeat: which numbers never come")
def drop_repeat(answer):
    ask(answer, "drop repeat")


@point("shuffle: which numbers can come first")
def shuffle(answer):
    ask(answer, "shuffle")


@point("take, shuffle: which numbers can come at all")
def take_shuffle(answer):
    ask(answer, "take shuffle")


@point("shuffle, take: which numbers can come at all")
def shuffle_take(answer):
    ask(answer, "shuffle take")


@point("repeat, shuffle: how early a number can come again")
def repeat_shuffle(answer):
    ask(answer, "repeat shuffle")


@point("shuffle, repeat: how early a number can come again")
def shuffle_repeat(answer):
    ask(answer, "shuffle repeat")
