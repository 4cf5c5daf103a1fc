"""Weights on two parameter servers, the network on worker 7, a session there."""

import socket

import numpy as np
import tensorflow as tf

sockets = [socket.socket() for _ in range(3)]
for one in sockets:
    one.bind(("127.0.0.1", 0))
places = ["127.0.0.1:%d" % one.getsockname()[1] for one in sockets]
for one in sockets:
    one.close()
cluster = tf.train.ClusterSpec({"ps": places[:2], "worker": {7: places[2]}})
servers = [tf.train.Server(cluster, "ps", 0), tf.train.Server(cluster, "ps", 1)]
servers.append(tf.train.Server(cluster, "worker", 7))

with tf.device("/job:ps/task:0"):
    weights_1 = tf.Variable(tf.ones([3, 4]) / 4)
    biases_1 = tf.Variable(tf.zeros([4]))
with tf.device("/job:ps/task:1"):
    weights_2 = tf.Variable(tf.ones([4, 2]) / 4)
    biases_2 = tf.Variable(tf.ones([2]))
with tf.device("/job:worker/task:7"):
    rows, labels = tf.constant(np.eye(3, dtype=np.float32)), tf.constant([0, 1, 0])
    layer_1 = tf.nn.relu(tf.matmul(rows, weights_1) + biases_1)
    logits = tf.nn.relu(tf.matmul(layer_1, weights_2) + biases_2)
    loss = tf.reduce_mean(
        tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    )
    train_op = tf.train.GradientDescentOptimizer(0.2).minimize(loss)
with tf.Session(servers[2].target) as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(10):
        sess.run(train_op)
    print("%.4f" % sess.run(loss), weights_1.device, weights_2.device, loss.device)
