"""Session managers, training loops and the global step: what they do and say."""

import tempfile

from tests.behaviour.asking import question, says
from tests.behaviour.questions._supervised import in_own_graph


@question
def recovering(tf):
    folder = tempfile.mkdtemp()

    def recover(make, **settings):
        v = tf.Variable(1.0, name="v")
        saver = tf.train.Saver()
        w = tf.Variable(2.0, name="w") if make else None
        manager = tf.train.SessionManager(
            ready_op=tf.report_uninitialized_variables(),
            local_init_op=None if w is None else w.initializer,
            **{key: value() for key, value in settings.items()},
        )
        sess, done = manager.recover_session("", saver=saver, checkpoint_dir=folder)
        with sess:
            known = sess.run(tf.report_uninitialized_variables()).tolist()
            if b"v" in known:
                sess.run(v.assign(7.0))
                saver.save(sess, folder + "/model")
            return [done, known, float(sess.run(v))]

    def not_for_local():
        return tf.report_uninitialized_variables(tf.global_variables())

    return {
        "nothing there": in_own_graph(tf, recover, False),
        "there": in_own_graph(tf, recover, False),
        "and a local one": in_own_graph(tf, lambda: recover(True)),
        "not ready for it": in_own_graph(
            tf, lambda: recover(True, ready_for_local_init_op=not_for_local)
        ),
    }


@question
def what_managers_refuse(tf):
    saver = tf.train.Saver([tf.Variable(1.0, name="v")])
    manager = tf.train.SessionManager()
    both = {"checkpoint_dir": "a", "checkpoint_filename_with_path": "a/b"}
    refusal = "Can not provide both checkpoint_dir and checkpoint_filename_with_path."
    return {
        "no local_init_op": says(
            "If you pass a ready_for_local_init_op you must also pass a local_init_op",
            tf.train.SessionManager,
            ready_for_local_init_op=tf.constant([], tf.string),
        ),
        "both": says(refusal, manager.recover_session, "", saver=saver, **both),
        "both, prepared": says(refusal, manager.prepare_session, "", saver=saver, **both),
    }


@question
def kinds_of_ready_ops(tf):
    """What counts as ready, of those that TensorFlow's first versions had too."""
    v = tf.Variable(1.0, name="v")
    nothing = tf.no_op()
    ops = {
        "none": None,
        "operation": tf.no_op(),
        "int32": tf.constant([3]),
        "empty": tf.constant([], tf.string),
        "names": tf.constant(["this", "that"]),
        "uninitialised": v.read_value(),
        "asserts": tf.assert_variables_initialized([v]),
    }
    answers = {}
    for name, op in ops.items():
        manager = tf.train.SessionManager(ready_op=op)
        try:
            manager.prepare_session("", init_op=nothing).close()
            answers[name] = "ready"
        except RuntimeError as error:
            answers[name] = [word in str(error) for word in ("this, that", "uninitialized value v")]
    return answers


# Loops ---------------------------------------------------------------------------------------


@question
def basic_train_loops(tf):
    tf.Variable(1.0, name="v")
    sv = tf.train.Supervisor()
    calls, sessions = [], []

    def step(sess, a, b=0):
        calls.append((a, b))
        sessions.append(sess)
        if len(calls) == 3:
            raise tf.errors.AbortedError(None, None, "a server is new")
        if len(calls) == 5:
            sv.request_stop()

    result = tf.train.basic_train_loop(sv, step, args=(1,), kwargs={"b": 2})

    def fail(sess):
        raise tf.errors.UnavailableError(None, None, "a server is gone")

    def end(sess):
        raise tf.errors.OutOfRangeError(None, None, "no more")

    return {
        "calls": calls,
        "sessions": len(set(map(id, sessions))),
        "result": result,
        "gone": says("a server is gone", tf.train.basic_train_loop, sv, fail),
        "end": tf.train.basic_train_loop(sv, end),
    }


# The step ------------------------------------------------------------------------------------


@question
def global_steps(tf):
    step = tf.train.create_global_step()
    with tf.Session() as sess:
        sess.run(step.initializer)
        value = tf.train.global_step(sess, step)
    answers = {
        "value": [value, type(value).__name__],
        "two": says('"global_step" already exists.', tf.train.create_global_step),
        "vector": says("is not scalar", tf.train.assert_global_step, tf.constant([1])),
        "float": says("does not have integer type", tf.train.assert_global_step, tf.constant(1.0)),
        "number": says("must be a Variable or Tensor", tf.train.assert_global_step, 3),
        "unknown shape": tf.train.assert_global_step(tf.placeholder(tf.int64)),
    }
    tf.add_to_collection(tf.GraphKeys.GLOBAL_STEP, tf.constant(3))
    answers["several"] = tf.train.get_global_step()
    return answers
