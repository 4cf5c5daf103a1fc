"""tf.keras.layers called like functions in a graph, with a session and placeholders."""

import numpy as np
import tensorflow as tf

tf.set_random_seed(5)
x = tf.placeholder(tf.float32, [None, 6])
labels = tf.placeholder(tf.float32, [None, 3])
hidden = tf.keras.layers.Dense(8, activation="relu")(x)
hidden = tf.keras.layers.Dense(4, activation=tf.nn.tanh, use_bias=False)(hidden)
preds = tf.keras.layers.Dense(3, activation="softmax")(hidden)
loss = tf.reduce_mean(tf.keras.losses.categorical_crossentropy(labels, preds))
train_step = tf.train.GradientDescentOptimizer(0.5).minimize(loss)
rng = np.random.RandomState(0)
rows = rng.randn(30, 6)
targets = np.eye(3)[rows[:, :3].argmax(1)]
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(41):
        _, value = sess.run([train_step, loss], {x: rows, labels: targets})
        if step % 20 == 0:
            print(step, "%.2f" % value)
    print(np.round(sess.run(preds, {x: rows[:1]}).sum(), 2), preds.shape)
print([(v.name, v.shape.as_list()) for v in tf.trainable_variables()])
