"""Resource containers: variables of two problems under one name, reset one at a time."""

import tensorflow as tf

server = tf.train.Server.create_local_server()


def problem(container, value):
    graph = tf.Graph()
    with graph.as_default(), tf.container(container):
        x = tf.Variable(value, name="x")
    return graph, x


for container, value in (("problem1", 1.0), ("problem2", 2.0)):
    graph, x = problem(container, value)
    with tf.Session(server.target, graph=graph) as sess:
        sess.run(x.initializer)
tf.Session.reset(server.target, ["problem1"])
for container in ("problem1", "problem2"):
    graph, x = problem(container, 0.0)
    with tf.Session(server.target, graph=graph) as sess:
        try:
            print(container, sess.run(x))
        except tf.errors.FailedPreconditionError as error:
            print(container, type(error).__name__)
