"""Two graphs beside the default one, and what belongs to which."""

import tensorflow as tf

x1 = tf.Variable(1, name="x")
print(x1.graph is tf.get_default_graph())

graph = tf.Graph()
with graph.as_default():
    x2 = tf.Variable(2)
print(x2.graph is graph, x2.graph is tf.get_default_graph())

g1 = tf.get_default_graph()
g2 = tf.Graph()
with g1.as_default():
    a = tf.constant(3, name="a")
with g2.as_default():
    b = tf.constant(5, name="b")
    c = tf.add(b, 10, name="c")
print([op.name for op in g1.get_operations()])
print([(op.name, op.type) for op in g2.get_operations()])
with tf.Session(graph=g2) as sess:
    print(sess.run("c:0"), sess.graph is g2)
    try:
        sess.run(a)
    except ValueError as error:
        print("ValueError" if "is not an element of this graph" in str(error) else error)
tf.reset_default_graph()
print(len(tf.get_default_graph().get_operations()))
