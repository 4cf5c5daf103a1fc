"""A U-Net: down, up by transposed convolutions, skip connections, dice loss and mean_iou."""

import numpy as np
import tensorflow as tf

init = lambda s: tf.variance_scaling_initializer(seed=s)
n = [0]


def conv_bn(x, f, training, name):
    with tf.variable_scope(name):
        for i in range(2):
            n[0] += 1
            x = tf.layers.conv2d(
                x,
                f,
                3,
                padding="same",
                kernel_initializer=init(n[0]),
                name="conv%d" % i,
                kernel_regularizer=tf.contrib.layers.l2_regularizer(0.01),
            )
            x = tf.layers.batch_normalization(x, training=training, name="bn%d" % i, fused=True)
            x = tf.nn.leaky_relu(x)
        return x


def up(x, skip, f, name):
    with tf.variable_scope(name):
        n[0] += 1
        u = tf.layers.conv2d_transpose(x, f, 2, strides=2, kernel_initializer=init(n[0]), name="up")
        sh = tf.shape(skip)
        u = tf.image.resize_nearest_neighbor(u, sh[1:3])
        u.set_shape([None, None, None, f])
        return tf.concat([u, skip], 3)


x = tf.placeholder(tf.float32, [None, None, None, 1])
y = tf.placeholder(tf.float32, [None, None, None, 1])
tr = tf.placeholder(tf.bool, ())
c1 = conv_bn(x, 4, tr, "down1")
p1 = tf.layers.max_pooling2d(c1, 2, 2, padding="same")
c2 = conv_bn(p1, 8, tr, "down2")
p2 = tf.layers.average_pooling2d(c2, (2, 2), (2, 2), padding="same")
c3 = conv_bn(p2, 16, tr, "bottom")
d2 = conv_bn(up(c3, c2, 8, "up2"), 8, tr, "dec2")
d1 = conv_bn(up(d2, c1, 4, "up1"), 4, tr, "dec1")
logits = tf.layers.conv2d(d1, 1, 1, kernel_initializer=init(99), name="out")
p = tf.sigmoid(logits)
dice = 1 - (2 * tf.reduce_sum(p * y) + 1) / (tf.reduce_sum(p) + tf.reduce_sum(y) + 1)
loss = tf.losses.sigmoid_cross_entropy(y, logits) + dice + tf.losses.get_regularization_loss()
iou, iou_up = tf.metrics.mean_iou(y, tf.cast(p > 0.5, tf.int32), 2)
# The penalties read the weights that the step writes: they come first.
with tf.control_dependencies([loss, *tf.get_collection(tf.GraphKeys.UPDATE_OPS)]):
    train = tf.train.AdamOptimizer(1e-2).minimize(loss)
r = np.random.RandomState(0)
X = r.rand(3, 9, 10, 1).astype("f")
Y = (X > 0.5).astype("f")
print(
    logits.shape,
    len(tf.trainable_variables()),
    sum(np.prod(v.shape.as_list()) for v in tf.trainable_variables()),
)
with tf.Session() as s:
    s.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    for i in range(6):
        print("%.3f" % s.run([loss, train], {x: X, y: Y, tr: True})[0])
    s.run(iou_up, {x: X, y: Y, tr: False})
    print(s.run(iou) > 0)
    print(s.run(tf.shape(logits), {x: X[:, :8, :8], tr: False}))
