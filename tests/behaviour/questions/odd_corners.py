"""Corners that programs of others have come to: types of initializers, splits, closed barriers."""

import numpy as np

from tests.behaviour.asking import question, says
from tests.behaviour.questions.accumulators import data_flow


def _built(function):
    """The type, shape and inputs of what is built, or the class of the error."""
    try:
        found = function()
    except (TypeError, ValueError) as error:
        return type(error).__name__
    inputs = [tensor.op.type for tensor in found.op.inputs]
    return f"{found.op.type} {found.shape} {found.dtype.name} of {inputs}"


def _run(tf, fetches, feeds=None):
    with tf.Session() as sess:
        return sess.run(fetches, feeds)


def _refused(tf, sess, fetches, feeds=None):
    """What a run gives, or the class of its error."""
    try:
        return sess.run(fetches, feeds)
    except tf.errors.OpError as error:
        return type(error).__name__


@question
def matrix_initializers(tf):
    answers = {}
    for name in ("orthogonal", "identity"):
        make = getattr(tf.initializers, name)
        for kind in ("float16", "float32", "float64", "bfloat16", "int32", "complex64"):
            answers[f"{name} {kind}"] = _built(
                lambda m=make, k=kind: m(dtype=tf.as_dtype(k))([3, 2])
            )
            answers[f"{name}, asked for {kind}"] = _built(
                lambda m=make, k=kind, n=name: (
                    tf.get_variable(
                        f"{n}_{k}", [2, 2], tf.as_dtype(k), m(gain=2.0), use_resource=False
                    ).initial_value
                )
            )
    matrix = tf.orthogonal_initializer(gain=3.0, seed=1, dtype=tf.float64)([3, 3])
    product = tf.round(tf.matmul(matrix, matrix, transpose_b=True) * 100)
    answers["nine times orthogonal"] = np.abs(_run(tf, product))
    answers["a tenth of the identity"] = _run(
        tf, tf.initializers.identity(gain=0.1, dtype=tf.float64)([2, 3])
    )
    return answers


@question
def gradients_of_split_arrays(tf):
    def array(size):
        x, y = tf.constant([1.0, 2.0, 3.0]), tf.constant([7.0])
        made = tf.TensorArray(
            tf.float32, size, infer_shape=False, dynamic_size=True, clear_after_read=False
        )
        return x, y, made.split(x, [2, 1])

    x, y, split = array(2)
    written = split.write(2, y * 2.0)
    weighted = tf.reduce_sum(written.concat() * [1.0, 2.0, 3.0, 4.0])
    u, v, again = array(2)
    several = again.write(2, v * 2.0).write(3, v * 3.0)
    read = tf.reduce_sum(several.concat()) + 10.0 * tf.reduce_sum(several.read(0))
    w, _, start = array(2)
    _, filled = tf.while_loop(
        lambda i, _: i < 4, lambda i, a: (i + 1, a.write(i, w[:1] * 2.0)), [2, start]
    )
    z, _, alone = array(2)
    return {
        "then a write": _run(tf, tf.gradients(weighted, [x, y])),
        "then two, and a read": _run(tf, tf.gradients(read, [u, v])),
        "then a loop": _run(tf, tf.gradients(filled.concat(), w)),
        "alone": _run(tf, tf.gradients(alone.read(0), z)),
    }


@question
def numbers_in_vectors(tf):
    """What takes a scalar, given something else when it runs."""
    x, n = tf.ones([4, 4]), tf.placeholder(tf.int32)
    takes = {
        "split": tf.split(x, 2, axis=n)[0],
        "split into sizes": tf.split(x, [1, 3], axis=n)[0],
        "concat": tf.concat([x, x], n),
        "gather": tf.gather(x, [0], axis=n),
        "cumsum": tf.cumsum(x, n),
        "argmax": tf.argmax(x, n),
        "range": tf.range(n),
        "fill": tf.fill([2], n),
        "unsorted_segment_sum": tf.unsorted_segment_sum(x, [0, 0, 0, 0], n),
        "one_hot": tf.one_hot([1], n),
        "top_k": tf.nn.top_k(x, n)[0],
        "expand_dims": tf.expand_dims(x, n),
    }
    with tf.Session() as sess:
        return {
            f"{name}, {value}": _refused(tf, sess, tensor, {n: value})
            for name, tensor in takes.items()
            for value in (1, [1], [[1]], [0, 1], [])
        }


