"""Queues: the graphs they make, what goes in and comes out, what is refused."""

import numpy as np

from tests.conformance.nodes import node
from tests.conformance.registry import Program, case


def in_turn(tf, *steps):
    """The value of the last of these functions, each run after the one before."""
    result = steps[0]()
    for step in steps[1:]:
        with tf.control_dependencies([result] if not isinstance(result, list | dict) else result):
            result = step()
    return result


# The four kinds -----------------------------------------------------------------------------------


@case("FIFOQueueV2", "QueueEnqueueV2", "QueueDequeueV2", "QueueSizeV2")
def first_in_first_out(tf):
    queue = tf.FIFOQueue(10, tf.float32, shapes=[[]])
    x = tf.placeholder(tf.float32, [], name="x")
    put = queue.enqueue(x * 2.0)
    with tf.control_dependencies([put]):
        size = queue.size()
    with tf.control_dependencies([size]):
        return Program([queue.dequeue(), size], feed=[{x: 1.0}, {x: 2.0}, {x: 3.0}])


@case(
    "FIFOQueueV2",
    "QueueEnqueueV2",
    each=["string", "bool", "int64", "complex64", "float16", "uint8"],
)
def of_each_type(tf, dtype):
    value = {"string": "a", "bool": True}.get(dtype, 3)
    queue = tf.FIFOQueue(10, dtype, shapes=[[2]])
    one = tf.constant([value, value], dtype)
    return in_turn(
        tf,
        lambda: queue.enqueue([one]),
        lambda: queue.enqueue_many([tf.stack([one, one])]),
        lambda: queue.dequeue_many(3),
    )


@case("FIFOQueueV2", "QueueEnqueueManyV2", "QueueDequeueManyV2")
def tuples(tf):
    queue = tf.FIFOQueue(10, [tf.int32, tf.string], shapes=[[], [2]], name="pairs")
    put = queue.enqueue_many([[1, 2, 3], [["a", "b"], ["c", "d"], ["e", "f"]]])
    with tf.control_dependencies([put]):
        batch = queue.dequeue_many(2)
    with tf.control_dependencies(batch):
        return [*batch, *queue.dequeue()]


@case("FIFOQueueV2", "QueueEnqueueV2")
def named_components(tf):
    queue = tf.FIFOQueue(10, [tf.int32, tf.float32], [[], [2]], names=["n", "x"], name="named")
    put = queue.enqueue({"x": [1.0, 2.0], "n": 7}, name="put")
    many = queue.enqueue_many({"x": [[1.0, 2.0]], "n": [7]})
    with tf.control_dependencies([put, many]):
        taken = queue.dequeue(name="take")
    return [taken["n"], taken["x"]]


@case("FIFOQueueV2")
def without_shapes(tf):
    queue = tf.FIFOQueue(10, [tf.int32, tf.float32])
    x = tf.placeholder(tf.int32, name="x")
    with tf.control_dependencies([queue.enqueue((x, 1.0))]):
        taken = queue.dequeue()
    return Program(taken, feed=[{x: 1}, {x: [1, 2]}, {x: [[3]]}])


@case("FIFOQueueV2", each=[-1, 0, 7])
def capacities(tf, capacity):
    return tf.FIFOQueue(capacity, [tf.int32]).size()


@case("FIFOQueueV2")
def shared_names(tf):
    one = tf.FIFOQueue(5, [tf.int32], shapes=[[]], shared_name="shared", name="one")
    with tf.container("box"):
        boxed = tf.FIFOQueue(5, [tf.int32], shapes=[[]], shared_name="shared", name="boxed")
    other = tf.FIFOQueue(5, [tf.int32], shapes=[[]], shared_name="shared", name="other")
    with tf.control_dependencies([one.enqueue(1)]):
        return Program([other.size(), boxed.size()], runs=2)


