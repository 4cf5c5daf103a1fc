"""tf.data: what keeps elements, pads them, chooses among them; options."""

import numpy as np

from tests.conformance.cases.datasets import initialised, one_shot
from tests.conformance.registry import case


def _numbers(tf, *limits):
    return tf.data.Dataset.range(*limits)


def _growing(tf, *limits):
    return _numbers(tf, *limits).map(lambda x: tf.fill([x], x))


# Cache --------------------------------------------------------------------------------------------


@case("CacheDataset", "RepeatDataset")
def cache(tf):
    return one_shot(_numbers(tf, 2).cache().repeat(2), runs=4)


@case("CacheDataset")
def cache_of_a_structure(tf):
    dataset = tf.data.Dataset.from_tensor_slices({"x": [1, 2], "y": [[1.5], [2.5]]})
    return initialised(dataset.cache("", name="mine"), runs=2)


@case("CacheDataset", error="No such file or directory")
def cache_in_no_folder(tf):
    return initialised(_numbers(tf, 2).cache("/no/such/folder/of/mine"))


# Padding ------------------------------------------------------------------------------------------


@case("PaddedBatchDatasetV2")
def padded(tf):
    return one_shot(_growing(tf, 5).padded_batch(2), runs=3)


@case("PaddedBatchDatasetV2", each=[4, None, -1])
def padded_to_a_shape(tf, size):
    return one_shot(_growing(tf, 4).padded_batch(3, [size], drop_remainder=True))


@case("PaddedBatchDatasetV2")
def padded_with_values(tf):
    dataset = _growing(tf, 4).map(lambda x: {"n": x, "s": tf.as_string(x)})
    padding = {"n": tf.constant(9, tf.int64), "s": "-"}
    return one_shot(dataset.padded_batch(2, {"n": [None], "s": [5]}, padding), runs=2)


@case("PaddedBatchDatasetV2")
def padded_to_a_tensor(tf):
    size = tf.placeholder_with_default(np.array([6]), [1])
    return initialised(_growing(tf, 4).padded_batch(2, size), runs=2)


@case("PaddedBatchDatasetV2")
def padded_matrices_and_scalars(tf):
    dataset = _numbers(tf, 1, 4).map(lambda x: (tf.fill([x, 2], 1.5), x))
    return one_shot(dataset.padded_batch(3, ([None, 3], []), name="mine"))


@case("PaddedBatchDatasetV2", error="Attempted to pad to a smaller size than the input element")
def padded_to_less(tf):
    return one_shot(_growing(tf, 5).padded_batch(2, [1]), runs=2)


@case("PaddedBatchDatasetV2", error="is not compatible with the shape (?,)")
def padded_to_another_rank(tf):
    return one_shot(_growing(tf, 5).padded_batch(2, []))


@case("PaddedBatchDatasetV2", error="does not match type")
def padded_with_another_type(tf):
    return one_shot(_growing(tf, 5).padded_batch(2, [None], 1.5))


@case("PaddedBatchDatasetV2", error="values should be scalars, but got (2,)")
def padded_with_a_vector(tf):
    return one_shot(_growing(tf, 5).padded_batch(2, [None], tf.constant([1, 2], tf.int64)))


@case("PaddedBatchDatasetV2", error="Batch size must be greater than zero")
def padded_batches_of_nothing(tf):
    return initialised(_growing(tf, 5).padded_batch(0))


# Generators ---------------------------------------------------------------------------------------


@case(
    "GeneratorDataset", "FlatMapDataset", travels=False, graph="types"
)  # tokens of py_func differ
def generator(tf):
    signature = (tf.TensorSpec([], tf.int32), tf.TensorSpec([None], tf.string))
    rows = [(1, ["a"]), (2, ["b", "c"])]
    dataset = tf.data.Dataset.from_generator(lambda: rows, output_signature=signature)
    return one_shot(dataset.repeat(2), runs=4)


@case("GeneratorDataset", travels=False, graph="types")  # tokens of py_func differ
def generator_with_arguments(tf):
    dataset = tf.data.Dataset.from_generator(
        lambda a, b: range(a, b), tf.int64, [], args=(2, tf.constant(4))
    )
    return one_shot(dataset, runs=2)


@case("GeneratorDataset", error="`generator` must be a Python callable")
def generator_that_is_a_list(tf):
    return one_shot(tf.data.Dataset.from_generator([1, 2], tf.int64))


# Options ------------------------------------------------------------------------------------------


@case("OptionsDataset")
def options(tf):
    chosen = tf.data.Options()
    chosen.threading.private_threadpool_size = 3
    chosen.experimental_optimization.map_fusion = True
    return one_shot(_numbers(tf, 2).with_options(chosen), runs=2)


@case("OptionsDataset")
def options_twice(tf):
    first, second = tf.data.Options(), tf.data.Options()
    first.deterministic = True
    second.threading.max_intra_op_parallelism = 2
    dataset = _numbers(tf, 2).with_options(first).map(lambda x: x + 1).with_options(second)
    return one_shot(dataset, runs=2)


# Choosing -----------------------------------------------------------------------------------------


@case("UniqueDataset", each=["int32", "int64", "string"])
def unique(tf, kind):
    values = tf.constant(["a", "b", "a"] if kind == "string" else [1, 2, 1], kind)
    dataset = tf.data.Dataset.from_tensor_slices(values).apply(tf.data.experimental.unique())
    return one_shot(dataset, runs=2)


@case("UniqueDataset", error="does not support type")
def unique_fractions(tf):
    dataset = tf.data.Dataset.from_tensor_slices([1.5])
    return one_shot(dataset.apply(tf.data.experimental.unique()))


