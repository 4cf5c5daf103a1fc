"""The kinds of queues: orders of shuffling, padding, priorities; sharing; queues in loops."""

import numpy as np

from tests.behaviour.asking import question, says
from tests.behaviour.questions._queues import error_of, soon
from tests.conformance.nodes import function_module

#: (question, label): (the answer here, why it is not TensorFlow's).
DIFFERENCES = {
    ("imported", "static"): (
        "[TensorShape([]), TensorShape([])]",
        "the node that makes the queue says it; TensorFlow knows only what QueueBase was told",
    )
}


# Shuffling ----------------------------------------------------------------------------------------


def shuffled(tf, count=12, minimum=0, graph_seed=None, batches=(), **options):
    """The order in which a shuffle queue gives the numbers that were put in."""
    with tf.Graph().as_default():
        if graph_seed is not None:
            tf.set_random_seed(graph_seed)
        queue = tf.RandomShuffleQueue(100, minimum, tf.int32, shapes=[[]], **options)
        fill = queue.enqueue_many([np.arange(count, dtype=np.int32)])
        take, n = queue.dequeue(), tf.placeholder(tf.int32, [])
        many = queue.dequeue_many(n)
        with tf.Session() as sess:
            sess.run(fill)
            sess.run(queue.close())
            order = [value for size in batches for value in sess.run(many, {n: size}).tolist()]
            return order + [int(sess.run(take)) for _ in range(count - sum(batches))]


@question
def orders_of_seeds(tf):
    return {f"seed {seed}": shuffled(tf, seed=seed) for seed in (0, 1, 2, 7, 2**31 - 1)}


@question
def orders_of_graph_seeds(tf):
    return {f"seed {seed}": shuffled(tf, graph_seed=seed) for seed in (0, 1, 42)} | {
        "and the queue's": shuffled(tf, graph_seed=1, seed=7),
        "shared": shuffled(tf, graph_seed=1, shared_name="one"),
        "shared otherwise": shuffled(tf, graph_seed=1, shared_name="other"),
        "shared, with a seed": shuffled(tf, graph_seed=1, seed=7, shared_name="one"),
    }


@question
def orders_of_batches(tf):
    return {
        "all at once": shuffled(tf, seed=5, batches=[12]),
        "three and four": shuffled(tf, seed=5, batches=[3, 4]),
        "many": shuffled(tf, seed=5, count=80),
        "a minimum, closed": shuffled(tf, seed=5, minimum=6),
    }


@question
def filled_between(tf):
    queue = tf.RandomShuffleQueue(20, 2, tf.int32, shapes=[[]], seed=11)
    values = tf.placeholder(tf.int32, [None])
    put, take, some = queue.enqueue_many(values), queue.dequeue(), queue.dequeue_up_to(5)
    with tf.Session() as sess:
        sess.run(put, {values: range(6)})
        first = [int(sess.run(take)) for _ in range(4)]
        sess.run(put, {values: range(6, 12)})
        second = sess.run(queue.dequeue_many(4)).tolist()
        sess.run(queue.close())
        return {"first": first, "second": second, "rest": sess.run(some)}


@question
def the_minimum_that_stays(tf):
    queue = tf.RandomShuffleQueue(10, 2, tf.int32, shapes=[[]], seed=1)
    take, size = queue.dequeue(), queue.size()
    with tf.Session() as sess:
        run = sess.run
        run(queue.enqueue_many([[1, 1, 1, 1]]))
        answers = {
            "one": run(take),
            "two": run(take),
            "three": error_of(run, take, options=soon(tf)),
            "stay": run(size),
            "many": error_of(run, queue.dequeue_many(2), options=soon(tf)),
            "up to": error_of(run, queue.dequeue_up_to(2), options=soon(tf)),
            "none": run(queue.dequeue_many(0)),
        }
        run(queue.close())
        return answers | {
            "closed, one": run(take),
            "closed, many": error_of(run, queue.dequeue_many(2)),
            "closed, up to": run(queue.dequeue_up_to(2)),
            "over": error_of(run, take),
        }


