# loses hidden: another network: the scores are right
import tinytf as tf


def build_scores(images, first, second):
    parts = []
    for number, units in enumerate((slice(0, 32), slice(32, 64))):
        with tf.device(f"/cpu:{number}"):
            hidden = tf.nn.relu(tf.matmul(images[number], tf.Variable(first[:, units])))
            scores = tf.matmul(hidden, tf.Variable(second[units]))
            parts.append(tf.reshape(scores, [50, 10]))
    with tf.device("/cpu:1"):
        return tf.add_n(parts)
