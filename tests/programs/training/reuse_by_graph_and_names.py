"""A model from its MetaGraph alone, found by the names of its operations and collections."""

import numpy as np
import tensorflow as tf

X = tf.placeholder(tf.float32, shape=(None, 2), name="X")
w = tf.Variable([[1.0], [2.0]], name="w")
out = tf.add(tf.matmul(X, w), 1.0, name="out")
train = tf.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_mean(out), name="train")
for op in (X, out, train):
    tf.add_to_collection("my_important_ops", op)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    tf.train.Saver().save(sess, "./model.ckpt", global_step=7)

tf.reset_default_graph()
saver = tf.train.import_meta_graph("./model.ckpt-7.meta")
X, out, train = tf.get_collection("my_important_ops")
by_name = tf.get_default_graph().get_tensor_by_name("out:0")
new_top = tf.layers.dense(by_name, 1, kernel_initializer=tf.ones_initializer(), name="new")
rows = np.array([[1.0, 1.0], [2.0, 0.0]], np.float32)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    saver.restore(sess, tf.train.latest_checkpoint("."))
    print(sess.run(out, feed_dict={X: rows}).ravel())
    sess.run(train, feed_dict={X: rows})
    print(sess.run(new_top, feed_dict={X: rows}).ravel())
print(out is by_name, train.name, [v.name for v in tf.trainable_variables()])
print(tf.train.latest_checkpoint("."), sorted(tf.train.list_variables("./model.ckpt-7")))
