"""Lines of a CSV file decoded in a map, batches of them, and a softmax that learns from it."""

import numpy as np
import tensorflow as tf

rng = np.random.RandomState(0)
with open("train.csv", "w") as f:
    f.write("width,height,kind\n")
    for _ in range(60):
        w, h = rng.rand(2).round(3)
        f.write("%.3f,%s,%s\n" % (w, h if h > 0.1 else "", "tall" if h > w else "wide"))


def decode(line):
    w, h, kind = tf.decode_csv(line, record_defaults=[[0.0], [0.05], ["?"]])
    return tf.stack([w, h]), tf.cast(tf.equal(kind, "tall"), tf.int32)


dataset = tf.data.TextLineDataset(["train.csv"]).skip(1).map(decode, num_parallel_calls=2)
X, y = dataset.cache().repeat(20).batch(30).make_one_shot_iterator().get_next()
logits = tf.layers.dense(X, 2, kernel_initializer=tf.zeros_initializer(), name="softmax")
loss = tf.losses.sparse_softmax_cross_entropy(y, logits)
accuracy = tf.reduce_mean(tf.cast(tf.nn.in_top_k(logits, y, 1), tf.float32))
train = tf.train.AdamOptimizer(0.2).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    steps = 0
    try:
        while True:
            _, value, acc = sess.run([train, loss, accuracy])
            steps += 1
    except tf.errors.OutOfRangeError:
        print(steps, "steps", "%.3f" % value, "%.2f" % acc)
