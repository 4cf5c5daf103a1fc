"""Handles of tensors that stay in a session: whose they are, how long, and how many."""

import gc

import numpy as np
import pytest

import tinytf as tf
from tinytf.distributed.limits import Limits


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def server(**arguments):
    return tf.train.Server({"a": ["127.0.0.1:0"]}, "a", 0, **arguments)


@pytest.fixture(params=["", "server"])
def sess(request):
    """A session here, and one on a server."""
    target = server().target if request.param else ""
    with tf.Session(target) as sess:
        yield sess


def kept_by(sess):
    return sess._backend.session_tensors


def test_a_handle_outlives_its_step_and_owns_its_value(sess):
    x = tf.placeholder(tf.float32, [2])
    fetch = tf.get_session_handle(x)
    fed = np.array([1.0, 2.0], np.float32)
    handle = sess.run(fetch, {x: fed})
    fed[:] = 9
    for _ in range(3):
        sess.run(x + 1, {x: [7, 7]})
    value = handle.eval()
    assert value.tolist() == [1, 2]
    value[:] = 9
    assert sess.run(x * 10, {x: handle}).tolist() == [10, 20]


def test_training_goes_on_from_handle_to_handle(sess):
    holder, before = tf.get_session_tensor(
        sess.run(tf.get_session_handle(tf.constant(0))).handle, tf.int32
    )
    after = tf.get_session_handle(before + 1)
    handle = sess.run(tf.get_session_handle(tf.constant(0)))
    for _ in range(40):
        handle = sess.run(after, {holder: handle.handle})
    assert handle.eval() == 40


def test_the_value_is_not_that_of_a_variable(sess):
    v = tf.Variable([1.0], use_resource=False)
    sess.run(v.initializer)
    handle = sess.run(tf.get_session_handle(v.value()))
    sess.run(v.assign([2.0]))
    assert handle.eval().tolist() == [1]


def test_the_tensor_goes_with_the_object():
    with tf.Session() as sess:
        fetch = tf.get_session_handle(tf.zeros([1000]))
        first, second = sess.run([fetch, fetch])
        assert first is second
        assert (len(kept_by(sess)), kept_by(sess).nbytes) == (1, 4000)
        del first
        assert len(kept_by(sess)) == 1
        del second
        gc.collect()
        assert len(kept_by(sess)) == 0
        raw = sess.run(fetch).get_raw_handle()
        gc.collect()
        assert len(kept_by(sess)) == 1
        holder, deletion = tf.delete_session_tensor(raw)
        sess.run(deletion, {holder: raw})
        assert len(kept_by(sess)) == 0


def test_what_nobody_fetches_is_not_kept():
    with tf.Session() as sess:
        fetch = tf.get_session_handle(tf.zeros([1000]))
        text = sess.run(tf.identity(fetch))
        sess.run(fetch.op)
        assert text.startswith(b"GetSessionHandle;0;")
        assert len(kept_by(sess)) == 0


def test_closing_a_session_forgets_its_tensors():
    sess = tf.Session()
    handle = sess.run(tf.get_session_handle(tf.zeros([1000])))
    store = kept_by(sess)
    assert len(store) == 1
    sess.close()
    assert len(store) == 0
    with pytest.raises(RuntimeError, match="Attempted to use a closed Session"):
        handle.eval()
    del handle  # and no complaint


def test_steps_that_are_traced_watched_or_partial():
    with tf.Session() as sess:
        fetch = tf.get_session_handle(tf.constant([3, 4]))
        options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
        handles = [
            sess.run(fetch, options=options, run_metadata=tf.RunMetadata()),
            sess.run(fetch, options=tf.RunOptions(timeout_in_ms=60_000)),
            sess.partial_run(sess.partial_run_setup([fetch]), fetch),
            sess.make_callable(fetch)(),
        ]
        assert [handle.eval().tolist() for handle in handles] == [[3, 4]] * 4


def test_a_gpu_keeps_its_tensor(simulated_gpu):
    with tf.device("/gpu:0"):
        fetch = tf.get_session_handle(tf.constant([1.0, 2.0]) * 2.0)
    with tf.Session() as sess:
        handle = sess.run(fetch)
        assert handle.handle.endswith("/device:GPU:0")
        holder, tensor = tf.get_session_tensor(handle.handle, tf.float32)
        assert sess.run(tensor + 1.0, {holder: handle.handle}).tolist() == [3, 5]
        handle.delete()
        with pytest.raises(tf.errors.InvalidArgumentError, match="not in the session store"):
            sess.run(tensor, {holder: handle.handle})


# Servers ------------------------------------------------------------------------------------------


def worker_sessions(server):
    return list(server._worker._sessions.values())


def stored(server):
    return sum(len(s.resources.session_tensors) for s in worker_sessions(server))


def test_a_server_keeps_them_for_the_session():
    task = server()
    fetch = tf.get_session_handle(tf.constant(5))
    with tf.Session(task.target) as one, tf.Session(task.target) as other:
        mine, yours = one.run(fetch), other.run(fetch)
        assert stored(task) == 2
        holder, tensor = tf.get_session_tensor(mine.handle, tf.int32)
        raw = yours.get_raw_handle()
        mine.delete()
        assert other.run(tensor, {holder: raw}) == 5
        with pytest.raises(tf.errors.InvalidArgumentError, match="not in the session store"):
            one.run(tensor, {holder: raw})
    assert stored(task) == 0


def test_dead_handles_are_deleted_there_ten_at_a_time():
    task = server()
    fetch = tf.get_session_handle(tf.constant(5))
    with tf.Session(task.target) as sess:
        for _ in range(55):
            handle = sess.run(fetch)
            assert stored(task) <= 12
        assert handle.eval() == 5


def test_each_task_keeps_its_own():
    with tf.LocalCluster({"a": 2}) as cluster:
        with tf.device("/job:a/task:1"):
            fetch = tf.get_session_handle(tf.constant([1, 2]))
        with tf.Session(cluster.target("a", 0)) as sess:
            handle = sess.run(fetch)
            assert "/task:1/" in handle.handle
            holder, tensor = tf.get_session_tensor(handle.handle, tf.int32)
            assert sess.run(tensor * 2, {holder: handle.handle}).tolist() == [2, 4]


def test_a_server_takes_so_many():
    task = server(limits=Limits(session_tensors=2))
    fetch = tf.get_session_handle(tf.constant(5))
    with tf.Session(task.target) as sess:
        handles = [sess.run(fetch), sess.run(fetch)]
        with pytest.raises(tf.errors.ResourceExhaustedError, match="session_tensors"):
            sess.run(fetch)
        handles.pop().delete()
        assert sess.run(fetch).eval() == 5
