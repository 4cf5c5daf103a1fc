"""A training set in a variable: of unknown shape it is refused, of known shape it is loaded."""

import tensorflow as tf

start = tf.placeholder(tf.float32, shape=(None, 3))
try:
    tf.Variable(start, trainable=False, collections=[], name="training_set")
except ValueError as error:
    print(str(error).split(":")[0])
start = tf.placeholder(tf.float32, shape=(2, 3))
training_set = tf.Variable(start, trainable=False, collections=[], name="training_set")
with tf.Session() as sess:
    sess.run(training_set.initializer, feed_dict={start: [[1, 2, 3], [4, 5, 6]]})
    print(sess.run(training_set).tolist(), tf.global_variables())
