"""Queues, one thread at a time: order, batches, closing, names, lists, sharing, what is refused."""

import numpy as np

from tests.behaviour.asking import question, says
from tests.behaviour.questions._queues import error_of

#: (question, label): (the answer here, why it is not TensorFlow's).
DIFFERENCES = {
    ("batches", "a vector for n"): ("'ValueError'", "TensorFlow's own code stumbles over it"),
    ("batches", "up to a vector"): ("'ValueError'", "not only when it runs: the line is known"),
    ("tuples", "too few"): ("'ValueError'", "not only when it runs: the line is known"),
    ("tuples", "a single value"): ("'ValueError'", "not only when it runs: the line is known"),
}


def numbers(tf, capacity=10, values=(), **options):
    """A queue of scalars, and the operation that puts some in."""
    queue = tf.FIFOQueue(capacity, tf.float32, shapes=[[]], **options)
    return queue, queue.enqueue_many([np.array(values, np.float32)])


@question
def order(tf):
    queue, fill = numbers(tf, values=[1, 2, 3])
    put, take, size = queue.enqueue(9.0), queue.dequeue(), queue.size()
    with tf.Session() as sess:
        run = sess.run
        return {
            "what enqueue gives": run(put),
            "and many": run(fill),
            "size": run(size),
            "one": run(take),
            "the next": run(take),
            "put one behind": run(put),
            "the rest": run(queue.dequeue_many(3)),
            "empty": run(size),
            "closed": run(queue.is_closed()),
        }


@question
def batches(tf):
    queue, fill = numbers(tf, values=[1, 2, 3, 4, 5])
    n = tf.placeholder(tf.int32, [])
    many, some = queue.dequeue_many(n), queue.dequeue_up_to(n)
    with tf.Session() as sess:
        sess.run(fill)
        return {
            "two": sess.run(many, {n: 2}),
            "none": sess.run(many, {n: 0}),
            "none, or fewer": sess.run(some, {n: 0}),
            "up to two": sess.run(some, {n: 2}),
            "fewer than none": says("requested -1 < 0 elements", sess.run, many, {n: -1}),
            "up to fewer": says("requested -2 < 0 elements", sess.run, some, {n: -2}),
            "a list for n": error_of(sess.run, many, {n: [1]}),
            "left": sess.run(queue.size()),
            "static": [many.shape, some.shape, queue.dequeue_many(3).shape],
            "static, up to": queue.dequeue_up_to(3).shape,
            "negative, built": says("Input 'n' must be >= 0, but is -1", queue.dequeue_many, -1),
            "a vector for n": error_of(queue.dequeue_many, [1]),
            "up to a vector": error_of(queue.dequeue_up_to, [1]),
            "a float for n": error_of(queue.dequeue_many, 1.5),
        }


@question
def batches_of_no_shape(tf):
    queue = tf.FIFOQueue(5, [tf.int32])
    many, some = queue.dequeue_many(1), queue.dequeue_up_to(1)
    text = "FIFOQueue's DequeueMany and DequeueUpTo require the components to have specified shapes"
    with tf.Session() as sess:
        sess.run(queue.enqueue([7]))
        sess.run(queue.enqueue([[7, 8]]))
        return {
            "many": says(text, sess.run, many),
            "up to": says(text, sess.run, some),
            "none": says(text, sess.run, queue.dequeue_many(0)),
            "nothing was lost": sess.run(queue.size()),
            "one": sess.run(queue.dequeue()),
            "of another shape": sess.run(queue.dequeue()),
            "static": [many.shape, queue.dequeue().shape],
            "many at a time": sess.run(queue.enqueue_many([[[1, 2], [3, 4]]])),
            "its rows": [sess.run(queue.dequeue()), sess.run(queue.dequeue())],
        }


@question
def closing(tf):
    queue, fill = numbers(tf, values=[1, 2, 3, 4, 5], shared_name="closing")
    close, cancel = queue.close(), queue.close(cancel_pending_enqueues=True)
    put, take = queue.enqueue(1.0), queue.dequeue()
    closed = "is closed."
    with tf.Session() as sess:
        run = sess.run
        run(fill)
        run(close)
        return {
            "closed": run(queue.is_closed()),
            "put in": says(closed, run, put),
            "put in many": says(closed, run, fill),
            "put in none": run(queue.enqueue_many([np.zeros([0], np.float32)])),
            "size": run(queue.size()),
            "take": run(take),
            "take two": run(queue.dequeue_many(2)),
            "more than there are": says(
                "is closed and has insufficient elements (requested 3, current size 2)",
                run,
                queue.dequeue_many(3),
            ),
            "still there": run(queue.size()),
            "none of them": run(queue.dequeue_many(0)),
            "what is left": run(queue.dequeue_up_to(3)),
            "one more": says(
                "FIFOQueue 'closing' is closed and has insufficient elements (requested 1, "
                "current size 0)",
                run,
                take,
            ),
            "up to one more": says(
                "insufficient elements (requested 3, current size 0)", run, queue.dequeue_up_to(3)
            ),
            "none of nothing": run(queue.dequeue_many(0)),
            "close again": says("is already closed", run, close),
            "cancel": run(cancel),
            "again": run(cancel),
        }


