"""The lines that the notebook has as a comment: a producer of file names, started and stopped."""

import tensorflow as tf

with open("test.csv", "w") as f:
    f.write("a\nb\n")
names = tf.train.string_input_producer(["test.csv"])
_, line = tf.TextLineReader().read(names)
with tf.Session() as sess:
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(coord=coord)
    print([sess.run(line) for _ in range(4)])
    coord.request_stop()
    coord.join(threads)
