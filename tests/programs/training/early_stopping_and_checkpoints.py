"""Train until validation no longer improves; keep some checkpoints, go back to the best."""

import glob

import numpy as np
import tensorflow as tf

rng = np.random.RandomState(0)
X = rng.randn(40, 8).astype(np.float32)
y = (X[:, :1] - X[:, 1:2] + rng.randn(40, 1)).astype(np.float32)
w = tf.Variable(tf.zeros([8, 1]), name="w")
step = tf.Variable(0, trainable=False, name="step")
inputs, targets = tf.placeholder(tf.float32, [None, 8]), tf.placeholder(tf.float32, [None, 1])
loss = tf.reduce_mean(tf.square(tf.matmul(inputs, w) - targets))
train = tf.train.GradientDescentOptimizer(0.05).minimize(loss, global_step=step)
saver = tf.train.Saver(max_to_keep=3)
best, bad = np.inf, 0
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for epoch in range(200):
        sess.run(train, {inputs: X[:20], targets: y[:20]})
        valid = sess.run(loss, {inputs: X[20:], targets: y[20:]})
        if valid < best - 1e-6:
            best, bad = valid, 0
            saver.save(sess, "./model", global_step=step)
        else:
            bad += 1
            if bad > 5:
                print("Early stopping!", epoch)
                break
with tf.Session() as sess:
    checkpoint = tf.train.get_checkpoint_state(".")
    saver.restore(sess, checkpoint.model_checkpoint_path)
    print("%.3f" % sess.run(loss, {inputs: X[20:], targets: y[20:]}), sess.run(step))
    print(len(checkpoint.all_model_checkpoint_paths), len(glob.glob("*.index")))
