"""Exponential, polynomial, cosine and piecewise decay along a global step."""

import tensorflow as tf

global_step = tf.Variable(0, trainable=False, name="global_step")
rates = {
    "exponential": tf.train.exponential_decay(0.1, global_step, 10, 0.5),
    "staircase": tf.train.exponential_decay(0.1, global_step, 10, 0.5, staircase=True),
    "polynomial": tf.train.polynomial_decay(0.1, global_step, 20, 0.01, power=2.0),
    "inverse": tf.train.inverse_time_decay(0.1, global_step, 10, 0.5),
    "natural": tf.train.natural_exp_decay(0.1, global_step, 10, 0.5),
    "cosine": tf.train.cosine_decay(0.1, global_step, 20),
    "restarts": tf.train.cosine_decay_restarts(0.1, global_step, 8),
    "noisy": tf.train.linear_cosine_decay(0.1, global_step, 20),
    "piecewise": tf.train.piecewise_constant(global_step, [5, 15], [0.1, 0.05, 0.01]),
}
w = tf.Variable(1.0)
optimizer = tf.train.MomentumOptimizer(rates["exponential"], momentum=0.9)
training_op = optimizer.minimize(tf.square(w), global_step=global_step)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(21):
        if step % 5 == 0:
            values = sess.run(rates)
            print(step, " ".join("%s %.4f" % (name, values[name]) for name in sorted(values)))
        sess.run(training_op)
    print(tf.train.global_step(sess, global_step), "%.4f" % sess.run(w))
