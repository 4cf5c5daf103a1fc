"""Producers and batching functions: what comes out, in which shapes, and what is refused."""

import numpy as np

from tests.behaviour.asking import question, says

FEW = "is closed and has insufficient elements"


def run_all(tf, fetches, most=100, start=True):
    """What a fetch gives until the input ends, and how it ended."""
    results = []
    with tf.Session() as sess:
        sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess, coord) if start else []
        try:
            for _ in range(most):
                results.append(sess.run(fetches))
            results.append("more")
        except tf.errors.OutOfRangeError as error:
            results.append("end" if FEW in str(error) or "Reached" in str(error) else str(error))
        except tf.errors.OpError as error:
            results.append(type(error).__name__)
        coord.request_stop()
        try:
            coord.join(threads)
        except tf.errors.OpError as error:
            results.append(f"join raises {type(error).__name__}")
    return results


def plain(values):
    """Without numpy's types."""
    if isinstance(values, dict):
        return {key: plain(value) for key, value in values.items()}
    if isinstance(values, list | tuple):
        return [plain(value) for value in values]
    return values.tolist() if isinstance(values, np.ndarray | np.generic) else values


def fresh(tf, build, *args, **kwargs):
    """What a graph of its own gives."""
    with tf.Graph().as_default():
        return plain(run_all(tf, build(tf), *args, **kwargs))


def refused(tf, text, function, *args, **kwargs):
    with tf.Graph().as_default():
        return says(text, function, *args, **kwargs)


def together(batches):
    return [element for batch in batches for element in batch]


def numbers(tf, count=5, epochs=1, **options):
    """0, 1, 2, ... one at a time."""
    options.setdefault("shuffle", False)
    return tf.train.range_input_producer(count, num_epochs=epochs, **options).dequeue()


@question
def limits(tf):
    train = tf.train
    x = tf.constant(3.0)
    text = "num_epochs must be > 0 not "
    return {
        "three times": fresh(tf, lambda tf: train.limit_epochs(tf.constant(7), 3), start=False),
        "once": fresh(tf, lambda tf: train.limit_epochs([1, 2], 1, name="one"), start=False),
        "no limit is the tensor": train.limit_epochs(x) is x,
        "no limit, no tensor": train.limit_epochs("as it is"),
        "zero": refused(tf, text + "0.", train.limit_epochs, 1.0, 0),
        "fewer": refused(tf, text + "-2.", train.limit_epochs, 1.0, -2),
        "the tensor": train.limit_epochs(x, 2),
        "the counter": [v.name for v in tf.local_variables()],
        "counted in": [v.dtype.base_dtype.name for v in tf.local_variables()],
        "not a global variable": tf.global_variables(),
        "not trained": tf.trainable_variables(),
    }


@question
def forgotten_initialisation(tf):
    x = tf.train.range_input_producer(3, num_epochs=2).dequeue()
    uninitialized = "Attempting to use uninitialized value input_producer/limit_epochs/epochs"
    with tf.Session() as sess:
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess, coord)
        main = says(FEW, sess.run, x)
        return {"the main thread": main, "join": says(uninitialized, coord.join, threads)}


