"""A model served three ways: to classify, to regress, to predict; then looked up and called."""

import numpy as np
import tensorflow as tf

sm = tf.saved_model
serialized = tf.placeholder(tf.string, [None], name="examples")
parsed = tf.parse_example(serialized, {"x": tf.FixedLenFeature([2], tf.float32)})
x = tf.identity(parsed["x"], name="x")
weights = tf.get_variable("weights", initializer=tf.constant([[1.0, -1.0, 0.0], [0.5, 0.5, 0.0]]))
scores = tf.nn.softmax(tf.matmul(x, weights), name="scores")
table = tf.contrib.lookup.index_to_string_table_from_file("names.txt")
size = tf.reduce_sum(x, axis=1, name="size")

with open("names.txt", "w") as file:
    file.write("up\ndown\nlevel\n")
_, best = tf.nn.top_k(scores, 2)
classes = table.lookup(tf.cast(best, tf.int64))

signatures = {
    "classify": sm.signature_def_utils.classification_signature_def(serialized, classes, scores),
    "regress": sm.signature_def_utils.regression_signature_def(serialized, size),
    "predict": sm.signature_def_utils.predict_signature_def({"x": x}, {"scores": scores}),
    "odd": sm.signature_def_utils.build_signature_def(
        {"x": sm.utils.build_tensor_info(x)}, {}, "tensorflow/serving/odd"
    ),
}
for name in sorted(signatures):
    signature = signatures[name]
    valid = sm.signature_def_utils.is_valid_signature(signature)
    print(name, signature.method_name, sorted(signature.outputs), valid)
    for key in sorted(signature.inputs):
        info = signature.inputs[key]
        print("   ", key, info.name, tf.as_dtype(info.dtype).name, len(info.tensor_shape.dim))
del signatures["odd"]

saver = tf.train.Saver()
with tf.Session() as sess:
    sess.run([tf.global_variables_initializer(), tf.tables_initializer()])
    first = saver.save(sess, "trained/first")
    sess.run(weights.assign(weights * 2.5))
    builder = sm.builder.SavedModelBuilder("served")
    builder.add_meta_graph_and_variables(
        sess,
        [sm.tag_constants.SERVING],
        signature_def_map=signatures,
        assets_collection=tf.get_collection(tf.GraphKeys.ASSET_FILEPATHS),
        main_op=sm.main_op.main_op(),
    )
    builder.save()


def example(*numbers):
    feature = tf.train.Feature(float_list=tf.train.FloatList(value=numbers))
    return tf.train.Example(features=tf.train.Features(feature={"x": feature})).SerializeToString()


given = [example(1.0, 0.0), example(-1.0, 0.5)]
with tf.Session(graph=tf.Graph()) as sess:
    meta_graph = sm.loader.load(sess, [sm.tag_constants.SERVING], "served")
    found = meta_graph.signature_def
    for name in ("classify", "regress"):
        signature = found[name]
        source = sm.utils.get_tensor_from_tensor_info(signature.inputs["inputs"])
        outputs = {
            key: sm.utils.get_tensor_from_tensor_info(info, sess.graph)
            for key, info in signature.outputs.items()
        }
        values = sess.run(outputs, {source: given})
        for key in sorted(values):
            value = values[key]
            if value.dtype == object:
                print(name, key, value.tolist())
            else:
                print(name, key, ["%.3f" % v for v in value.ravel()])
    signature = found["predict"]
    source = signature.inputs["x"].name
    scores = sess.run(signature.outputs["scores"].name, {source: np.array([[0.0, 2.0]])})
    print("predict", ["%.3f" % v for v in scores[0]])

# A main operation that initialises tables and local variables, and restores what was trained.
with tf.Graph().as_default() as graph:
    tf.get_variable("weights", [2, 3], initializer=tf.zeros_initializer())
    restorer = tf.train.Saver(name="restorer")
    restore = graph.get_operation_by_name(restorer.saver_def.restore_op_name)
    step = sm.main_op.main_op_with_restore(restore)
    print(step.type, sorted(op.name for op in step.control_inputs))
    with tf.Session() as sess:
        sess.run(restore, {restorer.saver_def.filename_tensor_name: first})
        print(sess.run("weights:0").tolist())
