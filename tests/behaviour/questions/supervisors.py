"""Supervisors: what they add, in which order they run it, what they say.

What the services write is not asked here, since they run when their threads do.
"""

import contextlib
import tempfile
from pathlib import Path

from tests.behaviour.asking import question, says
from tests.behaviour.questions._supervised import (
    collections_of,
    in_own_graph,
    model,
    names,
    noted,
)


def managed(tf, block, **settings):
    """What a supervisor's block does and raises; whether it is to stop then."""
    tf.Variable(1.0, name="v")
    sv = tf.train.Supervisor(stop_grace_secs=60, **settings)
    with sv.managed_session() as sess:
        block(sv, sess)
    return sv.should_stop()


@question
def what_a_supervisor_adds(tf):
    model(tf)
    before = len(tf.get_default_graph().get_operations())
    sv = tf.train.Supervisor(logdir=tempfile.mkdtemp())
    operations = tf.get_default_graph().get_operations()
    return {
        "operations": [(op.name, op.type) for op in operations[before:]],
        "collections": collections_of(tf),
        "uses": [sv.init_op, sv.summary_op, sv.global_step.name, sv.ready_for_local_init_op],
        "seconds": [sv.save_summaries_secs, sv.save_model_secs],
        "path": Path(sv.save_path).name,
        "final": tf.get_default_graph().finalized,
        "chief": sv.is_chief,
        "of others": says("Graph is finalized and cannot be modified.", tf.constant, 1),
    }


@question
def without_anything(tf):
    tf.constant(1.0)
    sv = tf.train.Supervisor()
    return {
        "uses": [sv.saver, sv.summary_op, sv.global_step, sv.save_path, sv.summary_writer],
        "initialises": [sv.init_op.name, sv.init_feed_dict],
        "operations": names(tf.get_default_graph().get_operations()),
        "collections": collections_of(tf),
    }


@question
def without_defaults(tf):
    model(tf)
    before = len(tf.get_default_graph().get_operations())
    nothing = dict.fromkeys(
        "ready_op init_op local_init_op summary_op saver global_step summary_writer".split()
    )
    sv = tf.train.Supervisor(logdir=tempfile.mkdtemp(), **nothing)
    uses = [sv.ready_op, sv.init_op, sv.summary_op, sv.saver, sv.global_step, sv.summary_writer]
    return {
        "uses": uses,
        "operations": names(tf.get_default_graph().get_operations()[before:]),
        "collections": collections_of(tf),
    }


@question
def what_collections_have(tf):
    """The first of each collection is used, and nothing is added."""
    weight, local, _ = model(tf)
    init = tf.group(weight.initializer, tf.train.get_global_step().initializer, name="mine")
    saver = tf.train.Saver([weight], name="own")
    ready = tf.constant([], tf.string, name="ready")
    summary = tf.summary.scalar("other", weight)
    for key, used in {
        "INIT_OP": init,
        "LOCAL_INIT_OP": local.initializer,
        "READY_OP": ready,
        "READY_FOR_LOCAL_INIT_OP": ready,
        "SAVERS": saver,
        "SUMMARY_OP": summary,
    }.items():
        tf.add_to_collection(getattr(tf.GraphKeys, key), used)
        tf.add_to_collection(getattr(tf.GraphKeys, key), "another")
    before = len(tf.get_default_graph().get_operations())
    sv = tf.train.Supervisor()
    return {
        "operations": len(tf.get_default_graph().get_operations()) - before,
        "are used": [
            sv.init_op is init,
            sv.ready_op is ready,
            sv.ready_for_local_init_op is ready,
            sv.saver is saver,
            sv.summary_op is summary,
        ],
        "runs": float(sv.prepare_or_wait_for_session().run(weight)),
    }


@question
def a_step_that_cannot_be(tf):
    tf.Variable(0.0, name="global_step")
    return {"float": tf.train.Supervisor().global_step}


@question
def other_graphs(tf):
    graph = tf.Graph()
    with graph.as_default():
        weight = tf.Variable(4.0, name="weight")
    sv = tf.train.Supervisor(graph=graph)
    with sv.managed_session() as sess:
        value = float(sess.run(weight))
    return {
        "value": value,
        "of it": sess.graph is graph,
        "default": names(tf.get_default_graph().get_operations()),
        "final": [graph.finalized, tf.get_default_graph().finalized],
    }


@question
def two_of_a_graph(tf):
    model(tf)
    first, second = tf.train.Supervisor(), tf.train.Supervisor()
    same = [first.init_op is second.init_op, first.saver is second.saver]

    def without_summaries():
        tf.Variable(1.0)
        return [tf.train.Supervisor().summary_op, tf.train.Supervisor().summary_op]

    return {"same": same, "nothing to add": in_own_graph(tf, without_summaries)}


