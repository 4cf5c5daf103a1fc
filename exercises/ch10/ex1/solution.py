import tinytf as tf


def build_scores(images, first, second):
    half = first.shape[1] // 2
    parts = []
    for number, units in enumerate((slice(0, half), slice(half, None))):
        with tf.device(f"/cpu:{number}"):
            # Columns of the first and rows of the second: those of the same units.
            columns, rows = tf.Variable(first[:, units]), tf.Variable(second[units])
            hidden = tf.nn.relu(tf.matmul(images[number], columns))
            parts.append(tf.matmul(hidden, rows))
    with tf.device("/cpu:1"):
        return tf.add_n(parts)
