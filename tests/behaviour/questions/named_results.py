"""Operations with several outputs: which of their results have names, and which."""

from tests.behaviour.asking import question


def _names(value):
    """The class of a result and its fields; "list" or "tuple" with a length if it has none."""
    fields = getattr(value, "_fields", None)
    if fields is not None:
        return f"{type(value).__name__}({', '.join(fields)})"
    return f"{type(value).__name__} of {len(value)}"


@question
def public_functions(tf):
    x, square = tf.constant([3, 1, 3]), tf.constant([[2.0, 0.0], [1.0, 1.0]])
    classes = tf.constant([[1], [2]], tf.int64)
    images, ones = tf.ones([1, 2, 2, 1]), tf.ones([1])
    sampler = {"num_true": 1, "num_sampled": 2, "unique": True, "range_max": 5}
    results = {
        "setdiff1d": tf.setdiff1d(x, [1]),
        "unique": tf.unique(x),
        "unique_with_counts": tf.unique_with_counts(x),
        "nn.top_k": tf.nn.top_k(x),
        "qr": tf.qr(square),
        "linalg.qr": tf.linalg.qr(square),
        "svd": tf.svd(square),
        "self_adjoint_eig": tf.self_adjoint_eig(square),
        "linalg.slogdet": tf.linalg.slogdet(square),
        "nn.log_uniform_candidate_sampler": tf.nn.log_uniform_candidate_sampler(classes, **sampler),
        "nn.uniform_candidate_sampler": tf.nn.uniform_candidate_sampler(classes, **sampler),
        "nn.compute_accidental_hits": tf.nn.compute_accidental_hits(
            classes, tf.constant([1, 3], tf.int64), 1
        ),
        "nn.fused_batch_norm": tf.nn.fused_batch_norm(images, ones, ones),
        "nn.moments": tf.nn.moments(images, [0, 1, 2]),
        "nn.weighted_moments": tf.nn.weighted_moments(images, [0, 1, 2], 1.0),
        "nn.sufficient_statistics": tf.nn.sufficient_statistics(images, [0, 1, 2]),
        "nn.normalize_moments": tf.nn.normalize_moments(1.0, ones, ones, None),
        "dynamic_partition": tf.dynamic_partition(x, [0, 1, 0], 2),
        "split": tf.split(x, 3),
        "unstack": tf.unstack(x),
        "meshgrid": tf.meshgrid(x, x),
        "clip_by_global_norm": tf.clip_by_global_norm([square], 1.0),
        "required_space_to_batch_paddings": tf.required_space_to_batch_paddings([3], [2]),
        "identity_n": tf.identity_n([x, square]),
        "decode_csv": tf.decode_csv("1,2", [[0], [0]]),
        "gradients": tf.gradients(square * 2.0, [square]),
    }
    return {name: _names(value) for name, value in results.items()}


@question
def by_name(tf):
    """The fields in use, as programs have them."""
    with tf.Session() as sess:
        found = tf.setdiff1d([1, 2, 3, 4], [2, 4])
        kept = sess.run(found)
        return {
            "fields": [sess.run(found.out), sess.run(found.idx)],
            "fetched": [type(kept).__name__, kept.out, kept.idx],
            "unique": sess.run(tf.unique([7, 5, 7]).idx),
            "counts": sess.run(tf.unique_with_counts([7, 5, 7]).count),
            "sign": sess.run(tf.linalg.slogdet([[-2.0]]).sign),
            "r": sess.run(tf.abs(tf.qr([[2.0]]).r)),
        }


@question
def methods(tf):
    queue = tf.FIFOQueue(2, tf.string)
    reader = tf.TextLineReader()
    several = tf.FIFOQueue(2, [tf.string, tf.int32])
    named = tf.FIFOQueue(2, [tf.string, tf.int32], names=["a", "b"])
    sums = tf.SparseConditionalAccumulator(tf.float32)
    return {
        "read": _names(reader.read(queue)),
        "read_up_to": _names(reader.read_up_to(queue, 2)),
        "take_grad": _names(sums.take_grad(1)),
        "dequeue": _names(several.dequeue()),
        "dequeue of a queue with names": sorted(named.dequeue()),
        "batch": _names(tf.train.batch([1, 2], 2)),
        "get_next": _names(
            tf.data.Dataset.from_tensors((1, 2)).make_one_shot_iterator().get_next()
        ),
    }
