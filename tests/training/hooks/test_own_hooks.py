"""Hooks as programs write them, and all of TensorFlow's in one training."""

import pytest

import tinytf as tf
from tinytf.training.hooks import ProgressBarHook


class FallingRate(tf.train.SessionRunHook):
    """Feeds a learning rate that is halved whenever the loss has not fallen."""

    def __init__(self, rate, loss):
        self.rate, self.loss, self.value, self.best = rate, loss, 0.5, float("inf")

    def before_run(self, run_context):
        return tf.train.SessionRunArgs(self.loss, feed_dict={self.rate: self.value})

    def after_run(self, run_context, run_values):
        if run_values.results >= self.best:
            self.value /= 2
        self.best = min(self.best, run_values.results)
        if self.value < 0.1:
            run_context.request_stop()


def test_a_hook_feeds_what_it_has_found_out():
    rate = tf.placeholder(tf.float32, [], name="rate")
    loss = tf.placeholder(tf.float32, [], name="loss")
    seen, hook = [], FallingRate(rate, loss)
    with tf.train.SingularMonitoredSession([hook]) as sess:
        for value in [3.0, 2.0, 2.0, 2.0, 1.0, 1.0, 9.0]:
            if not sess.should_stop():
                seen.append(float(sess.run(rate, {loss: value})))
    assert seen == [0.5, 0.5, 0.5, 0.25, 0.125, 0.125]


def test_a_hook_may_do_more_than_the_one_it_derives_from(train_op):
    class StopOrBored(tf.train.StopAtStepHook):
        runs = 0

        def after_run(self, run_context, run_values):
            super().after_run(run_context, run_values)
            self.runs += 1
            if self.runs == 3:
                run_context.request_stop()

    for last_step, expected in ((2, 2), (9, 3)):
        hook = StopOrBored(last_step=last_step)
        with tf.train.SingularMonitoredSession([hook]) as sess:
            while not sess.should_stop():
                value = sess.run(train_op)
        assert value == expected


@pytest.mark.parametrize("kind", [tf.train.StopAtStepHook, ProgressBarHook])
def test_a_class_is_no_hook(kind):
    with pytest.raises(TypeError, match=f"{kind.__name__} is a class"):
        tf.train.SingularMonitoredSession([kind])


def test_all_hooks_in_one_training(train_op, clock, tmp_path):
    x = tf.placeholder(tf.float32, [], name="x")
    loss = tf.multiply(x, 2.0, name="loss")
    final = tf.train.FinalOpsHook({"step": tf.train.get_global_step()})
    stop = tf.train.StopAtStepHook(last_step=10)
    hooks = [
        tf.train.FeedFnHook(lambda: {x: 0.5}),
        tf.train.GlobalStepWaiterHook(0),
        tf.train.LoggingTensorHook({"loss": loss}, every_n_iter=3, at_end=False),
        tf.train.NanTensorHook(loss),
        tf.train.ProfilerHook(save_steps=4, output_dir="model"),
        tf.train.StepCounterHook(every_n_steps=5, output_dir="model"),
        tf.train.SummarySaverHook(
            5, output_dir="model", summary_op=tf.summary.scalar("loss_of", loss)
        ),
        tf.train.CheckpointSaverHook("model", save_steps=5, saver=tf.train.Saver()),
        ProgressBarHook(stop, [loss]),
        final,
        stop,
    ]
    with tf.train.MonitoredSession(tf.train.ChiefSessionCreator(), hooks) as sess:
        while not sess.should_stop():
            clock.now += 0.5
            sess.run(train_op)
    tf.summary.FileWriterCache.clear()
    assert final.final_ops_values == {"step": 10}
    names = {path.name for path in (tmp_path / "model").iterdir()}
    assert {f"model.ckpt-{step}.index" for step in (0, 5, 10)} <= names
    assert {"graph.pbtxt", "checkpoint", "timeline-4.json", "timeline-8.json"} <= names
    [events] = (tmp_path / "model").glob("events*")  # all write to the same file
    tags = [
        (event.step, event.summary.value[0].tag)
        for event in tf.train.summary_iterator(str(events))
        if event.summary.value
    ]
    assert tags == [(1, "loss_of"), (6, "global_step/sec"), (6, "loss_of")]
