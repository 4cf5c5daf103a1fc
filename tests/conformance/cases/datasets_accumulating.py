"""tf.data: datasets with a memory, and what takes all elements of a dataset at once."""

import numpy as np

from tests.conformance.registry import Program, case


def one_shot(tf, dataset, runs=1):
    """Elements of a dataset, one in each run."""
    return Program(tf.data.make_one_shot_iterator(dataset).get_next(), runs=runs)


def initialised(tf, dataset):
    """The first element, with an initializable iterator."""
    iterator = tf.data.make_initializable_iterator(dataset)
    return Program(iterator.get_next(), setup=[iterator.initializer])


@case("TakeWhileDataset", error="End of sequence", each=[0, 3, 100])
def take_while(tf, limit):
    return one_shot(tf, tf.data.Dataset.range(5).take_while(lambda x: x < limit), runs=6)


@case("TakeWhileDataset")
def take_while_with_a_capture(tf):
    limit = tf.constant(2, tf.int64)
    pairs = tf.data.Dataset.range(5).map(lambda x: (x, x * x))
    return one_shot(tf, pairs.take_while(lambda x, square: square < limit), runs=2)


@case("TakeWhileDataset", error="`predicate` must return a `tf.bool` scalar tensor")
def take_while_of_numbers(tf):
    return one_shot(tf, tf.data.Dataset.range(5).take_while(lambda x: x))


@case("ScanDataset")
def running_sums(tf):
    def total(state, x):
        return state + x, (x, state)

    return one_shot(tf, tf.data.Dataset.range(5).scan(tf.constant(0, tf.int64), total), runs=5)


@case("ScanDataset")
def scan_with_a_structure(tf):
    def step(state, x):
        new = {"n": state["n"] + 1, "last": x}
        return new, state["last"] - x

    initial = {"n": 0, "last": tf.constant(7, tf.int64)}
    return one_shot(tf, tf.data.Dataset.range(5).scan(initial, step), runs=3)


@case("ScanDataset", error="The element types for the new state must match the initial state")
def scan_of_another_type(tf):
    return one_shot(tf, tf.data.Dataset.range(5).scan(0.0, lambda state, x: (x, x)))


@case("ReduceDataset")
def summed(tf):
    numbers = tf.data.Dataset.range(5)
    return Program(numbers.reduce(tf.constant(0, tf.int64), lambda total, x: total + x), runs=2)


@case("ReduceDataset")
def summed_in_a_structure(tf):
    factor = tf.constant(3, tf.int64)

    def step(state, pair):
        count, sums = state
        return count + 1, {"sum": sums["sum"] + pair[0] * factor, "text": sums["text"] + pair[1]}

    numbers = tf.data.Dataset.zip(
        (tf.data.Dataset.range(3), tf.data.Dataset.from_tensor_slices(["a", "b", "c"]))
    )
    pairs = numbers.map(lambda x, text: (x, text))
    initial = (0, {"sum": tf.constant(0, tf.int64), "text": ""})
    return pairs.reduce(initial, step)


@case("ReduceDataset")
def reduced_nothing(tf):
    return tf.data.Dataset.range(0).reduce(5.0, lambda state, x: state * 2)


@case("ReduceDataset")
def reduced_to_growing_vectors(tf):
    numbers = tf.data.Dataset.range(4)
    nothing = tf.zeros([0], tf.int64)
    return numbers.reduce(nothing, lambda found, x: tf.concat([found, [x]], 0))


@case("ReduceDataset", error="The element types for the new state must match the initial state")
def reduced_to_another_type(tf):
    return tf.data.Dataset.range(4).reduce(0, lambda state, x: x)


