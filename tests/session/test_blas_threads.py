"""BLAS keeps the threads of the process, or one, for all of a session: its bits depend on that."""

import numpy as np
import pytest

import tinytf as tf
from tinytf.runtime import blas, learning

A = np.sin(np.arange(300.0 * 300)).reshape(300, 300)


def seen_by(config, fetch=None):
    """How many threads BLAS has while a step runs."""
    seen = []

    def look(x):
        seen.append(blas.threads_now())
        return x

    x = tf.placeholder(tf.float64, [None, None])
    y = tf.py_func(look, [tf.matmul(x, x + 1.0)], tf.float64)
    with tf.Session(config=config) as sess:
        sess.run(y, {x: A})
        seen.append(blas.threads_now())
    return seen


def test_blas_keeps_its_threads_where_nothing_is_asked():
    before = blas.threads_now()
    assert seen_by(tf.ConfigProto()) == [before, before]


@pytest.mark.parametrize("threads", [1, 2])
def test_blas_has_one_thread_where_intra_op_threads_are_asked_for(threads):
    before = blas.threads_now()
    config = tf.ConfigProto(intra_op_parallelism_threads=threads)
    assert seen_by(config) == [1 if blas.has_switch() else before, before]


@pytest.mark.parametrize("intra_op", [0, 1, 2, 3])
def test_values_are_the_same_in_every_run(monkeypatch, intra_op):
    """Whatever has been learned meanwhile, and whichever form of the plan is tried."""
    monkeypatch.setattr(learning, "WORTH_LEARNING", 0.0)
    monkeypatch.setattr(learning, "EXPENSIVE", 0.0)
    monkeypatch.setattr(learning, "makespan", lambda *arguments: 0.0)
    x = tf.placeholder(tf.float64, [None, None])
    wide = tf.matmul(x, x + 1.0), tf.matmul(tf.tanh(x), x + 2.0), tf.matmul(x, x, transpose_b=True)
    y = tf.add_n(wide)
    config = tf.ConfigProto(inter_op_parallelism_threads=3, intra_op_parallelism_threads=intra_op)
    used = []
    use = learning.Learner._use
    monkeypatch.setattr(
        learning.Learner, "_use", lambda self, how: (used.append(how), use(self, how))[1]
    )
    with tf.Session(config=config) as sess:
        found = {sess.run(y, {x: A}).tobytes() for _ in range(40)}
    assert len(found) == 1
    assert any(how.side_by_side for how in used)


def test_a_partial_run_holds_it_as_well():
    x = tf.placeholder(tf.float64, [None, None])
    seen = []
    y = tf.py_func(lambda v: (seen.append(blas.threads_now()), v)[1], [tf.matmul(x, x)], tf.float64)
    with tf.Session(config=tf.ConfigProto(intra_op_parallelism_threads=1)) as sess:
        handle = sess.partial_run_setup([y], [x])
        sess.partial_run(handle, y, {x: A})
    assert seen == [1 if blas.has_switch() else blas.threads_now()]