@case("RandomShuffleQueueV2", each=[(1, 0), (7, 0), (7, 3), (2**31 - 1, 2)])
def shuffled(tf, seed, minimum):
    queue = tf.RandomShuffleQueue(30, minimum, tf.int32, shapes=[[]], seed=seed)
    put = queue.enqueue_many([tf.range(20)])
    with tf.control_dependencies([put]):
        batch = queue.dequeue_many(6)
    with tf.control_dependencies([batch]):
        then = queue.dequeue_many(5)
    with tf.control_dependencies([then]):
        return [batch, then, queue.dequeue_up_to(4)]


@case("RandomShuffleQueueV2")
def shuffled_by_the_graphs_seed(tf):
    tf.set_random_seed(42)
    queue = tf.RandomShuffleQueue(30, 0, [tf.int32, tf.string], shapes=[[], []])
    with tf.control_dependencies([queue.enqueue_many([[1, 2, 3, 4], ["a", "b", "c", "d"]])]):
        return queue.dequeue_many(4)


@case("RandomShuffleQueueV2", random=True)
def shuffled_by_chance(tf):
    queue = tf.RandomShuffleQueue(30, 0, [tf.int32, tf.string], [[], []], shared_name="s", name="q")
    with tf.control_dependencies([queue.enqueue_many([[1, 2, 3, 4], ["aa", "bb", "cc", "dd"]])]):
        return queue.dequeue_many(4)


@case("RandomShuffleQueueV2")
def shared_and_shuffled(tf):
    tf.set_random_seed(3)
    queue = tf.RandomShuffleQueue(30, 0, tf.int32, shapes=[[]], shared_name="numbers")
    with tf.control_dependencies([queue.enqueue_many([tf.range(10)])]):
        return queue.dequeue_many(10)


@case("PaddingFIFOQueueV2", each=["int32", "string", "float64", "bool"])
def padded(tf, dtype):
    value = {"string": "a", "bool": True}.get(dtype, 3)
    queue = tf.PaddingFIFOQueue(10, dtype, shapes=[[None]])
    put = [queue.enqueue([tf.fill([n], tf.constant(value, dtype))]) for n in (1, 3, 0)]
    with tf.control_dependencies(put[:1]):
        with tf.control_dependencies([queue.enqueue([tf.fill([3], tf.constant(value, dtype))])]):
            return [queue.dequeue_many(2)]


@case("PaddingFIFOQueueV2")
def padded_matrices(tf):
    queue = tf.PaddingFIFOQueue(10, [tf.int32, tf.float32], [[None, 2], []], name="matrices")
    x = tf.placeholder(tf.int32, [None, 2], name="x")
    with tf.control_dependencies([queue.enqueue([x, 1.0])]):
        with tf.control_dependencies([queue.enqueue_many([[[[7, 7]]], [2.0]])]):
            return Program(queue.dequeue_up_to(2), feed=[{x: [[1, 2]]}, {x: np.ones([3, 2])}])


@case("PriorityQueueV2")
def by_priority(tf):
    queue = tf.PriorityQueue(10, [tf.string, tf.float32], shapes=[[], [1]])
    put = queue.enqueue_many([[5, -2, 9], ["five", "first", "nine"], [[1.0], [2.0], [3.0]]])
    with tf.control_dependencies([put]):
        with tf.control_dependencies([queue.enqueue([6, "six", [4.0]])]):
            batch = queue.dequeue_many(2)
    with tf.control_dependencies(batch):
        one = queue.dequeue()
    with tf.control_dependencies(one):
        return [*batch, *one, *queue.dequeue_up_to(1)]


# Operations ---------------------------------------------------------------------------------------


@case("QueueDequeueUpToV2", "QueueCloseV2", "QueueIsClosedV2")
def up_to_what_there_is(tf):
    queue = tf.FIFOQueue(10, tf.int32, shapes=[[]])
    n = tf.placeholder(tf.int32, [], name="n")
    with tf.control_dependencies([queue.enqueue_many([[1, 2, 3]])]):
        close = queue.close()
    with tf.control_dependencies([close]):
        return Program([queue.dequeue_up_to(n), queue.is_closed()], feed=[{n: 5}])