@question
def order_of_initialisation(tf):
    log, folder = [], tempfile.mkdtemp()

    def run():
        log.clear()
        v = tf.Variable(1.0, name="v")
        with tf.control_dependencies([noted(tf, log, "ready")]):
            ready = tf.report_uninitialized_variables()
        with tf.control_dependencies([noted(tf, log, "ready_for_local")]):
            for_local = tf.report_uninitialized_variables(tf.global_variables())
        sv = tf.train.Supervisor(
            logdir=folder,
            init_op=tf.group(v.initializer, noted(tf, log, "init")),
            local_init_op=tf.group(noted(tf, log, "local")),
            ready_op=ready,
            ready_for_local_init_op=for_local,
            init_fn=lambda sess: log.append(f"init_fn {float(sess.run(v))}"),
            save_model_secs=0,
            global_step=None,
        )
        sess = sv.prepare_or_wait_for_session(start_standard_services=False)
        sv.saver.save(sess, sv.save_path)
        sv.stop()
        sess.close()
        return list(log)

    first = in_own_graph(tf, run)
    files = sorted(path.name for path in Path(folder).iterdir() if "events" not in path.name)
    return {"first": first, "files": files, "restored": in_own_graph(tf, run)}


@question
def values_for_initialisers(tf):
    start = tf.placeholder(tf.float32, [])
    v = tf.Variable(start, name="v")
    sv = tf.train.Supervisor(init_feed_dict={start: 5.0})
    with sv.managed_session() as sess:
        return {"value": float(sess.run(v)), "fed": len(sv.init_feed_dict)}


@question
def what_makes_no_model(tf):
    def half():
        v, _ = tf.Variable(1.0, name="v"), tf.Variable(1.0, name="w")
        tf.train.Supervisor(init_op=v.initializer).prepare_or_wait_for_session()

    def nothing():
        tf.Variable(1.0, name="v")
        tf.train.Supervisor(init_op=None, local_init_op=None).prepare_or_wait_for_session()

    def not_for_local():
        v = tf.Variable(1.0, name="v")
        tf.train.Supervisor(
            init_op=None,
            init_fn=lambda sess: None,
            ready_for_local_init_op=tf.report_uninitialized_variables([v]),
        ).prepare_or_wait_for_session()

    def lost_checkpoint():
        tf.Variable(1.0, name="v")
        folder = Path(tempfile.mkdtemp())
        (folder / "checkpoint").write_text('model_checkpoint_path: "gone"\n')
        tf.train.Supervisor(logdir=str(folder)).prepare_or_wait_for_session()

    def part_of_a_checkpoint():
        v, _ = tf.Variable(1.0, name="v"), tf.Variable(1.0, name="w")
        sv = tf.train.Supervisor(logdir=tempfile.mkdtemp(), saver=tf.train.Saver([v]))
        with sv.managed_session(start_standard_services=False) as sess:
            sv.saver.save(sess, sv.save_path)
        sv.prepare_or_wait_for_session()

    unready = "Init operations did not make model ready.  Init op: "
    local = "Init operations did not make model ready for local_init.  Init op: None, init fn: <"
    return {
        "half": says(f"{unready}v/Assign, init fn: None, local_init_op: ", in_own_graph, tf, half),
        "variables": says("error: Variables not initialized: w", in_own_graph, tf, half),
        "nothing": says(
            "Model is not initialized and no init_op or init_fn or local_init_op was given",
            in_own_graph,
            tf,
            nothing,
        ),
        "local": says(local, in_own_graph, tf, not_for_local),
        "lost": says(
            "The passed save_path is not a valid checkpoint", in_own_graph, tf, lost_checkpoint
        ),
        "part": says(unready, in_own_graph, tf, part_of_a_checkpoint),
    }


@question
def others_than_the_chief(tf):
    def no_device():
        tf.Variable(1.0, name="v")
        tf.train.Supervisor(is_chief=False)

    def alone():
        with tf.device("/cpu:0"):
            tf.Variable(1.0, name="v")
        sv = tf.train.Supervisor(is_chief=False, logdir="not/made", recovery_wait_secs=1)
        answers = {
            "writes": [sv.save_path, sv.summary_writer, sv.save_model_secs, sv.save_summaries_secs],
            "has": [sv.saver is None, sv.init_op.name, sv.is_chief],
            "services": says(
                "Only chief supervisor can start standard services. Because only chief "
                "supervisors can write events",
                sv.start_standard_services,
                None,
            ),
            "summaries": says(
                "Writing a summary requires a summary writer", sv.summary_computed, None, b""
            ),
            "no chief": says(
                "Session was not ready after waiting 1 secs.",
                sv.prepare_or_wait_for_session,
                max_wait_secs=1,
            ),
            "folder": Path("not/made").exists(),
        }
        sv.stop()
        return answers

    return {
        "no device": says(
            "When using replicas, all Variables must have their device set",
            in_own_graph,
            tf,
            no_device,
        ),
        **in_own_graph(tf, alone),
    }


