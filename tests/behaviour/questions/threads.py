"""Thread pools: which a step may ask for, and what the numbers of threads may be."""

from tests.behaviour.asking import question, says

BAD_POOL = "Invalid inter_op_thread_pool: {}"


def config(tf, *pools, **options):
    made = tf.ConfigProto(**options)
    for threads, name in pools:
        made.session_inter_op_thread_pool.add(num_threads=threads, global_name=name)
    return made


def run(tf, made, number=None):
    options = None if number is None else tf.RunOptions(inter_op_thread_pool=number)
    with tf.Session(config=made) as sess:
        return sess.run(tf.constant(1.0) + 2.0, options=options)


@question
def counts(tf):
    return {
        "none given": run(tf, config(tf)),
        "one": run(tf, config(tf, inter_op_parallelism_threads=1)),
        "many": run(tf, config(tf, inter_op_parallelism_threads=7, intra_op_parallelism_threads=5)),
        "fewer than none": run(tf, config(tf, inter_op_parallelism_threads=-1)),
        "a session's own": run(tf, config(tf, use_per_session_threads=True)),
        "its own, and fewer than none": run(
            tf, config(tf, use_per_session_threads=True, inter_op_parallelism_threads=-1)
        ),
    }


@question
def pools(tf):
    two = config(tf, (2, ""), (1, ""))
    with tf.Session(config=config(tf, (2, "shared"))):
        again = run(tf, config(tf, (2, "shared")))
    return {
        "the first": run(tf, two, 0),
        "the second": run(tf, two, 1),
        "the caller": run(tf, two, -1),
        "one too far": says(BAD_POOL.format(2), run, tf, two, 2),
        "below": says(BAD_POOL.format(-2), run, tf, two, -2),
        "beyond the only one": says(BAD_POOL.format(1), run, tf, config(tf), 1),
        "as many as processors": run(tf, config(tf, (0, "")), 0),
        "of one name": again,
    }