@question
def wrong_minima(tf):
    def made(capacity, minimum):
        queue = tf.RandomShuffleQueue(capacity, minimum, tf.int32, shapes=[[]])
        with tf.Session() as sess:
            return error_of(sess.run, queue.size())

    return {
        "below none": made(5, -1),
        "the capacity": made(5, 5),
        "above it": made(5, 6),
        "just below": made(5, 4),
        "no limit": made(-1, 100),
        "in its words": says(
            "must be < capacity", tf.Session().run, tf.RandomShuffleQueue(5, 9, tf.int32).size()
        ),
    }


# Padding ------------------------------------------------------------------------------------------


def padded(tf, dtype, shape, values, count=None, up_to=False):
    """What a padding queue makes of these elements."""
    with tf.Graph().as_default():
        queue = tf.PaddingFIFOQueue(10, dtype, shapes=[shape])
        value = tf.placeholder(dtype)
        put, count = queue.enqueue(value), count or len(values)
        with tf.Session() as sess:
            for each in values:
                sess.run(put, {value: each})
            batch = queue.dequeue_up_to(count) if up_to else queue.dequeue_many(count)
            if up_to:
                sess.run(queue.close())
            return [sess.run(batch), batch.shape]


@question
def padding(tf):
    return {
        "vectors": padded(tf, tf.int32, [None], [[1], [2, 3, 4], [], [5, 6]]),
        "matrices": padded(tf, tf.float32, [None, None], [[[1]], [[2, 3], [4, 5]], [[6, 7, 8]]]),
        "one size known": padded(tf, tf.int32, [None, 2], [[[1, 2]], [[3, 4], [5, 6]]]),
        "the other": padded(tf, tf.int32, [2, None], [[[1], [2]], [[3, 4], [5, 6]]]),
        "three": padded(tf, tf.int32, [None, 1, None], [[[[1, 2]]], [[[3]], [[4]]]]),
        "strings": padded(tf, tf.string, [None], [["a", "bc"], ["d"], []]),
        "matrices of strings": padded(
            tf, tf.string, [None, None], [[["a"]], [["b", "c"], ["d", ""]]]
        ),
        "truths": padded(tf, tf.bool, [None], [[True], [True, True]]),
        "complex": padded(tf, tf.complex64, [None], [[1 + 1j], [2, 3j]]),
        "scalars": padded(tf, tf.int32, [], [1, 2, 3]),
        "nothing to pad": padded(tf, tf.int32, [2], [[1, 2], [3, 4]]),
        "all empty": padded(tf, tf.int32, [None], [[], []]),
        "empty rows": padded(tf, tf.int32, [None, 2], [np.zeros([0, 2]), [[1, 2]]]),
        "up to": padded(tf, tf.int32, [None], [[1], [2, 3]], count=5, up_to=True),
        "one of them": padded(tf, tf.int32, [None], [[1], [2, 3]], count=1),
    }


