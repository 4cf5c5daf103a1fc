"""Producers and batches: their graphs, and what one enqueue after the other gives.

The runners' operations run one by one, without threads: so the order is always the same.
"""

import numpy as np

from tests.conformance.registry import Program, case
from tests.conformance.values import fed


def enqueues(tf):
    """What the runners run; of a conditional one, the operation of its result."""
    runners = tf.get_collection("queue_runners")
    return [getattr(op, "op", op) for runner in runners for op in runner.enqueue_ops]


def filled(tf, fetches, times=1, runs=1):
    """The fetches, after each enqueue has run so many times."""
    initializers = [variable.initializer for variable in tf.local_variables()]
    return Program(fetches, setup=[*initializers, *enqueues(tf) * times], runs=runs)


# Producers ----------------------------------------------------------------------------------------


@case("QueueEnqueueManyV2", "CountUpTo", "Assert", "ScalarSummary", "QueueSizeV2")
def strings(tf):
    queue = tf.train.string_input_producer(["a", "b"], num_epochs=2, shuffle=False, name="files")
    return filled(tf, queue.dequeue(), times=2, runs=3)


@case("MatchingFiles", "VariableV2", "Assign")
def match_filenames_once(tf):
    one = tf.train.match_filenames_once("/nowhere/*.csv")
    other = tf.io.match_filenames_once(["/nowhere/a", "/nowhere/b"], name="files")
    tf.train.string_input_producer(one)
    setup = [variable.initializer for variable in tf.local_variables()]
    return Program([one.read_value(), other.read_value()], setup=setup)


@case("RandomShuffle", random=True)
def shuffled_strings(tf):
    tf.set_random_seed(3)
    one = tf.train.string_input_producer(tf.constant(["a", "b"]), seed=4, capacity=3)
    other = tf.train.input_producer([[1, 2], [3, 4]], seed=5)
    return filled(tf, [one.dequeue_many(2), other.dequeue()])


@case("QueueEnqueueManyV2")
def rows(tf):
    queue = tf.train.input_producer(
        [[1, 2], [3, 4]],
        shuffle=False,
        shared_name="shared",
        summary_name="full",
        capacity=7,
        name="rows",
        cancel_op=tf.no_op("cancel"),
    )
    return filled(tf, queue.dequeue(), runs=2)


@case("Range")
def ranges(tf):
    one = tf.train.range_input_producer(3, shuffle=False)
    other = tf.train.range_input_producer(tf.constant(2), 1, False, name="again")
    return filled(tf, [one.dequeue_many(3), other.dequeue_many(2)])


@case("GatherV2", "StridedSlice")
def slices(tf):
    one = tf.train.slice_input_producer([[1, 2], [[0.5], [1.5]], ["a", "b"]], shuffle=False)
    other = tf.train.slice_input_producer([tf.constant([3])], 2, False, name="slices")
    return filled(tf, [one, other], runs=1)


@case("CountUpTo", "Identity")
def limit_epochs(tf):
    return filled(tf, [tf.train.limit_epochs(3.0, 5), tf.train.limit_epochs([1], 2, name="two")])


@case("CountUpTo", error="Attempting to use uninitialized value input_producer/limit_epochs/epochs")
def uninitialized_epochs(tf):
    tf.train.range_input_producer(3, num_epochs=2)
    return enqueues(tf)[0]


@case("CountUpTo", error="Reached limit of 1")
def no_more_epochs(tf):
    x = tf.train.limit_epochs(1.0, 1)
    return Program(x, setup=[tf.local_variables()[0].initializer], runs=2)


@case("Assert", error="assertion failed: [string_input_producer requires a non-null input tensor]")
def no_strings(tf):
    strings, feed = fed(tf, np.array([], object), "string")
    tf.train.string_input_producer(strings)
    return Program(enqueues(tf)[0], feed=feed)


# Batches ------------------------------------------------------------------------------------------


def components(tf):
    return [tf.constant(1.5), tf.constant([1, 2])]


@case("QueueEnqueueV2", "QueueDequeueManyV2", "ScalarSummary")
def batch(tf):
    one = tf.train.batch(components(tf), 2)
    other = tf.train.batch(
        {"b": tf.constant(1), "a": tf.constant("x")},
        3,
        num_threads=3,
        capacity=7,
        shared_name="s",
        name="named",
    )
    return filled(tf, [one, other], times=2)


@case("ScalarSummary")
def how_full_queues_are(tf):
    tf.train.batch(components(tf), 2)
    tf.train.shuffle_batch(components(tf), 2, 10, 1)
    tf.train.range_input_producer(4, shuffle=False, capacity=5)
    return filled(tf, tf.get_collection(tf.GraphKeys.SUMMARIES))


