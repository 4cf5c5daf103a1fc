"""MonitoredTrainingSession: hooks, checkpoints, and going on where the last run ended."""

import glob

import tensorflow as tf


def train(last_step):
    tf.reset_default_graph()
    global_step = tf.train.get_or_create_global_step()
    w = tf.get_variable("w", initializer=8.0)
    loss = tf.square(w, name="loss")
    train_op = tf.train.GradientDescentOptimizer(0.25).minimize(loss, global_step=global_step)
    hooks = [tf.train.StopAtStepHook(last_step=last_step), tf.train.NanTensorHook(loss)]
    with tf.train.MonitoredTrainingSession(
        checkpoint_dir="checkpoints",
        hooks=hooks,
        save_summaries_steps=None,
        log_step_count_steps=None,
    ) as sess:
        while not sess.should_stop():
            _, step, value = sess.run([train_op, global_step, loss])
        print(step, value)


train(3)
train(5)
print(tf.train.latest_checkpoint("checkpoints"), len(glob.glob("checkpoints/*.meta")) > 0)
print(
    tf.train.load_variable("checkpoints", "w"), tf.train.load_variable("checkpoints", "global_step")
)
