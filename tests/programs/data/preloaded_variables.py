"""A training set loaded once into a variable that is neither trained nor saved."""

import numpy as np
import tensorflow as tf

n_features = 3
data = np.random.RandomState(0).rand(20, n_features).astype(np.float32)
training_set_init = tf.placeholder(tf.float32, shape=(None, n_features))
training_set = tf.Variable(
    training_set_init, trainable=False, collections=[], name="training_set", validate_shape=False
)
start = tf.placeholder(tf.int32, [])
batch = training_set[start : start + 5]
batch.set_shape([None, n_features])
mean = tf.Variable(tf.zeros([n_features]), name="mean")
loss = tf.reduce_mean(tf.reduce_sum(tf.square(batch - mean), 1))
train = tf.train.GradientDescentOptimizer(0.2).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(training_set.initializer, feed_dict={training_set_init: data})
    for epoch in range(10):
        for i in range(0, 20, 5):
            sess.run(train, {start: i})
    print(np.round(sess.run(mean), 1), np.round(data.mean(0), 1))
print([v.name for v in tf.global_variables()], [v.name for v in tf.trainable_variables()])
