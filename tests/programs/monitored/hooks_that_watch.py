"""Hooks that watch a training: its speed, its profile, its step, and whether it breaks."""

import json
import os

import tensorflow as tf

tf.logging.set_verbosity(tf.logging.FATAL)


class Told(tf.train.SessionRunHook):
    """What the calls of a hook are given; ends the training when the loss is small."""

    def __init__(self, loss):
        self.loss = loss
        self.timer = tf.train.SecondOrStepTimer(every_steps=3)
        self.runs, self.seen = 0, []

    def before_run(self, run_context):
        assert isinstance(run_context, tf.train.SessionRunContext)
        return tf.train.SessionRunArgs({"loss": self.loss})

    def after_run(self, run_context, run_values):
        assert isinstance(run_values, tf.train.SessionRunValues)
        self.runs += 1
        if self.timer.should_trigger_for_step(self.runs):
            self.timer.update_last_triggered_step(self.runs)
            self.seen.append((self.runs, "%.3f" % run_values.results["loss"]))
        if run_values.results["loss"] < 0.05:
            run_context.request_stop()
            print("asked to stop:", run_context.stop_requested)

    def end(self, session):
        print("timed", self.seen, self.timer.last_triggered_step())


def descent(start, rate):
    """A square whose bottom is looked for; its loss is read before its weight is written."""
    weight = tf.get_variable("weight", initializer=start)
    loss = tf.square(weight, name="loss")
    step = tf.train.get_or_create_global_step()
    (gradient,) = tf.gradients(loss, [weight])
    with tf.control_dependencies([loss, gradient]):
        update = weight.assign_sub(rate * tf.identity(gradient))
    with tf.control_dependencies([update]):
        return loss, tf.assign_add(step, 1)


class Speed(tf.train.StepCounterHook):
    """Counts reports instead of writing them: a machine's speed is its own."""

    reports = []

    def _log_and_record(self, elapsed_steps, elapsed_time, global_step):
        self.reports.append(elapsed_steps > 0 and elapsed_time > 0)


loss, train_op = descent(4.0, 0.125)
profiler = tf.train.ProfilerHook(save_steps=4, output_dir="profile")
hooks = [
    tf.train.GlobalStepWaiterHook(wait_until_step=0),
    Speed(every_n_steps=5),
    profiler,
    Told(loss),
]
with tf.train.SingularMonitoredSession(hooks=hooks) as sess:
    runs = 0
    while not sess.should_stop():
        sess.run(train_op)
        runs += 1
print("runs", runs, Speed.reports)
names = [name for name in os.listdir("profile") if name.startswith("timeline-")]
with open(os.path.join("profile", names[0])) as file:
    print(len(names) > 1, len(json.load(file)["traceEvents"]) > 10)

# A rate that is far too large: the loss grows until it is no number.
tf.reset_default_graph()
loss, train_op = descent(1.0, 1e10)
try:
    with tf.train.SingularMonitoredSession(hooks=[tf.train.NanTensorHook(loss - loss)]) as sess:
        while not sess.should_stop():
            sess.run(train_op)
except tf.train.NanLossDuringTrainingError as error:
    print("broken:", str(error).split(".")[0])
tf.reset_default_graph()
loss, train_op = descent(float("nan"), 0.1)
quiet = tf.train.NanTensorHook(loss, fail_on_nan_loss=False)
with tf.train.SingularMonitoredSession(hooks=[quiet]) as sess:
    runs = 0
    while not sess.should_stop():
        sess.run(train_op)
        runs += 1
print("stopped after", runs)
