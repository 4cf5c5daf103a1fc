"""Checkpoints: what a failure leaves and says, and what the clock spares."""

import errno
import os

import pytest

import tinytf as tf

HOOK = tf.train.CheckpointSaverHook


def hook(folder="model", **settings):
    settings = {"save_steps": 2, "saver": tf.train.Saver(), **settings}
    return HOOK(folder, **settings)


def test_a_full_disk_is_called_that_and_the_checkpoint_before_is_whole(
    train_op, train, monkeypatch
):
    def fill():
        monkeypatch.setattr(os, "fsync", _no_space)

    with pytest.raises(tf.errors.ResourceExhaustedError) as raised:
        train([hook()], [train_op, fill, train_op])
    monkeypatch.undo()
    text = str(raised.value)
    assert "cannot save the checkpoint of step 2" in text
    assert "Is the disk full (df -h), or may this user not write to 'model'?" in text
    assert f"whole checkpoint there is {os.path.join('model', 'model.ckpt-0')}" in text
    with tf.train.SingularMonitoredSession(checkpoint_dir="model") as sess:
        assert sess.run(tf.train.get_global_step()) == 0


def _no_space(descriptor):
    raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize("folder", ["file", os.path.join("file", "model")])
def test_a_folder_that_cannot_be_made(train_op, folder, tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(tf.errors.OpError) as raised:
        tf.train.SingularMonitoredSession([hook(folder)])
    assert "CheckpointSaverHook cannot use its folder" in str(raised.value)
    assert "There is no checkpoint there to go on from" in str(raised.value)


def test_errors_of_the_graph_are_left_alone(train_op):
    missing = tf.Variable(0.0, name="missing", collections=["mine"])
    with pytest.raises(tf.errors.FailedPreconditionError, match="missing") as raised:
        tf.train.SingularMonitoredSession([hook(saver=tf.train.Saver([missing]))])
    assert "disk full" not in str(raised.value)


def test_a_listener_that_is_a_class_is_refused():
    with pytest.raises(TypeError, match=r"listeners=\[CheckpointSaverListener\(\)\]"):
        HOOK("f", save_steps=1, listeners=[tf.train.CheckpointSaverListener])
    with pytest.raises(TypeError, match="must be a list of objects"):
        HOOK("f", save_steps=1, listeners=tf.train.CheckpointSaverListener())


def test_a_listener_that_fails_ends_the_training_with_the_checkpoint_written(train_op, train):
    class Failing(tf.train.CheckpointSaverListener):
        def after_save(self, session, global_step_value):
            if global_step_value == 2:
                raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        train([hook(listeners=[Failing()])], [train_op] * 5)
    assert tf.train.latest_checkpoint("model") == os.path.join("model", "model.ckpt-2")


def test_what_was_trained_goes_on(train_op):
    for expected in (3, 6):
        with tf.train.SingularMonitoredSession([hook()], checkpoint_dir="model") as sess:
            for _ in range(3):
                value = sess.run(train_op)
        assert value == expected


def test_while_seconds_are_not_over_nothing_is_run_besides(train_op, clock, monkeypatch):
    save = hook(save_steps=None, save_secs=60)
    with tf.train.SingularMonitoredSession([save]) as sess:
        runs, run = [], sess.raw_session().run

        def noted(fetches, *arguments):
            runs.append(fetches)
            return run(fetches, *arguments)

        monkeypatch.setattr(sess.raw_session(), "run", noted)
        for _ in range(3):
            sess.run(train_op)
        assert runs == [train_op] * 3
        clock.now += 60
        sess.run(train_op)
        assert len(runs) > 4  # the step was looked at, and saved
    assert tf.train.latest_checkpoint("model").endswith("-4")


def test_the_event_file_is_whole_when_the_session_has_ended(train_op, tmp_path):
    with tf.train.SingularMonitoredSession([hook()]) as sess:
        sess.run(train_op)
    [path] = (tmp_path / "model").glob("events*")  # nobody has closed it
    kinds = [event.WhichOneof("what") for event in tf.train.summary_iterator(str(path))]
    assert kinds[-2:] == ["session_log", "session_log"]


def test_paths_may_be_of_pathlib(train_op, tmp_path):
    with tf.train.SingularMonitoredSession([hook(tmp_path / "here")]) as sess:
        sess.run(train_op)
    assert tf.train.latest_checkpoint(str(tmp_path / "here")).endswith("model.ckpt-1")
