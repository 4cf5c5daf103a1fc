"""The batching functions of tf.train: what they make, and what they refuse."""

from tests.behaviour.asking import question
from tests.behaviour.questions.input_functions import fresh, numbers, refused, together


@question
def batches(tf):
    train = tf.train

    def one(**options):
        return lambda tf: train.batch([numbers(tf)], 2, **options)

    def pair(tf):
        x = numbers(tf)
        return train.batch([x, tf.stack([x, x * x])], 2)

    def many(**options):
        return lambda tf: train.batch(
            [train.limit_epochs(tf.constant([1, 2, 3]), 3)], 2, enqueue_many=True, **options
        )

    def named(tf):
        x = numbers(tf)
        return train.batch({"x": x, "twice": x * 2}, 2)

    return {
        "of one tensor": fresh(tf, one()),
        "the rest, too": fresh(tf, one(allow_smaller_final_batch=True)),
        "of two": fresh(tf, pair),
        "many at a time": fresh(tf, many()),
        "many, the rest, too": fresh(tf, many(allow_smaller_final_batch=True)),
        "by name": fresh(tf, named),
        "one name": fresh(tf, lambda tf: train.batch({"x": numbers(tf)}, 3)),
        "more than the capacity": fresh(tf, lambda tf: train.batch([numbers(tf)], 4, capacity=2)),
        "several threads": sorted(
            together(fresh(tf, lambda tf: train.batch([numbers(tf, 6)], 2, num_threads=3))[:-1])
        ),
        "batches of a size that is computed": fresh(
            tf, lambda tf: train.batch([numbers(tf)], tf.constant(2) + 1)
        ),
        "empty batches": fresh(tf, lambda tf: train.batch([numbers(tf)], 0), most=2),
    }


@question
def padding(tf):
    train = tf.train

    def lengths(tf):
        return train.batch([tf.range(numbers(tf, 4))], 2, dynamic_pad=True)

    def strings(tf):
        n = numbers(tf, 3)
        return train.batch([tf.fill([n + 1], "s")], 3, dynamic_pad=True)

    def matrices(tf):
        n = numbers(tf, 2)
        return train.batch([tf.ones([n + 1, 2 - n])], 2, dynamic_pad=True)

    def both(tf):
        n = numbers(tf, 2)
        return train.batch([n, tf.range(n)], 2, dynamic_pad=True, allow_smaller_final_batch=True)

    def shape_of(tf):
        return str(lengths(tf).shape)

    with tf.Graph().as_default():
        shape = shape_of(tf)
    return {
        "vectors": fresh(tf, lengths),
        "strings": fresh(tf, strings),
        "matrices": fresh(tf, matrices),
        "beside numbers": fresh(tf, both),
        "the static shape": shape,
        "without it": refused(
            tf, "must have", train.batch, [tf.placeholder(tf.float32, [None])], 2
        ).split(":")[0],
    }


@question
def joins(tf):
    train = tf.train

    def two(tf):
        return [[numbers(tf, 2)], [numbers(tf, 2) + 10]]

    def named(tf):
        return train.batch_join([{"a": numbers(tf, 2)}, {"a": numbers(tf, 2) + 10}], 4)

    def flat(results):
        return [sorted(results[0]), *results[1:]]

    with tf.Graph().as_default():
        made = train.batch_join([[1.0, [1, 2]], [2.0, [3, 4]]], 3)
        enqueues = [op.name for op in tf.get_collection("queue_runners")[0].enqueue_ops]
    return {
        "two sets": flat(fresh(tf, lambda tf: train.batch_join(two(tf), 4))),
        "by name": sorted(fresh(tf, named)[0]["a"]),
        "one set": fresh(tf, lambda tf: train.batch_join([[numbers(tf, 4)]], 2)),
        "the rest, too": sorted(
            together(
                fresh(tf, lambda tf: train.batch_join(two(tf), 3, allow_smaller_final_batch=True))[
                    :-1
                ]
            )
        ),
        "shapes": [str(tensor.shape) for tensor in made],
        "an operation for each": enqueues,
    }


@question
def shuffles(tf):
    train = tf.train

    def ten(**options):
        options = {"capacity": 12, "min_after_dequeue": 4, "seed": 1, **options}
        return lambda tf: train.shuffle_batch([numbers(tf, 10)], 5, **options)

    def join(tf):
        return train.shuffle_batch_join([[numbers(tf, 4)], [numbers(tf, 4) + 10]], 8, 20, 3)

    def drawn(results):
        return [sorted(together(results[:-1])), len(results), results[-1]]

    def other(tf):
        return train.shuffle_batch([numbers(tf, 5)], 2, 8, 2, allow_smaller_final_batch=True)

    return {
        "all are drawn": drawn(fresh(tf, ten())),
        "some are left at the end": drawn(fresh(tf, ten(num_threads=2))),
        "the rest, too": drawn(fresh(tf, other)),
        "from two sets": drawn(fresh(tf, join)),
        "more than the capacity": drawn(fresh(tf, ten(capacity=3, min_after_dequeue=1))),
        "nothing stays": drawn(fresh(tf, ten(capacity=10, min_after_dequeue=0))),
        "by name": sorted(
            fresh(tf, lambda tf: train.shuffle_batch({"n": numbers(tf, 3)}, 3, 8, 2))[0]["n"]
        ),
        "many at a time": drawn(
            fresh(
                tf,
                lambda tf: train.shuffle_batch(
                    [train.limit_epochs(tf.constant([1, 2, 3]), 2)], 3, 10, 2, enqueue_many=True
                ),
            )
        ),
    }