@case("QueueDequeueUpToV2")
def smaller_batch(tf):
    taken = tf.train.batch([tf.constant(7)], 2, allow_smaller_final_batch=True)
    runner = tf.get_collection("queue_runners")[0]
    enqueue = runner.enqueue_ops[0]
    return Program(taken, setup=[enqueue] * 3 + [runner.close_op], runs=2)


@case("QueueEnqueueManyV2")
def batch_of_rows(tf):
    return filled(tf, tf.train.batch([[1, 2, 3], [[1], [2], [3]]], 2, enqueue_many=True))


@case("PaddingFIFOQueueV2")
def padded_batch(tf):
    given = tf.placeholder_with_default([1.0, 2.0], [None])
    return filled(tf, tf.train.batch([given, [1]], 2, dynamic_pad=True), times=2)


@case("Switch", "Merge", "QueueEnqueueV2")
def maybe_batch(tf):
    keep = tf.placeholder_with_default(True, [])
    one = tf.train.maybe_batch(components(tf), keep, 2)
    many = tf.train.maybe_batch([[1, 2, 3]], keep, 2, enqueue_many=True)
    tf.train.maybe_batch([1], False, 2, name="never")
    return filled(tf, [one, many], times=2)


@case("DynamicPartition")
def maybe_batch_of_rows(tf):
    keep = tf.constant([True, False, True])
    return filled(
        tf, tf.train.maybe_batch([[1, 2, 3], ["a", "b", "c"]], keep, 2, enqueue_many=True)
    )


@case("QueueEnqueueV2")
def batch_join(tf):
    one = tf.train.batch_join([[1.0, [1, 2]], [3.0, [5, 6]]], 2)
    other = tf.train.batch_join([{"a": [1, 2]}, {"a": [3, 4]}], 4, enqueue_many=True, name="rows")
    keep = tf.placeholder_with_default(True, [])
    third = tf.train.maybe_batch_join([[1], [2]], keep, 2, capacity=9)
    return filled(tf, [one, other, third])


@case("RandomShuffleQueueV2", "Maximum", random=True)
def shuffle_batch(tf):
    tf.set_random_seed(5)
    train = tf.train
    one = train.shuffle_batch(components(tf), 2, 10, 3, num_threads=2, seed=1)
    other = train.shuffle_batch([[1, 2, 3]], 2, 20, 1, enqueue_many=True, shapes=[[]])
    rest = train.shuffle_batch({"a": tf.constant(1)}, 2, 8, 2, allow_smaller_final_batch=True)
    joined = train.shuffle_batch_join([components(tf)] * 2, 2, 10, 3, seed=5, name="joined")
    keep = tf.placeholder_with_default(True, [])
    kept = train.maybe_shuffle_batch([tf.constant(2)], 2, 9, 1, keep)
    last = train.maybe_shuffle_batch_join([[tf.constant(2)]] * 2, 2, 9, 1, keep)
    return filled(tf, [one, other, rest, joined, kept, last], times=4)


# Sparse tensors -----------------------------------------------------------------------------------


def sparse(tf):
    return tf.SparseTensor([[0, 1], [0, 3], [2, 0]], [1.0, 2.0, 3.0], [3, 4])


@case("AddSparseToTensorsMap", "TakeManySparseFromTensorsMap")
def sparse_batch(tf):
    one = tf.train.batch([sparse(tf), tf.constant(2)], 2)
    named = tf.train.batch({"s": tf.SparseTensor([[1]], ["x"], [2])}, 2, name="named")
    return filled(tf, [one, named], times=2)


@case("AddSparseToTensorsMap")
def sparse_batch_of_different_sizes(tf):
    size = tf.placeholder(tf.int64, [1])
    taken = tf.train.batch([tf.SparseTensor([[1]], [5.0], size)], 1)
    return Program([taken, enqueues(tf)[0]], feed=[{size: [3]}, {size: [7]}])


@case("AddManySparseToTensorsMap", "TakeManySparseFromTensorsMap")
def sparse_rows(tf):
    taken = tf.train.batch([sparse(tf), ["a", "b", "c"]], 3, enqueue_many=True)
    return filled(tf, taken)


@case("AddManySparseToTensorsMap", "Where")
def some_sparse_rows(tf):
    keep = tf.constant([True, True, True])
    return filled(tf, tf.train.maybe_batch([sparse(tf), [7, 8, 9]], keep, 3, enqueue_many=True))


@case("AddManySparseToTensorsMap", "Fill")
def maybe_sparse(tf):
    keep = tf.placeholder_with_default(True, [])
    one = tf.train.maybe_batch([sparse(tf)], keep, 1)
    many = tf.train.maybe_batch([sparse(tf)], keep, 2, enqueue_many=True)
    return filled(tf, [one, many])


