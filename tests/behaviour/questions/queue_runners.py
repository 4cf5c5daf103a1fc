"""Queue runners: what they are made of, their threads, and how these end."""

import threading

from tests.behaviour.asking import question, says


def runner_of(tf, threads=1, name="q", **options):
    queue = tf.FIFOQueue(10, tf.float32, shapes=[[]], name=name)
    enqueue = queue.enqueue([1.0])
    return queue, tf.train.QueueRunner(queue, [enqueue] * threads, **options)


@question
def making_runners(tf):
    queue, runner = runner_of(tf, 2)
    must = "Must provide queue and enqueue_ops."
    types = "queue_closed_exception_types, when provided, must be a tuple of tf.error types"
    enqueue = queue.enqueue([1.0])
    both = (tf.errors.OutOfRangeError, tf.errors.CancelledError)
    own = tf.train.QueueRunner(
        queue,
        [enqueue],
        close_op=tf.no_op("done"),
        cancel_op=tf.no_op("stopped"),
        queue_closed_exception_types=both,
    )
    return {
        "name": runner.name,
        "the queue": runner.queue is queue,
        "enqueue_ops": runner.enqueue_ops,
        "close_op": runner.close_op,
        "cancel_op": runner.cancel_op,
        "cancel_op cancels": runner.cancel_op.get_attr("cancel_pending_enqueues"),
        "ends with": [cls.__name__ for cls in runner.queue_closed_exception_types],
        "no exceptions yet": runner.exceptions_raised,
        "one's own": (own.close_op, own.cancel_op, len(own.queue_closed_exception_types)),
        "nothing": says(must, tf.train.QueueRunner),
        "no operations": says(must, tf.train.QueueRunner, queue, []),
        "no queue": says(must, tf.train.QueueRunner, None, [enqueue]),
        "a list of types": says(
            types,
            tf.train.QueueRunner,
            queue,
            [enqueue],
            queue_closed_exception_types=[tf.errors.OutOfRangeError],
        ),
        "other types": says(
            types,
            tf.train.QueueRunner,
            queue,
            [enqueue],
            queue_closed_exception_types=(ValueError,),
        ),
        "a message and a queue": says(
            "queue_runner_def and queue are mutually exclusive.",
            tf.train.QueueRunner,
            queue,
            queue_runner_def=runner.to_proto(),
        ),
    }


@question
def runners_as_messages(tf):
    with tf.name_scope("s"):
        _, scoped = runner_of(tf, 2)
    _, runner = runner_of(
        tf,
        name="p",
        queue_closed_exception_types=(tf.errors.OutOfRangeError, tf.errors.CancelledError),
    )
    again = tf.train.QueueRunner.from_proto(runner.to_proto())
    moved = tf.train.QueueRunner.from_proto(scoped.to_proto("s"), import_scope="s")
    old = runner.to_proto()
    del old.queue_closed_exception_types[:]
    tf.train.add_queue_runner(scoped)
    meta_graph = tf.train.export_meta_graph()
    with tf.Graph().as_default():
        tf.train.import_meta_graph(meta_graph, import_scope="imported")
        there = [r.to_proto() for r in tf.get_collection("queue_runners")]
    return {
        "a message": runner.to_proto(),
        "in a scope": scoped.to_proto(),
        "without the scope": scoped.to_proto("s"),
        "of another scope": scoped.to_proto("t"),
        "the queue": again.queue,
        "the operations": (again.enqueue_ops, again.close_op, again.cancel_op),
        "ends with": [cls.__name__ for cls in again.queue_closed_exception_types],
        "into a scope": (moved.name, moved.enqueue_ops),
        "of an old file": [
            cls.__name__
            for cls in tf.train.QueueRunner.from_proto(old).queue_closed_exception_types
        ],
        "an unknown queue": says(
            "refers to an Operation not in the graph",
            tf.train.QueueRunner.from_proto,
            runner.to_proto(),
            import_scope="nowhere",
        ),
        "in a meta graph": there,
    }


@question
def threads_of_runners(tf):
    _, runner = runner_of(tf, 2)
    coord = tf.train.Coordinator()
    with tf.Session() as sess, tf.Session() as other:
        alone = runner.create_threads(sess)
        answers = {
            "names": [thread.name for thread in alone],
            "daemons": [thread.daemon for thread in alone],
            "started": [thread.is_alive() for thread in alone],
            "again, before they have ended": runner.create_threads(sess, coord),
            "in another session": [t.name for t in runner.create_threads(other, coord, True)],
        }
    return answers


@question
def starting(tf):
    queue, runner = runner_of(tf, 1)
    tf.train.add_queue_runner(runner)
    tf.train.add_queue_runner(runner, collection="mine")
    none = "Cannot start queue runners: No default session is registered."
    answers = {
        "no session": says(none, tf.train.start_queue_runners),
        "no session at all": says(
            "sess must be a `tf.Session` object.", tf.train.start_queue_runners, "sess"
        ),
    }
    with tf.Session() as sess:
        only_made = tf.train.start_queue_runners(start=False, daemon=False)
        answers["made"] = [(t.name, t.daemon, t.is_alive()) for t in only_made]
        answers["none there"] = tf.train.start_queue_runners(sess, collection="other")
    with tf.Session() as sess:
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess, coord, collection="mine")
        answers["daemons"] = [thread.daemon for thread in threads]
        answers["elements"] = sess.run(queue.dequeue_many(3))
        coord.request_stop()
        answers["join"] = coord.join(threads)
        answers["the queue is closed"] = sess.run(queue.is_closed())
        answers["none is alive"] = any(thread.is_alive() for thread in threads)
    return answers


