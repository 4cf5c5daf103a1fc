"""Which of three waves is it? Convolutions and poolings over time, as layer objects."""

import numpy as np
import tensorflow as tf

rng = np.random.RandomState(5)
time = np.linspace(0, 1, 32)
kinds = rng.randint(3, size=60)
waves = [np.sin, lambda x: np.sign(np.sin(x)), lambda x: (x / np.pi) % 2 - 1]
signals = np.array(
    [waves[kind](2 * np.pi * (3 * time + rng.rand())) + 0.1 * rng.randn(32) for kind in kinds]
)[:, :, np.newaxis]

tf.set_random_seed(9)
signal = tf.placeholder(tf.float32, [None, 32, 1], name="signal")
kind = tf.placeholder(tf.int32, [None], name="kind")

conv = tf.layers.Conv1D(
    filters=6,
    kernel_size=5,
    padding="same",
    activation=tf.nn.relu,
    kernel_initializer=tf.truncated_normal_initializer(stddev=0.5, seed=1),
    name="conv",
)
strongest = tf.layers.MaxPooling1D(pool_size=2, strides=2, name="strongest")
separable = tf.layers.SeparableConv1D(8, 3, depth_multiplier=2, activation=tf.nn.relu, name="sep")
mean = tf.layers.AveragePooling1D(7, 7, padding="valid", name="mean")

net = conv(signal)
net = strongest(net)
net = separable(net)
averaged = mean(net)
dilated = tf.layers.separable_conv1d(
    averaged,
    5,
    2,
    data_format="channels_last",
    dilation_rate=1,
    depthwise_initializer=tf.constant_initializer(0.5),
    pointwise_initializer=tf.constant_initializer(0.25),
    name="last",
)
logits = tf.layers.dense(tf.layers.flatten(dilated), 3, name="logits")
loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=kind, logits=logits))
optimizer = tf.train.AdamOptimizer(0.02)
gradients = optimizer.compute_gradients(loss)
gradients = [(tf.clip_by_value(g, -1.0, 1.0), v) for g, v in gradients]
with tf.control_dependencies([g for g, _ in gradients]):
    train = optimizer.apply_gradients(gradients)
accuracy = tf.reduce_mean(tf.cast(tf.nn.in_top_k(logits, kind, 1), tf.float32))

print(net.shape, averaged.shape, dilated.shape)
print([(v.op.name, v.shape.as_list()) for v in separable.trainable_variables])
print([v.op.name for v in tf.trainable_variables("last")])
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    train_set = {signal: signals[:40], kind: kinds[:40]}
    test_set = {signal: signals[40:], kind: kinds[40:]}
    for step in range(41):
        if step % 20 == 0:
            print(step, np.round(float(sess.run(loss, train_set)), 2))
        sess.run(train, train_set)
    print("accuracy", np.round(float(sess.run(accuracy, test_set)), 2))
    pooled = sess.run(tf.layers.max_pooling1d(signal, 8, 8), {signal: signals[:1]})
    print(np.round(pooled[0, :, 0], 2), np.round(sess.run(mean(signal), test_set)[0, :, 0], 2))
