"""Scaffolds, session creators, and sessions for training, with input and checkpoints."""

import os
import tempfile

from tests.behaviour.asking import question, says
from tests.behaviour.questions._monitored import (
    aborted,
    caught,
    keeping,
    losing,
    noting,
    plain,
    stopping,
)


def names_of(things):
    return [getattr(thing, "name", type(thing).__name__) for thing in things]


def added(tf, build, scaffold=None):
    """What a scaffold adds to a graph: operations of its own, and collections."""
    with tf.Graph().as_default() as graph:
        build()
        before = {op.name for op in graph.get_operations()}
        (scaffold or tf.train.Scaffold()).finalize()
        new = [op for op in graph.get_operations() if op.name not in before]
        tops = [(op.name, op.type) for op in new if "/" not in op.name]
        inputs = {op.name: names_of(op.control_inputs) for op in new if op.type == "NoOp"}
        collections = {
            str(key): names_of(graph.get_collection(key))
            for key in sorted(graph.get_all_collection_keys(), key=str)
        }
        return {"operations": len(new), "on top": tops, "after": inputs, "held": collections}


def build_model(tf, use_resource=False):
    w = tf.get_variable(
        "w", [], tf.float32, tf.constant_initializer(5.0), use_resource=use_resource
    )
    step = tf.train.get_or_create_global_step()
    with tf.control_dependencies([w.assign_sub(1.0)]):
        return w, step, tf.assign_add(step, 1)


@question
def what_a_scaffold_adds(tf):
    def variables():
        tf.Variable(1.0, name="v", use_resource=False)
        tf.Variable(1.0, name="r", use_resource=True)
        tf.train.create_global_step()
        tf.Variable(
            1.0, name="local", collections=[tf.GraphKeys.LOCAL_VARIABLES], use_resource=False
        )

    def tables():
        pairs = tf.lookup.KeyValueTensorInitializer(["a"], [1], tf.string, tf.int32)
        tf.lookup.StaticHashTable(pairs, -1)
        tf.summary.scalar("one", 1.0)
        tf.summary.scalar("two", 1.0)

    def pieces():
        v = tf.Variable(1.0, name="v", use_resource=False)
        tf.add_to_collection(tf.GraphKeys.INIT_OP, v.initializer)
        tf.add_to_collection(tf.GraphKeys.READY_OP, tf.constant([], tf.string, name="all"))

    return {
        "variables": added(tf, variables),
        "tables and summaries": added(tf, tables),
        "pieces that are there": added(tf, pieces),
        "nothing": added(tf, lambda: tf.constant(1)),
    }


@question
def scaffolds(tf):
    v = tf.Variable(1.0, name="v", use_resource=False)
    empty = tf.train.Scaffold()
    pieces = (
        "init_op", "init_feed_dict", "init_fn", "ready_op", "ready_for_local_init_op",
        "local_init_op", "local_init_feed_dict", "summary_op", "saver",
    )  # fmt: skip
    answers = {"empty": [getattr(empty, name) for name in pieces]}
    saver, ready = tf.train.Saver(), tf.constant([], tf.string, name="ready")
    seen = []
    first = tf.train.Scaffold(
        init_op=v.initializer,
        init_feed_dict={v: 3.0},
        init_fn=lambda scaffold, session: seen.append((scaffold, session)),
        ready_op=ready,
        saver=saver,
    )
    own = tf.no_op("own")
    copy = tf.train.Scaffold(init_op=own, copy_from_scaffold=first)
    copy.init_fn("a session")
    answers["of another"] = [copy.init_op, copy.ready_op.name, copy.saver is saver]
    answers["its function gets"] = (seen[0][0] is copy, seen[0][1])
    answers["of no scaffold"] = says(
        "copy_from_scaffold is not a Scaffold instance", tf.train.Scaffold, copy_from_scaffold=1
    )
    get = tf.train.Scaffold.get_or_default
    answers["made"] = get("mine", "a key", lambda: tf.no_op("made"))
    answers["and kept"] = [get("mine", "a key", lambda: 1 / 0), tf.get_collection("a key")]
    answers["None is not"] = [get("mine", "other", lambda: None), tf.get_collection("other")]
    tf.add_to_collection("a key", 1)
    answers["two"] = says("More than one item in the collection", get, "mine", "a key", tf.no_op)
    tf.add_to_collection(tf.GraphKeys.SAVERS, saver)
    tf.add_to_collection(tf.GraphKeys.SAVERS, saver)
    answers["two savers"] = says("More than one item in", empty.finalize)
    answers["returns"] = copy.finalize() is copy
    answers["final"] = tf.get_default_graph().finalized
    answers["twice"] = copy.finalize() is copy
    return answers