@case("Where", "GatherV2")
def retain_sparse_values(tf):
    keep = tf.placeholder_with_default([True, False, True], [3])
    return [tf.sparse_retain(sparse(tf), keep), tf.sparse.retain(sparse(tf), [False] * 3)]


@case("AddSparseToTensorsMap", "TakeManySparseFromTensorsMap")
def sparse_batch_join(tf):
    other = tf.SparseTensor([[0, 1]], [9.0], [1, 9])
    return filled(tf, tf.train.batch_join([[sparse(tf)], [other]], 2))


def fed_parts(tf, indices, values, shape):
    """A sparse tensor whose parts are not known before it runs, and its feed."""
    parts, feeds = zip(
        *[
            fed(tf, np.array(part, kind), kind)
            for part, kind in ((indices, "int64"), (values, "float32"), (shape, "int64"))
        ],
        strict=True,
    )
    tensor = tf.SparseTensor(*parts)
    return tensor, {key: value for feed in feeds for key, value in feed.items()}


def enqueued(tf, *parts, many=False):
    """The enqueue of a sparse tensor of these parts."""
    tensor, feed = fed_parts(tf, *parts)
    tf.train.batch([tensor], 2, enqueue_many=many)
    return Program(enqueues(tf)[0], feed=feed)


@case("AddSparseToTensorsMap", error="Input indices should be a matrix but received shape [2]")
def sparse_indices_of_another_rank(tf):
    return enqueued(tf, [0, 1], [1.0], [2, 2])


@case("AddSparseToTensorsMap", error="Input values should be a vector but received shape [1,1]")
def sparse_values_of_another_rank(tf):
    return enqueued(tf, [[0, 1]], [[1.0]], [2, 2])


@case("AddSparseToTensorsMap", error="Input shape should be a vector but received shape [1,2]")
def sparse_shape_of_another_rank(tf):
    return enqueued(tf, [[0, 1]], [1.0], [[2, 2]])


@case(
    "AddSparseToTensorsMap",
    error="indices and values rows (indexing dimension) must match. (indices = 1, values = 2)",
)
def more_values_than_indices(tf):
    return enqueued(tf, [[0, 1]], [1.0, 2.0], [2, 2])


@case("AddSparseToTensorsMap", error="Order length must be SparseTensor rank.")
def fewer_dimensions_than_columns(tf):
    return enqueued(tf, [[0, 1]], [1.0], [2])


@case(
    "AddManySparseToTensorsMap", error="Rank of input SparseTensor should be > 1, but saw rank: 1"
)
def rows_of_a_vector(tf):
    return enqueued(tf, [[1]], [1.0], [2], many=True)


@case("AddManySparseToTensorsMap", error="Input indices should be a matrix but received shape [2]")
def row_indices_of_another_rank(tf):
    return enqueued(tf, [0, 1], [1.0], [2, 2], many=True)


@case(
    "AddManySparseToTensorsMap",
    error="indices[0] = [5,1] is out of bounds: need 0 <= index < [2,2]",
)
def rows_outside(tf):
    return enqueued(tf, [[5, 1]], [1.0], [2, 2], many=True)


@case("AddManySparseToTensorsMap", error="indices[1] = [0,1] is out of order.")
def rows_out_of_order(tf):
    return enqueued(tf, [[1, 1], [0, 1]], [1.0, 2.0], [2, 2], many=True)


@case(
    "AddManySparseToTensorsMap",
    error="Number of values must match first dimension of indices. Got 2 values",
)
def more_values_than_row_indices(tf):
    return enqueued(tf, [[0, 1]], [1.0, 2.0], [2, 2], many=True)


@case("AddManySparseToTensorsMap")
def empty_rows(tf):
    return enqueued(tf, np.zeros([0, 2]), [], [3, 2], many=True)


@case("TakeManySparseFromTensorsMap", error="Unable to find SparseTensor: 7 in map:")
def unknown_number(tf):
    taken = tf.train.batch([sparse(tf)], 1)
    dequeued = tf.get_default_graph().get_tensor_by_name("batch:0")
    return Program(taken, feed={dequeued: [[7]]}, setup=enqueues(tf))


@case("TakeManySparseFromTensorsMap", error="Inconsistent rank across SparseTensors: rank prior to")
def sparse_tensors_of_different_ranks(tf):
    def tensor(*parts):
        places, sizes = (np.array(part, "int64") for part in parts)
        return tf.SparseTensor(
            tf.placeholder_with_default(places, None),
            [1.0],
            tf.placeholder_with_default(sizes, None),
        )

    sets = [[tensor([[0, 1]], [2, 2])], [tensor([[0]], [2])]]
    return filled(tf, tf.train.batch_join(sets, 2))


@case("TakeManySparseFromTensorsMap", error="Must have at least 1 serialized SparseTensor")
def no_sparse_tensors(tf):
    return tf.train.batch([sparse(tf)], 0)