@case("QueueDequeueManyV2", each=[0, 1, 3])
def many(tf, count):
    queue = tf.FIFOQueue(10, [tf.int32, tf.float32], shapes=[[2], []])
    with tf.control_dependencies([queue.enqueue_many([np.ones([3, 2]), np.ones([3])])]):
        return queue.dequeue_many(count)


@case("QueueEnqueueManyV2", "QueueSizeV2")
def none_at_all(tf):
    queue = tf.FIFOQueue(1, tf.int32, shapes=[[2]])
    x = tf.placeholder(tf.int32, [None, 2], name="x")
    with tf.control_dependencies([queue.enqueue_many([x])]):
        return Program(queue.size(), feed=[{x: np.zeros([0, 2])}, {x: np.zeros([1, 2])}])


@case("QueueCloseV2", "QueueIsClosedV2", each=[True, False])
def closed(tf, cancel):
    queue = tf.FIFOQueue(10, tf.int32, shapes=[[]], name="queue")
    before = queue.is_closed(name="before")
    with tf.control_dependencies([before]):
        close = queue.close(cancel_pending_enqueues=cancel, name="shut")
    with tf.control_dependencies([close]):
        return [before, queue.is_closed(), queue.size(name="size")]


@case("QueueCloseV2")
def closed_again_and_cancelled(tf):
    queue = tf.FIFOQueue(10, tf.int32)
    return Program(
        [queue.close(cancel_pending_enqueues=True), queue.is_closed()], setup=[queue.close()]
    )


@case("QueueDequeueV2")
def one_component_takes_all(tf):
    queue = tf.FIFOQueue(10, [tf.int32, tf.string], shapes=[[], []])
    number, _ = queue.dequeue()
    with tf.control_dependencies([number]):
        size = queue.size()
    return Program([number, size], setup=[queue.enqueue_many([[1, 2], ["a", "b"]])], runs=2)


@case("QueueDequeueV2")
def in_a_loop(tf):
    queue = tf.FIFOQueue(10, tf.int32, shapes=[[]])
    total = tf.while_loop(
        lambda i, total: i < 3, lambda i, total: (i + 1, total + queue.dequeue()), [0, 0]
    )[1]
    return Program(total, setup=[queue.enqueue_many([[1, 2, 3, 4, 5, 6]])], runs=2)


@case("QueueEnqueueV2")
def in_a_branch(tf):
    queue = tf.FIFOQueue(10, tf.int32, shapes=[[]])
    which = tf.placeholder(tf.bool, [], name="which")
    put = tf.cond(which, lambda: queue.enqueue(1), lambda: queue.enqueue(2))
    with tf.control_dependencies([put]):
        return Program(queue.dequeue(), feed=[{which: True}, {which: False}])


@case("FIFOQueueV2", "QueueDequeueV2")
def one_of_a_list(tf):
    queues = [tf.FIFOQueue(10, tf.int32, shapes=[[]], name=f"queue_{i}") for i in range(2)]
    which = tf.placeholder(tf.int32, [], name="which")
    chosen = tf.QueueBase.from_list(which, queues)
    puts = [queue.enqueue_many([[i, i + 10]]) for i, queue in enumerate(queues)]
    return Program(chosen.dequeue(), feed=[{which: 1}, {which: 0}, {which: 1}], setup=puts)


@case("QueueSizeV2")
def in_scopes(tf):
    with tf.name_scope("outer"):
        queue = tf.FIFOQueue(10, [tf.int32, tf.float32], shapes=[[], []], name="queue")
        with tf.name_scope("inner"):
            put = queue.enqueue([1, 2.0])
        queue.enqueue_many([[1], [2.0]])
        queue.dequeue_many(3), queue.dequeue_up_to(3), queue.dequeue(), queue.close()
    with tf.control_dependencies([put]):
        return [queue.size(), queue.is_closed()]