def counted(tf, limit, capacity=10, threads=1, **options):
    """A runner whose input ends after some elements, and what starts it in a session."""
    queue = tf.FIFOQueue(capacity, tf.int64, shapes=[[]], name="q")
    counter = tf.get_variable("n", initializer=tf.constant(0, tf.int64), use_resource=False)
    runner = tf.train.QueueRunner(
        queue, [queue.enqueue(tf.count_up_to(counter, limit))] * threads, **options
    )
    return queue, runner


@question
def ends_of_the_input(tf):
    queue, runner = counted(tf, 5, threads=3)
    rest = "is closed and has insufficient elements"
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        threads = runner.create_threads(sess, start=True)
        for thread in threads:
            thread.join()
        return {
            "they end": [thread.is_alive() for thread in threads],
            "the queue is closed": sess.run(queue.is_closed()),
            "what they left": sorted(sess.run(queue.dequeue_many(5)).tolist()),
            "nothing more": says(rest, sess.run, queue.dequeue()),
            "no exceptions": runner.exceptions_raised,
            "threads again": len(runner.create_threads(sess)),
        }


@question
def ends_with_a_coordinator(tf):
    queue, runner = counted(tf, 2)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        coord = tf.train.Coordinator()
        threads = runner.create_threads(sess, coord=coord, start=True)
        threads[0].join()
        before = coord.should_stop(), threads[1].is_alive()
        coord.request_stop()
        return {
            "no request to stop": before,
            "join": coord.join(threads),
            "the elements": sess.run(queue.dequeue_many(2)),
        }


@question
def failures(tf):
    queue = tf.FIFOQueue(10, tf.float32, shapes=[[]], name="q")
    fed = tf.placeholder(tf.float32, [], name="fed")
    runner = tf.train.QueueRunner(queue, [queue.enqueue(fed)])
    with tf.Session() as sess:
        coord = tf.train.Coordinator()
        threads = runner.create_threads(sess, coord=coord, start=True)
        joined = says("You must feed a value for placeholder tensor 'fed'", coord.join, threads)
        size = "is closed and has insufficient elements"
        return {
            "join raises it": joined,
            "the queue is closed": sess.run(queue.is_closed()),
            "who dequeues": says(size, sess.run, queue.dequeue()),
            "not the runner's": runner.exceptions_raised,
            "a request to stop": coord.should_stop(),
        }


@question
def failures_without_a_coordinator(tf):
    queue = tf.FIFOQueue(10, tf.float32, shapes=[[]], name="q")
    fed = tf.placeholder(tf.float32, [], name="fed")
    runner = tf.train.QueueRunner(queue, [queue.enqueue(fed)])
    before, threading.excepthook = threading.excepthook, lambda details: None
    level = tf.logging.get_verbosity()
    tf.logging.set_verbosity(tf.logging.FATAL)
    try:
        with tf.Session() as sess:
            for thread in runner.create_threads(sess, start=True):
                thread.join()
            return {
                "kept": [type(error).__name__ for error in runner.exceptions_raised],
                "the queue stays open": sess.run(queue.is_closed()),
                "threads again": len(runner.create_threads(sess)),
                "then none are kept": runner.exceptions_raised,
            }
    finally:
        threading.excepthook = before
        tf.logging.set_verbosity(level)


@question
def blocked_runners(tf):
    queue, runner = runner_of(tf, 3)
    with tf.Session() as sess:
        coord = tf.train.Coordinator()
        threads = runner.create_threads(sess, coord=coord, start=True)
        full = tf.equal(queue.size(), 10)
        while not sess.run(full):
            coord.wait_for_stop(0.01)
        coord.request_stop()
        return {
            "join": coord.join(threads),
            "what is in it": sess.run(queue.size()),
            "closed": sess.run(queue.is_closed()),
            "enqueue": says("is closed", sess.run, runner.enqueue_ops[0]),
            "dequeue": sess.run(queue.dequeue_many(10)).sum(),
        }


@question
def errors_that_mean_the_end(tf):
    queue = tf.FIFOQueue(10, tf.float32, shapes=[[]], name="q")
    bad = tf.check_numerics(tf.constant(1.0) / 0.0, "bad")
    kinds = (tf.errors.InvalidArgumentError,)
    runner = tf.train.QueueRunner(queue, [queue.enqueue(bad)], queue_closed_exception_types=kinds)
    with tf.Session() as sess:
        for thread in runner.create_threads(sess, start=True):
            thread.join()
        return {
            "kept": runner.exceptions_raised,
            "the queue is closed": sess.run(queue.is_closed()),
        }