@question
def conditions(tf):
    train = tf.train

    def even(tf):
        x = numbers(tf, 6)
        return train.maybe_batch([x], tf.equal(x % 2, 0), 3)

    def rows(tf):
        x = train.limit_epochs(tf.constant([1, 2, 3, 4]), 2)
        return train.maybe_batch([x, x * x], [True, False, True, False], 4, enqueue_many=True)

    def all_or_none(tf):
        n = numbers(tf, 4)
        rows = tf.stack([n, n + 10])
        return train.maybe_batch([rows], tf.greater(n, 1), 4, enqueue_many=True)

    def shuffled(tf):
        x = numbers(tf, 6)
        return train.maybe_shuffle_batch([x], 2, 8, 1, x < 2)

    def joined(tf):
        x = numbers(tf, 6)
        return train.maybe_batch_join([[x], [x + 100]], x < 3, 3)

    return {
        "some": fresh(tf, even),
        "rows": fresh(tf, rows),
        "all rows or none": fresh(tf, all_or_none),
        "known before": fresh(tf, lambda tf: train.maybe_batch([numbers(tf)], True, 5)),
        "shuffled": sorted(fresh(tf, shuffled)[0]),
        "a vector without rows": refused(
            tf,
            "`keep_input` cannot be a vector when `enqueue_many=False`.",
            train.maybe_batch,
            [1],
            [True],
            2,
        ),
        "a matrix": refused(
            tf,
            "`keep_input` must be 0 or 1 dimensions",
            train.maybe_batch,
            [[1]],
            [[True]],
            2,
            enqueue_many=True,
        ),
        "an unknown number of dimensions": refused(
            tf, "`keep_input` dimensions must be known at graph construction.", unknown_keep, tf
        ),
    }


def unknown_keep(tf):
    return tf.train.maybe_batch([1], tf.placeholder(tf.bool), 2)


@question
def refused_batches(tf):
    train = tf.train
    bigger = "capacity 10 must be bigger than min_after_dequeue 10."

    def join(function, *sets, **options):
        return function([[tf.constant(value) for value in one] for one in sets], 2, **options)

    def unknown(**options):
        return train.batch([tf.placeholder(tf.float32)], 2, **options)

    return {
        "no tensors": refused(tf, "Expected at least one tensor in batch().", train.batch, [], 2),
        "no sets": refused(tf, "Expected at least one set of tensors", train.batch_join, [], 2),
        "other names": refused(
            tf,
            "All dictionaries in tensors_list must have the same keys",
            train.batch_join,
            [{"a": 1}, {"b": 1}],
            2,
        ),
        "other types": refused(
            tf,
            "Expected types to be consistent: int32 vs. float32.",
            train.batch_join,
            [[1], [1.0]],
            2,
        ),
        "other shapes": refused(tf, "", train.batch_join, [[[1]], [[1, 2]]], 2).split(":")[0],
        "no room beside what stays": refused(
            tf, bigger, train.shuffle_batch, [1], 2, capacity=10, min_after_dequeue=10
        ),
        "in two sets": refused(
            tf, "", train.shuffle_batch_join, [[1], [2]], 2, capacity=10, min_after_dequeue=10
        ).split(":")[0],
        "an unknown rank": refused(tf, "Cannot infer Tensor's rank", unknown),
        "told of": str(unknown(shapes=[[3]]).shape),
        "told of otherwise": refused(tf, "", train.batch, [[1.0, 2.0]], 2, shapes=[[3]]).split(":")[
            0
        ],
        "shapes of too few": refused(tf, "", train.batch, [1, 2], 2, shapes=[[]]).split(":")[0],
        "rows of scalars": refused(tf, "", train.batch, [1], 2, enqueue_many=True).split(":")[0],
        "other numbers of rows": refused(
            tf, "", train.batch, [[1, 2], [1, 2, 3]], 2, enqueue_many=True
        ).split(":")[0],
        "less than no batch": refused(tf, "", train.batch, [1], -1).split(":")[0],
    }


@question
def what_batches_make(tf):
    x, y = tf.constant(1.0), tf.constant([1, 2])
    train = tf.train
    one = train.batch([x], 4, name="one")
    several = train.batch([x, y], 4, num_threads=2, capacity=7)
    rest = train.batch([y], 4, allow_smaller_final_batch=True)
    shuffled = train.shuffle_batch({"x": x, "y": y}, 3, 9, 2, shared_name="s")
    rows = train.batch([y], 2, enqueue_many=True)
    runners = tf.get_collection("queue_runners")
    return {
        "one": one,
        "several": several,
        "the rest, too": rest,
        "shuffled": shuffled,
        "rows": rows,
        "queues": [(r.queue.queue_ref.op.type, r.queue.name) for r in runners],
        "threads": [len(r.enqueue_ops) for r in runners],
        "the same operation": runners[1].enqueue_ops[0] is runners[1].enqueue_ops[1],
        "shared": runners[3].queue.queue_ref.op.get_attr("shared_name"),
        "summaries": [t.op.name for t in tf.get_collection(tf.GraphKeys.SUMMARIES)],
    }


DIFFERENCES = {
    ("refused_batches", "in two sets"): (
        "'ValueError'",
        "TensorFlow checks this for one set only, and divides by zero otherwise",
    )
}