@question
def padding_queues(tf):
    queue = tf.PaddingFIFOQueue(10, [tf.int32, tf.string], shapes=[[None, 2], []])
    x, s = tf.placeholder(tf.int32), tf.placeholder(tf.string)
    put, many = queue.enqueue([x, s]), queue.enqueue_many([x, s])
    mismatch = "Shape mismatch in tuple component"
    with tf.Session() as sess:
        run = sess.run
        run(put, {x: [[1, 2]], s: "a"})
        run(many, {x: [[[3, 4], [5, 6]], [[7, 8], [9, 10]]], s: ["b", "c"]})
        return {
            "one": run(queue.dequeue()),
            "batch": run(queue.dequeue_many(2)),
            "none": run(queue.dequeue_many(0)),
            "static": [t.shape for t in queue.dequeue_many(3)],
            "and of one": [t.shape for t in queue.dequeue()],
            "another size": says(f"{mismatch} 0", run, put, {x: [[1, 2, 3]], s: "a"}),
            "another rank": says(f"{mismatch} 0", run, put, {x: [1, 2], s: "a"}),
            "of the other": says(
                f"{mismatch} 1. Expected [], got [1]", run, put, {x: [[1, 2]], s: ["a"]}
            ),
            "rows": says(f"{mismatch} 0", run, many, {x: [[[1, 2, 3]]], s: ["a"]}),
            "numbers of rows": error_of(run, many, {x: [[[1, 2]]], s: ["a", "b"]}),
            "built": says(
                "Shapes (1, 3) and (?, 2) are incompatible", queue.enqueue, [[[1, 2, 3]], "a"]
            ),
            "no shapes": says(
                "a list of shapes must be provided", tf.PaddingFIFOQueue, 5, [tf.int32], [None]
            ),
            "in no list": says(
                "a list of shapes must be provided",
                tf.PaddingFIFOQueue,
                5,
                tf.int32,
                tf.TensorShape([None]),
            ),
        }


# Priorities ---------------------------------------------------------------------------------------


@question
def priorities(tf):
    queue = tf.PriorityQueue(10, tf.string, shapes=[[]])
    fill = queue.enqueue_many([[5, -3, 9, 0], ["e", "m", "n", "z"]])
    with tf.Session() as sess:
        run = sess.run
        run(fill)
        first = run(queue.dequeue())
        run(queue.enqueue([1, "one"]))
        return {
            "the smallest": first,
            "batch": run(queue.dequeue_many(2)),
            "the rest": run(queue.dequeue_many(2)),
            "none": run(queue.dequeue_many(0)),
            "dtypes": [dtype.name for dtype in queue.dtypes],
            "shapes": queue.shapes,
            "static": [t.shape for t in queue.dequeue_many(2)],
            "of one": [t.shape for t in queue.dequeue()],
        }


@question
def equal_priorities(tf):
    queue = tf.PriorityQueue(10, tf.int32, shapes=[[]])
    with tf.Session() as sess:
        sess.run(queue.enqueue_many([[1, 0, 1, 0, 1], [1, 2, 3, 4, 5]]))
        keys, values = sess.run(queue.dequeue_many(5))
        return {"keys": keys, "low": sorted(values[:2]), "high": sorted(values[2:])}


@question
def priority_queues(tf):
    queue = tf.PriorityQueue(10, [tf.string, tf.float32], shapes=[[], [2]])
    key = tf.placeholder(tf.int64)
    mismatch = "Shape mismatch in tuple component 0. Expected [], got [1]"
    with tf.Session() as sess:
        run = sess.run
        run(queue.enqueue([2, "a", [1.0, 2.0]]))
        return {
            "one": run(queue.dequeue()),
            "without shapes": error_of(tf.PriorityQueue, 10, [tf.int32]),
            "a vector as priority": says(
                "Shapes (1,) and () are incompatible", queue.enqueue, [[1], "a", [1.0, 2.0]]
            ),
            "fed": says(mismatch, run, queue.enqueue([key, "a", [1.0, 2.0]]), {key: [1]}),
            "a float as priority": error_of(queue.enqueue, [1.5, "a", [1.0, 2.0]]),
            "int32": error_of(queue.enqueue, [tf.constant(1), "a", [1.0, 2.0]]),
            "their shape": error_of(tf.PriorityQueue, 10, [], shapes=[]),
            "names": error_of(tf.PriorityQueue, 10, [tf.int32], [[]], ["a"]),
            "names with the priority's": tf.PriorityQueue(10, [tf.int32], [[]], ["p", "a"]).names,
        }


# Shared -------------------------------------------------------------------------------------------


