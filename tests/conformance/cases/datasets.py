"""tf.data: sources, transformations and iterators, with the graphs that they build."""

from typing import Any

import numpy as np

from tests.conformance.nodes import Shapes, node
from tests.conformance.registry import Program, case

_GETS = ("IteratorGetNext", "IteratorToStringHandle")
_ONE_SHOT, _INITIALIZABLE = ("OneShotIterator", *_GETS), ("IteratorV2", "MakeIterator", *_GETS)


def one_shot(dataset: Any, runs: int = 1) -> Program:
    """Elements of a dataset, one in each run."""
    return Program(dataset.make_one_shot_iterator().get_next(), runs=runs)


def initialised(dataset: Any, runs: int = 1) -> Program:
    """The same with an initializable iterator."""
    iterator = dataset.make_initializable_iterator()
    return Program(iterator.get_next(), setup=[iterator.initializer], runs=runs)


@case("RangeDataset", *_ONE_SHOT, each=[(3,), (2, 5), (1, 10, 4), (5, 0, -2)])
def ranges(tf, *limits):
    return one_shot(tf.data.Dataset.range(*limits), runs=2)


@case("RangeDataset", each=["int32", "float32"])
def ranges_of_other_types(tf, kind):
    return one_shot(tf.data.Dataset.range(1, 4, output_type=tf.as_dtype(kind)), runs=3)


@case("RangeDataset", *_INITIALIZABLE)
def range_up_to_a_tensor(tf):
    return initialised(tf.data.Dataset.range(tf.constant(2, tf.int64) * 3), runs=6)


@case("RangeDataset", error="End of sequence")
def the_end_of_a_range(tf):
    return one_shot(tf.data.Dataset.range(2), runs=3)


@case("RangeDataset", error="End of sequence")
def empty_range(tf):
    return one_shot(tf.data.Dataset.range(5, 5))


@case("RangeDataset", error="step must be a non-zero integer")
def range_in_steps_of_nothing(tf):
    return initialised(tf.data.Dataset.range(0, 3, 0))


@case("RangeDataset", error="The length of `args` should be between 1 and 3")
def range_of_nothing(tf):
    return one_shot(tf.data.Dataset.range())


@case("TensorDataset", *_ONE_SHOT)
def tensors(tf):
    return one_shot(tf.data.Dataset.from_tensors([[1, 2], [3, 4]]))


@case("TensorDataset")
def tensors_in_a_structure(tf):
    element = {"b": (1, "text"), "a": np.arange(3.0)}
    return one_shot(tf.data.Dataset.from_tensors(element))


@case("TensorDataset", error="End of sequence")
def one_element_only(tf):
    return one_shot(tf.data.Dataset.from_tensors(1), runs=2)


@case("TensorSliceDataset", *_ONE_SHOT)
def slices(tf):
    return one_shot(tf.data.Dataset.from_tensor_slices([1.5, 2.5, 3.5]), runs=3)


@case("TensorSliceDataset", each=["int8", "float64", "complex64", "bool", "string"])
def slices_by_type(tf, kind):
    values = ["a", "bc"] if kind == "string" else np.array([[0, 1], [1, 0]])
    return one_shot(tf.data.Dataset.from_tensor_slices(tf.constant(values, kind)), runs=2)


@case("TensorSliceDataset")
def slices_of_a_structure(tf):
    features = {"x": np.arange(6, dtype=np.float32).reshape(3, 2), "name": ["a", "b", "c"]}
    return one_shot(tf.data.Dataset.from_tensor_slices((features, [7, 8, 9])), runs=3)


@case("TensorSliceDataset", "MakeIterator")
def slices_of_a_placeholder(tf):
    rows = tf.placeholder_with_default(np.arange(4.0), [None])
    return initialised(tf.data.Dataset.from_tensor_slices((rows, rows * 2)), runs=4)


@case("TensorSliceDataset", error="All components must have the same size in the 0th dimension")
def slices_of_several_lengths(tf):
    rows = tf.placeholder_with_default([1, 2, 3], [None])
    return initialised(tf.data.Dataset.from_tensor_slices((rows, [1, 2])))


@case("TensorSliceDataset", error="All components must be at least 1-dimensional")
def slices_of_a_scalar(tf):
    scalar = tf.placeholder_with_default(1, None)
    return initialised(tf.data.Dataset.from_tensor_slices(scalar))


