"""Three steps under a supervisor, which begins where the folder's last checkpoint is.

    python supervisors_program.py tinytf|tensorflow FOLDER

It prints the step at which it began, and the variables then.
"""

import json
import sys


def library(name):
    if name == "tinytf":
        import tinytf

        return tinytf
    import tensorflow.compat.v1 as tensorflow

    tensorflow.disable_v2_behavior()
    return tensorflow


def main(name, folder):
    tf = library(name)
    weight = tf.Variable([1.0, 2.0], name="weight")
    text = tf.Variable("begin", name="text")
    step = tf.train.get_or_create_global_step()
    change = tf.group(weight.assign_add([1.0, 1.0]), text.assign(name))
    with tf.control_dependencies([change]):
        train = tf.assign_add(step, 1)
    tf.summary.scalar("first", weight[0])
    sv = tf.train.Supervisor(logdir=folder, save_model_secs=0, save_summaries_secs=0)
    with sv.managed_session() as sess:
        began = sess.run([step, weight, text])
        for _ in range(3):
            sess.run(train)
        sv.summary_computed(sess, sess.run(sv.summary_op))
        sv.saver.save(sess, sv.save_path, sv.global_step)
    print(json.dumps([int(began[0]), began[1].tolist(), began[2].decode()]))


if __name__ == "__main__":
    main(*sys.argv[1:])
