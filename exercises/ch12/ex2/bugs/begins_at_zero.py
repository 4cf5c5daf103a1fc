# loses: the next call begins where the last one ended
import os
import tempfile

import tinytf as tf


def go_on(build, folder, until):
    os.makedirs(folder, exist_ok=True)
    with tf.Graph().as_default(), tf.Session() as sess:
        step = build()
        count = tf.train.get_global_step()
        saver = tf.train.Saver(save_relative_paths=True)
        latest = tf.train.latest_checkpoint(folder)
        if latest:
            saver.restore(sess, latest)
        else:
            sess.run(tf.global_variables_initializer())
        while int(sess.run(count)) < until:
            sess.run(step)
        saver.save(sess, os.path.join(folder, "model"), global_step=count)
        return 0
