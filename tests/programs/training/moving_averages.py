"""Exponential moving averages of variables: trained, saved as shadows, restored in their place."""

import tensorflow as tf

w = tf.Variable([4.0, -2.0], name="w")
global_step = tf.train.get_or_create_global_step()
opt = tf.train.GradientDescentOptimizer(0.25).minimize(tf.reduce_sum(w * w), global_step)
ema = tf.train.ExponentialMovingAverage(decay=0.9, num_updates=global_step)
with tf.control_dependencies([opt]):
    train = ema.apply([w])
saver = tf.train.Saver()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(3):
        sess.run(train)
    print(sess.run(w), sess.run(ema.average(w)).round(3), ema.average_name(w))
    saver.save(sess, "./averaged")
shadow = tf.train.Saver({ema.average_name(w): w})
print(sorted(ema.variables_to_restore()))
with tf.Session() as sess:
    shadow.restore(sess, "./averaged")
    print(sess.run(w).round(3))
