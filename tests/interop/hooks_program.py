"""Trains with hooks in a folder, from where the last training in it ended, to a step.

    python hooks_program.py FOLDER LAST_STEP             with a real TensorFlow
    python hooks_program.py FOLDER LAST_STEP tinytf      with tinytf

Prints the weight and the steps after each run, as JSON.
"""

import json
import sys

if sys.argv[3:] == ["tinytf"]:
    import tinytf as tf
else:
    import tensorflow.compat.v1 as tf

    tf.disable_v2_behavior()


def train(folder, last_step):
    """The weight, and the global step after each run."""
    step = tf.train.get_or_create_global_step()
    weight = tf.get_variable("w", [], initializer=tf.zeros_initializer())
    with tf.control_dependencies([weight.assign_add(0.5)]):
        train_op = tf.assign_add(step, 1)
    summary = tf.summary.scalar("weight", weight)
    scaffold = tf.train.Scaffold(saver=tf.train.Saver())
    hooks = [
        tf.train.StopAtStepHook(last_step=last_step),
        tf.train.CheckpointSaverHook(folder, save_steps=2, scaffold=scaffold),
        tf.train.SummarySaverHook(1, output_dir=folder, summary_op=summary),
    ]
    steps = []
    with tf.train.SingularMonitoredSession(hooks, scaffold=scaffold, checkpoint_dir=folder) as sess:
        while not sess.should_stop():
            steps.append(int(sess.run(train_op)))
    tf.summary.FileWriterCache.clear()
    return float(tf.train.load_variable(folder, "w")), steps


if __name__ == "__main__":
    print(json.dumps(train(sys.argv[1], int(sys.argv[2]))))