@question
def initialising(tf):
    def values(pieces=lambda model: {}):
        """What `v` and `local` begin with, with the pieces of a scaffold."""

        class Model:
            x = tf.placeholder_with_default(1.0, [], name="x")
            n = tf.placeholder_with_default(1.0, [])
            v = tf.Variable(x, name="v", use_resource=False)
            local = tf.Variable(
                v.initialized_value() + n,
                name="local",
                collections=[tf.GraphKeys.LOCAL_VARIABLES],
                use_resource=False,
            )

        scaffold = tf.train.Scaffold(**pieces(Model))
        with tf.train.MonitoredTrainingSession(scaffold=scaffold) as sess:
            return plain(sess.run([Model.v, Model.local]))

    def in_its_graph(*arguments):
        with tf.Graph().as_default():
            return values(*arguments)

    def more(model):
        add = model.v.assign_add(100.0)
        return {"init_fn": lambda scaffold, session: session.run(add)}

    unready = "Init operations did not make model ready"
    return {
        "by default": in_its_graph(),
        "fed": in_its_graph(
            lambda model: {"init_feed_dict": {model.x: 7.0}, "local_init_feed_dict": {model.n: 9.0}}
        ),
        "and a function": in_its_graph(more),
        "nothing is initialised": says(
            unready, in_its_graph, lambda model: {"init_op": tf.no_op()}
        ),
        "not the local ones": says(
            unready, in_its_graph, lambda model: {"local_init_op": tf.no_op()}
        ),
        "a function that fails": says(
            "mine", in_its_graph, lambda model: {"init_fn": lambda *given: int("mine")}
        ),
    }


@question
def hooks_of_training_sessions(tf):
    folder = tempfile.mkdtemp()
    build_model(tf)

    def hooks(**arguments):
        arguments.setdefault("checkpoint_dir", folder)
        log = []
        given = [noting(tf, log)]
        sess = tf.train.MonitoredTrainingSession(hooks=given, **arguments)
        names = [type(hook).__name__ for hook in sess._hooks]
        sess.close()
        tf.summary.FileWriterCache.clear()
        return names

    chief = {"chief_only_hooks": [stopping(tf)]}
    return {
        "by default": hooks(),
        "no folder": hooks(checkpoint_dir=None),
        "only one for summaries": hooks(checkpoint_dir=None, summary_dir=folder),
        "of the chief": hooks(**chief),
        "no checkpoints": hooks(save_checkpoint_secs=None),
        "none at all": hooks(save_checkpoint_secs=0),
        "nor those": hooks(save_checkpoint_steps=-1),
        "by steps": hooks(save_checkpoint_steps=5),
        "no summaries": hooks(save_summaries_steps=None),
        "none of them at all": hooks(save_summaries_secs=0),
        "by seconds": hooks(save_summaries_secs=10),
        "no steps per second": hooks(log_step_count_steps=None),
        "none of those at all": hooks(log_step_count_steps=0),
        "both": says("", hooks, save_checkpoint_steps=5, save_checkpoint_secs=5),
        "both of the others": says("", hooks, save_summaries_steps=5, save_summaries_secs=5),
    }


@question
def workers(tf):
    """A worker of this process alone: nobody initialises its variables."""
    v = tf.Variable(1.0, name="v", use_resource=False)

    class Ready(tf.train.SessionCreator):
        def create_session(self):
            sess = tf.Session()
            sess.run(v.initializer)
            return sess

    wait = "Session was not ready after waiting 0 secs"
    log = []
    with caught(log):
        tf.train.MonitoredTrainingSession(
            is_chief=False, max_wait_secs=0, hooks=[noting(tf, log)], chief_only_hooks=[1]
        )
    with tf.train.MonitoredSession(Ready()) as sess:
        own = float(sess.run(v))
    return {
        "calls": log,
        "too late": says(wait, tf.train.MonitoredTrainingSession, is_chief=False, max_wait_secs=0),
        "the creator": says(wait, tf.train.WorkerSessionCreator(max_wait_secs=0).create_session),
        "one's own creator": own,
        "no creator": says("Can't instantiate abstract class", tf.train.SessionCreator),
    }


