"""tf.data: the form of elements, iterators over several steps, ends and errors."""

import collections

import numpy as np

from tests.behaviour.asking import question, says

Pair = collections.namedtuple("Pair", ["first", "second"])


def steps(tf, sess, element, most=30):
    """What one step after the other gives, up to the end: values, or classes of errors."""
    found = []
    for _ in range(most):
        try:
            found.append(sess.run(element))
        except tf.errors.OutOfRangeError:
            return [*found, "end"]
        except tf.errors.OpError as error:
            found.append(type(error).__name__)
    return found


def elements(tf, dataset, most=30):
    """The elements of a dataset."""
    iterator = dataset.make_initializable_iterator()
    element = iterator.get_next()
    with tf.Session() as sess:
        sess.run(iterator.initializer)
        return steps(tf, sess, element, most)


# The form of elements ---------------------------------------------------------------------------


@question
def forms(tf):
    def facts(dataset):
        return [
            dataset.output_types,
            dataset.output_shapes,
            type(dataset.output_types).__name__,
            repr(dataset.element_spec),
        ]

    make, slices = tf.data.Dataset.from_tensors, tf.data.Dataset.from_tensor_slices
    unknown = tf.placeholder(tf.float32)
    return {
        "a number": facts(make(1)),
        "a list": facts(make([1.0, 2.0])),
        "a list of lists": facts(make([[1, 2], [3, 4]])),
        "an array": facts(make(np.zeros([2, 3], np.float32))),
        "a text": facts(make("text")),
        "a tuple": facts(make((1, "a"))),
        "a tuple of one": facts(make((1,))),
        "nested tuples": facts(make((1, (2.0, ("c", True))))),
        "a dictionary": facts(make({"b": 1, "a": 2.0})),
        "a named tuple": facts(make(Pair(1, {"x": 2.0}))),
        "a list in a tuple": facts(make(([1, 2], 3))),
        "slices": facts(slices([[1, 2], [3, 4]])),
        "slices of a dictionary": facts(slices({"x": [1.0], "y": ["a"]})),
        "of unknown rank": facts(make(unknown)),
        "slices of unknown rank": facts(slices(unknown)),
        "a range": facts(tf.data.Dataset.range(3)),
        "batched": facts(slices([[1, 2]]).batch(3)),
        "whole batches": facts(slices([[1, 2]]).batch(3, drop_remainder=True)),
        "batched of unknown rank": facts(make(unknown).batch(2)),
        "zipped": facts(tf.data.Dataset.zip((make(1), {"k": make("a")}))),
        "mapped": facts(make(1).map(lambda x: {"x": x, "y": (x, [x, x])})),
        "mapped to a list": facts(make(1).map(lambda x: [x, 2.0])),
        "mapped to a named tuple": facts(make(1).map(lambda x: Pair(x, x))),
        "mapped to a constant": facts(make(1).map(lambda x: 2.5)),
    }


@question
def forms_that_come_out(tf):
    make = tf.data.Dataset.from_tensors
    pair = elements(tf, make(Pair(1, {"x": 2.0})), 1)
    iterator = make({"b": (1, [2, 3]), "a": "t"}).make_one_shot_iterator()
    ordered = make(collections.OrderedDict([("z", 1), ("a", 2)]))
    return {
        "a named tuple": pair,
        "its type": type(pair[0]).__name__,
        "tensors": iterator.get_next(),
        "their names": [t.name for t in iterator.get_next(name="mine")["b"]],
        "an ordered dictionary": elements(tf, ordered, 1),
        "its keys": list(ordered.make_one_shot_iterator().get_next()),
        "a list becomes a tensor": elements(tf, make(([1, 2], [[3]])), 1),
        "strings": elements(tf, make((["a", "bc"], "d")), 1),
    }


@question
def arguments_of_functions(tf):
    pairs = tf.data.Dataset.from_tensor_slices(([1, 2], ["a", "b"]))
    nested = tf.data.Dataset.from_tensors((1, {"x": 2.0}))
    named = tf.data.Dataset.from_tensors(Pair(1, 2.0))
    seen = []

    def note(*arguments):
        seen.append([type(argument).__name__ for argument in arguments])
        return arguments

    for dataset in (pairs, nested, named, tf.data.Dataset.from_tensors({"x": 1})):
        dataset.map(note)
    return {
        "what the functions got": [[n.replace("Symbolic", "") for n in one] for one in seen],
        "two arguments": elements(tf, pairs.map(lambda a, b: b)),
        "any number": elements(tf, pairs.map(lambda *row: row)),
        "a dictionary is one": elements(tf, nested.map(lambda a, b: (b["x"], a))),
        "a named tuple is one": elements(tf, named.map(lambda pair: pair.second)),
        "too few": says("missing 1 required positional argument", pairs.filter, lambda a, b, c: a),
        "a method": elements(tf, pairs.map(_Doubler().double)),
        "an object": elements(tf, pairs.map(_Doubler())),
    }


