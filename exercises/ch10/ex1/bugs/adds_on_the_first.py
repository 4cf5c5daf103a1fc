# loses: they are on /cpu:1
import tinytf as tf


def build_scores(images, first, second):
    half = first.shape[1] // 2
    parts = []
    for number, units in enumerate((slice(0, half), slice(half, None))):
        with tf.device(f"/cpu:{number}"):
            hidden = tf.nn.relu(tf.matmul(images[number], tf.Variable(first[:, units])))
            parts.append(tf.matmul(hidden, tf.Variable(second[units])))
    with tf.device("/cpu:0"):
        return tf.add_n(parts)
