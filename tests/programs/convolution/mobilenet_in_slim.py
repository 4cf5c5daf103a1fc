"""A small MobileNet: separable convolutions in arg_scopes, with a layer of one's own in them."""

import numpy as np
import tensorflow as tf
import tensorflow.contrib.slim as slim
from tensorflow.contrib.framework import (
    add_arg_scope,
    arg_scope,
    arg_scoped_arguments,
    current_arg_scope,
    has_arg_scope,
)

SPECS = [("conv", 4, 2), ("separable", 6, 1), ("separable", 8, 2)]


@add_arg_scope
def squeeze_and_excite(net, reduction=2, activation_fn=tf.nn.relu, scope=None):
    with tf.variable_scope(scope, "SqueezeExcite", [net]):
        depth = net.shape.as_list()[-1]
        pooled = slim.avg_pool2d(net, net.shape.as_list()[1:3], scope="global")
        with slim.arg_scope([slim.conv2d], kernel_size=1):
            gate = slim.conv2d(pooled, depth // reduction, activation_fn=activation_fn)
            gate = slim.conv2d(gate, depth, activation_fn=tf.sigmoid)
        return net * gate


@add_arg_scope
def square_root(net, reduction=2, name=None):
    return tf.pow(tf.abs(net), 1.0 / reduction, name=name)


def mobilenet_base(net):
    ends = {}
    for i, (kind, depth, stride) in enumerate(SPECS):
        if kind == "conv":
            net = slim.conv2d(net, depth, [3, 3], stride=stride, scope="Conv2d_%d" % i)
        else:
            name = "Conv2d_%d" % i
            net = slim.separable_conv2d(net, None, 3, 1, stride, scope=name + "_depthwise")
            net = slim.conv2d(net, depth, [1, 1], scope=name + "_pointwise")
        ends[net.op.name] = net
    return net, ends


rng = np.random.RandomState(1)
images = tf.constant(rng.rand(2, 16, 16, 3).astype(np.float32))
init = slim.xavier_initializer_conv2d(seed=7)
shared = {"weights_initializer": init, "activation_fn": tf.nn.relu6}
with arg_scope([slim.conv2d, slim.separable_conv2d], **shared):
    with (
        arg_scope([slim.conv2d], normalizer_fn=slim.layer_norm),
        arg_scope([slim.separable_conv2d], normalizer_fn=slim.bias_add),
    ):
        net, ends = mobilenet_base(images)
    with arg_scope([squeeze_and_excite, square_root], reduction=4) as kept:
        net = squeeze_and_excite(net)
        print(has_arg_scope(squeeze_and_excite), has_arg_scope(tf.nn.relu))
        print(sorted(arg_scoped_arguments(square_root)), len(current_arg_scope()))
with arg_scope(kept):
    features = slim.separable_convolution2d(net, 5, 3, depth_multiplier=2, rate=2, scope="head")
print(current_arg_scope(), len(kept))
with tf.variable_scope("embedding"):
    vectors = slim.unit_norm(slim.flatten(square_root(features)), dim=1)
    angles = tf.matmul(vectors, vectors, transpose_b=True)

for name, end in ends.items():
    print(name, end.shape)
for variable in slim.get_trainable_variables():
    print(variable.op.name, variable.shape)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(net)[0, 0, 0].round(3))
    print(sess.run(features)[1, 2, 3].round(3))
    print(sess.run(angles).round(3))
