"""Operations made inside of the loop pile up in the graph; made before it they do not."""

import tensorflow as tf

x = tf.Variable(10, name="x")
y = tf.Variable(20, name="y")
z = tf.add(x, y)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(10):
        sess.run(z)
    print(sum(node.op == "AddV2" for node in tf.get_default_graph().as_graph_def().node))
    for _ in range(10):
        sess.run(tf.add(x, y))
    names = [node.name for node in sess.graph.as_graph_def().node if node.op == "AddV2"]
    print(len(names), names[0], names[-1])
    sess.graph.finalize()
    try:
        sess.run(tf.add(x, y))
    except RuntimeError as error:
        print(error)