@question
def huge_shapes(tf):
    many = 2**33
    unknown = tf.placeholder(tf.float32, [many, 1])
    return {
        "zeros": _built(lambda: tf.zeros([many, 1])),
        "ones": _built(lambda: tf.ones([many, 1])),
        "ones of an array": _built(lambda: tf.ones(np.array([many, 1]))),
        "fill": _built(lambda: tf.fill([many, 1], 1.0)),
        "zeros_like": _built(lambda: tf.zeros_like(unknown)),
        "a piece": str(tf.zeros([many, 1])[5:].shape),
        "the type of the sizes": tf.convert_to_tensor(tf.TensorShape([many, 1])).dtype.name,
        "reshape": str(tf.reshape(tf.placeholder(tf.float32), tf.TensorShape([many, 1])).shape),
        "shape in int64": _run(tf, tf.shape(unknown, out_type=tf.int64)),
        "size in int64": _run(tf, tf.size(unknown, out_type=tf.int64)),
        "the mean": str(tf.reduce_mean(unknown).shape),
    }


@question
def functions_without_results(tf):
    def form(Tout, stateful):
        found = tf.py_func(lambda x: None, [1.0], Tout, stateful=stateful)
        return found.type if isinstance(found, tf.Operation) else found

    return {
        f"{Tout}, {'stateful' if stateful else 'not stateful'}": form(Tout, stateful)
        for Tout in ([], ())
        for stateful in (True, False)
    }


@question
def rates_of_dropout(tf):
    x, wide = tf.ones([4]), tf.ones([4], tf.float64)
    compatible = "`x.dtype` must be compatible with `rate.dtype`"
    answers = {}
    for kind in ("float16", "float32", "float64"):
        rate = tf.placeholder(tf.as_dtype(kind), [])
        for name, value in (("x", x), ("wide", wide)):
            fits = value.dtype.name == kind
            for argument in ("keep_prob", "rate"):
                given = {argument: rate}
                answers[f"{argument} {kind} for {name}"] = (
                    tf.nn.dropout(value, **given).dtype.name
                    if fits
                    else says(compatible, tf.nn.dropout, value, **given)
                )
    integer = tf.placeholder(tf.int32, [])
    kept = tf.placeholder(tf.float64, [])
    return answers | {
        "an integer": says(
            "`keep_prob` must be a floating point number or Tensor", tf.nn.dropout, x, integer
        ),
        "an integer rate": says(compatible, tf.nn.dropout, x, rate=integer),
        "a variable": says(compatible, tf.nn.dropout, x, tf.Variable(1.0, dtype=tf.float64)),
        "a numpy number": _run(tf, tf.nn.dropout(x, np.float64(1.0))),
        "kept": _run(tf, tf.nn.dropout(wide, kept), {kept: 1.0}),
    }


@question
def cancelled_barriers(tf):
    barrier = data_flow(tf).Barrier((tf.float32, tf.float32), shapes=((), ()))
    keys, values = tf.placeholder(tf.string, [None]), tf.placeholder(tf.float32, [None])
    inserts = [barrier.insert_many(component, keys, values) for component in (0, 1)]
    sizes = [barrier.ready_size(), barrier.incomplete_size()]
    take = barrier.take_many(1)

    with tf.Session() as sess:

        def insert(component, *given):
            feeds = {keys: given, values: [1.0] * len(given)}
            return _refused(tf, sess, inserts[component], feeds)

        answers = {"first": [insert(0, "a", "b"), insert(1, "a")]}
        sess.run(barrier.close(cancel_pending_enqueues=True))
        answers["left"] = sess.run(sizes)
        answers["an old key"] = insert(1, "b")
        answers["a new key"] = insert(0, "c")
        answers["no key"] = [insert(0), insert(1)]
        answers["taken"] = sess.run(take.keys)
        answers["taken again"] = _refused(tf, sess, take.keys)
        return answers
