"""A Scaffold with an initialiser of one's own, and summaries and checkpoints by hooks."""

import glob

import tensorflow as tf

global_step = tf.train.get_or_create_global_step()
start = tf.placeholder(tf.float32, [], name="start")
w = tf.get_variable("w", initializer=start)
table = tf.contrib.lookup.index_table_from_tensor(["a", "b"])
found = table.lookup(tf.constant(["b"]))
train = tf.group(w.assign_add(1.0), global_step.assign_add(1))
tf.summary.scalar("w", w)
scaffold = tf.train.Scaffold(
    init_feed_dict={start: 10.0}, init_fn=lambda scaffold, sess: print("init_fn", sess.run(w))
)
hooks = [
    tf.train.CheckpointSaverHook("logs", save_steps=2, scaffold=scaffold),
    tf.train.SummarySaverHook(save_steps=2, output_dir="logs", summary_op=tf.summary.merge_all()),
    tf.train.StopAtStepHook(num_steps=4),
]
creator = tf.train.ChiefSessionCreator(scaffold=scaffold)
with tf.train.MonitoredSession(session_creator=creator, hooks=hooks) as sess:
    while not sess.should_stop():
        print(sess.run([train, w, found])[2])
print(tf.train.latest_checkpoint("logs"), tf.train.load_variable("logs", "w"))
tags = [
    v.tag for e in tf.train.summary_iterator(glob.glob("logs/events*")[0]) for v in e.summary.value
]
print(tags)
