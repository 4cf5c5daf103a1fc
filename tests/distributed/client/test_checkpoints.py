"""Savers on a cluster: each task writes and reads its own variables."""

import contextlib
import os

import pytest

import tinytf as tf
from tests.kept_ports import kept_ports


@contextlib.contextmanager
def cluster(ps_folder, worker_folder):
    """A session on a worker, beside a parameter server; each may use files below its folder."""
    with kept_ports(2) as (ps, worker), contextlib.ExitStack() as stack:
        tasks = {"ps": [f"localhost:{ps}"], "worker": [f"localhost:{worker}"]}
        stack.enter_context(tf.train.Server(tasks, "ps", file_root=ps_folder))
        server = stack.enter_context(tf.train.Server(tasks, "worker", file_root=worker_folder))
        stack.enter_context(tf.Graph().as_default())
        yield stack.enter_context(tf.Session(server.target))


def model():
    with tf.device("/job:ps"):
        v = tf.Variable([1.0, 2.0], name="v")
    with tf.device("/job:worker"):
        w = tf.Variable(3.0, name="w", use_resource=True)
    return v, w


@pytest.mark.parametrize("sharded", [False, True])
def test_a_restart_goes_on_from_the_checkpoint(tmp_path, sharded):
    with cluster(tmp_path, tmp_path) as session:
        v, w = model()
        session.run(tf.global_variables_initializer())
        session.run([v.assign_add([1.0, 1.0]), w.assign_add(1.0)])
        tf.train.Saver(sharded=sharded).save(session, str(tmp_path / "model"))
    data = [name for name in os.listdir(tmp_path) if ".data-" in name]
    assert len(data) == 1 + sharded
    assert not [name for name in os.listdir(tmp_path) if "temp" in name]
    with cluster(tmp_path, tmp_path) as session:
        v, w = model()
        tf.train.Saver(sharded=sharded).restore(session, tf.train.latest_checkpoint(tmp_path))
        values = session.run([v, w])
        assert (values[0].tolist(), values[1]) == ([2.0, 3.0], 4.0)


def test_the_task_that_saves_is_the_one_that_has_the_variable(tmp_path):
    (tmp_path / "inside").mkdir()
    with cluster(tmp_path / "inside", tmp_path) as session:
        model()
        session.run(tf.global_variables_initializer())
        saver = tf.train.Saver(sharded=True)
        with pytest.raises(tf.errors.PermissionDeniedError, match="/job:ps/replica:0/task:0"):
            saver.save(session, str(tmp_path / "model"))
    assert [name for name in os.listdir(tmp_path) if name.endswith(".index")] == []
