"""A graph as a GraphDef: written, imported with other inputs, and cut with frozen variables."""

import tensorflow as tf

g = tf.Graph()
with g.as_default():
    x = tf.placeholder(tf.float32, [None, 2], name="x")
    w = tf.Variable([[2.0], [3.0]], name="w")
    out = tf.nn.relu(tf.matmul(x, w), name="out")
    unused = tf.exp(out, name="unused")
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        frozen = tf.graph_util.convert_variables_to_constants(sess, g.as_graph_def(), ["out"])
    tf.train.write_graph(frozen, ".", "frozen.pb", as_text=False)
print(sorted(node.name for node in frozen.node), [n.op for n in frozen.node if n.name == "w"])

graph_def = tf.GraphDef()
with tf.gfile.GFile("frozen.pb", "rb") as f:
    graph_def.ParseFromString(f.read())
with tf.Graph().as_default() as graph:
    mine = tf.constant([[1.0, 1.0], [-1.0, 0.0]], name="mine")
    (found,) = tf.import_graph_def(
        graph_def, input_map={"x:0": mine}, return_elements=["out:0"], name="model"
    )
    doubled = found * 2.0
    with tf.Session() as sess:
        print(sess.run(doubled).ravel(), found.name)
    print(len(graph.get_operations()) > 4, graph.get_operation_by_name("model/out").type)
