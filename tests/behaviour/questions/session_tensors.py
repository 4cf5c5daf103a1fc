"""Tensors that stay in a session: handles that are fetched, fed, read, deleted, collected."""

import numpy as np

from tests.behaviour.asking import question, says

#: of handles that are none
ABSENT = "is not in the session store"


def kept(tf, sess, value=(1.0, 2.0), name="keep"):
    return sess.run(tf.get_session_handle(tf.constant(value), name=name))


@question
def handles(tf):
    c = tf.multiply(tf.constant([1.0, 2.0]), 5.0, name="c")
    fetch = tf.get_session_handle(c, name="keep")
    with tf.device("/cpu:0"):
        there = tf.get_session_handle(c)
    with tf.Session() as sess:
        handle = sess.run(fetch)
        nested = sess.run({"a": [fetch, c]})
        twice = sess.run([fetch, fetch])
        inside, outside = sess.run([tf.identity(fetch), fetch])
        return {
            "the tensor": [fetch, fetch.op.type, fetch.op.colocation_groups()],
            "where asked for": [there.op.type, there.op.device],
            "its class": type(handle).__name__,
            "its text": [handle.handle, str(handle)],
            "its value": handle.eval(),
            "once more": handle.eval(),
            "of an int": sess.run(tf.get_session_handle(tf.constant(3))).eval(),
            "of texts": sess.run(tf.get_session_handle(tf.constant(["a", "b"]))).eval(),
            "of nothing": sess.run(tf.get_session_handle(tf.zeros([0, 2]))).eval(),
            "nested": [type(nested["a"][0]).__name__, nested["a"][0].handle, nested["a"][1]],
            "twice": twice[0] is twice[1],
            "passed on": inside == outside.handle.encode(),
            "only passed on": sess.run(tf.identity(fetch)),
            "in a branch": sess.run(
                tf.cond(
                    tf.constant(True),
                    lambda: tf.get_session_handle(c),
                    lambda: tf.get_session_handle(-c),
                )
            ),
            "no tensor": says("`data` must be of type Tensor.", tf.get_session_handle, 3),
            "a variable": says(
                "`data` must be of type Tensor.",
                tf.get_session_handle,
                tf.Variable(1.0, use_resource=False),
            ),
        }


@question
def tensors(tf):
    with tf.Session() as sess:
        handle = kept(tf, sess)
        holder, tensor = tf.get_session_tensor(handle.handle, tf.float32, name="got")
        ten = tensor * 10
        other = kept(tf, sess, 7.0)
        x, scalar = tf.placeholder(tf.float32), tf.constant(5.0)
        i, s = tf.placeholder(tf.int32, name="i"), tf.placeholder(tf.string, name="s")
        wrong_holder, wrong = tf.get_session_tensor(handle.handle, tf.int32)
        partial = sess.partial_run_setup([ten], [holder])
        return {
            "the tensors": [holder, tensor, holder.op.device, tensor.op.device],
            "by bytes": tf.get_session_tensor(handle.handle.encode(), tf.float32),
            "by the handle itself": tf.get_session_tensor(handle, tf.float32)[1],
            "fed": sess.run(ten, {holder: handle.handle}),
            "fed as bytes": sess.run(ten, {holder: handle.handle.encode()}),
            "another one": sess.run(ten, {holder: other.handle}),
            "the handle for a placeholder": sess.run(x * 2, {x: handle}),
            "the handle for a constant": sess.run(scalar * 2, {scalar: other}),
            "and fetched": sess.run(x, {x: handle}),
            "in a callable": sess.make_callable(x * 2, [x])(handle),
            "in a callable, its text": sess.make_callable(ten, [holder])(handle.handle),
            "in a partial run": sess.partial_run(partial, ten, {holder: handle.handle}),
            "the handle for its placeholder": says(
                "to be string but float", sess.run, ten, {holder: handle}
            ),
            "the handle for a string": says(
                "to be string but float", sess.run, tf.identity(s), {s: handle}
            ),
            "the handle for an int": says("to be int32 but float", sess.run, i + 1, {i: handle}),
            "the wrong type": says(
                "does not match declared output type int32",
                sess.run,
                wrong,
                {wrong_holder: handle.handle},
            ),
            "an unknown handle": says(
                f"The tensor with handle 'a;1;/cpu:0' {ABSENT}",
                sess.run,
                ten,
                {holder: "a;1;/cpu:0"},
            ),
            "a text beforehand": says(
                "Unknown attribute 'x'", tf.get_session_tensor, "x", tf.float32
            ),
            "a number beforehand": says(
                "Unknown attribute '3'", tf.get_session_tensor, 3, tf.float32
            ),
            "no type": says("", tf.get_session_tensor, handle.handle, None),
        }


@question
def ends(tf):
    sess = tf.Session()
    fetch = tf.get_session_handle(tf.constant(4), name="keep")
    handle, read = sess.run(fetch), sess.run(fetch)
    holder, tensor = tf.get_session_tensor(handle.handle, tf.int32)
    gone, deletion = tf.delete_session_tensor(handle.handle, name="gone")
    other = tf.Session()
    deleted = sess.run(deletion, {gone: handle.handle})
    raw = read.get_raw_handle()
    again = sess.run(fetch)
    again.delete()
    answers = {
        "the nodes": [gone, deletion.type, deletion.device],
        "deleted": deleted,
        "deleted twice": says(
            "Failed to delete a tensor with handle 'keep;0;",
            sess.run,
            deletion,
            {gone: handle.handle},
        ),
        "read then": says(ABSENT, handle.eval),
        "a raw handle": [raw, sess.run(tensor, {holder: raw})],
        "eval of a raw one": says("may have already been deleted.", read.eval)[:9],
        "raw twice": read.get_raw_handle(),
        "delete of a raw one": says("Persistent tensor keep;1;", read.delete),
        "eval of a deleted one": says("Persistent tensor keep;2;", again.eval),
        "delete of a deleted one": says("Persistent tensor keep;2;", again.delete),
        "its text": again.handle,
        "in another session": says(ABSENT, other.run, tensor, {holder: raw}),
    }
    last = sess.run(fetch)
    x = tf.placeholder(tf.int32)
    answers["the handle in another session"] = says(ABSENT, other.run, x + 1, {x: last})
    last.get_raw_handle()
    handle.get_raw_handle()  # TensorFlow complains of handles that end after their session
    sess.close()
    other.close()
    answers["eval in a closed session"] = says("may have already been deleted", last.eval)[:9]
    late = says("Attempted to use a closed Session.", sess.run, tensor, {holder: raw})
    answers["fed in a closed session"] = late
    return answers


@question
def raw_values_stay(tf):
    """Many handles whose objects are gone, and one whose text was taken before that."""
    with tf.Session() as sess:
        fetch = tf.get_session_handle(tf.placeholder_with_default([1.0, 2.0], [None]), name="keep")
        first = sess.run(fetch).get_raw_handle()
        for _ in range(25):
            sess.run(fetch)
        holder, tensor = tf.get_session_tensor(first, tf.float32)
        return {
            "the first": sess.run(tensor, {holder: first}),
            "a computed one": np.sum([sess.run(fetch).eval() for _ in range(3)]),
        }
