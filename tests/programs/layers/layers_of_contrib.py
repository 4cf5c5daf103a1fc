"""Sound, video and generated pictures with tf.contrib.layers: one dimension, three, and back up."""

import numpy as np
import tensorflow as tf
from tensorflow.contrib import layers
from tensorflow.contrib.framework import arg_scope

rng = np.random.RandomState(2)
init = layers.variance_scaling_initializer(1.0, "FAN_AVG", uniform=True, seed=4)
everything = [layers.conv1d, layers.conv2d, layers.conv3d, layers.conv2d_transpose]
everything += [layers.fully_connected]


def sound(waves):
    """1-D: widening windows, then what is largest of pairs of channels."""
    with tf.variable_scope("sound"):
        net = layers.conv1d(waves, 6, 3, stride=2, scope="first")
        net = layers.convolution1d(net, 8, 3, rate=2, scope="wide")
        net = layers.maxout(net, 4, scope="maxout")
        net = layers.convolution(
            net, 4, [2], padding="VALID", activation_fn=None, weights_initializer=init
        )
        return layers.layer_norm(net, begin_norm_axis=2)


def video(frames):
    """3-D: space and time together."""
    with tf.variable_scope("video"):
        net = layers.conv3d(frames, 4, [2, 3, 3], scope="a")
        net = layers.max_pool3d(net, [1, 2, 2], [1, 2, 2])
        net = layers.convolution3d(net, 6, 3, stride=[1, 2, 2], scope="b")
        net = layers.avg_pool3d(net, 2, padding="SAME")
        net = layers.relu6(layers.flatten(net), 5, weights_initializer=init)
        return layers.elu(net, 3, weights_initializer=init)


def picture(codes):
    """Up from a code, each picture normalised by itself."""
    with tf.variable_scope("generator"):
        net = tf.reshape(layers.relu(codes, 32, weights_initializer=init), [-1, 2, 2, 8])
        with arg_scope([layers.conv2d_transpose], normalizer_fn=layers.instance_norm):
            net = layers.conv2d_transpose(net, 4, [4, 4], stride=2)
            net = layers.convolution2d_transpose(net, 3, 3, stride=2, padding="VALID")
        net = layers.conv2d(net, 2, 1, activation_fn=tf.nn.elu)
        net = layers.convolution2d(net, 1, 3, activation_fn=tf.tanh, biases_initializer=None)
        return layers.bias_add(net, regularizer=layers.l2_regularizer(0.1))


with arg_scope(everything, weights_initializer=init):
    heard = sound(tf.constant(rng.randn(2, 16, 1).astype(np.float32)))
    seen = video(tf.constant(rng.randn(2, 4, 8, 8, 1).astype(np.float32)))
    made = picture(tf.constant(rng.randn(3, 5).astype(np.float32)))
    joined = layers.stack(
        layers.flatten(heard), layers.fully_connected, [(6, tf.nn.relu), (2, None)], scope="top"
    )
chances = layers.softmax(joined)
kinds = layers.one_hot_encoding(tf.argmax(chances, 1), 2, on_value=0.9, off_value=0.1)
for tensor in (heard, seen, made, joined):
    print(tensor.op.name, tensor.shape)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(heard)[0, :2].round(3))
    print(sess.run(seen).round(3))
    print(sess.run(made)[0, 4, :4, 0].round(3), sess.run(tf.reduce_mean(made)).round(3))
    print(sess.run(chances).round(2), sess.run(kinds).round(1))
for variable in tf.contrib.framework.get_model_variables():
    print(variable.op.name, variable.shape)
print([loss.op.name for loss in tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)])
