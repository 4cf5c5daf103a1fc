"""Barriers and staging areas over several steps, and where nothing is lost."""

from tests.behaviour.asking import question, says
from tests.behaviour.questions.accumulators import data_flow, waits


@question
def barriers(tf):
    both = data_flow(tf).Barrier((tf.string, tf.int32), shapes=((), ()), shared_name="both")
    ready, incomplete = both.ready_size(), both.incomplete_size()
    with tf.Session() as sess:

        def insert(*component):
            sess.run(both.insert_many(*component))
            return sess.run([ready, incomplete])

        def take(count, **settings):
            taken = both.take_many(count, **settings)
            return sess.run([taken.indices, taken.keys, *taken.values])

        return {
            "its handle": [both.barrier_ref, sess.run(both.barrier_ref)],
            "static": both.take_many(2),
            "static, few": both.take_many(2, allow_small_batch=True),
            "begun": insert(0, ["k1", "k2"], ["a", "b"]),
            "one complete": insert(1, ["k2"], [2]),
            "another": insert(0, ["k3"], ["c"]),
            "two complete": insert(1, ["k3"], [3]),
            "three": insert(1, ["k1"], [1]),
            "in the order of their beginning": take(3),
            "they are gone": sess.run([ready, incomplete]),
            "a key again": insert(0, ["k1"], ["z"]),
            "a component again": says(
                "Key k1 already has a value for component 0 in barrier", insert, 0, ["k1"], ["y"]
            ),
            "no such component": says(
                "The component ID is out of range 2 > num_components (= 2)",
                insert,
                2,
                ["k1"],
                ["y"],
            ),
            "another dtype": says(
                "Signature mismatch, have: string_ref, string, float", insert, 1, ["k1"], [1.5]
            ),
            "no keys": insert(0, tf.constant([], tf.string), tf.constant([], tf.string)),
            "taking none": take(0),
            "too few": waits(tf, sess, both.take_many(1)[0]),
            "closed": sess.run(both.close()),
            "a new key": says(
                "is closed, but attempted to insert a brand new key: new.  Pending "
                "enqueues cancelled: 0.  Insertion index: 0.",
                insert,
                0,
                ["new"],
                ["x"],
            ),
            "too few for ever": says(
                "is closed and has insufficient elements (requested 2, total size 1)", take, 2
            ),
            "an old key": insert(1, ["k1"], [7]),
            "the rest": take(9, allow_small_batch=True),
            "no rest": says("(requested 0, total size 0)", take, 9, allow_small_batch=True),
            "all keys": says(
                "is closed.  Pending enqueues cancelled: 0.  Number of new "
                "insertions: 1.  Number of incomplete keys: 0.",
                insert,
                0,
                ["k"],
                ["x"],
            ),
            "closed again": says("is already closed.", sess.run, both.close()),
            "cancelled": sess.run(both.close(cancel_pending_enqueues=True)),
            "cancelled again": says(
                "is already closed.", sess.run, both.close(cancel_pending_enqueues=True)
            ),
        }


@question
def cancelled_barriers(tf):
    both = data_flow(tf).Barrier((tf.string, tf.int32), shapes=((), ()))
    other = data_flow(tf).Barrier(tf.float32, shapes=(2,), shared_name="other")
    of_other_type = data_flow(tf).Barrier(tf.int32, shapes=(2,), shared_name="other")
    of_other_shape = data_flow(tf).Barrier(tf.float32, shapes=(3,), shared_name="other")
    with tf.Session() as sess:
        sess.run(both.insert_many(0, ["a"], ["A"]))
        sess.run(both.close(cancel_pending_enqueues=True))
        sess.run(other.insert_many(0, ["x", "y"], [[1.0, 2.0], [3.0, 4.0]]))
        return {
            "dropped": sess.run(both.incomplete_size()),
            "an old key": says(
                "Pending enqueues cancelled: 1.", sess.run, both.insert_many(1, ["a"], [1])
            ),
            "of vectors": sess.run(other.take_many(2).values),
            "shared, another type": says(
                "Shared barrier 'other' has component types float",
                sess.run,
                of_other_type.ready_size(),
            ),
            "shared, another shape": says(
                "has component shapes [[2]] but requested component shapes were [[3]]",
                sess.run,
                of_other_shape.ready_size(),
            ),
            "no elements": says(
                "Empty tensors are not supported, but received shape '(0,)' at index 0",
                data_flow(tf).Barrier,
                tf.int32,
                shapes=(0,),
            ),
            "rows without elements": says(
                "Tensors with no elements are not supported",
                sess.run,
                other.insert_many(0, ["z"], [[]]),
            ),
        }


# Staging areas ------------------------------------------------------------------------------------