@case("TensorSliceDataset", error="Dimensions 2 and 3 are not compatible")
def slices_of_known_lengths(tf):
    return one_shot(tf.data.Dataset.from_tensor_slices(([1, 2], [1, 2, 3])))


@case("TensorSliceDataset", error="Unbatching a tensor is only supported for rank >= 1")
def slices_of_a_known_scalar(tf):
    return one_shot(tf.data.Dataset.from_tensor_slices(3))


# Without functions --------------------------------------------------------------------------------


@case("TakeDataset", *_ONE_SHOT, each=[0, 2, 7, -1], error="End of sequence")
def take(tf, count):
    return one_shot(tf.data.Dataset.range(4).take(count), runs=5)


@case("SkipDataset", *_ONE_SHOT, each=[0, 2])
def skip(tf, count):
    return one_shot(tf.data.Dataset.range(4).skip(count), runs=2)


@case("SkipDataset", each=[4, -1], error="End of sequence")
def skip_everything(tf, count):
    return one_shot(tf.data.Dataset.range(4).skip(count))


@case("RepeatDataset", *_ONE_SHOT, each=[2, None, -1])
def repeat(tf, count):
    return one_shot(tf.data.Dataset.range(2).repeat(count), runs=4)


@case("RepeatDataset", each=[0, 2], error="End of sequence")
def repeat_to_the_end(tf, count):
    return one_shot(tf.data.Dataset.range(2).repeat(count), runs=5)


@case("RepeatDataset", error="End of sequence")
def repeat_nothing_for_ever(tf):
    return one_shot(tf.data.Dataset.range(0).repeat())


@case("ShardDataset", *_ONE_SHOT, each=[(2, 0), (3, 1), (3, 2)])
def shard(tf, count, index):
    return one_shot(tf.data.Dataset.range(7).shard(count, index), runs=2)


@case("ShardDataset", error="Index must be between 0 and 2 (currently index = 3)")
def shard_that_is_not_there(tf):
    return initialised(tf.data.Dataset.range(7).shard(3, 3))


@case("ShardDataset", error="Number of shards must be greater than zero")
def no_shards(tf):
    return initialised(tf.data.Dataset.range(7).shard(0, 0))


@case("ZipDataset", *_ONE_SHOT)
def zipped(tf):
    numbers = tf.data.Dataset.range(5)
    words = tf.data.Dataset.from_tensor_slices(["a", "b"])
    return one_shot(tf.data.Dataset.zip({"n": numbers, "rest": (words, numbers)}), runs=2)


@case("ZipDataset", error="End of sequence")
def zipped_to_the_shortest(tf):
    pair = (tf.data.Dataset.range(5), tf.data.Dataset.range(2))
    return one_shot(tf.data.Dataset.zip(pair), runs=3)


@case("ZipDataset", error="Python `list` is not supported")
def zipped_list(tf):
    return one_shot(tf.data.Dataset.zip([tf.data.Dataset.range(5)]))


@case("ConcatenateDataset", *_ONE_SHOT)
def concatenated(tf):
    more = tf.data.Dataset.range(10, 12).concatenate(tf.data.Dataset.range(1))
    return one_shot(tf.data.Dataset.range(2).concatenate(more), runs=5)


@case("ConcatenateDataset")
def concatenated_shapes(tf):
    two = tf.data.Dataset.from_tensors(([1, 2], [[3]]))
    three = tf.data.Dataset.from_tensors(([1, 2, 3], [4]))
    return one_shot(two.concatenate(three), runs=2)


@case("ConcatenateDataset", error="Incompatible dataset elements")
def concatenated_types(tf):
    return one_shot(tf.data.Dataset.range(2).concatenate(tf.data.Dataset.from_tensors(1.0)))


@case("BatchDatasetV2", *_ONE_SHOT, each=[False, True])
def batch(tf, drop_remainder):
    return one_shot(tf.data.Dataset.range(7).batch(3, drop_remainder), runs=2)


@case("BatchDatasetV2", each=[(False, 3), (True, 3)], error="End of sequence")
def batches_to_the_end(tf, drop_remainder, size):
    return one_shot(tf.data.Dataset.range(7).batch(size, drop_remainder), runs=4)


@case("BatchDatasetV2")
def batch_of_a_structure(tf):
    features = {
        "x": np.arange(8, dtype=np.float32).reshape(4, 2),
        "name": [["a"], ["b"], ["c"], ["d"]],
    }
    rows = tf.data.Dataset.from_tensor_slices((features, ["p", "q", "r", "s"]))
    return one_shot(rows.batch(3), runs=2)