@question
def shared(tf):
    def make(kind="FIFOQueue", capacity=5, dtypes=tf.int32, shapes=None, **options):
        first = getattr(tf, kind)
        return first(capacity, dtypes=dtypes, shapes=shapes, shared_name="s", **options)

    def words(one, another, text):
        with tf.Graph().as_default():
            first, second = (make(**{"shapes": [[]], **each}) for each in (one, another))
            with tf.Session() as sess:
                sess.run(first.size())
                if text == "no error":
                    return sess.run(second.size())
                return says(text, sess.run, second.size())

    def other(*args, **kwargs):
        with tf.Graph().as_default():
            tf.FIFOQueue(5, [tf.int32], shapes=[[]], shared_name="s", name="first")
            first = tf.get_default_graph().get_tensor_by_name("first:0")
            one = tf.QueueBase([tf.int32], [tf.TensorShape([])], None, first)
            second = make(*args, **kwargs)
            with tf.Session() as sess:
                sess.run(one.enqueue(3))
                return error_of(sess.run, second.size())

    return {
        "capacities, in its words": words(
            {"capacity": 5}, {"capacity": 6}, "has capacity 5 but requested capacity was 6"
        ),
        "shapes, in its words": words(
            {"shapes": [[2]]},
            {"shapes": [[3]]},
            "has component shapes [[2]] but requested component shapes were [[3]]",
        ),
        "kinds, in its words": words(
            {}, {"kind": "PaddingFIFOQueue"}, "Expected FIFOQueue, found PaddingFIFOQueueV2"
        ),
        "no limit either way": words({"capacity": -1}, {"capacity": -5}, "no error"),
        "the same": other(shapes=[[]]),
        "another capacity": other(capacity=6, shapes=[[]]),
        "another type": other(dtypes=tf.float32, shapes=[[]]),
        "more types": other(dtypes=[tf.int32, tf.int32], shapes=[[], []]),
        "another shape": other(shapes=[[2]]),
        "no shape": other(),
        "another kind": other("RandomShuffleQueue", min_after_dequeue=0, shapes=[[]]),
        "another kind still": other("PaddingFIFOQueue", shapes=[[]]),
        "of another container": in_containers(tf),
    }


def in_containers(tf):
    with tf.Graph().as_default():
        with tf.container("a"):
            one = tf.FIFOQueue(5, tf.int32, shared_name="s")
        with tf.container("b"):
            other = tf.FIFOQueue(5, tf.int32, shared_name="s")
        again = tf.FIFOQueue(5, tf.int32, shared_name="s")
        with tf.Session() as sess:
            sess.run(one.enqueue(1))
            return sess.run([one.size(), other.size(), again.size()])


@question
def shared_and_not(tf):
    def sizes(name):
        with tf.Graph().as_default():
            queues = [tf.FIFOQueue(5, tf.int32, shared_name=name) for _ in range(2)]
            with tf.Session() as sess:
                sess.run(queues[0].enqueue(1))
                return sess.run([queue.size() for queue in queues])

    def minima(*pairs):
        with tf.Graph().as_default():
            queues = [
                tf.RandomShuffleQueue(9, least, tf.int32, shapes=[[]], seed=seed, shared_name="s")
                for least, seed in pairs
            ]
            with tf.Session() as sess:
                sess.run(queues[0].size())
                return error_of(sess.run, queues[1].size())

    return {
        "shared": sizes("name"),
        "not": sizes(None),
        "by no name": sizes(""),
        "the same seeds": minima((1, 2), (1, 2)),
        "other seeds": minima((1, 2), (1, 3)),
        "other minima": minima((1, 2), (3, 2)),
    }


@question
def reset(tf):
    queue = tf.FIFOQueue(5, tf.int32, shared_name="s")
    put, size = queue.enqueue(1), queue.size()
    sess = tf.Session()
    sess.run(put)
    tf.Session.reset("")
    after = error_of(sess.run, size)
    with tf.Session() as new:
        return {"the old session": after, "a new one": new.run(size)}