@question
def closing_and_cancelling(tf):
    queue, fill = numbers(tf, values=[1, 2], shared_name="cancelling")
    with tf.Session() as sess:
        run = sess.run
        run(fill)
        run(queue.close(cancel_pending_enqueues=True))
        return {
            "closed": run(queue.is_closed()),
            "put in": says("FIFOQueue 'cancelling' is closed.", run, queue.enqueue(1.0)),
            "take": run(queue.dequeue()),
            "close": says("Queue 'cancelling' is already closed.", run, queue.close()),
            "take again": run(queue.dequeue()),
            "empty": says("is closed and has insufficient", run, queue.dequeue()),
        }


@question
def tuples(tf):
    queue = tf.FIFOQueue(5, [tf.int32, tf.string, tf.bool], shapes=[[], [2], []])
    fill = queue.enqueue_many(
        [[1, 2, 3], [["a", "b"], ["c", "d"], ["e", "f"]], [True, False, True]]
    )
    number, text, flag = queue.dequeue()
    with tf.Session() as sess:
        run = sess.run
        run(fill)
        answers = {
            "one component takes all": run(number),
            "left": run(queue.size()),
            "another": run(text),
            "together": run([flag, number, text]),
        }
        run(queue.enqueue((7, ["x", "y"], False)))
        run(queue.enqueue([8, ["z", "y"], True]))
        batch = queue.dequeue_many(2)
        return answers | {
            "from a tuple": run(batch),
            "kind": type(batch).__name__,
            "static": [[t.shape, t.dtype.name] for t in batch],
            "of none": run(queue.dequeue_many(0)),
            "too few": error_of(queue.enqueue, [1, ["x", "y"]]),
            "a single value": error_of(queue.enqueue, 1),
            "another size": says(
                "Shapes (3,) and (2,) are incompatible", queue.enqueue, [1, ["x", "y", "z"], True]
            ),
            "another type": error_of(queue.enqueue, ["a", ["x", "y"], True]),
            "other numbers of rows": says(
                "Dimensions 1 and 2 are not compatible",
                queue.enqueue_many,
                [[1], [["a", "b"], ["c", "d"]], [True, False]],
            ),
            "a scalar as rows": says(
                "must have rank at least 1", queue.enqueue_many, [1, [["a", "b"]], [True]]
            ),
        }


@question
def two_dequeues_in_one_run(tf):
    queue, fill = numbers(tf, values=[1, 2, 3, 4])
    one, other = queue.dequeue(), queue.dequeue()
    with tf.Session() as sess:
        sess.run(fill)
        return {
            "the same twice": sess.run([one, one]),
            "two": sorted(sess.run([one, other])),
            "a sum": sess.run(one + one),
        }


@question
def names(tf):
    queue = tf.FIFOQueue(5, [tf.int32, tf.string], shapes=[[], []], names=["number", "text"])
    taken, batch = queue.dequeue(), queue.dequeue_many(2)
    with tf.Session() as sess:
        run = sess.run
        run(queue.enqueue({"text": "a", "number": 1}))
        run(queue.enqueue_many({"text": ["b", "c"], "number": [2, 3]}))
        return {
            "what comes": run(taken),
            "keys": sorted(taken),
            "batch": run(batch),
            "names": queue.names,
            "a list": says(
                "You must enqueue a dictionary in a Queue with names", queue.enqueue, [1, "a"]
            ),
            "one key short": says("do not match names of Queue", queue.enqueue, {"text": "a"}),
            "one too many": says(
                "do not match names of Queue", queue.enqueue, {"text": "a", "number": 1, "x": 2}
            ),
            "no names": says(
                "Queue must have names to enqueue a dictionary",
                tf.FIFOQueue(5, tf.int32).enqueue,
                {"number": 1},
            ),
            "as many as types": says("same length", tf.FIFOQueue, 5, [tf.int32], None, ["a", "b"]),
            "one name": tf.FIFOQueue(5, tf.int32, names="x").names,
            "of one component": tf.FIFOQueue(5, tf.int32, names=["x"]).dequeue(),
        }


