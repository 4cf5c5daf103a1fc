"""Deep networks that read both ways, and one whose state goes on from batch to batch."""

import numpy as np
import tensorflow as tf
from tensorflow.contrib import rnn

rng = np.random.RandomState(11)
rows = rng.randn(3, 3, 2).astype(np.float32)
lengths = [3, 1, 2]
initializer = tf.random_uniform_initializer(-0.6, 0.6, seed=18)


def layers(*sizes):
    return [rnn.GRUCell(size) for size in sizes]


with tf.variable_scope("dynamic", initializer=initializer):
    outputs, forward, backward = rnn.stack_bidirectional_dynamic_rnn(
        layers(4, 3), layers(4, 3), tf.constant(rows), dtype=tf.float32, sequence_length=lengths
    )
with tf.variable_scope("static", initializer=initializer):
    steps = tf.unstack(tf.constant(rows), axis=1)
    static, static_forward, _ = rnn.stack_bidirectional_rnn(
        layers(4, 3), layers(4, 3), steps, dtype=tf.float32, sequence_length=tf.constant(lengths)
    )
    one, _, _ = rnn.static_bidirectional_rnn(*layers(2, 2), inputs=static, dtype=tf.float32)
logits = tf.layers.dense(one[-1], 1, kernel_initializer=initializer)


class Keeper:
    """What `static_state_saving_rnn` asks for: where states are between the runs."""

    def __init__(self, **sizes):
        self.kept = {
            name: tf.get_variable(
                name, [3, size], trainable=False, initializer=tf.zeros_initializer()
            )
            for name, size in sizes.items()
        }

    def state(self, name):
        return self.kept[name].read_value()

    def save_state(self, name, value):
        with tf.control_dependencies([value]):
            return self.kept[name].assign(value)


keeper = Keeper(c=4, h=4)
with tf.variable_scope("saving", initializer=initializer):
    saving, state = rnn.static_state_saving_rnn(
        rnn.BasicLSTMCell(4), steps, keeper, ("c", "h"), sequence_length=tf.constant(lengths)
    )

labels = tf.constant([[1.0], [0.0], [1.0]])
loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits))
variables = tf.trainable_variables("static")
gradients = tf.gradients(loss, variables)
with tf.control_dependencies(gradients):
    train = tf.train.GradientDescentOptimizer(0.5).apply_gradients(zip(gradients, variables))

print([v.op.name for v in tf.trainable_variables("dynamic")][::4])
print([v.op.name for v in variables][::5])
print(outputs.shape, len(static), static[0].shape, [state.shape[1].value for state in forward])
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(outputs)[1].round(2))
    for part in (forward[-1], backward[-1], static_forward[-1]):
        print(sess.run(part)[1].round(3))
    for _ in range(2):
        print(sess.run(saving[-1])[0].round(3))
    print(sess.run(keeper.kept["h"]).round(3))
    print("%.3f" % sess.run(loss))
    for _ in range(10):
        sess.run(train)
    print("%.2f" % sess.run(loss))
