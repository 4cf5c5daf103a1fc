"""A regression, saved, and asked as a function of arrays by tf.contrib.predictor."""

import numpy as np
import tensorflow as tf
from tensorflow.contrib import predictor

rng = np.random.RandomState(17)
rows = rng.randn(20, 3).astype(np.float32)
targets = (rows @ [1.0, 2.0, -1.0] + 0.5).astype(np.float32)

x = tf.placeholder(tf.float32, [None, 3], name="x")
y = tf.placeholder(tf.float32, [None], name="y")
w = tf.get_variable("w", [3, 1], initializer=tf.zeros_initializer())
b = tf.get_variable("b", initializer=0.0)
prediction = tf.squeeze(tf.matmul(x, w), 1) + b
loss = tf.reduce_mean(tf.squared_difference(prediction, y))
gradients = tf.gradients(loss, [w, b])
with tf.control_dependencies(gradients):
    train = tf.train.GradientDescentOptimizer(0.2).apply_gradients(zip(gradients, [w, b]))

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(30):
        sess.run(train, {x: rows, y: targets})
    outputs = {"prediction": prediction, "size": tf.shape(x)[0]}
    tf.saved_model.simple_save(sess, "exported", inputs={"rows": x}, outputs=outputs)

tf.reset_default_graph()
ask = predictor.from_saved_model("exported")
print(sorted(ask.feed_tensors), sorted(ask.fetch_tensors), ask.graph is tf.get_default_graph())
found = ask({"rows": rows[:4]})
print(found["size"], found["prediction"].round(2), np.abs(found["prediction"] - targets[:4]) < 0.5)
for bad in ({"columns": rows}, {}):
    try:
        ask(bad)
    except (ValueError, KeyError, tf.errors.InvalidArgumentError):
        print("refused", len(bad))
print(ask({"rows": np.zeros((1, 3))})["prediction"].round(2))
