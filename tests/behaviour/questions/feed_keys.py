"""What can be a key of a feed_dict, and what its value: nested tuples, composites, names."""

import collections

import numpy as np

from tests.behaviour.asking import question, says

Pair = collections.namedtuple("Pair", ["first", "second"])


def tried(function, *args):
    """What a call gives, or the class of its error."""
    try:
        return function(*args)
    except Exception as error:
        return type(error).__name__


def three(tf):
    a, b, c = (tf.placeholder(tf.float32, name=name) for name in "abc")
    return a, b, c, tf.stack([tf.identity(x) for x in (a, b, c)])


@question
def nested_tuples(tf):
    a, b, c, all_three = three(tf)
    with tf.Session() as sess:

        def fed(feed):
            return sess.run(all_three, feed)

        wrong = "Cannot interpret feed_dict key as Tensor"
        many = "Could not flatten dictionary. Key had"
        return {
            "a tuple in a tuple": fed({(a, (b, c)): (1, (2, 3))}),
            "a tuple and one more": fed({(a, b): (1, 2), c: 3}),
            "deep": fed({((a,), ((b,), c)): ((1,), ((2,), 3))}),
            "a named tuple": fed({Pair(a, (b, c)): Pair(1, (2, 3))}),
            "a tuple for a named one": fed({Pair(a, (b, c)): (1, [2, 3])}),
            "a list as value": fed({(a, (b, c)): [1, [2, 3]]}),
            "another structure": fed({(a, (b, c)): (1, 2, 3)}),
            "and another": fed({(a, b, c): ((1, 2), 3)}),
            "names": fed({("a:0", (b, "c:0")): (1, (2, 3))}),
            "arrays": sess.run(
                [tf.identity(a), tf.identity(b)], {(a, (b,)): (np.ones(2), (np.ones([1, 1]),))}
            ),
            "nothing": sess.run(tf.constant(1), {(): ()}),
            "too few": says(many, fed, {(a, (b, c)): (1, (2,))}),
            "too many": says(many, fed, {(a, (b, c)): (1, 2, 3, 4)}),
            "a number": says(many, fed, {(a, (b, c)): 1}),
            "an array for a tuple": says(many, fed, {(a, b, c): np.arange(3)}),
            "the same twice": says("is not unique", fed, {(a, b): (1, 2), (b, c): (3, 4)}),
            "twice inside": says("is not unique", fed, {(a, (a, b)): (1, (1, 2)), c: 3}),
            "none": says(wrong, fed, {(a, (b, None)): (1, (2, 3))}),
            "a number as key": says(
                f"{wrong}: Can not convert a int", fed, {(a, (b, 3)): (1, (2, 3))}
            ),
            "a callable": sess.make_callable(all_three, [a, b, c])(1, 2, 3),
            "a callable of tuples": sess.make_callable(all_three, [a, (b, c)])(1, (2, 3)),
        }


@question
def indexed_slices(tf):
    def slices(dense_shape):
        shape = None if dense_shape is None else tf.placeholder(tf.int64, [None], name="shape")
        return tf.IndexedSlices(
            tf.placeholder(tf.float32, [None, 2], name="values"),
            tf.placeholder(tf.int32, [None], name="indices"),
            shape,
        )

    whole, part = slices([4, 2]), slices(None)
    values, indices, shape = [[1, 2]], [3], [4, 2]
    read, part_read = tf.identity(whole.values), tf.identity(part.values)
    shape_read = tf.identity(whole.dense_shape)
    constant = tf.constant([[1.0, 2.0]])
    with tf.Session() as sess:
        fetched = sess.run(tf.IndexedSlices(constant, tf.constant([3]), tf.constant([4, 2])))
        shapeless = sess.run(tf.IndexedSlices(constant, tf.constant([3])))

        def fed(x, value):
            parts = [x.values, x.indices, *([] if x.dense_shape is None else [x.dense_shape])]
            return sess.run([tf.identity(part) for part in parts], {x: value})

        run = sess.partial_run_setup([read, shape_read], [whole])
        return {
            "a value": fed(whole, fetched),
            "a tuple": fed(whole, (values, indices, shape)),
            "a list": fed(whole, [values, indices, shape]),
            "without a shape": fed(part, (values, indices)),
            "a value without a shape": fed(part, shapeless),
            "in a tuple": tried(sess.run, part_read, {(whole, part.values): (fetched, [[5, 6]])}),
            "in a tuple, nested": tried(
                sess.run, read, {(whole, part.values): ((values, indices, shape), [[5, 6]])}
            ),
            "a shape too much": tried(fed, part, (values, indices, shape)),
            "no shape": tried(sess.run, shape_read, {whole: (values, indices)}),
            "no shape, not needed": tried(sess.run, read, {whole: (values, indices)}),
            "a wrong shape": says(
                "Cannot feed value of shape (2,) for Tensor", fed, whole, ([1, 2], indices, shape)
            ),
            "an array": tried(fed, whole, np.float32(3)),
            "itself": tried(fed, whole, whole),
            "a partial run": sess.partial_run(run, read, {whole: (values, indices, shape)}),
            "a callable": tried(sess.make_callable(read, [whole]), (values, indices, shape)),
            "a callable's three": tried(sess.make_callable(read, [whole]), values, indices, shape),
        }


