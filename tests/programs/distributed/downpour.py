"""DOWNPOUR by hand: a local copy trained for some steps, then its differences are pushed."""

import numpy as np
import tensorflow as tf

server = tf.train.Server.create_local_server()
communication_window, learning_rate = 3, 0.1
rng = np.random.RandomState(1)
X = rng.randn(50, 2).astype(np.float32)
y = (X @ [[1.0], [4.0]]).astype(np.float32)
with tf.variable_scope("center"):
    center = tf.get_variable("w", [2, 1], initializer=tf.zeros_initializer())
    global_step = tf.Variable(0, trainable=False, name="global_step")
with tf.variable_scope("local"):
    local = tf.get_variable(
        "w", [2, 1], initializer=tf.zeros_initializer(), collections=["local_variables"]
    )
    accumulated = tf.Variable(
        tf.zeros([2, 1]), trainable=False, collections=["local_variables"], name="sum"
    )
loss = tf.reduce_mean(tf.square(tf.matmul(X, local) - y))
optimizer = tf.train.GradientDescentOptimizer(learning_rate)
(grad,) = tf.gradients(loss, [local])
step_locally = tf.group(optimizer.apply_gradients([(grad, local)]), accumulated.assign_add(grad))
push = optimizer.apply_gradients([(accumulated, center)], global_step=global_step)
with tf.control_dependencies([push]):
    cleared = tf.assign(accumulated, tf.zeros([2, 1]))
with tf.control_dependencies([cleared]):
    pull = tf.assign(local, center.read_value())
with tf.Session(server.target) as sess:
    sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    for step in range(15):
        sess.run(step_locally)
        if step % communication_window == communication_window - 1:
            sess.run(pull)
            print(sess.run(global_step), np.round(sess.run(center).ravel(), 2))
    print(np.array_equal(*sess.run([local, center])))
