"""Truncated backpropagation through a long series: a saver keeps the state of each segment."""

import numpy as np
import tensorflow as tf

batch_size, steps, units = 2, 5, 6
series = np.sin(np.arange(2 * 30 + 1) * 0.4).astype(np.float32)
inputs = np.stack([series[:30], series[30:60]])[:, :, np.newaxis]
targets = np.stack([series[1:31], series[31:61]])[:, :, np.newaxis]


class StateSaver(object):
    """What `static_state_saving_rnn` reads states from and saves them to: variables, by name."""

    def __init__(self, names):
        self.variables = {
            name: tf.get_variable(
                name,
                [batch_size, units],
                initializer=tf.zeros_initializer(),
                trainable=False,
                use_resource=True,
            )
            for name in names
        }

    def state(self, name):
        return tf.identity(self.variables[name], name="read_" + name)

    def save_state(self, name, value):
        return tf.assign(self.variables[name], value, name="save_" + name)

    def reset(self):
        return tf.group(*[v.initializer for v in self.variables.values()])


x = tf.placeholder(tf.float32, [batch_size, steps, 1], name="x")
y = tf.placeholder(tf.float32, [batch_size, steps, 1], name="y")
lengths = tf.placeholder_with_default(tf.fill([batch_size], steps), [batch_size])
saver = StateSaver(["c", "h"])
cell = tf.nn.rnn_cell.LSTMCell(units, initializer=tf.glorot_uniform_initializer(seed=3))
outputs, state = tf.nn.static_state_saving_rnn(
    cell, tf.unstack(x, axis=1), saver, ("c", "h"), sequence_length=lengths, scope="lstm"
)
hidden = tf.stack(outputs, axis=1)
predicted = tf.layers.dense(hidden, 1, kernel_initializer=tf.glorot_uniform_initializer(seed=4))
loss = tf.reduce_mean(tf.square(predicted - y))
optimizer = tf.train.AdamOptimizer(0.02)
gradients, variables = zip(*optimizer.compute_gradients(loss))
clipped, _ = tf.clip_by_global_norm(gradients, 1.0)
train = optimizer.apply_gradients(zip(clipped, variables))
reset = saver.reset()

print(len(outputs), outputs[0].shape, type(state).__name__, state[0].shape)
print([v.name for v in tf.trainable_variables()])
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for epoch in range(7):
        sess.run(reset)
        total = 0.0
        for start in range(0, 30, steps):
            segment = slice(start, start + steps)
            feed = {x: inputs[:, segment], y: targets[:, segment]}
            total += sess.run([loss, train], feed)[0]
        if epoch % 2 == 0:
            kept = sess.run(saver.variables["h"])
            print(epoch, np.round(float(total / 6), 2), kept.shape, np.abs(kept).max() > 0)
    # a segment in which the second series is over after two steps
    sess.run(reset)
    feed = {x: inputs[:, :steps], lengths: [5, 2]}
    found = sess.run(hidden, feed)
    print(np.abs(found[1, 2:]).max(), np.abs(found[0, 4]).max() > 0)
