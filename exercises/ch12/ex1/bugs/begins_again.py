# loses: it goes on after a power cut
import os
import tempfile

import tinytf as tf


def train(build, folder, until, every):
    best_folder = os.path.join(folder, "best")
    os.makedirs(best_folder, exist_ok=True)
    with tf.Graph().as_default(), tf.Session() as sess:
        step, score = build()
        count = tf.train.get_global_step()
        initialise = tf.global_variables_initializer()
        saver = tf.train.Saver(max_to_keep=3)
        best_saver = tf.train.Saver(max_to_keep=1)

        best, latest = None, tf.train.latest_checkpoint(best_folder)
        if latest:
            best_saver.restore(sess, latest)
            best = float(sess.run(score))
            best_saver.recover_last_checkpoints([latest])

        latest = None
        if latest:
            saver.restore(sess, latest)
            state = tf.train.get_checkpoint_state(folder)
            saver.recover_last_checkpoints(state.all_model_checkpoint_paths)
        else:
            sess.run(initialise)

        number = int(sess.run(count))
        while number < until:
            sess.run(step)
            number = int(sess.run(count))
            if number % every == 0 or number == until:
                saver.save(sess, os.path.join(folder, "model"), number)
                now = float(sess.run(score))
                if best is None or now > best:
                    best = now
                    best_saver.save(sess, os.path.join(best_folder, "model"), number)
        return best