class _Doubler:
    def double(self, a, b):
        return a * 2

    def __call__(self, a, b):
        return a + a


# Sources and transformations --------------------------------------------------------------------


@question
def ranges(tf):
    make = tf.data.Dataset.range
    return {
        "three": elements(tf, make(3)),
        "backwards": elements(tf, make(3, 0, -1)),
        "empty": elements(tf, make(3, 0)),
        "of tensors": elements(tf, make(tf.constant(2, tf.int64))),
        "no limits": says("The length of `args` should be between 1 and 3", make),
        "too many": says("The length of `args` should be between 1 and 3", make, 1, 2, 3, 4),
        "a fraction": says("Expected int64, but got 3.5 of type 'float'", make, 3.5),
        "another type": says(
            "Tensor conversion requested dtype int64 for Tensor with dtype int32",
            make,
            tf.constant(2),
        ),
    }


@question
def slices(tf):
    make = tf.data.Dataset.from_tensor_slices
    return {
        "rows": elements(tf, make(np.arange(6).reshape(3, 2))),
        "no rows": elements(tf, make(np.zeros([0, 2]))),
        "texts": elements(tf, make(["a", "bc"])),
        "rows of texts": elements(tf, make([["a", "b"], ["c", "d"]])),
        "truths": elements(tf, make([True, False])),
        "side by side": elements(tf, make(([1, 2], {"x": [3.0, 4.0]}))),
        "a scalar": says("Unbatching a tensor is only supported for rank >= 1", make, 3),
        "of several lengths": says(
            "Dimensions 2 and 3 are not compatible", make, ([1, 2], [1, 2, 3])
        ),
        "nothing": says("`element` should not be empty", make, ()),
    }


@question
def counts(tf):
    five, none = tf.data.Dataset.range(5), tf.data.Dataset.range(0)
    fed = tf.constant(2, tf.int64)
    return {
        "take some": elements(tf, five.take(2)),
        "take too many": elements(tf, five.take(9)),
        "take all": elements(tf, five.take(-1)),
        "take none": elements(tf, five.take(0)),
        "take a tensor": elements(tf, five.take(fed)),
        "skip some": elements(tf, five.skip(3)),
        "skip too many": elements(tf, five.skip(9)),
        "skip all": elements(tf, five.skip(-1)),
        "repeat twice": elements(tf, five.take(2).repeat(2)),
        "repeat never": elements(tf, five.repeat(0)),
        "repeat for ever": elements(tf, five.take(2).repeat(), 5),
        "repeat nothing": elements(tf, none.repeat()),
        "repeat nothing twice": elements(tf, none.repeat(2)),
        "skip in each epoch": elements(tf, five.skip(3).repeat(2)),
        "take of epochs": elements(tf, five.take(2).repeat().take(3)),
    }


@question
def shards(tf):
    nine = tf.data.Dataset.range(9)
    return {
        "first": elements(tf, nine.shard(4, 0)),
        "last": elements(tf, nine.shard(4, 3)),
        "one": elements(tf, nine.shard(1, 0)),
        "more than elements": elements(tf, tf.data.Dataset.range(2).shard(4, 3)),
        "not there": says(
            "Index must be between 0 and 3 (currently index = 4).", elements, tf, nine.shard(4, 4)
        ),
        "negative": says(
            "Index must be between 0 and 3 (currently index = -1).", elements, tf, nine.shard(4, -1)
        ),
        "none": says(
            "Number of shards must be greater than zero (currently num_shards = 0).",
            elements,
            tf,
            nine.shard(0, 0),
        ),
    }


@question
def together(tf):
    numbers, words = tf.data.Dataset.range(3), tf.data.Dataset.from_tensor_slices(["a", "b"])
    zipped, expected = tf.data.Dataset.zip, "Invalid input to `zip`."
    return {
        "zipped": elements(tf, zipped((numbers, words))),
        "zipped by name": elements(tf, zipped({"w": words, "n": (numbers,)})),
        "zipped arguments": elements(tf, zipped(numbers, words)),
        "with itself": elements(tf, zipped((numbers, numbers))),
        "for ever": elements(tf, zipped((numbers.repeat(), words.repeat())), 4),
        "a list": says("Python `list` is not supported", zipped, [numbers]),
        "a number": says(expected, zipped, (numbers, 3)),
        "nothing": says("Must pass at least one dataset to `zip`.", zipped),
        "concatenated": elements(tf, numbers.concatenate(tf.data.Dataset.range(7, 9))),
        "concatenated twice": elements(tf, words.concatenate(words).concatenate(words)),
        "its shape": numbers.batch(2).concatenate(numbers.batch(3, True)).output_shapes,
        "other types": says("Incompatible dataset elements", numbers.concatenate, words),
        "other forms": says(
            "Incompatible dataset elements", numbers.concatenate, zipped((numbers, numbers))
        ),
    }


