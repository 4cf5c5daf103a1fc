"""Summaries of a training run: merged, written, and read again with summary_iterator."""

import glob

import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 3], name="InputData")
with tf.name_scope("Model"):
    w = tf.Variable(tf.ones([3, 1]), name="Weights")
    out = tf.matmul(x, w)
with tf.name_scope("Loss"):
    cost = tf.reduce_mean(tf.square(out - 1.0))
train = tf.train.GradientDescentOptimizer(0.05).minimize(cost)
tf.summary.scalar("loss", cost)
tf.summary.histogram("weights", w)
tf.summary.image("picture", tf.reshape(w, [1, 3, 1, 1]))
merged = tf.summary.merge_all()
rows = np.random.RandomState(0).rand(10, 3)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    writer = tf.summary.FileWriter("logs", graph=tf.get_default_graph())
    for step in range(3):
        sess.run(train, {x: rows})
        writer.add_summary(sess.run(merged, {x: rows}), step)
    writer.close()

for event in tf.train.summary_iterator(glob.glob("logs/*")[0]):
    kind = event.WhichOneof("what")
    if kind != "summary":
        print(kind, len(event.graph_def) > 0)
        continue
    for value in event.summary.value:
        if value.HasField("simple_value"):
            print(event.step, value.tag, "%.4f" % value.simple_value)
        elif value.HasField("histo"):
            print(event.step, value.tag, int(value.histo.num), "%.3f" % value.histo.sum)
        else:
            print(event.step, value.tag, value.image.height, value.image.width)