@case("ReduceDataset", error="Integer division by zero")
def reduced_with_an_error(tf):
    return tf.data.Dataset.range(4).reduce(tf.constant(1, tf.int64), lambda state, x: state // x)


@case("UnbatchDataset")
def unbatched(tf):
    rows = tf.data.Dataset.from_tensor_slices(np.arange(12.0).reshape(3, 2, 2))
    return one_shot(tf, rows.unbatch(), runs=6)


@case("UnbatchDataset")
def unbatched_pairs(tf):
    pairs = tf.data.Dataset.from_tensors(([1, 2], ["a", "b"])).repeat(2)
    return one_shot(tf, pairs.unbatch(), runs=4)


@case("UnbatchDataset", error="must have the same batch size in each component")
def unbatched_of_several_lengths(tf):
    rows = tf.placeholder_with_default([1, 2, 3], [None])
    return initialised(tf, tf.data.Dataset.from_tensors((rows, [1, 2])).unbatch())


@case("UnbatchDataset", error="must have a non-scalar value in each component")
def unbatched_scalars(tf):
    scalar = tf.placeholder_with_default(1, None)
    return initialised(tf, tf.data.Dataset.from_tensors(scalar).unbatch())


@case(
    "WindowDataset", each=[(3, None, 1, False), (2, 1, 1, True), (2, 1, 2, False), (1, 3, 1, True)]
)
def windows(tf, size, shift, stride, drop_remainder):
    numbers = tf.data.Dataset.range(7).window(size, shift, stride, drop_remainder)
    return one_shot(tf, numbers.flat_map(lambda window: window.batch(10)), runs=3)


# Parts of a window are datasets of TensorFlow 2's kind, whose map says that it keeps their number.
@case("WindowDataset", graph="types")
def windows_of_pairs(tf):
    pairs = tf.data.Dataset.zip((tf.data.Dataset.range(5), tf.data.Dataset.range(5, 10)))
    parts = pairs.window(2).flat_map(lambda a, b: tf.data.Dataset.zip((a, b.map(lambda x: -x))))
    return one_shot(tf, parts, runs=5)


@case("WindowDataset", error="Window size must be greater than zero.")
def windows_of_nothing(tf):
    numbers = tf.data.Dataset.range(7).window(0)
    return initialised(tf, numbers.flat_map(lambda window: window.batch(10)))


@case("RewriteDataset", each=[0, 5])
def enumerated(tf, start):
    words = tf.data.Dataset.from_tensor_slices(["a", "b"])
    return one_shot(tf, words.enumerate(start), runs=2)


@case("DatasetCardinality", "TakeDataset")
def cardinalities(tf):
    five, make = tf.data.Dataset.range(5), tf.data.Dataset
    datasets = [
        five,
        make.from_tensors(1),
        five.take(3),
        five.take(-1),
        five.skip(3),
        five.skip(9),
        five.repeat(3),
        five.repeat(),
        five.repeat().take(2),
        five.batch(2),
        five.batch(2, True),
        five.shuffle(3),
        five.shard(3, 0),
        five.shard(3, 2),
        five.map(lambda x: x),
        five.filter(lambda x: x > 2),
        make.zip((five, five.repeat())),
        five.concatenate(five),
        five.flat_map(make.range),
        five.interleave(make.range, 2),
        make.range(0).repeat(),
        five.take(0).repeat(),
        five.window(2),
        five.enumerate(),
        five.take_while(lambda x: x > 2),
        five.repeat().skip(2),
        five.repeat().batch(2),
        five.filter(lambda x: x > 2).repeat(0),
        five.filter(lambda x: x > 2).take(0),
        five.scan(tf.constant(0, tf.int64), lambda s, x: (s, x)),
    ]
    return [dataset.cardinality() for dataset in datasets]


@case("DatasetToSingleElement")
def single_element(tf):
    batch = tf.data.Dataset.range(5).batch(10).map(lambda x: {"all": x, "sum": tf.reduce_sum(x)})
    return batch.get_single_element()


@case("DatasetToSingleElement", error="Dataset was empty.")
def no_single_element(tf):
    return tf.data.Dataset.range(0).get_single_element()


@case("DatasetToSingleElement", error="Dataset had more than one element.")
def more_than_a_single_element(tf):
    return tf.data.Dataset.range(2).get_single_element()