@question
def a_single_component(tf):
    queue = tf.FIFOQueue(5, tf.float32, shapes=[2])
    with tf.Session() as sess:
        sess.run(queue.enqueue([[1.0, 2.0]]))
        sess.run(queue.enqueue(tf.constant([3.0, 4.0])))
        return {
            "of a list": error_of(queue.enqueue, [1.0, 2.0]),
            "taken": sess.run(queue.dequeue()),
            "again": sess.run(queue.dequeue()),
            "static": queue.dequeue().shape,
            "many": queue.dequeue_many(4).shape,
        }


@question
def properties(tf):
    queue = tf.FIFOQueue(5, [tf.int32, tf.float32], shapes=[[2], []], name="mine")
    free = tf.FIFOQueue(5, tf.int32)
    with tf.name_scope("scope"):
        inner = tf.FIFOQueue(5, tf.int32)
    return {
        "name": queue.name,
        "dtypes": [dtype.name for dtype in queue.dtypes],
        "shapes": queue.shapes,
        "names": queue.names,
        "reference": [queue.queue_ref.dtype.name, queue.queue_ref.shape, queue.queue_ref.op.type],
        "without shapes": free.shapes,
        "in a scope": [inner.name, inner.dequeue().name, inner.size().name],
        "operations": [
            queue.enqueue([[1, 2], 1.0]).name,
            queue.enqueue_many([[[1, 2]], [1.0]]).name,
            queue.dequeue()[0].name,
            queue.dequeue_many(1)[0].name,
            queue.close().name,
            queue.dequeue_up_to(1)[0].name,
            queue.size().name,
            queue.is_closed().name,
        ],
        "given names": [queue.enqueue([[1, 2], 1.0], name="e").name, queue.size(name="s").name],
        "their inputs": [t.name for t in queue.enqueue([[1, 2], 1.0], name="put").inputs],
    }


@question
def what_is_refused(tf):
    return {
        "no type": error_of(tf.FIFOQueue, 5, []),
        "unknown size": says(
            "All shapes must be fully defined", tf.FIFOQueue, 5, tf.int32, [[None]]
        ),
        "too few shapes": says(
            "must have the same length as dtypes", tf.FIFOQueue, 5, [tf.int32, tf.int32], [[]]
        ),
        "a word for shapes": error_of(tf.FIFOQueue, 5, tf.int32, "x"),
        "a shared name of another type": error_of(tf.FIFOQueue, 5, tf.int32, shared_name=5),
        "padding without shapes": error_of(tf.PaddingFIFOQueue, 5, tf.int32, None),
        "padding of unknown rank": says(
            "defined rank", tf.PaddingFIFOQueue, 5, tf.int32, [tf.TensorShape(None)]
        ),
        "padding, too few": says(
            "Shapes must be provided for all components",
            tf.PaddingFIFOQueue,
            5,
            [tf.int32, tf.int32],
            [[]],
        ),
        "many of another shape": says(
            "Shapes (3,) and (2,) are incompatible",
            tf.FIFOQueue(5, tf.int32, [[2]]).enqueue_many,
            [[[1, 2, 3]]],
        ),
    }


@question
def wrong_shapes_when_run(tf):
    queue = tf.FIFOQueue(5, [tf.int32, tf.float32], shapes=[[2], []])
    x, y = tf.placeholder(tf.int32), tf.placeholder(tf.float32)
    put, many = queue.enqueue([x, y]), queue.enqueue_many([x, y])
    with tf.Session() as sess:
        run = sess.run
        return {
            "first": says(
                "Shape mismatch in tuple component 0. Expected [2], got [3]",
                run,
                put,
                {x: [1, 2, 3], y: 1.0},
            ),
            "second": says(
                "Shape mismatch in tuple component 1. Expected [], got [1]",
                run,
                put,
                {x: [1, 2], y: [1.0]},
            ),
            "rank": says(
                "Shape mismatch in tuple component 0. Expected [2], got []",
                run,
                put,
                {x: 1, y: 1.0},
            ),
            "rows": says(
                "Shape mismatch in tuple component 0. Expected [1,2], got [1,3]",
                run,
                many,
                {x: [[1, 2, 3]], y: [1.0]},
            ),
            "numbers of rows": says(
                "Shape mismatch in tuple component 1. Expected [1], got [2]",
                run,
                many,
                {x: [[1, 2]], y: [1.0, 2.0]},
            ),
            "no rows": error_of(run, many, {x: 1, y: [1.0]}),
            "right": run(put, {x: [1, 2], y: 1.0}),
            "size": run(queue.size()),
        }


