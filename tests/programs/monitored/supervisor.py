"""A Supervisor of 2016: managed_session, its saver, its global step, and its stop."""

import tensorflow as tf

global_step = tf.Variable(0, name="global_step", trainable=False)
w = tf.Variable(3.0, name="w")
train = tf.train.GradientDescentOptimizer(0.1).minimize(tf.square(w), global_step=global_step)
init_op = tf.global_variables_initializer()
sv = tf.train.Supervisor(
    logdir="train_logs",
    init_op=init_op,
    saver=tf.train.Saver(),
    global_step=global_step,
    summary_op=None,
    save_model_secs=0,
)
with sv.managed_session() as sess:
    step = 0
    while not sv.should_stop() and step < 5:
        _, step = sess.run([train, global_step])
    print("done", step, "%.4f" % sess.run(w))
    sv.saver.save(sess, sv.save_path, global_step=step)
    sv.stop()
print(sv.should_stop(), tf.train.latest_checkpoint("train_logs"))
with tf.Session() as sess:
    sv.saver.restore(sess, tf.train.latest_checkpoint("train_logs"))
    print("%.4f" % sess.run(w))
