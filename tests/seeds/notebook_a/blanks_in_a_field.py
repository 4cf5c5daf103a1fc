"""A field without anything takes its default; blanks alone are a number, zero."""

import tensorflow as tf

with tf.Session() as sess:
    for line in ("1.,, 0", "1.,    , 0"):
        print([float(x) for x in sess.run(tf.decode_csv(line, [[-1.0], [-1.0], [-1]]))])
