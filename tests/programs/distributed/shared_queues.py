"""One client fills a queue, another one empties it; a timeout ends a wait for nothing."""

import tensorflow as tf

server = tf.train.Server.create_local_server()


def graph_with(build):
    graph = tf.Graph()
    with graph.as_default():
        q = tf.FIFOQueue(
            capacity=10, dtypes=[tf.float32], shapes=[[2]], name="q", shared_name="shared_q"
        )
        return graph, build(q)


def loader(q):
    training_instance = tf.placeholder(tf.float32, shape=[None, 2])
    return training_instance, q.enqueue_many([training_instance])


graph, (instances, enqueue) = graph_with(loader)
with tf.Session(server.target, graph=graph) as sess:
    sess.run(enqueue, {instances: [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]})

graph, (dequeue, two, size) = graph_with(lambda q: (q.dequeue(), q.dequeue_many(2), q.size()))
with tf.Session(server.target, graph=graph) as sess:
    print(sess.run(dequeue), sess.run(size), sess.run(two).tolist(), sess.run(size))

q = tf.FIFOQueue(capacity=10, dtypes=[tf.float32], shapes=[()])
v = tf.placeholder(tf.float32)
enqueue, dequeue = q.enqueue([v]), q.dequeue()
output = dequeue + 1
config = tf.ConfigProto()
config.operation_timeout_in_ms = 150
with tf.Session(config=config) as sess:
    for value in (1.0, 2.0, 3.0):
        sess.run(enqueue, feed_dict={v: value})
    print(
        sess.run(output),
        sess.run(output, feed_dict={dequeue: 5}),
        sess.run(output),
        sess.run(output),
    )
    try:
        sess.run(output)
    except tf.errors.DeadlineExceededError:
        print("Timed out while dequeuing")
