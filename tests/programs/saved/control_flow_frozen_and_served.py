"""Conditionals, loops and a split embedding: served with a signature, and frozen into constants."""

import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 3], "x")
tr = tf.placeholder_with_default(False, [], "training")
n = tf.placeholder_with_default(2, [], "n")
h = tf.layers.batch_normalization(
    tf.layers.dense(x, 4, kernel_initializer=tf.constant_initializer(0.3), name="d"), training=tr
)
h = tf.layers.dropout(h, 0.5, training=tr, seed=1)
_, acc, _ = tf.while_loop(
    lambda i, a, s: i < n, lambda i, a, s: (i + 1, a * 1.5 + s, s), [0, h, tf.reduce_sum(h)]
)
out = tf.identity(tf.cond(tf.reduce_mean(acc) > 0, lambda: tf.nn.softmax(acc), lambda: acc), "out")
part = tf.get_variable(
    "emb",
    [10, 2],
    partitioner=tf.fixed_size_partitioner(3),
    initializer=tf.random_uniform_initializer(seed=2),
)
e = tf.nn.embedding_lookup(part, tf.argmax(out, 1), partition_strategy="div", name="e")
with tf.Session() as s:
    s.run(tf.global_variables_initializer())
    X = np.arange(6.0).reshape(2, 3)
    a = s.run([out, e], {x: X})
    print(a[0].round(3), a[1].shape)
    tf.saved_model.simple_save(s, "m", inputs={"x": x, "n": n}, outputs={"out": out, "e": e})
    g = tf.graph_util.convert_variables_to_constants(s, s.graph_def, ["out"])
    print(len([q for q in g.node if q.op.startswith("Var")]), "out" in [q.name for q in g.node])
    tf.train.write_graph(g, ".", "f.pb", as_text=False)
    tf.train.export_meta_graph("m.meta")
with tf.Graph().as_default() as gg:
    gd = tf.GraphDef()
    with tf.gfile.GFile("f.pb", "rb") as f:
        gd.ParseFromString(f.read())
    (o,) = tf.import_graph_def(gd, return_elements=["out:0"], name="imp")
    with tf.Session() as s:
        print(np.allclose(s.run(o, {"imp/x:0": X}), a[0]))
with tf.Graph().as_default(), tf.Session() as s:
    md = tf.saved_model.loader.load(s, ["serve"], "m")
    sig = md.signature_def[tf.saved_model.signature_constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY]
    b = s.run([sig.outputs["out"].name, sig.outputs["e"].name], {sig.inputs["x"].name: X})
    print(np.allclose(a[0], b[0]), np.allclose(a[1], b[1]))
    print(
        s.run(sig.outputs["out"].name, {sig.inputs["x"].name: X, sig.inputs["n"].name: 0}).round(3)
    )
    print(
        [v.name for v in tf.trainable_variables()],
        [o.name for o in tf.get_collection("update_ops")],
    )
    print(len(tf.get_collection("while_context")), len(tf.get_collection("cond_context")) > 0)
    gr = tf.gradients(s.graph.get_tensor_by_name("out:0"), tf.trainable_variables()[0])
    print(s.run(gr, {"x:0": X})[0].shape)
