"""LeNet as TF-Slim writes models: arg_scope, end points, batch norm, and a train_op of slim."""

import numpy as np
import tensorflow as tf

slim = tf.contrib.slim


def lenet_arg_scope(is_training, weight_decay=0.01):
    normalise = {"is_training": is_training, "decay": 0.9, "scale": True}
    with slim.arg_scope(
        [slim.conv2d, slim.fully_connected],
        weights_initializer=slim.variance_scaling_initializer(seed=3),
        weights_regularizer=slim.l2_regularizer(weight_decay),
    ):
        with slim.arg_scope(
            [slim.conv2d], normalizer_fn=slim.batch_norm, normalizer_params=normalise
        ) as scope:
            return scope


def lenet(images, num_classes, is_training=True, reuse=None):
    with tf.variable_scope("LeNet", "LeNet", [images], reuse=reuse) as scope:
        ends = scope.original_name_scope + "ends"
        with slim.arg_scope([slim.conv2d, slim.max_pool2d], outputs_collections=ends):
            net = slim.repeat(images, 2, slim.conv2d, 4, [3, 3], scope="conv1")
            net = slim.max_pool2d(net, [2, 2], scope="pool1")
            net = slim.conv2d(net, 6, 3, stride=2, padding="VALID", scope="conv2")
            net = slim.avg_pool2d(net, [2, 2], stride=1, padding="SAME", scope="pool2")
        net = slim.flatten(net, scope="flat")
        net = slim.stack(net, slim.fully_connected, [8, 6], scope="fc")
        net = slim.dropout(net, 0.8, is_training=is_training, seed=5, scope="dropout")
        logits = slim.fully_connected(net, num_classes, activation_fn=None, scope="logits")
        predictions = slim.softmax(logits, scope="Predictions")
        return logits, predictions, tf.get_collection(ends)


rng = np.random.RandomState(0)
labels = rng.randint(0, 3, 24)
pictures = 0.3 * rng.randn(24, 12, 12, 1)
for picture, label in zip(pictures, labels):
    picture[4 * label : 4 * label + 4] += 1.0

images = tf.constant(pictures, tf.float32)
one_hot = slim.one_hot_encoding(labels, 3)
with slim.arg_scope(lenet_arg_scope(True)):
    logits, _, ends = lenet(images, 3)
with slim.arg_scope(lenet_arg_scope(False)):
    _, predictions, _ = lenet(images, 3, is_training=False, reuse=True)
for end in ends:
    print(end.op.name, end.shape)
slim.losses.softmax_cross_entropy(logits, one_hot)
total_loss = slim.losses.get_total_loss()
right = tf.reduce_mean(tf.to_float(tf.equal(tf.argmax(predictions, 1), labels)))

optimizer = tf.train.MomentumOptimizer(0.05, 0.9)
train_op = slim.learning.create_train_op(
    total_loss, optimizer, gate_gradients=optimizer.GATE_GRAPH, clip_gradient_norm=5.0
)
print(len(slim.losses.get_losses()), len(slim.losses.get_regularization_losses()))
print([v.op.name for v in slim.get_model_variables() if "conv" not in v.op.name])
print([v.op.name for v in slim.get_model_variables("LeNet/conv1/conv1_2")])
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print("%.3f" % sess.run(total_loss))
    for step in range(1, 21):
        sess.run(train_op)
        if step % 10 == 0:
            print(step, "%.2f" % sess.run(total_loss), "%.3f" % sess.run(right))
    print(sess.run(slim.get_or_create_global_step()))
    print(sess.run(predictions)[:3].round(3))