@question
def batches(tf):
    seven = tf.data.Dataset.range(7)
    texts = tf.data.Dataset.from_tensor_slices(["a", "b", "c"])
    ragged = seven.map(tf.range)
    return {
        "of three": elements(tf, seven.batch(3)),
        "whole ones": elements(tf, seven.batch(3, drop_remainder=True)),
        "of one": elements(tf, seven.take(2).batch(1)),
        "one of all": elements(tf, seven.batch(100)),
        "none whole": elements(tf, seven.batch(100, drop_remainder=True)),
        "of nothing": elements(tf, seven.take(0).batch(2)),
        "of texts": elements(tf, texts.batch(2)),
        "of rows": elements(tf, tf.data.Dataset.from_tensor_slices(np.eye(3)).batch(2)),
        "of batches": elements(tf, seven.batch(2).batch(2)),
        "of pairs": elements(tf, tf.data.Dataset.zip((seven, seven)).batch(4)),
        "over epochs": elements(tf, seven.take(3).repeat(2).batch(4)),
        "and each epoch": elements(tf, seven.take(3).batch(2).repeat(2)),
        "of several shapes": elements(tf, ragged.batch(2)),
        "what it says": says(
            "Cannot add tensor to the batch: number of elements does not match",
            first,
            tf,
            ragged.batch(2),
        ),
        "size 0": says("Batch size must be greater than zero.", elements, tf, seven.batch(0)),
        "size -1": says("Batch size must be greater than zero.", elements, tf, seven.batch(-1)),
    }


def first(tf, dataset):
    """The first element."""
    iterator = dataset.make_initializable_iterator()
    element = iterator.get_next()
    with tf.Session() as sess:
        sess.run(iterator.initializer)
        return sess.run(element)


@question
def shuffling(tf):
    ten = tf.data.Dataset.range(10)
    twice = ten.shuffle(10, seed=1).repeat(2).batch(10)
    fixed = ten.shuffle(10, seed=1, reshuffle_each_iteration=False).repeat(2).batch(10)
    loose = ten.shuffle(10).batch(10)
    return {
        "a seed": elements(tf, ten.shuffle(10, seed=1).batch(10)),
        "another": elements(tf, ten.shuffle(10, seed=2).batch(10)),
        "seed 0": elements(tf, ten.shuffle(10, seed=0).batch(10)),
        "a small buffer": elements(tf, ten.shuffle(3, seed=1).batch(10)),
        "a buffer of one": elements(tf, ten.shuffle(1, seed=1).batch(10)),
        "a large buffer": elements(tf, ten.shuffle(1000, seed=1).batch(10)),
        "each epoch": elements(tf, twice),
        "each epoch the same": elements(tf, fixed),
        "after repeat": elements(tf, ten.repeat(2).shuffle(20, seed=1).batch(20)),
        "of nothing": elements(tf, ten.take(0).shuffle(3)),
        "twice shuffled": elements(tf, ten.shuffle(4, seed=1).shuffle(4, seed=2).batch(10)),
        "without a seed all are there": sorted(elements(tf, loose)[0].tolist()),
        "no room": says("buffer_size must be greater than zero", elements, tf, ten.shuffle(0)),
    }


@question
def shuffling_with_the_seed_of_the_graph(tf):
    tf.set_random_seed(5)
    ten = tf.data.Dataset.range(10)
    return {
        "first": elements(tf, ten.shuffle(10).batch(10)),
        "second": elements(tf, ten.shuffle(10).batch(10)),
        "with a seed of its own": elements(tf, ten.shuffle(10, seed=3).batch(10)),
        "random numbers": elements(tf, ten.take(2).map(lambda x: tf.random_uniform([2]))),
        "other ones": elements(tf, ten.take(2).map(lambda x: tf.random_uniform([2], seed=9))),
        "going on in the next epoch": elements(
            tf, ten.take(2).map(lambda x: tf.random_normal([])).repeat(2)
        ),
    }


# Functions --------------------------------------------------------------------------------------