@case("QueueDequeueV2")
def values_of_another_dtype_are_converted(tf):
    queue = tf.FIFOQueue(10, [tf.int64, tf.float64], shapes=[[], []])
    with tf.control_dependencies([queue.enqueue([1, 2])]):
        return queue.dequeue()


# What is refused while building -------------------------------------------------------------------


@case("QueueEnqueueV2", error="Shapes (3,) and (2,) are incompatible")
def enqueue_of_another_shape(tf):
    return tf.FIFOQueue(10, tf.int32, shapes=[[2]]).enqueue([[1, 2, 3]])


@case("QueueEnqueueManyV2", error="must have rank at least 1")
def enqueue_many_of_a_scalar(tf):
    return tf.FIFOQueue(10, tf.int32, shapes=[[]]).enqueue_many([1])


@case("QueueEnqueueManyV2", error="Dimensions 2 and 1 are not compatible")
def enqueue_many_of_different_lengths(tf):
    return tf.FIFOQueue(10, [tf.int32] * 2, shapes=[[], []]).enqueue_many([[1, 2], [1]])


@case("QueueEnqueueV2", error="")
def enqueue_of_another_type(tf):
    return tf.FIFOQueue(10, tf.int32, shapes=[[]]).enqueue("text")


@case("QueueEnqueueV2", error="do not match names of Queue")
def enqueue_of_other_names(tf):
    return tf.FIFOQueue(10, tf.int32, names=["a"]).enqueue({"b": 1})


@case("QueueDequeueManyV2", error="must be >= 0, but is -1")
def fewer_than_none(tf):
    return tf.FIFOQueue(10, tf.int32, shapes=[[]]).dequeue_many(-1)


@case("FIFOQueueV2", error="must have the same length as dtypes")
def too_few_shapes(tf):
    return tf.FIFOQueue(10, [tf.int32, tf.int32], shapes=[[]]).size()


@case("FIFOQueueV2", error="All shapes must be fully defined")
def unknown_shapes(tf):
    return tf.FIFOQueue(10, [tf.int32], shapes=[[None]]).size()


@case("PriorityQueueV2", error="")
def priorities_without_shapes(tf):
    return tf.PriorityQueue(10, [tf.int32]).size()


@case("QueueSizeV2", error="do not have matching component dtypes")
def a_list_of_different_queues(tf):
    queues = [tf.FIFOQueue(10, tf.int32), tf.FIFOQueue(10, tf.float32)]
    return tf.QueueBase.from_list(0, queues).size()


# What is refused when it runs ---------------------------------------------------------------------


@case(
    "QueueDequeueV2", error="is closed and has insufficient elements (requested 1, current size 0)"
)
def dequeue_of_a_closed_queue(tf):
    queue = tf.FIFOQueue(10, tf.int32, shared_name="shared")
    return Program(queue.dequeue(), setup=[queue.close()])


@case("QueueDequeueManyV2", error="(requested 3, current size 2)")
def dequeue_many_of_a_closed_queue(tf):
    queue = tf.FIFOQueue(10, tf.int32, shapes=[[]])
    return Program(queue.dequeue_many(3), setup=[queue.enqueue_many([[1, 2]]), queue.close()])


@case("QueueDequeueUpToV2", error="insufficient elements (requested 3, current size 0)")
def dequeue_up_to_of_an_empty_closed_queue(tf):
    queue = tf.PaddingFIFOQueue(10, [tf.int32], shapes=[[None]])
    return Program(queue.dequeue_up_to(3), setup=[queue.close()])


@case("QueueEnqueueV2", error="is closed.")
def enqueue_into_a_closed_queue(tf):
    queue = tf.RandomShuffleQueue(10, 2, tf.int32, shared_name="shared")
    return Program(queue.enqueue(1), setup=[queue.close()])


