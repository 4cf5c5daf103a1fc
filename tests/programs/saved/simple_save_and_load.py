"""A SavedModel by simple_save, loaded into a fresh graph by its tag, used by its signature."""

import os

import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 2], name="x")
w = tf.Variable([[1.0], [2.0]], name="w")
y = tf.matmul(x, w, name="y")
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(w.assign_add([[0.5], [0.5]]))
    tf.saved_model.simple_save(sess, "export/1", inputs={"x": x}, outputs={"y": y})
print(sorted(os.listdir("export/1")), tf.saved_model.loader.maybe_saved_model_directory("export/1"))
with tf.Session(graph=tf.Graph()) as sess:
    meta_graph = tf.saved_model.loader.load(sess, ["serve"], "export/1")
    signature = meta_graph.signature_def["serving_default"]
    print(signature.method_name, signature.inputs["x"].name, signature.outputs["y"].name)
    print(sess.run(signature.outputs["y"].name, {signature.inputs["x"].name: np.ones((1, 2))}))
    try:
        tf.saved_model.loader.load(sess, ["train"], "export/1")
    except RuntimeError as error:
        print(type(error).__name__)