@case("BatchDatasetV2")
def batch_of_batches(tf):
    return one_shot(tf.data.Dataset.range(8).batch(2, drop_remainder=True).batch(2), runs=2)


@case("BatchDatasetV2")
def batch_of_a_size_that_is_fed(tf):
    size = tf.placeholder_with_default(np.int64(3), [])
    return initialised(tf.data.Dataset.range(8).batch(size, drop_remainder=True), runs=2)


@case("BatchDatasetV2", error="Batch size must be greater than zero")
def batch_of_nothing(tf):
    return initialised(tf.data.Dataset.range(8).batch(0))


@case("BatchDatasetV2", error="Cannot add tensor to the batch: number of elements does not match")
def batch_of_several_shapes(tf):
    return one_shot(tf.data.Dataset.range(1, 4).map(tf.range).batch(2))


@case("ShuffleDataset", *_ONE_SHOT, each=[2, 4, 100])
def shuffle(tf, size):
    return one_shot(tf.data.Dataset.range(20).shuffle(size, seed=3).batch(20))


@case("ShuffleDataset", each=[None, True, False])
def shuffle_again(tf, each_time):
    numbers = tf.data.Dataset.range(5)
    numbers = numbers.shuffle(4, seed=3, reshuffle_each_iteration=each_time)
    return one_shot(numbers.repeat(3).batch(15))


@case("ShuffleDataset")
def shuffle_by_the_seed_of_the_graph(tf):
    tf.set_random_seed(7)
    return initialised(tf.data.Dataset.range(9).shuffle(5).repeat(2).batch(18))


@case("ShuffleDataset", random=True)
def shuffle_without_seed(tf):
    return one_shot(tf.data.Dataset.range(5).shuffle(5), runs=5)


@case("ShuffleDataset", error="buffer_size must be greater than zero")
def shuffle_without_room(tf):
    return initialised(tf.data.Dataset.range(5).shuffle(0))


@case("ShuffleAndRepeatDataset", each=[(2, True), (-1, True), (2, False)])
def shuffle_and_repeat(tf, count, each_time):
    numbers = tf.data.Dataset.range(5)
    wide = [tf.constant(n, tf.int64) for n in (3, 1, 2, count)]
    (shuffled,) = node(
        tf,
        "ShuffleAndRepeatDataset",
        [numbers._variant_tensor, *wide],
        output_types=("int64",),
        output_shapes=Shapes([]),
        reshuffle_each_iteration=each_time,
    )
    (handle,) = node(
        tf,
        "IteratorV2",
        [],
        shared_name="",
        container="",
        output_types=("int64",),
        output_shapes=Shapes([]),
    )
    make = tf.get_default_graph().create_op("MakeIterator", [shuffled, handle], name="make")
    (element,) = node(
        tf, "IteratorGetNext", [handle], output_types=("int64",), output_shapes=Shapes([])
    )
    return Program(element, setup=[make], runs=10)


# With functions -----------------------------------------------------------------------------------


@case("MapDataset", *_ONE_SHOT)
def mapped(tf):
    return one_shot(tf.data.Dataset.range(4).map(lambda x: x * x + 1), runs=4)


@case("MapDataset")
def mapped_structures(tf):
    def both(features, label):
        return {"sum": features["x"] + features["y"], "list": [1, 2]}, (label, [label, label])

    rows = tf.data.Dataset.from_tensor_slices(({"y": [1.0, 2.0], "x": [3.0, 4.0]}, ["a", "b"]))
    return one_shot(rows.map(both).map(lambda a, b: (b, a["list"], a["sum"] * 2)), runs=2)


@case("MapDataset")
def mapped_with_captures(tf):
    factor = tf.constant(3, tf.int64)
    return one_shot(tf.data.Dataset.range(4).map(lambda x: x * factor + factor), runs=4)


@case("MapDataset", "ReadVariableOp")
def mapped_with_a_variable(tf):
    v = tf.Variable(5, dtype=tf.int64, use_resource=True)
    w = tf.Variable(7, dtype=tf.int64, use_resource=False)
    iterator = tf.data.Dataset.range(4).map(lambda x: (x + v, x * w)).make_initializable_iterator()
    setup = [v.initializer, w.initializer, iterator.initializer]
    return Program(iterator.get_next(), setup=setup, runs=2)