def raises(error):
    def block(sv, sess):
        raise error

    return block


@question
def errors_in_blocks(tf):
    def ask(phrase, block):
        return says(phrase, in_own_graph, tf, managed, tf, block)

    def loop(sv, sess):
        def fail():
            raise ValueError("of a loop")

        sv.loop(1, fail)
        sv.wait_for_stop()

    def services_with_error(sv, sess):
        with sv.stop_on_exception():
            raise ValueError("caught")
        raise KeyError("later")

    def queue_runner():
        queue = tf.FIFOQueue(10, tf.float32, [])
        bad = tf.check_numerics(tf.constant(float("nan")), "bad number")
        tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue(bad)]))
        managed(tf, lambda sv, sess: sv.wait_for_stop())

    def end_of_input():
        queue = tf.FIFOQueue(10, tf.float32, [])
        rows = tf.train.limit_epochs(tf.constant(2.0), num_epochs=3)
        tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue(rows)]))
        row, seen = queue.dequeue(), []

        def block(sv, sess):
            while True:
                seen.append(float(sess.run(row)))

        return [managed(tf, block), seen]

    def out_of_range(sv, sess):
        raise tf.errors.OutOfRangeError(None, None, "the end")

    return {
        "own": ask("mine", raises(KeyError("mine"))),
        "end": in_own_graph(tf, managed, tf, out_of_range),
        "end of a queue": in_own_graph(tf, end_of_input),
        "none": in_own_graph(tf, managed, tf, lambda sv, sess: None),
        "the first": ask("caught", services_with_error),
        "loop": ask("of a loop", loop),
        "queue runner": says("bad number : Tensor had NaN values", in_own_graph, tf, queue_runner),
    }


@question
def after_the_end(tf):
    weight, _, count = model(tf)
    folder = tempfile.mkdtemp()
    sv = tf.train.Supervisor(logdir=folder)
    settings = {"start_standard_services": False}
    with sv.managed_session(**settings) as sess:
        first = [int(sess.run(count)) for _ in range(3)]
        sv.saver.save(sess, sv.save_path, sv.global_step)
    [path] = Path(folder).glob("events*")
    kinds = [
        [event.WhichOneof("what"), event.session_log.status, event.step]
        for event in tf.train.summary_iterator(str(path))
    ]
    stopped = sv.should_stop()
    closed = says("Attempted to use a closed Session.", sess.run, weight)
    with sv.managed_session(**settings) as sess:
        running = sv.should_stop()
        again = int(sess.run(count))
    return {
        "steps": [first, again],
        "stops": [stopped, running, sv.should_stop()],
        "closed": closed,
        "events": kinds,
        "files": sorted({path.name.partition("-of-")[0] for path in Path(folder).glob("[!e]*")}),
    }


@question
def threads_that_do_not_end(tf):
    row = tf.FIFOQueue(1, tf.float32, []).dequeue()

    def stop(**settings):
        sv = tf.train.Supervisor(stop_grace_secs=0.5)
        sess = sv.prepare_or_wait_for_session()

        def wait():
            with contextlib.suppress(tf.errors.CancelledError):  # when the session is closed
                sess.run(row)

        thread = sv.loop(None, wait)
        try:
            return sv.stop(**settings)
        finally:
            sess.close()
            thread.join()

    return {
        "error": says("Coordinator stopped with threads still running: ", stop),
        "ignored": stop(ignore_live_threads=True),
    }


@question
def summaries_of_ones_own(tf):
    weight, _, _ = model(tf)
    folder = tempfile.mkdtemp()
    summary = tf.summary.scalar("mine", weight)
    sv = tf.train.Supervisor(logdir=folder, summary_op=None)
    with sv.managed_session(start_standard_services=False) as sess:
        sv.summary_computed(sess, sess.run(summary))
        sv.summary_computed(sess, sess.run(summary), 7)
    [path] = Path(folder).glob("events*")
    values = [
        [event.step, value.tag, value.simple_value]
        for event in tf.train.summary_iterator(str(path))
        for value in event.summary.value
    ]
    return {"values": values, "op": sv.summary_op}
