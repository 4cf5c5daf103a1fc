# loses: the scores are right
import tinytf as tf


def build_scores(images, first, second):
    half = first.shape[1] // 2
    parts = []
    for number, units in enumerate((slice(0, half), slice(half, None))):
        with tf.device(f"/cpu:{number}"):
            others = slice(half, None) if number == 0 else slice(0, half)
            hidden = tf.nn.relu(tf.matmul(images[number], tf.Variable(first[:, units])))
            parts.append(tf.matmul(hidden, tf.Variable(second[others])))
    with tf.device("/cpu:1"):
        return tf.add_n(parts)
