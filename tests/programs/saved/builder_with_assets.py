"""A SavedModelBuilder: signatures by hand, two tags, an asset file, a main operation."""

import os

import tensorflow as tf

with open("vocabulary.txt", "w") as f:
    f.write("one\ntwo\n")
asset = tf.constant("vocabulary.txt", name="asset")
tf.add_to_collection(tf.GraphKeys.ASSET_FILEPATHS, asset)
words = tf.placeholder(tf.string, [None], name="words")
table = tf.contrib.lookup.index_table_from_file(asset)
ids = tf.add(table.lookup(words), 0, name="ids")
scale = tf.Variable(tf.constant(2, tf.int64), name="scale")
scaled = tf.multiply(ids, scale, name="scaled")
info = tf.saved_model.utils.build_tensor_info
signature = tf.saved_model.signature_def_utils.build_signature_def(
    inputs={"words": info(words)}, outputs={"scaled": info(scaled)}, method_name="lookup"
)
builder = tf.saved_model.builder.SavedModelBuilder("model")
with tf.Session() as sess:
    sess.run([tf.global_variables_initializer(), tf.tables_initializer()])
    builder.add_meta_graph_and_variables(
        sess,
        [tf.saved_model.tag_constants.TRAINING],
        signature_def_map={"lookup": signature},
        assets_collection=tf.get_collection(tf.GraphKeys.ASSET_FILEPATHS),
        legacy_init_op=tf.tables_initializer(),
    )
    builder.add_meta_graph(
        [tf.saved_model.tag_constants.SERVING], signature_def_map={"again": signature}
    )
builder.save()
os.remove("vocabulary.txt")
print(os.listdir("model/assets"))
with tf.Session(graph=tf.Graph()) as sess:
    meta = tf.saved_model.loader.load(sess, ["train"], "model")
    print(list(meta.signature_def), sess.run("scaled:0", {"words:0": ["two", "three"]}))