@question
def mapping(tf):
    numbers = tf.data.Dataset.range(4)
    outside = tf.constant(10, tf.int64)
    return {
        "a sum": elements(tf, numbers.map(lambda x: x + 1)),
        "a capture": elements(tf, numbers.map(lambda x: x + outside)),
        "only a capture": elements(tf, numbers.take(2).map(lambda x: outside)),
        "twice": elements(tf, numbers.map(lambda x: x + 1).map(lambda x: x * x)),
        "a constant": elements(tf, numbers.take(2).map(lambda x: "k")),
        "several results": elements(tf, numbers.take(2).map(lambda x: (x, -x))),
        "texts": elements(tf, numbers.map(tf.as_string)),
        "a condition": elements(tf, numbers.map(lambda x: tf.cond(x > 1, lambda: x, lambda: -x))),
        "a loop": elements(
            tf, numbers.map(lambda x: tf.while_loop(lambda i: i < 5, lambda i: i + 2, [x]))
        ),
        "nothing": says("passed list of length 0 less than minimum 1", numbers.map, lambda x: None),
        "an object": says(
            "Unsupported return value from function passed to Dataset.map()",
            numbers.map,
            lambda x: object(),
        ),
        "no function": says("Argument `func` must be a callable", numbers.map, 3),
        "a variable in it": says(
            "only supports singleton tf.Variables created on the first call",
            numbers.map,
            lambda x: tf.Variable(1),
        ),
    }


@question
def filtering(tf):
    numbers = tf.data.Dataset.range(6)
    limit = tf.constant(3, tf.int64)
    expected = "`predicate` must return a `tf.bool` scalar tensor"
    return {
        "some": elements(tf, numbers.filter(lambda x: x > limit)),
        "none": elements(tf, numbers.filter(lambda x: x > 100)),
        "always": elements(tf, numbers.take(2).filter(lambda x: True)),
        "then mapped": elements(tf, numbers.filter(lambda x: x > 3).map(lambda x: x * 2)),
        "a number": says(expected, numbers.filter, lambda x: x),
        "a vector": says(expected, numbers.filter, lambda x: tf.stack([x > 1])),
    }


@question
def flattening(tf):
    numbers = tf.data.Dataset.range(4)
    make = tf.data.Dataset
    return {
        "ranges": elements(tf, numbers.flat_map(make.range)),
        "of tensors": elements(tf, numbers.take(2).flat_map(lambda x: make.from_tensors([x, x]))),
        "slices": elements(
            tf, make.from_tensors([[1, 2], [3, 4]]).flat_map(make.from_tensor_slices)
        ),
        "with what is outside": elements(
            tf, numbers.flat_map(lambda x: make.range(2).map(lambda y: (x, y)))
        ),
        "empty ones": elements(tf, numbers.flat_map(lambda x: make.range(0))),
        "in turns of one": elements(tf, numbers.interleave(make.range, 2)),
        "in turns of two": elements(tf, numbers.interleave(make.range, 2, 2)),
        "all at once": elements(tf, numbers.interleave(make.range, 10)),
        "one after the other": elements(tf, numbers.interleave(make.range, 1, 7)),
        "no cycle": says(
            "cycle_length must be greater than zero.",
            elements,
            tf,
            numbers.interleave(make.range, 0),
        ),
        "no block": says(
            "block_length must be greater than zero.",
            elements,
            tf,
            numbers.interleave(make.range, 2, 0),
        ),
    }


@question
def applying(tf):
    numbers = tf.data.Dataset.range(3)
    return {
        "a function": elements(tf, numbers.apply(lambda d: d.repeat(2))),
        "no dataset": says(
            "`transformation_func` must return a `tf.data.Dataset` object.",
            numbers.apply,
            lambda d: 3,
        ),
        "truth": bool(numbers),
        "length": says("only supports `len` in eager mode", len, numbers),
        "iteration": says("only supports Python-style iteration in eager mode", iter, numbers),
    }


def elements_or_error(tf, dataset):
    """The elements, unless one fails."""
    iterator = dataset.make_initializable_iterator()
    element = iterator.get_next()
    with tf.Session() as sess:
        sess.run(iterator.initializer)
        return [sess.run(element) for _ in range(30)]


# Iterators --------------------------------------------------------------------------------------


@question
def python_functions(tf):
    numbers = tf.data.Dataset.range(4)

    def failing(x):
        if x == 2:
            raise ValueError("no two")
        return x

    def ending(x):
        if x == 2:
            raise StopIteration
        return x

    mapped = numbers.map(lambda x: tf.py_func(lambda y: y * 2.5, [x], tf.float64))
    return {
        "values": elements(tf, mapped),
        "unknown shape": mapped.output_shapes,
        "batched": elements(tf, mapped.batch(3)),
        "one fails": elements(tf, numbers.map(lambda x: tf.py_func(failing, [x], tf.int64))),
        "what it says": says(
            "ValueError: no two",
            elements_or_error,
            tf,
            numbers.map(lambda x: tf.py_func(failing, [x], tf.int64)),
        ),
        "one ends": elements(tf, numbers.map(lambda x: tf.py_func(ending, [x], tf.int64))),
        "another type": says(
            "but expects int64",
            first,
            tf,
            numbers.map(lambda x: tf.py_func(lambda y: 2.5, [x], tf.int64)),
        ),
    }
