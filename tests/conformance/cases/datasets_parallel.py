"""tf.data with threads: prefetch, parallel map, interleave and batch, with their graphs."""

from tests.conformance.cases.datasets import initialised, one_shot
from tests.conformance.registry import case


def _numbers(tf, *limits):
    return tf.data.Dataset.range(*limits)


@case("PrefetchDataset", each=[0, 1, 2, 100])
def prefetch(tf, size):
    return one_shot(_numbers(tf, 4).prefetch(size), runs=4)


@case("PrefetchDataset")
def prefetch_as_many_as_it_takes(tf):
    return one_shot(_numbers(tf, 4).prefetch(tf.data.AUTOTUNE).prefetch(None, name="mine"), runs=4)


@case("PrefetchDataset", error="End of sequence")
def the_end_of_prefetch(tf):
    return one_shot(_numbers(tf, 2).prefetch(1), runs=3)


@case("PrefetchDataset", error="buffer_size must be >= 0")
def prefetch_a_negative_number(tf):
    return initialised(_numbers(tf, 2).prefetch(-3))


@case("ParallelMapDatasetV2", each=[1, 2, 3])
def parallel_map(tf, calls):
    return one_shot(_numbers(tf, 5).map(lambda x: x * x + 1, num_parallel_calls=calls), runs=5)


@case("ParallelMapDatasetV2")
def parallel_map_of_a_structure(tf):
    pairs = tf.data.Dataset.from_tensor_slices(([1, 2, 3], ["a", "b", "c"]))
    mapped = pairs.map(
        lambda x, y: {"x": x, "y": (y, [x, x])}, num_parallel_calls=-1, deterministic=True
    )
    return one_shot(mapped, runs=3)


@case("ParallelMapDatasetV2")
def parallel_map_with_a_captured_tensor(tf):
    factor = tf.constant(3, tf.int64) + 4
    mapped = _numbers(tf, 4).map(lambda x: x * factor, num_parallel_calls=2)
    return initialised(mapped, runs=4)


@case("ParallelMapDatasetV2", "BatchDatasetV2")
def parallel_map_in_any_order(tf):
    mapped = _numbers(tf, 1).map(lambda x: x + 5, num_parallel_calls=2, deterministic=False)
    return one_shot(mapped.batch(2))


@case("ParallelMapDatasetV2", error="num_parallel_calls must be greater than zero", each=[0, -2])
def parallel_map_without_threads(tf, calls):
    return initialised(_numbers(tf, 4).map(lambda x: x, num_parallel_calls=calls))


@case("ParallelMapDatasetV2", "PrefetchDataset", error="Tensor had Inf values")
def parallel_map_that_fails(tf):
    def divided(x):
        return tf.debugging.check_numerics(1.0 / tf.cast(x - 1, tf.float32), "oops")

    return initialised(_numbers(tf, 3).map(divided, num_parallel_calls=2).prefetch(2), runs=2)


@case("ParallelInterleaveDatasetV4", each=[(1, 1, 1), (2, 1, 2), (3, 2, 1), (2, 3, 2)])
def parallel_interleave(tf, cycle, block, calls):
    dataset = _numbers(tf, 5).interleave(
        lambda x: tf.data.Dataset.range(10 * x, 11 * x), cycle, block, num_parallel_calls=calls
    )
    return one_shot(dataset, runs=10)


@case("ParallelInterleaveDatasetV4")
def parallel_interleave_of_one(tf):
    dataset = _numbers(tf, 1).interleave(
        lambda x: tf.data.Dataset.from_tensors((x, "a")), num_parallel_calls=-1, name="mine"
    )
    return one_shot(dataset)


@case("ParallelInterleaveDatasetV4", error="`num_parallel_calls` is 3 and `cycle_length` is 2")
def parallel_interleave_with_too_many_threads(tf):
    return initialised(_numbers(tf, 5).interleave(tf.data.Dataset.range, 2, num_parallel_calls=3))


@case("ParallelInterleaveDatasetV4", error="`cycle_length` must be")
def parallel_interleave_of_nothing(tf):
    return initialised(_numbers(tf, 5).interleave(tf.data.Dataset.range, 0, num_parallel_calls=1))


@case("ParallelInterleaveDatasetV4", error="`block_length` must be")
def parallel_interleave_in_empty_blocks(tf):
    return initialised(
        _numbers(tf, 5).interleave(tf.data.Dataset.range, 1, 0, num_parallel_calls=1)
    )


@case("LegacyParallelInterleaveDatasetV2", each=[(1, 1), (2, 1), (3, 2), (2, 3)])
def older_parallel_interleave(tf, cycle, block):
    dataset = _numbers(tf, 5).apply(
        tf.data.experimental.parallel_interleave(
            lambda x: tf.data.Dataset.range(10 * x, 11 * x), cycle, block
        )
    )
    return one_shot(dataset, runs=10)


@case("LegacyParallelInterleaveDatasetV2", error="`cycle_length` must be > 0")
def older_parallel_interleave_of_nothing(tf):
    return initialised(
        _numbers(tf, 5).apply(tf.data.experimental.parallel_interleave(tf.data.Dataset.range, 0))
    )


@case("ParallelBatchDataset", each=[(1, False), (2, True), (3, False)])
def parallel_batch(tf, calls, whole):
    return one_shot(_numbers(tf, 5).batch(2, whole, num_parallel_calls=calls), runs=2)


@case("ParallelBatchDataset")
def parallel_batch_of_strings(tf):
    words = tf.data.Dataset.from_tensor_slices((["a", "bc", "d"], [[1, 2], [3, 4], [5, 6]]))
    return one_shot(words.batch(2, num_parallel_calls=2, name="mine", deterministic=True), runs=2)


@case("ParallelBatchDataset", error="Batch size must be greater than zero")
def parallel_batch_of_nothing(tf):
    return initialised(_numbers(tf, 5).batch(0, num_parallel_calls=2))


@case("MapAndBatchDataset", each=[(None, None), (2, None), (None, 3)])
def map_and_batch(tf, batches, calls):
    dataset = _numbers(tf, 5).apply(
        tf.data.experimental.map_and_batch(
            lambda x: x * 2, 2, num_parallel_batches=batches, num_parallel_calls=calls
        )
    )
    return one_shot(dataset, runs=3)


@case("MapAndBatchDataset", error="End of sequence")
def map_and_whole_batches(tf):
    dataset = _numbers(tf, 5).apply(
        tf.data.experimental.map_and_batch(lambda x: (x, x), 2, drop_remainder=True)
    )
    return one_shot(dataset, runs=3)