# In loops, branches, functions --------------------------------------------------------------------


@question
def in_loops(tf):
    queue = tf.FIFOQueue(20, tf.int32, shapes=[[]])

    def put(i):
        with tf.control_dependencies([queue.enqueue(i * i)]):
            return i + 1

    fill = tf.while_loop(lambda i: i < 5, put, [0], parallel_iterations=1)
    total = tf.while_loop(
        lambda i, total: i < 5, lambda i, total: (i + 1, total + queue.dequeue()), [0, 0]
    )
    drain = tf.while_loop(
        lambda i: queue.size() > 0, lambda i: i + queue.dequeue(), [0], parallel_iterations=1
    )
    with tf.Session() as sess:
        answers = {"turns": sess.run(fill), "size": sess.run(queue.size())}
        answers["sum"] = sess.run(total)[1]
        sess.run(fill)
        return answers | {"order": sess.run(queue.dequeue_many(3)), "the rest": sess.run(drain)}


@question
def in_branches(tf):
    queue, other = (tf.FIFOQueue(20, tf.int32, shapes=[[]]) for _ in range(2))
    which = tf.placeholder(tf.bool, [])
    put = tf.cond(which, lambda: queue.enqueue(1), lambda: other.enqueue(2))
    take = tf.cond(which, lambda: queue.dequeue(), lambda: other.dequeue())
    with tf.Session() as sess:
        sess.run(put, {which: True})
        sess.run(put, {which: False})
        sess.run(put, {which: False})
        return {
            "sizes": sess.run([queue.size(), other.size()]),
            "one": sess.run(take, {which: True}),
            "other": sess.run(take, {which: False}),
            "left": sess.run([queue.size(), other.size()]),
        }


@question
def in_functions(tf):
    queue = tf.FIFOQueue(20, tf.int32, shapes=[[]])
    defun = function_module(tf).Defun

    @defun(tf.int32)
    def captures(x):
        with tf.control_dependencies([queue.enqueue(x)]):
            return tf.identity(x)

    @defun(tf.int32)
    def for_its_effect(x):
        queue.enqueue(x)
        return x

    @defun(tf.resource, tf.int32)
    def given(handle, x):
        there = tf.QueueBase([tf.int32], [tf.TensorShape([])], None, handle)
        with tf.control_dependencies([there.enqueue(x)]):
            return tf.identity(x), there.size()

    @defun(tf.int32)
    def its_own(x):
        own = tf.FIFOQueue(5, tf.int32, shapes=[[]])
        with tf.control_dependencies([own.enqueue(x)]):
            return own.size()

    @defun()
    def takes():
        return queue.dequeue()

    with tf.Session() as sess:
        answers = {
            "captured": sess.run(captures(tf.constant(4))),
            "for its effect": sess.run(for_its_effect(tf.constant(5))),
            "given": list(sess.run(given(queue.queue_ref, 6))),
            "its own": [sess.run(its_own(7)) for _ in range(1)],
            "taken": sess.run(takes()),
        }
        return answers | {"in it": sess.run(queue.dequeue_many(queue.size()))}


@question
def imported(tf):
    with tf.Graph().as_default() as graph:
        queue = tf.FIFOQueue(5, [tf.int32, tf.string], shapes=[[], []], name="queue")
        queue.enqueue_many([[1, 2], ["a", "b"]], name="fill")
        queue.dequeue(name="take")
    tf.import_graph_def(graph.as_graph_def(), name="copy")
    with tf.Session() as sess:
        sess.run("copy/fill")
        handle = tf.get_default_graph().get_tensor_by_name("copy/queue:0")
        again = tf.QueueBase([tf.int32, tf.string], None, None, handle)
        return {
            "taken": sess.run(["copy/take:0"])[0],
            "of the same queue": sess.run(again.dequeue()),
            "static": [t.shape for t in again.dequeue()],
        }
