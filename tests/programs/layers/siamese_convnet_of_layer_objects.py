"""A Siamese convnet: the same layer objects look at two images; distances of codes are learnt."""

import numpy as np
import tensorflow as tf

rng = np.random.RandomState(3)
shapes = rng.rand(3, 8, 8, 2) > 0.6  # three kinds of pictures
kinds = rng.randint(3, size=(40, 2))
pairs = shapes[kinds] + 0.2 * rng.randn(40, 2, 8, 8, 2)
same = (kinds[:, 0] == kinds[:, 1]).astype(np.float32)

tf.set_random_seed(11)
bodies = [
    tf.layers.Conv2D(4, (3, 3), padding="same", activation=tf.nn.elu, name="conv"),
    tf.layers.MaxPooling2D(2, 2),
    tf.layers.SeparableConv2D(6, 3, depth_multiplier=2, padding="same", name="separable"),
    tf.layers.AveragePooling2D(pool_size=(2, 2), strides=(2, 2)),
    tf.layers.Flatten(name="flat"),
    tf.layers.Dense(4, name="code"),
]
norm = tf.layers.BatchNormalization(axis=-1, center=True, scale=False, fused=False, name="norm")
paint = tf.layers.Conv2DTranspose(2, 4, strides=4, padding="valid", name="paint")


def code(image, training):
    out = norm(image, training=training)
    for layer in bodies:
        out = layer(out)
    return out


left = tf.placeholder(tf.float32, [None, 8, 8, 2])
right = tf.placeholder(tf.float32, [None, 8, 8, 2])
is_same = tf.placeholder(tf.float32, [None])
a, b = code(left, True), code(right, True)
squares = tf.reduce_sum(tf.squared_difference(a, b), axis=1)
distance = tf.sqrt(squares + 1e-6)
margin = 1.0
contrastive = is_same * squares + (1 - is_same) * tf.square(tf.maximum(margin - distance, 0))
# what a code remembers of its image
grid = tf.reshape(tf.layers.dense(a, 2 * 2 * 3, name="grid"), [-1, 2, 2, 3])
painted = paint(grid)
loss = tf.reduce_mean(contrastive) + 0.1 * tf.reduce_mean(tf.square(painted - left))

optimizer = tf.train.AdamOptimizer(0.02)
pairs_of_gradients = optimizer.compute_gradients(loss)
with tf.control_dependencies([g for g, _ in pairs_of_gradients]):
    moving = tf.group(*tf.get_collection(tf.GraphKeys.UPDATE_OPS))
with tf.control_dependencies([moving]):
    train = optimizer.apply_gradients(pairs_of_gradients)

for layer in bodies + [norm, paint]:
    print(layer.name, [v.name for v in layer.variables], layer.built)
print(a.shape, painted.shape, paint.compute_output_shape(grid.shape))
print(len(tf.trainable_variables()), "variables to train")
feed = {left: pairs[:, 0], right: pairs[:, 1], is_same: same}
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(21):
        if step % 10 == 0:
            print(step, np.round(float(sess.run(loss, feed)), 2))
        sess.run(train, feed)
    d = sess.run(distance, feed)
    print("same kind nearer:", d[same == 1].mean() < d[same == 0].mean())
    print("moving mean", np.round(sess.run(norm.moving_mean), 3))