@case("QueueEnqueueManyV2", error="is closed.")
def enqueue_many_into_a_closed_queue(tf):
    queue = tf.PriorityQueue(10, tf.int32, shapes=[[]], shared_name="shared")
    return Program(queue.enqueue_many([[1], [1]]), setup=[queue.close()])


@case("QueueCloseV2", error="Queue 'shared' is already closed.")
def close_of_a_closed_queue(tf):
    queue = tf.FIFOQueue(10, tf.int32, shared_name="shared")
    return Program(queue.close(), setup=[queue.close()])


@case("QueueEnqueueV2", error="Shape mismatch in tuple component 1. Expected [2], got [3]")
def fed_another_shape(tf):
    queue = tf.FIFOQueue(10, [tf.int32, tf.int32], shapes=[[], [2]])
    x = tf.placeholder(tf.int32, name="x")
    return Program(queue.enqueue([1, x]), feed={x: [1, 2, 3]})


@case("QueueEnqueueManyV2", error="Shape mismatch in tuple component 1. Expected [2], got [3]")
def fed_different_lengths(tf):
    queue = tf.FIFOQueue(10, [tf.int32, tf.int32], shapes=[[], []])
    x = tf.placeholder(tf.int32, name="x")
    return Program(queue.enqueue_many([[1, 2], x]), feed={x: [1, 2, 3]})


@case("PaddingFIFOQueueV2", error="Shape mismatch in tuple component 0. Expected [?,2], got [1,3]")
def padding_of_another_size(tf):
    queue = tf.PaddingFIFOQueue(10, [tf.int32], shapes=[[None, 2]])
    x = tf.placeholder(tf.int32, name="x")
    return Program(queue.enqueue([x]), feed={x: [[1, 2, 3]]})


@case("QueueDequeueManyV2", error="requested -1 < 0 elements")
def fed_fewer_than_none(tf):
    n = tf.placeholder(tf.int32, [], name="n")
    return Program(tf.FIFOQueue(10, tf.int32, shapes=[[]]).dequeue_many(n), feed={n: -1})


@case(
    "QueueDequeueManyV2",
    error="DequeueMany and DequeueUpTo require the components to have specified",
)
def a_batch_of_unknown_shapes(tf):
    return tf.FIFOQueue(10, tf.int32).dequeue_many(1)


@case("RandomShuffleQueueV2", error="min_after_dequeue 5 must be < capacity 5")
def a_minimum_as_large_as_the_capacity(tf):
    return tf.RandomShuffleQueue(5, 5, tf.int32).size()


@case("RandomShuffleQueueV2", error="min_after_dequeue -1 must be >= 0")
def a_negative_minimum(tf):
    return tf.RandomShuffleQueue(5, -1, tf.int32).size()


@case("FIFOQueueV2", error="Shared queue 'shared' has capacity 5 but requested capacity was 6")
def shared_with_another_capacity(tf):
    one = tf.FIFOQueue(5, tf.int32, shared_name="shared")
    other = tf.FIFOQueue(6, tf.int32, shared_name="shared")
    return Program(other.size(), setup=[one.enqueue(1)])


@case("PaddingFIFOQueueV2", error="Expected FIFOQueue, found PaddingFIFOQueueV2")
def shared_with_another_kind(tf):
    one = tf.FIFOQueue(5, tf.int32, shapes=[[]], shared_name="shared")
    other = tf.PaddingFIFOQueue(5, tf.int32, shapes=[[]], shared_name="shared")
    return Program(other.size(), setup=[one.enqueue(1)])


@case("QueueEnqueueV2", error="Timeout not supported yet.")
def a_timeout_of_its_own(tf):
    queue = tf.FIFOQueue(5, tf.int32, shapes=[[]])
    handle, one = queue.queue_ref, tf.constant(1)
    node(tf, "QueueEnqueueV2", [handle, one], Tcomponents=(tf.int32,), timeout_ms=5)
    return tf.get_default_graph().get_operation_by_name("QueueEnqueueV2")