# In a function TensorFlow's assign_add reads its result only where it is used.
@case("MapDataset", graph="types")
def mapped_with_a_variable_that_changes(tf):
    v = tf.Variable(5, dtype=tf.int64, use_resource=True)

    def count(x):
        before = v.read_value()
        with tf.control_dependencies([tf.assign_add(v, x)]):
            return before, v.read_value()

    iterator = tf.data.Dataset.range(1, 5).map(count).make_initializable_iterator()
    return Program(iterator.get_next(), setup=[v.initializer, iterator.initializer], runs=3)


# TensorFlow's functions have conditionals as If, of two more functions.
@case("MapDataset", graph="types")
def mapped_with_a_condition(tf):
    def collatz(x):
        return tf.where(tf.equal(x % 2, 0), x // 2, 3 * x + 1)

    def switched(x):
        return tf.cond(x > 1, lambda: x * 10, lambda: x - 10)

    return one_shot(tf.data.Dataset.range(4).map(collatz).map(switched), runs=4)


@case("MapDataset", "RandomUniform")
def mapped_random_numbers(tf):
    tf.set_random_seed(4)
    numbers = tf.data.Dataset.range(2).map(lambda x: tf.random_uniform([2], seed=3))
    return one_shot(numbers.repeat(2), runs=4)


@case("MapDataset", "RandomUniform")
def mapped_random_numbers_of_the_graph(tf):
    tf.set_random_seed(4)
    both = tf.data.Dataset.range(2).map(lambda x: (tf.random_uniform([]), tf.random_normal([])))
    return initialised(both, runs=2)


@case("MapDataset", "PyFunc", travels=False)
def mapped_by_python(tf):
    def halves(x):
        half = tf.py_func(lambda n: n / 2, [x], tf.float64)
        half.set_shape([])
        return half, tf.py_func(lambda n: b"odd" if n % 2 else b"even", [x], tf.string)

    return one_shot(tf.data.Dataset.range(3).map(halves), runs=3)


@case("MapDataset", error="Integer division by zero")
def mapped_by_zero(tf):
    return one_shot(tf.data.Dataset.range(3).map(lambda x: 6 // x))


@case("MapDataset", error="Unsupported return value from function passed to Dataset.map()")
def mapped_to_no_tensor(tf):
    return one_shot(tf.data.Dataset.range(3).map(lambda x: object()))


@case("MapDataset", error="Argument `func` must be a callable")
def mapped_by_no_function(tf):
    return one_shot(tf.data.Dataset.range(3).map(3))


@case("FilterDataset", *_ONE_SHOT)
def filtered(tf):
    return one_shot(tf.data.Dataset.range(10).filter(lambda x: tf.equal(x % 3, 1)), runs=3)


@case("FilterDataset")
def filtered_pairs(tf):
    limit = tf.constant(2, tf.int64)
    pairs = tf.data.Dataset.zip((tf.data.Dataset.range(9), tf.data.Dataset.range(9, 0, -1)))
    return one_shot(pairs.filter(lambda a, b: tf.abs(a - b) < limit), runs=2)


@case("FilterDataset", error="must return a `tf.bool` scalar tensor")
def filtered_by_numbers(tf):
    return one_shot(tf.data.Dataset.range(3).filter(lambda x: x))


@case("FlatMapDataset", *_ONE_SHOT)
def flat_mapped(tf):
    return one_shot(tf.data.Dataset.range(4).flat_map(tf.data.Dataset.range), runs=6)


@case("FlatMapDataset")
def flat_mapped_in_turn(tf):
    def pairs(x):
        inner = tf.data.Dataset.from_tensor_slices([[x, x + 1], [x + 2, x + 3]])
        return inner.map(lambda row: (x, row * 2))

    return one_shot(tf.data.Dataset.range(3).flat_map(pairs), runs=6)


@case("InterleaveDataset", *_ONE_SHOT, each=[(1, 1), (2, 1), (2, 3), (5, 2)])
def interleaved(tf, cycle, block):
    numbers = tf.data.Dataset.range(1, 5)
    numbers = numbers.interleave(
        lambda x: tf.data.Dataset.from_tensors(x).repeat(x + 1), cycle, block
    )
    return one_shot(numbers.batch(100))


@case("InterleaveDataset", error="cycle_length must be greater than zero")
def interleaved_without_a_cycle(tf):
    numbers = tf.data.Dataset.range(3).interleave(tf.data.Dataset.range, cycle_length=0)
    return initialised(numbers)


# Iterators ----------------------------------------------------------------------------------------