@case("IgnoreErrorsDataset")
def ignored_errors(tf):
    dataset = tf.data.Dataset.from_tensor_slices([1.0, 0.0, 2.0, 0.0, 4.0]).map(
        lambda x: tf.debugging.check_numerics(1.0 / x, "oops")
    )
    return one_shot(dataset.apply(tf.data.experimental.ignore_errors()), runs=3)


@case("DirectedInterleaveDataset", "RewriteDataset")
def chosen(tf):
    choice = tf.data.Dataset.from_tensor_slices(np.array([0, 1, 1, 1, 0, 1, 0]))
    dataset = tf.data.experimental.choose_from_datasets(
        [_numbers(tf, 3), _numbers(tf, 10, 12)], choice
    )
    return one_shot(dataset, runs=5)


@case("DirectedInterleaveDataset", error="Selector index out of range")
def chosen_that_is_not_there(tf):
    choice = tf.data.Dataset.from_tensor_slices(np.array([2]))
    return one_shot(
        tf.data.experimental.choose_from_datasets([_numbers(tf, 3), _numbers(tf, 3)], choice)
    )


@case("DirectedInterleaveDataset", "RandomDataset", each=[None, [0.3, 0.7]])
def sampled(tf, weights):
    sources = [_numbers(tf, 3).repeat(), _numbers(tf, 10, 12).repeat()]
    dataset = tf.data.experimental.sample_from_datasets(sources, weights, seed=1)
    return one_shot(dataset, runs=10)


@case("AssertCardinalityDataset", each=[2, 3])
def asserted_cardinality(tf, count):
    dataset = _numbers(tf, count).filter(lambda x: x >= 0)
    return one_shot(dataset.apply(tf.data.experimental.assert_cardinality(count)), runs=2)


@case("AssertCardinalityDataset", error="was expected to contain 3 elements but contained")
def asserted_cardinality_of_less(tf):
    dataset = _numbers(tf, 1).filter(lambda x: x >= 0)
    return one_shot(dataset.apply(tf.data.experimental.assert_cardinality(3)), runs=2)


@case("GroupByWindowDataset")
def groups(tf):
    dataset = _numbers(tf, 7).apply(
        tf.data.experimental.group_by_window(
            lambda x: x % 3, lambda key, group: group.batch(2), window_size=2
        )
    )
    return one_shot(dataset, runs=4)


@case("GroupByWindowDataset", error="Window size must be greater than zero")
def empty_groups(tf):
    dataset = _numbers(tf, 7).apply(
        tf.data.experimental.group_by_window(
            lambda x: x % 3, lambda key, group: group.batch(2), window_size=0
        )
    )
    return one_shot(dataset)


@case("GroupByWindowDataset", error="Invalid `reduce_func`")
def groups_that_become_numbers(tf):
    dataset = _numbers(tf, 7).apply(
        tf.data.experimental.group_by_window(lambda x: x % 3, lambda key, group: key, 2)
    )
    return one_shot(dataset)


# How an element's bucket is computed is each library's own affair.
@case("GroupByWindowDataset", "PaddedBatchDatasetV2", graph="any")
def buckets(tf):
    dataset = _numbers(tf, 7).map(lambda x: tf.fill([x % 5], x))
    bucketed = dataset.apply(
        tf.data.experimental.bucket_by_sequence_length(tf.size, [2, 4], [2, 2, 3])
    )
    return one_shot(bucketed, runs=4)


# Datasets that are used twice ---------------------------------------------------------------------


@case("ShuffleDataset", "ConcatenateDataset", each=[None, True, False])
def shuffled_and_split(tf, each_time):
    numbers = _numbers(tf, 6).shuffle(6, seed=5, reshuffle_each_iteration=each_time).repeat(3)
    return initialised(numbers.take(4).concatenate(numbers.skip(4)).batch(18))


@case("ShuffleDataset", "ZipDataset")
def shuffled_beside_itself(tf):
    numbers = _numbers(tf, 6).shuffle(6, seed=5)
    return initialised(tf.data.Dataset.zip((numbers, numbers)).repeat(2).batch(12))


@case("ShuffleDataset", "ReduceDataset")
def shuffled_beside_itself_and_reduced(tf):
    numbers = _numbers(tf, 6).shuffle(6, seed=5)
    pairs = tf.data.Dataset.zip((numbers, numbers))
    zero = tf.constant(0, tf.int64)
    return pairs.reduce(zero, lambda total, pair: total * 7 + pair[0] * pair[1])


@case("ShuffleDataset", "FlatMapDataset")
def shuffled_and_captured(tf):
    numbers = _numbers(tf, 4).shuffle(4, seed=3)
    return initialised(_numbers(tf, 3).flat_map(lambda _: numbers).concatenate(numbers).batch(16))


@case("MapDataset", "CacheDataset", each=[False, True])
def random_numbers_beside_themselves(tf, keeps):
    numbers = _numbers(tf, 3).map(lambda _: tf.random_uniform([], seed=3))
    numbers = numbers.cache() if keeps else numbers
    return initialised(tf.data.Dataset.zip((numbers, numbers)).repeat(2).batch(6))


@case("ShuffleDataset", "ZipDataset")
def shuffled_without_seed_beside_itself(tf):
    numbers = _numbers(tf, 60).shuffle(60)
    same = tf.data.Dataset.zip((numbers, numbers)).map(lambda x, y: tf.equal(x, y)).batch(60)
    same = same.map(lambda x: tf.reduce_all(x))
    return initialised(same)
