"""The file of three lines once more, by tf.data."""

import tensorflow as tf

with open("lines.csv", "w") as f:
    f.write("x1, x2 , target\n1.,, 0\n4., 5. , 1\n7., 8. , 0\n")


def decode(line):
    x1, x2, y = tf.decode_csv(line, record_defaults=[[-1.0], [-1.0], [-1.0]])
    return tf.stack([x1, x2]), y


dataset = tf.data.TextLineDataset(["lines.csv"]).skip(1).map(decode)
X, y = dataset.make_one_shot_iterator().get_next()
with tf.Session() as sess:
    try:
        while True:
            print(*sess.run([X, y]))
    except tf.errors.OutOfRangeError:
        print("done")