@question
def producers(tf):
    train = tf.train
    rows = [[1, 2], [3, 4], [5, 6]]

    def once(producer, *args, **options):
        options = {"num_epochs": 1, "shuffle": False, **options}
        return lambda tf: producer(*args, **options).dequeue()

    def shuffled(tf):
        return train.range_input_producer(4, num_epochs=2, seed=3).dequeue()

    mixed = fresh(tf, shuffled)
    return {
        "rows": fresh(tf, once(train.input_producer, rows)),
        "numbers": fresh(tf, once(train.input_producer, [1.5, 2.5])),
        "two epochs": fresh(tf, once(train.input_producer, [7, 8], num_epochs=2)),
        "strings": fresh(tf, once(train.string_input_producer, ["a", "b"])),
        "no rows at all": refused(tf, "", train.input_producer, 3.0).split(":")[0],
        "a tensor of strings": fresh(
            tf, lambda tf: once(train.string_input_producer, tf.constant(["x"]))(tf)
        ),
        "a range": fresh(tf, once(train.range_input_producer, 4)),
        "a range given by a tensor": fresh(
            tf, lambda tf: once(train.range_input_producer, tf.constant(2))(tf)
        ),
        "for ever": fresh(tf, once(train.range_input_producer, 2, num_epochs=None), most=5),
        "a small queue": fresh(tf, once(train.range_input_producer, 5, capacity=1)),
        "each epoch has all": [sorted(mixed[:4]), sorted(mixed[4:8]), mixed[8:]],
        "an empty range": fresh(tf, once(train.range_input_producer, 0)),
        "slices": fresh(
            tf,
            lambda tf: train.slice_input_producer(
                [[1, 2], [[0.5], [1.5]], ["a", "b"]], num_epochs=1, shuffle=False
            ),
        ),
        "one slice": fresh(
            tf, lambda tf: train.slice_input_producer([[4, 5]], num_epochs=1, shuffle=False)
        ),
        "shorter behind": fresh(
            tf,
            lambda tf: train.slice_input_producer(
                [tf.constant([1]), tf.constant([2, 3])], num_epochs=1, shuffle=False
            ),
        ),
    }


@question
def what_producers_make(tf):
    queue = tf.train.string_input_producer(["a", "b"], capacity=5, name="files")
    rows = tf.train.input_producer([[1, 2]], summary_name="rows_full", shared_name="shared")
    image, label = tf.train.slice_input_producer([[[1.0, 2.0]], ["x"]])
    return {
        "the queue": (type(queue).__name__, queue.name, [t.name for t in queue.dtypes]),
        "its shapes": [str(shape) for shape in queue.shapes],
        "of rows": [str(shape) for shape in rows.shapes],
        "its capacity": queue.queue_ref.op.get_attr("capacity"),
        "a shared one": rows.queue_ref.op.get_attr("shared_name"),
        "runners": [runner.name for runner in tf.get_collection("queue_runners")],
        "summaries": [t.op.name for t in tf.get_collection(tf.GraphKeys.SUMMARIES)],
        "slices": (image, label),
        "enqueued": [r.enqueue_ops[0].name for r in tf.get_collection("queue_runners")],
    }


@question
def refused_producers(tf):
    train = tf.train
    null = "string_input_producer requires a non-null input tensor"
    shapes = "Either `input_tensor` must have a fully defined shape or `element_shape` must be"

    def unknown(shape, **options):
        return train.input_producer(tf.placeholder(tf.float32, shape), **options).shapes

    def told():
        return str(unknown([None, None], element_shape=[3])[0])

    return {
        "no strings": refused(tf, null, train.string_input_producer, []),
        "no strings in a tuple": refused(tf, null, train.string_input_producer, ()),
        "no strings at run time": fresh(tf, lambda tf: empty_strings(tf)),
        "unknown rows": refused(tf, shapes, unknown, [None, None]),
        "an unknown number of rows": refused(tf, shapes, unknown, None),
        "rows that one is told of": str(told()),
        "told of otherwise": refused(
            tf, "Shapes (2,) and (3,) are not compatible", train.input_producer, [[1, 2]], [3]
        ),
        "no epochs": refused(
            tf, "num_epochs must be > 0 not 0.", train.string_input_producer, ["a"], 0
        ),
        "no tensors": refused(
            tf,
            "Expected at least one tensor in slice_input_producer().",
            train.slice_input_producer,
            [],
        ),
        "numbers for strings": refused(tf, "", train.string_input_producer, tf.constant([1])).split(
            ":"
        )[0],
    }


def empty_strings(tf):
    strings = tf.placeholder_with_default(np.array([], object), [None])
    return tf.train.string_input_producer(strings, num_epochs=1, shuffle=False).dequeue()
