# loses: at most 2,000 bytes cross
import tinytf as tf


def build_scores(images, first, second):
    half = first.shape[1] // 2
    hidden, scores = [], []
    for number, units in enumerate((slice(0, half), slice(half, None))):
        with tf.device(f"/cpu:{number}"):
            hidden.append(tf.nn.relu(tf.matmul(images[number], tf.Variable(first[:, units]))))
    for number, columns in enumerate((slice(0, 5), slice(5, None))):
        with tf.device(f"/cpu:{number}"):
            everything = tf.concat(hidden, axis=1)
            scores.append(tf.matmul(everything, tf.Variable(second[:, columns])))
    with tf.device("/cpu:1"):
        return tf.concat(scores, axis=1)
