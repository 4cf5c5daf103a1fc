# loses: all variables go on
import os
import tempfile

import tinytf as tf


def go_on(build, folder, until):
    os.makedirs(folder, exist_ok=True)
    with tf.Graph().as_default(), tf.Session() as sess:
        step = build()
        count = tf.train.get_global_step()
        saver = tf.train.Saver([*tf.trainable_variables(), count], save_relative_paths=True)
        sess.run(tf.global_variables_initializer())
        latest = tf.train.latest_checkpoint(folder)
        if latest:
            saver.restore(sess, latest)
        begun = int(sess.run(count))
        while int(sess.run(count)) < until:
            sess.run(step)
        saver.save(sess, os.path.join(folder, "model"), global_step=count)
        return begun