@question
def sparse_tensors(tf):
    sparse = tf.sparse_placeholder(tf.float32, [2, 3], name="sparse")
    loose = tf.sparse_placeholder(tf.float32, name="loose")
    computed = tf.SparseTensor(tf.constant([[0, 0]], tf.int64) + 0, tf.constant([1.0]) + 0, [2, 3])
    value = tf.SparseTensorValue(np.array([[1, 2]]), np.array([5.0]), [2, 3])
    parts = (value.indices, value.values, value.dense_shape)
    a = tf.placeholder(tf.float32, name="a")
    with tf.Session() as sess:

        def fed(x, given):
            return sess.run(tf.sparse_tensor_to_dense(x), {x: given})

        dense = tf.sparse_tensor_to_dense(loose)
        run = sess.partial_run_setup([dense], [loose])
        return {
            "a value": fed(sparse, value),
            "a tuple": fed(loose, parts),
            "a tuple, of a known shape": tried(fed, sparse, parts),
            "a list": fed(loose, list(parts)),
            "computed": tried(fed, computed, value),
            "in a tuple": tried(sess.run, dense, {(loose, a): (value, 1)}),
            "a partial run": sess.partial_run(run, dense, {loose: value}),
            "two parts": tried(fed, loose, parts[:2]),
            "a number": tried(fed, loose, 3),
            "an array": tried(fed, loose, np.zeros([3, 3])),
            "another shape": tried(fed, sparse, tf.SparseTensorValue([[1, 2]], [5.0], [5, 5])),
            "a callable": tried(sess.make_callable(dense, [loose]), value),
        }


@question
def other_keys(tf):
    v = tf.Variable([1.0, 2.0], use_resource=False, name="v")
    r = tf.Variable([1.0, 2.0], use_resource=True, name="r")
    a = tf.placeholder(tf.float32, [2], name="a")
    array = tf.TensorArray(tf.float32, 2)
    queue = tf.FIFOQueue(1, tf.float32, name="queue")
    iterator = tf.data.make_one_shot_iterator(tf.data.Dataset.range(3))
    three_times, one_more, r_more = a * 3, v + 1, r.read_value() + 1
    other = tf.Graph()
    with other.as_default():
        foreign = tf.IndexedSlices(tf.placeholder(tf.float32), tf.placeholder(tf.int32))
    key = "Cannot interpret feed_dict key as Tensor: "
    with tf.Session() as sess:

        def fed(key, value=(7, 8), fetch=three_times):
            return sess.run(fetch, {key: value})

        partial = sess.partial_run_setup([three_times], ["a:0"])
        return {
            "a variable": fed(v, fetch=one_more),
            "a variable's name": fed("v:0", fetch=one_more),
            "a resource variable": tried(fed, r, (7, 8), r_more),
            "text": fed("a:0"),
            "bytes": tried(fed, b"a:0"),
            "bytes of no output": tried(fed, b"a"),
            "a partial run by name": sess.partial_run(partial, three_times, {"a:0": [1, 2]}),
            "an operation": says(key + "Can not convert a Operation into a Tensor.", fed, a.op),
            "a tensor array": tried(fed, array),
            "a queue": says(key + "Can not convert a FIFOQueue into a Tensor.", fed, queue),
            "an iterator": tried(fed, iterator),
            "another graph's slices": says(key + "Tensor Tensor(", fed, foreign),
            "a float": says(key + "Can not convert a float into a Tensor.", fed, 1.5),
            "none": says(key + "Can not convert a NoneType into a Tensor.", fed, None),
            "a function": says(key + "Can not convert a function into a Tensor.", fed, says),
            "a frozen set": says(
                key + "Can not convert a frozenset into a Tensor.", fed, frozenset([a.name])
            ),
            "one feed for a partial run": type(sess.partial_run_setup([three_times], a)).__name__,
            "one name for it": type(sess.partial_run_setup([three_times], "a:0")).__name__,
            "an unknown feed for it": tried(sess.partial_run_setup, [three_times], ["x:0"]),
            "a number as feed for it": tried(sess.partial_run_setup, [three_times], [3]),
            "a tuple in it": tried(sess.partial_run_setup, [three_times], [(a, v)]),
            "a callable by name": sess.make_callable(three_times, ["a:0"])([1, 2]),
            "a callable by bytes": tried(lambda: sess.make_callable(three_times, [b"a:0"])([1, 2])),
        }


_PARTS = "a composite has as many values as tensors; what is missing would show later, or never"
_ATTRIBUTE = "TensorFlow fails while it writes its message"
DIFFERENCES = {
    ("indexed_slices", "a shape too much"): ("'ValueError'", _PARTS),
    ("indexed_slices", "no shape"): ("'ValueError'", _PARTS),
    ("indexed_slices", "no shape, not needed"): ("'ValueError'", _PARTS),
    ("indexed_slices", "a callable's three"): ("'TypeError'", "it names the feeds"),
    ("sparse_tensors", "two parts"): ("'ValueError'", _PARTS),
    ("sparse_tensors", "computed"): (
        "float32[2, 3] [[0.0, 0.0, 0.0], [0.0, 0.0, 5.0]]",
        "TensorFlow refuses to feed what it has looked at while the graph was built",
    ),
    ("other_keys", "an unknown feed for it"): ("'TypeError'", _ATTRIBUTE),
    ("other_keys", "a number as feed for it"): ("'TypeError'", _ATTRIBUTE),
    ("other_keys", "a tuple in it"): ("'partial_run_3'", "tuples are keys in all of them"),
}
