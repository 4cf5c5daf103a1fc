# loses: each device has half of the weights and does half of the work
import tinytf as tf


def build_scores(images, first, second):
    half = first.shape[1] // 2
    with tf.device("/cpu:1"):
        # One copy of everything, of which the other device is sent its half.
        all_first, all_second = tf.Variable(first), tf.Variable(second)
    parts = []
    for number, units in enumerate((slice(0, half), slice(half, None))):
        with tf.device(f"/cpu:{number}"):
            hidden = tf.nn.relu(tf.matmul(images[number], all_first[:, units]))
            parts.append(tf.matmul(hidden, all_second[units]))
    with tf.device("/cpu:1"):
        return tf.add_n(parts)
