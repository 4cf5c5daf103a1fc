"""Models that both libraries save and load, and programs on them; `tf` is either one."""

import os


def build(tf, vocabulary):
    """Words, by a table from a file, through variables: (inputs, outputs)."""
    words = tf.placeholder(tf.string, [None], name="words")
    rows = tf.sparse_placeholder(tf.float32, [None, 2], name="rows")
    parts = tf.lookup.TextFileIndex
    read = tf.lookup.TextFileInitializer(
        vocabulary, tf.string, parts.WHOLE_LINE, tf.int64, parts.LINE_NUMBER
    )
    table = tf.lookup.StaticHashTable(read, -1)
    with tf.device("/cpu:0"):
        scale = tf.get_variable("scale", [], initializer=tf.ones_initializer(), use_resource=True)
        start = tf.constant_initializer([1.0, 2.0])
        weights = tf.get_variable("weights", [2], initializer=start, use_resource=False)
    numbers = tf.multiply(tf.cast(table.lookup(words), tf.float32), scale, name="numbers")
    sums = tf.sparse_tensor_dense_matmul(rows, weights[:, None], name="sums")
    return {"words": words, "rows": rows}, {"numbers": numbers, "sums": sums}


def save(tf, folder):
    """Write three models below `folder`; what they were made of is gone afterwards."""
    vocabulary = os.path.join(os.path.dirname(folder), "words.txt")
    with open(vocabulary, "w") as file:
        file.write("zero\none\ntwo\n")
    full = tf.saved_model.Builder(os.path.join(folder, "full"))
    for tags in (["serve"], ["train", "gpu"]):
        with tf.Graph().as_default(), tf.Session() as sess:
            inputs, outputs = build(tf, vocabulary)
            signatures = {
                "serving_default": tf.saved_model.predict_signature_def(inputs, outputs),
                "words": tf.saved_model.build_signature_def(
                    {"in": tf.saved_model.build_tensor_info(inputs["words"])}, {}, "some/method"
                ),
            }
            settings = {
                "signature_def_map": signatures,
                "assets_collection": tf.get_collection(tf.GraphKeys.ASSET_FILEPATHS),
                "main_op": tf.tables_initializer(),
            }
            if "serve" in tags:
                sess.run(tf.global_variables_initializer())
                sess.run(tf.global_variables()[0].assign(10.0))
                full.add_meta_graph_and_variables(sess, tags, **settings)
            else:
                full.add_meta_graph(tags, strip_default_attrs=True, clear_devices=True, **settings)
    full.save()
    with tf.Graph().as_default(), tf.Session() as sess:
        x = tf.placeholder(tf.float32, name="x")
        text = tf.saved_model.Builder(os.path.join(folder, "text"))
        signature = tf.saved_model.predict_signature_def({"x": x}, {"y": x + 1.0})
        text.add_meta_graph_and_variables(sess, ["serve"], {"serving_default": signature})
        text.save(as_text=True)
    with tf.Graph().as_default(), tf.Session() as sess:
        inputs, outputs = build(tf, vocabulary)
        sess.run(tf.global_variables_initializer())
        path = os.path.join(folder, "simple")
        tf.saved_model.simple_save(sess, path, inputs, outputs, tf.tables_initializer())
    os.remove(vocabulary)


def use(tf, folder):
    """What the models compute, by name; each is loaded twice, once in a scope."""
    results = {}
    for name, tags in (
        ("full", ["serve"]),
        ("full", ["gpu", "train"]),
        ("simple", ["serve"]),
        ("text", ["serve"]),
    ):
        for scope in (None, "inside"):
            with tf.Graph().as_default(), tf.Session() as sess:
                path = os.path.join(folder, name)
                model = tf.saved_model.load(sess, tags, path, import_scope=scope)
                results[f"{name} {tags} {scope}"] = run(tf, sess, model, scope)
    return results


def run(tf, sess, model, scope):
    """The outputs of the signature that is served."""
    signature = model.signature_def["serving_default"]
    given = {"words": [b"two", b"none", b"one"], "x": [1.0, 2.0]}
    given["rows"] = tf.SparseTensorValue([[0, 0], [0, 1], [1, 1]], [1.0, 2.0, 3.0], [2, 2])
    feeds = {
        tf.saved_model.get_tensor_from_tensor_info(info, import_scope=scope): given[key]
        for key, info in signature.inputs.items()
    }
    fetches = {
        key: tf.saved_model.get_tensor_from_tensor_info(info, import_scope=scope)
        for key, info in signature.outputs.items()
    }
    return {key: value.tolist() for key, value in sess.run(fetches, feeds).items()}
