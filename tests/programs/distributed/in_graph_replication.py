"""One graph for a cluster of this process: variables on ps, two replicas, their average."""

import socket

import numpy as np
import tensorflow as tf


def free_ports(n):
    sockets = [socket.socket() for _ in range(n)]
    for s in sockets:
        s.bind(("127.0.0.1", 0))
    ports = [s.getsockname()[1] for s in sockets]
    for s in sockets:
        s.close()
    return ["127.0.0.1:%d" % p for p in ports]


addresses = free_ports(3)
cluster = tf.train.ClusterSpec({"ps": addresses[:1], "worker": addresses[1:]})
servers = [tf.train.Server(cluster, job_name="ps", task_index=0)]
servers += [tf.train.Server(cluster, job_name="worker", task_index=i) for i in range(2)]
rng = np.random.RandomState(0)
X = rng.randn(40, 3).astype(np.float32)
y = (X @ [[1.0], [2.0], [-1.0]]).astype(np.float32)
with tf.device("/job:ps/task:0"):
    w = tf.Variable(tf.zeros([3, 1]), name="w")
losses = []
for i in range(2):
    with tf.device("/job:worker/task:%d" % i):
        part = slice(20 * i, 20 * i + 20)
        losses.append(tf.reduce_mean(tf.square(tf.matmul(X[part], w) - y[part])))
with tf.device("/job:ps/task:0"):
    loss = tf.add_n(losses) / 2
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss, colocate_gradients_with_ops=True)
with tf.Session(servers[1].target) as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(30):
        sess.run(train)
    print(np.round(sess.run(w).ravel(), 2), "%.4f" % sess.run(loss))
    print(sorted(d.name for d in sess.list_devices() if "XLA" not in d.name))
