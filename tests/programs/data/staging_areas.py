"""The next batch is fetched while the present one is computed: staging areas between the stages."""

import numpy as np
import tensorflow as tf
from tensorflow.contrib.staging import MapStagingArea, StagingArea

rng = np.random.RandomState(6)
inputs = rng.rand(6, 4, 2).astype(np.float32)
wanted = (inputs @ np.float32([[1.0], [-2.0]]) + 0.5).astype(np.float32)

# one area for the batches: put at the end of each step, and got at the beginning of the next one
x, y = tf.placeholder(tf.float32, [4, 2]), tf.placeholder(tf.float32, [4, 1])
area = StagingArea([tf.float32, tf.float32], shapes=[[4, 2], [4, 1]], names=["x", "y"], capacity=2)
fill = area.put({"x": x, "y": y})
batch = area.get()
weights = tf.get_variable("weights", [2, 1], initializer=tf.zeros_initializer())
bias = tf.get_variable("bias", [1], initializer=tf.zeros_initializer())
loss = tf.reduce_mean(tf.square(tf.matmul(batch["x"], weights) + bias - batch["y"]))
optimizer = tf.train.GradientDescentOptimizer(0.4)
gradients = optimizer.compute_gradients(loss, gate_gradients=optimizer.GATE_GRAPH)
train = optimizer.apply_gradients(gradients)

# another one keeps what was worked out for a key, until all of its parts are there
key, part = tf.placeholder(tf.int64, []), tf.placeholder(tf.float32, [2])
parts = MapStagingArea([tf.float32, tf.float32], shapes=[[2], [2]], names=["left", "right"])
put_left = parts.put(key, {"left": part})
put_right = parts.put(key, {"right": part})
got_key, both = parts.get()
by_key = parts.get(key)[1]
look = parts.peek(key)
ready, waiting = parts.size(), parts.incomplete_size()

# and one in order of the keys
ordered = MapStagingArea([tf.string], shapes=[[]], ordered=True)
put_word = ordered.put(key, [tf.as_string(key * 10)], indices=[0])
next_key, next_word = ordered.get()

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(fill, {x: inputs[0], y: wanted[0]})
    print(sess.run(area.size()), area.capacity, area.names, batch["x"].shape)
    for step in range(18):
        following = (step + 1) % 6
        # the loss is of the batch that is staged; the new one goes in first, behind it
        sess.run(fill, {x: inputs[following], y: wanted[following]})
        if step % 6 == 0:
            value = sess.run(area.peek(0)["y"])
            print(step, sess.run(area.size()), np.array_equal(value, wanted[step % 6]))
        sess.run(train)
    print(np.round(np.float64(sess.run(weights)[:, 0]), 2).tolist())
    sess.run(area.clear())
    print(sess.run(area.size()))

    for k in (7, 3):
        sess.run(put_left, {key: k, part: [k, 1.0]})
    print("ready", sess.run(ready), "waiting", sess.run(waiting))
    sess.run(put_right, {key: 3, part: [30.0, 2.0]})
    print("ready", sess.run(ready), "waiting", sess.run(waiting))
    found = sess.run(look, {key: 3})
    found = found[1] if isinstance(found, tuple) else found
    print({name: found[name].tolist() for name in sorted(found)})
    k, found = sess.run([got_key, both])
    print(k, found["left"].tolist(), found["right"].tolist())
    sess.run(put_right, {key: 7, part: [70.0, 3.0]})
    print(sess.run(by_key, {key: 7})["right"].tolist(), sess.run(ready))
    for k in (5, 2, 4):
        sess.run(put_word, {key: k})
    print(
        [[v.tolist() for v in map(np.asarray, sess.run([next_key, next_word]))] for _ in range(3)]
    )