@question
def wrong_types_when_run(tf):
    one = tf.FIFOQueue(5, [tf.int32], shapes=[[]], shared_name="shared")
    handle = one.queue_ref
    other = tf.QueueBase([tf.float32], [tf.TensorShape([])], None, handle)
    two = tf.QueueBase([tf.int32, tf.int32], None, None, handle)
    with tf.Session() as sess:
        return {
            "put": error_of(sess.run, other.enqueue(1.0)),
            "put two": error_of(sess.run, two.enqueue([1, 2])),
            "take": error_of(sess.run, other.dequeue()),
            "take two": error_of(sess.run, two.dequeue()),
            "size": sess.run(other.size()),
        }


@question
def from_list(tf):
    queues = [numbers(tf, values=[i, i + 0.5]) for i in range(3)]
    which = tf.placeholder(tf.int32, [])
    chosen = tf.QueueBase.from_list(which, [queue for queue, _ in queues])
    ints = tf.FIFOQueue(5, tf.int32)
    named = tf.FIFOQueue(5, tf.float32, names="x")
    free = tf.QueueBase.from_list(0, [queues[0][0], tf.FIFOQueue(5, tf.float32)])
    sized = [tf.FIFOQueue(5, tf.float32, shapes=[[n]]) for n in (2, 3)]
    with tf.Session() as sess:
        run = sess.run
        for _, fill in queues:
            run(fill)
        return {
            "of the second": run(chosen.dequeue(), {which: 1}),
            "of the third": run(chosen.dequeue(), {which: 2}),
            "into the first": run(chosen.enqueue(9.0), {which: 0}),
            "sizes": run([queue.size() for queue, _ in queues]),
            "batch": run(chosen.dequeue_many(3), {which: 0}),
            "too far": error_of(run, chosen.size(), {which: 3}),
            "other types": says(
                "do not have matching component dtypes",
                tf.QueueBase.from_list,
                0,
                [queues[0][0], ints],
            ),
            "other names": says(
                "do not have matching component names",
                tf.QueueBase.from_list,
                0,
                [queues[0][0], named],
            ),
            "no list": says("A list of queues expected", tf.QueueBase.from_list, 0, ints),
            "not queues": says("A list of queues expected", tf.QueueBase.from_list, 0, [1, 2]),
            "common shapes": [chosen.shapes, free.shapes, tf.QueueBase.from_list(0, sized).shapes],
            "name": chosen.name,
        }


@question
def dependencies(tf):
    queue, fill = numbers(tf, values=[1, 2, 3])
    count = tf.Variable(0, use_resource=False)
    with tf.control_dependencies([count.assign_add(1)]):
        put = queue.enqueue(7.0)
    with tf.control_dependencies([put]):
        after = queue.size()
    with tf.control_dependencies([queue.dequeue()]):
        then = queue.dequeue()
    with tf.Session() as sess:
        sess.run(count.initializer)
        sess.run(fill)
        return {
            "size after": sess.run(after),
            "what was before": sess.run(count),
            "the second one": sess.run(then),
            "left": sess.run(queue.size()),
        }


@question
def strings_and_others(tf):
    kinds = ["string", "bool", "complex64", "int8", "uint16", "float16", "float64", "int64"]
    queue = tf.FIFOQueue(5, [getattr(tf, kind) for kind in kinds], shapes=[[]] * len(kinds))
    put = queue.enqueue(["text", True, 1 + 2j, -3, 65535, 0.5, 1e300, 2**60])
    with tf.Session() as sess:
        sess.run([put])
        sess.run(put)
        return {"one": sess.run(queue.dequeue()), "batch": sess.run(queue.dequeue_many(1))}


@question
def fed_with_lists(tf):
    queue = tf.FIFOQueue(5, tf.float32, shapes=[[2]])
    x = tf.placeholder(tf.float32, [None, 2])
    with tf.Session() as sess:
        sess.run(queue.enqueue_many(x), {x: [[1, 2], [3, 4], [5, 6]]})
        value = sess.run(queue.dequeue())
        sess.run(queue.enqueue(value))
        fed = np.array([[7, 8]], np.float32)
        sess.run(queue.enqueue_many(x), {x: fed})
        fed[:] = 0
        return {"rows": sess.run(queue.dequeue_many(4))}


@question
def capacities(tf):
    def filled(capacity, count):
        queue = tf.FIFOQueue(capacity, tf.int32, shapes=[[]])
        with tf.Session() as sess:
            sess.run(queue.enqueue_many([np.arange(count, dtype=np.int32)]))
            return sess.run(queue.size())

    return {
        "exactly": filled(3, 3),
        "no limit": filled(-1, 300),
        "below none": filled(-7, 3),
        "none": filled(0, 0),
        "as node": tf.FIFOQueue(-7, tf.int32).queue_ref.op.get_attr("capacity"),
    }
