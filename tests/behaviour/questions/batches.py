"""Batches of sparse tensors, and queues behind queues."""

from tests.behaviour.asking import question, says
from tests.behaviour.questions.input_functions import FEW, fresh, numbers, plain, refused


@question
def sparse_batches(tf):
    train = tf.train

    def single(tf):
        n = tf.cast(numbers(tf, 3), tf.int64)
        x = tf.SparseTensor([[n]], [tf.cast(n, tf.float32)], [n + 2])
        return train.batch([x, n], 3)

    def alone(tf):
        n = tf.cast(numbers(tf, 2), tf.int64)
        return train.batch([tf.SparseTensor([[n, 0]], ["s"], [2, 3])], 2)

    def rows(tf):
        n = train.limit_epochs(tf.constant([[0, 1], [2, 0]], tf.int64), 1)
        return train.batch(
            [tf.SparseTensor(n, [1.0, 2.0], [3, 4]), [7, 8, 9]], 3, enqueue_many=True
        )

    def some_rows(tf):
        n = train.limit_epochs(tf.constant([[0, 1], [1, 1], [2, 0]], tf.int64), 1)
        return train.maybe_batch(
            [tf.SparseTensor(n, [1.0, 2.0, 3.0], [3, 4])], [True, False, True], 3, enqueue_many=True
        )

    def by_name(tf):
        n = tf.cast(numbers(tf, 2), tf.int64)
        return train.batch({"s": tf.SparseTensor([[n]], [n], [2])}, 2)

    def kept(tf):
        n = numbers(tf, 4)
        m = tf.cast(n, tf.int64)
        return train.maybe_batch([tf.SparseTensor([[m]], [m], [9])], n > 1, 2)

    def shuffled(tf):
        n = tf.cast(numbers(tf, 2), tf.int64)
        return train.shuffle_batch([tf.SparseTensor([[n]], [1], [2]), n], 2, 9, 1).__len__()

    def joined(tf):
        n = tf.cast(numbers(tf, 2), tf.int64)
        return train.batch_join([[tf.SparseTensor([[n]], [n], [2])]], 2)

    def inconsistent():
        return train.batch_join([[tf.SparseTensor([[0]], [1], [2])], [tf.constant(1)]], 2)

    def answer(build):
        return as_lists(fresh(tf, build))

    with tf.Graph().as_default():
        count = shuffled(tf)
    return {
        "beside a number": answer(single),
        "alone": answer(alone),
        "rows": answer(rows),
        "some rows": answer(some_rows),
        "by name": answer(by_name),
        "those that are kept": answer(kept),
        "shuffled": count,
        "joined": answer(joined),
        "sets of other kinds": refused(tf, "Inconsistent SparseTensors list", inconsistent),
    }


def as_lists(value):
    if hasattr(value, "dense_shape"):
        return [plain(part) for part in value]
    if isinstance(value, dict):
        return {key: as_lists(part) for key, part in value.items()}
    return [as_lists(part) for part in value] if isinstance(value, list) else value


@question
def pipelines(tf):
    """Two queues, one behind the other: the end passes through both."""

    def words(tf):
        word = tf.train.string_input_producer(["a", "b", "c"], 2, shuffle=False).dequeue()
        return tf.train.batch(
            [word, tf.string_join([word, "!"])], 4, allow_smaller_final_batch=True
        )

    def three(tf):
        pairs = tf.train.batch([numbers(tf, 6)], 2)
        return tf.train.batch([pairs], 3, enqueue_many=True)

    def failing(tf):
        x = numbers(tf, 3, epochs=None)
        bad = tf.check_numerics(1.0 / tf.cast(2 - x, tf.float32), "division")
        return tf.train.batch([bad], 2)

    def join_raises():
        with tf.Graph().as_default(), tf.Session() as sess:
            batch = failing(tf)
            coord = tf.train.Coordinator()
            threads = tf.train.start_queue_runners(sess, coord)
            first = sess.run(batch)
            second = says(FEW, sess.run, batch)
            return plain(first), second, says("division", coord.join, threads)

    first, second, joined = join_raises()
    return {
        "words": fresh(tf, words),
        "three queues": fresh(tf, three),
        "before the failure": first,
        "after it": second,
        "join": joined,
    }
