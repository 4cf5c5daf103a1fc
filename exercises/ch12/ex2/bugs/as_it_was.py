# loses: the next call begins where the last one ended
import os
import tempfile

import tinytf as tf


def go_on(build, folder, until):
    with tf.Graph().as_default(), tf.Session() as sess:
        step = build()
        count = tf.train.get_global_step()
        saver = tf.train.Saver(tf.trainable_variables())
        latest = tf.train.latest_checkpoint(folder)
        if latest:
            saver.restore(sess, latest)
        sess.run(tf.global_variables_initializer())
        begun = int(sess.run(count))
        for _ in range(until):
            sess.run(step)
        os.makedirs(folder, exist_ok=True)
        saver.save(sess, folder + "model", global_step=count)
        return begun
