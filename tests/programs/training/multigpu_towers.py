"""Towers on several devices with shared variables; gradients are averaged, one step is applied."""

import numpy as np
import tensorflow as tf

num_towers = 2
rng = np.random.RandomState(0)
images = rng.randn(64, 10).astype(np.float32)
labels = np.eye(3, dtype=np.float32)[(images[:, 0] > 0).astype(int) + (images[:, 1] > 1)]


def average_gradients(tower_grads):
    average_grads = []
    for grad_and_vars in zip(*tower_grads):
        grads = [tf.expand_dims(g, 0) for g, _ in grad_and_vars]
        grad = tf.reduce_mean(tf.concat(grads, 0), 0)
        average_grads.append((grad, grad_and_vars[0][1]))
    return average_grads


tf.set_random_seed(3)
with tf.device("/cpu:0"):
    tower_grads, reuse_vars = [], False
    X = tf.placeholder(tf.float32, [None, 10])
    Y = tf.placeholder(tf.float32, [None, 3])
    for i, (_x, _y) in enumerate(zip(tf.split(X, num_towers), tf.split(Y, num_towers))):
        with tf.device("/cpu:%d" % i), tf.variable_scope("net", reuse=reuse_vars):
            logits = tf.layers.dense(_x, 3, name="out")
            loss = tf.reduce_mean(
                tf.nn.softmax_cross_entropy_with_logits_v2(logits=logits, labels=_y)
            )
            optimizer = tf.train.AdamOptimizer(learning_rate=0.05)
            tower_grads.append(optimizer.compute_gradients(loss))
            reuse_vars = True
    train_op = optimizer.apply_gradients(average_gradients(tower_grads))
config = tf.ConfigProto(allow_soft_placement=True, device_count={"CPU": num_towers})
with tf.Session(config=config) as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(20):
        sess.run(train_op, feed_dict={X: images, Y: labels})
    print("%.3f" % sess.run(loss, feed_dict={X: images, Y: labels}))
print([v.name for v in tf.trainable_variables()], logits.device)