@question
def staging_areas(tf):
    area = data_flow(tf).StagingArea([tf.float32, tf.int32], shapes=[[2], []], capacity=3)
    x = tf.placeholder(tf.float32, [2])
    put, get, size = area.put([x, tf.constant(7)]), area.get(), area.size()
    named = data_flow(tf).StagingArea([tf.float32], names=["x"], shared_name="named")
    same = data_flow(tf).StagingArea([tf.float32], shared_name="named")
    with tf.Session() as sess:
        for value in (1.0, 2.0, 3.0):
            sess.run(put, {x: [value, 0.0]})
        sess.run(named.put({"x": tf.constant(4.0)}))
        return {
            "properties": [
                area.name,
                area.dtypes,
                area.shapes,
                area.names,
                area.capacity,
                area.memory_limit,
            ],
            "static": get,
            "named": named.get(),
            "size": sess.run(size),
            "the first": sess.run(get),
            "peek": sess.run(area.peek(1)),
            "it stays": sess.run(size),
            "the second": sess.run(get)[0],
            "clear": sess.run(area.clear()),
            "empty": sess.run(size),
            "of one name": [sess.run(same.size()), sess.run(same.get())],
            "a list for names": says(
                "You must enqueue a dictionary in a staging area with names",
                named.put,
                [tf.constant(1.0)],
            ),
            "a dictionary without names": says(
                "Staging areas must have names to enqueue a dictionary", area.put, {"x": x}
            ),
            "another name": says(
                "Keys in dictionary to put do not match names of staging area.", named.put, {"y": x}
            ),
            "another dtype": says(
                "Datatypes do not match. Received val.dtype <dtype: 'int32'> and"
                " dtype <dtype: 'float32'>",
                area.put,
                [tf.constant([1, 2])],
            ),
            "another shape": says(
                "Shapes (3,) and (2,) are incompatible", area.put, [tf.constant([1.0, 2.0, 3.0])]
            ),
            "too many": says("Unexpected number of inputs 3 vs 2", area.put, [x, x, x]),
            "a shared name": says(
                "shared_name must be a string, got 3",
                data_flow(tf).StagingArea,
                [tf.float32],
                shared_name=3,
            ),
            "too many shapes": says(
                "StagingArea shapes must be the same length as dtypes",
                data_flow(tf).StagingArea,
                [tf.float32],
                shapes=[[], []],
            ),
            "too many names": says(
                "StagingArea names must be the same length as dtypes",
                data_flow(tf).StagingArea,
                [tf.float32],
                names=["a", "b"],
            ),
        }


@question
def staging_areas_by_key(tf):
    area = data_flow(tf).MapStagingArea([tf.float32, tf.int32], names=["x", "n"], ordered=True)
    key = tf.placeholder(tf.int64, [])
    x, n = tf.placeholder(tf.float32, []), tf.placeholder(tf.int32, [])
    whole, one = area.put(key, {"x": x, "n": n}), area.put(key, {"n": n})
    other = area.put(key, {"x": x})
    get, part, first = area.get(key), area.get(key, indices=["n"]), area.get()
    sizes = [area.size(), area.incomplete_size()]
    with tf.Session() as sess:
        for k in (5, 3, 4):
            sess.run(whole, {key: k, x: k / 2, n: k})
        peek = area.peek(key, indices=["x"])
        return {
            "static": [get[1], first],
            "sizes": sess.run(sizes),
            "the smallest": sess.run(first),
            "by key": sess.run(get, {key: 5}),
            "one component": [sess.run(one, {key: 9, n: 1}), sess.run(sizes)],
            "the same again": says(
                "The tensor for index '1' for key '9' was already initialized",
                sess.run,
                one,
                {key: 9, n: 1},
            ),
            "the other": [sess.run(other, {key: 9, x: 0.5}), sess.run(sizes)],
            "peek": [sess.run(peek, {key: 9}), sess.run(sizes)],
            "a part": [sess.run(part, {key: 9}), sess.run(sizes)],
            "the part again": says(
                "Tensor at index '1' for key '9' has already been removed.",
                sess.run,
                part,
                {key: 9},
            ),
            "a key twice": [sess.run(whole, {key: 4, x: 99.0, n: 99}), sess.run(get, {key: 4})],
            "clear": [sess.run(area.clear()), sess.run(sizes)],
            "no indices": says("Empty indices", area.peek, 1, indices=[]),
            "mixed indices": says("Mixed types in indices", area.peek, 1, indices=["n", 0]),
            "an index": says("Invalid indices type", area.peek, 1, indices=0),
            "an unknown name": says(
                "Named index not in Staging Area names", area.peek, 1, indices=["z"]
            ),
        }


def outcome(function, *args):
    """What a call returns, or the class of what it raises."""
    try:
        return function(*args)
    except Exception as error:
        return type(error).__name__


@question
def where_nothing_is_lost(tf):
    texts = data_flow(tf).Barrier((tf.string, tf.int32), shapes=((), ()))
    area = data_flow(tf).MapStagingArea([tf.float32, tf.int32], memory_limit=5)
    parts = data_flow(tf).MapStagingArea([tf.float32, tf.int32])
    key, one = tf.constant(1, tf.int64), tf.constant(1)
    with tf.Session() as sess:
        sess.run(parts.put(key, [tf.constant(0.5), one], [0, 1]))
        sess.run(parts.get(key, indices=[1])[1])
        wrong = texts.insert_many(1, ["k"], [[1, 2]])
        return {
            "a value of another shape": outcome(sess.run, wrong),
            "its key": sess.run(texts.incomplete_size()),
            "bytes of all components": outcome(
                sess.run, area.put(key, [tf.constant(0.5), one], [0, 1])
            ),
            "more than there is": outcome(sess.run, parts.get(key)[1]),
            "what there is": outcome(sess.run, parts.get(key, indices=[0])[1]),
        }


DIFFERENCES: dict[tuple[str, str], tuple[str, str]] = {
    ("where_nothing_is_lost", "a value of another shape"): (
        "'InvalidArgumentError'",
        "TensorFlow refuses it, with the same words, when the element is complete, and loses that",
    ),
    ("where_nothing_is_lost", "its key"): ("int32[] 0", "it was refused"),
    ("where_nothing_is_lost", "bytes of all components"): (
        "'ResourceExhaustedError'",
        "TensorFlow counts the last component only",
    ),
    ("where_nothing_is_lost", "what there is"): (
        "[float32[] 0.5]",
        "TensorFlow's failed get before has taken it, and given it to nobody",
    ),
}