@question
def checkpoints(tf):
    answers = {}
    for use_resource in (False, True):
        folder = os.path.join(tempfile.mkdtemp(), "new", "folder")
        seen = []
        for _ in range(2):
            with tf.Graph().as_default():
                w, step, train = build_model(tf, use_resource)
                log = []
                with tf.train.MonitoredTrainingSession(
                    checkpoint_dir=folder, save_checkpoint_steps=2, hooks=[noting(tf, log)]
                ) as sess:
                    seen.append(plain(sess.run([w, step])))
                    for _ in range(3):
                        sess.run(train)
                    seen.append(plain(sess.run([w, step])))
        tf.summary.FileWriterCache.clear()
        others = (".tfevents", ".data-")  # data that is written over has other numbers here
        names = sorted(n for n in os.listdir(folder) if not any(o in n for o in others))
        answers[f"resource variables: {use_resource}"] = (seen, names)
    with tf.Graph().as_default():
        w, step, train = build_model(tf)
        latest = tf.train.latest_checkpoint(folder)
        with tf.train.SingularMonitoredSession(checkpoint_filename_with_path=latest) as sess:
            answers["of one's name"] = plain(sess.run([w, step]))
        creator = tf.train.ChiefSessionCreator(
            checkpoint_dir=folder, checkpoint_filename_with_path=latest
        )
        answers["both"] = says("Can not provide both", tf.train.MonitoredSession, creator)
        with tf.train.SingularMonitoredSession(checkpoint_dir="/nowhere/at/all") as sess:
            answers["an empty folder"] = plain(sess.run([w, step]))
        missing = says(
            "The passed save_path is not a valid checkpoint",
            tf.train.SingularMonitoredSession,
            checkpoint_filename_with_path="/nowhere/at/all",
        )
        answers["no such checkpoint"] = missing
    with tf.Graph().as_default():
        build_model(tf)
        tf.Variable(1.0, name="more", use_resource=False)
        answers["a variable more"] = says(
            "Restoring from checkpoint failed",
            tf.train.SingularMonitoredSession,
            checkpoint_dir=folder,
        )
    with tf.Graph().as_default():
        w, _, _ = build_model(tf)
        tf.Variable(1.0, name="more", use_resource=False)
        scaffold = tf.train.Scaffold(saver=tf.train.Saver([w]))
        answers["one that is not restored"] = says(
            "Init operations did not make model ready",
            tf.train.SingularMonitoredSession,
            scaffold=scaffold,
            checkpoint_dir=folder,
        )
    return answers


@question
def recovery_restores(tf):
    folder = tempfile.mkdtemp()
    answers = {}
    for name, where in (("with checkpoints", folder), ("without", None)):
        with tf.Graph().as_default():
            w, _, train = build_model(tf)
            log, lost = [], losing(tf, 5, aborted(tf))
            with tf.train.MonitoredTrainingSession(
                checkpoint_dir=where, save_checkpoint_steps=3, hooks=[lost]
            ) as sess:
                for _ in range(6):
                    log.append(plain(sess.run([train, w])))
        tf.summary.FileWriterCache.clear()
        answers[name] = log
    return answers


@question
def ends_of_input(tf):
    answers = {}
    for kind in ("MonitoredSession", "SingularMonitoredSession"):
        with tf.Graph().as_default():
            values = tf.data.Dataset.range(3)
            item = tf.data.make_one_shot_iterator(values).get_next()
            log = []
            with getattr(tf.train, kind)(hooks=[noting(tf, log, fetches=item)]) as sess:
                while not sess.should_stop():
                    log.append(int(sess.run(item)))
            answers[f"{kind}: a dataset"] = log
        with tf.Graph().as_default():
            item = tf.train.limit_epochs(tf.constant(1), 3)
            batch = tf.train.batch([item], 2, allow_smaller_final_batch=True)
            got, log = [], []
            with getattr(tf.train, kind)(hooks=[noting(tf, log)]) as sess:
                while not sess.should_stop():
                    got.append(len(sess.run(batch)))
            answers[f"{kind}: a queue"] = (got, log[-1])
    return answers


@question
def failing_queue_runners(tf):
    answers = {}
    for kind in ("MonitoredSession", "SingularMonitoredSession"):
        with tf.Graph().as_default():
            bad = tf.check_numerics(tf.constant(1.0) / tf.constant(0.0), "bad")
            queue = tf.FIFOQueue(10, tf.float32, shapes=[[]])
            tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue(bad)]))
            item, log, coords = queue.dequeue(), [], []

            with caught(log):
                with getattr(tf.train, kind)(hooks=[keeping(tf, coords), noting(tf, log)]) as sess:
                    coords[0].wait_for_stop()
                    stop = []
                    with caught(stop):
                        stop.append(sess.should_stop())
                    log.append(stop)
                    sess.run(item)
            answers[kind] = log[2:]
    return answers


@question
def threads_are_over(tf):
    """Queue runners of a session end with it, and start again with a new one."""
    queue = tf.FIFOQueue(2, tf.int64, shapes=[[]])
    tf.train.add_queue_runner(
        tf.train.QueueRunner(queue, [queue.enqueue(tf.constant(1, tf.int64))] * 2)
    )
    item = queue.dequeue()
    coords = []

    answers = {}
    lost = losing(tf, 1, aborted(tf))
    with tf.train.MonitoredSession(hooks=[keeping(tf, coords), lost]) as sess:
        answers["a value"] = int(sess.run(item))
        answers["sessions"] = len(coords)
        answers["the first is over"] = (coords[0].should_stop(), coords[0].joined)
        answers["the second is not"] = coords[1].should_stop()
        answers["started by hand"] = len(tf.train.start_queue_runners(sess))
    answers["now it is"] = (coords[1].should_stop(), coords[1].joined)
    return answers
