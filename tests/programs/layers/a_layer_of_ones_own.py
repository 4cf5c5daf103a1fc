"""Layers of one's own, derived from tf.layers.Layer: a scaled cosine layer and a highway."""

import numpy as np
import tensorflow as tf


class Cosine(tf.layers.Layer):
    """What a unit gives is the cosine of its weights and the input, times a learnt scale."""

    def __init__(self, units, regularizer=None, **kwargs):
        super(Cosine, self).__init__(**kwargs)
        self.units = units
        self.regularizer = regularizer

    def build(self, input_shape):
        depth = int(input_shape[-1])
        self.input_spec = tf.layers.InputSpec(min_ndim=2, axes={-1: depth})
        self.kernel = self.add_variable(
            "kernel",
            shape=[depth, self.units],
            initializer=tf.glorot_uniform_initializer(seed=3),
            regularizer=self.regularizer,
        )
        self.scale = self.add_variable("scale", [], initializer=tf.constant_initializer(4.0))
        self.seen = self.add_variable(
            "seen", [], tf.int32, initializer=tf.zeros_initializer(), trainable=False
        )
        super(Cosine, self).build(input_shape)

    def call(self, inputs, training=False):
        if training:
            self.add_update(tf.assign_add(self.seen, tf.shape(inputs)[0]))
        kernel = tf.nn.l2_normalize(self.kernel, 0)
        return self.scale * tf.matmul(tf.nn.l2_normalize(inputs, 1), kernel)

    def compute_output_shape(self, input_shape):
        return tf.TensorShape(input_shape[:-1]).concatenate(self.units)


class Highway(tf.layers.Layer):
    """Part of the input passes by; how much, a gate says. It is made of two dense layers."""

    def build(self, input_shape):
        units = int(input_shape[-1])
        self.input_spec = tf.layers.InputSpec(ndim=2, axes={1: units}, dtype=tf.float32)
        self.gate = tf.layers.Dense(
            units, tf.sigmoid, bias_initializer=tf.constant_initializer(-1.0)
        )
        self.turn = tf.layers.Dense(units, tf.tanh)
        self.built = True

    def call(self, inputs):
        gate = self.gate(inputs)
        return gate * self.turn(inputs) + (1 - gate) * inputs


tf.set_random_seed(1)
rng = np.random.RandomState(0)
points = rng.randn(30, 6).astype(np.float32)
labels = (points[:, 0] > points[:, 1]).astype(np.int32)

x = tf.placeholder(tf.float32, [None, 6])
y = tf.placeholder(tf.int32, [None])
highway = Highway(name="highway")
cosine = Cosine(2, regularizer=lambda w: 0.01 * tf.nn.l2_loss(w), name="cosine")
logits = cosine(highway(x), training=True)
loss = tf.losses.sparse_softmax_cross_entropy(y, logits) + tf.add_n(cosine.losses)
optimizer = tf.train.AdamOptimizer(0.05)
gradients = optimizer.compute_gradients(loss)
with tf.control_dependencies([g for g, _ in gradients] + cosine.updates):
    train = optimizer.apply_gradients(gradients)

print(logits.shape, cosine.compute_output_shape([None, 6]), cosine.input_spec.min_ndim)
print([v.name for v in tf.global_variables() if "Adam" not in v.name and "beta" not in v.name])
print([v.name for v in cosine.trainable_variables], [v.name for v in cosine.weights])
print(len(cosine.losses), len(cosine.updates), len(tf.get_collection("regularization_losses")))
for wrong in (tf.zeros([2, 5]), tf.zeros([2])):
    try:
        cosine(wrong)
    except ValueError as e:
        print(type(e).__name__, "cosine" in str(e))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    feed = {x: points, y: labels}
    for step in range(31):
        if step % 10 == 0:
            print(step, np.round(float(sess.run(loss, feed)), 2))
        sess.run(train, feed)
    print("seen", sess.run(cosine.seen), "scale above 4:", sess.run(cosine.scale) > 4)
