"""Savers: a subset of variables, other names, sharded and kept, restored into a changed program."""

import glob

import numpy as np
import tensorflow as tf

a = tf.get_variable("a", initializer=[1.0, 2.0])
b = tf.get_variable("b", initializer=tf.constant(3))
everything = tf.train.Saver(max_to_keep=2)
renamed = tf.train.Saver({"old_a": a}, sharded=True)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(4):
        path = everything.save(sess, "./all", global_step=step, write_meta_graph=False)
    print(path, sorted(glob.glob("all-*.index")), everything.last_checkpoints)
    sess.run(a.assign([7.0, 8.0]))
    print(renamed.save(sess, "./part"), glob.glob("part*data*"))

tf.reset_default_graph()
a = tf.get_variable("scope/a", [2])
c = tf.get_variable("c", [3])
with tf.Session() as sess:
    tf.train.Saver({"old_a": a}).restore(sess, "./part")
    print(sess.run(a), sess.run(tf.report_uninitialized_variables()))
    try:
        tf.train.Saver([c]).restore(sess, "./all-3")
    except tf.errors.NotFoundError as error:
        print(type(error).__name__, "c" in str(error))
reader = tf.train.NewCheckpointReader("./all-3")
print(sorted(reader.get_variable_to_shape_map().items()), reader.get_tensor("b"))
tf.train.init_from_checkpoint("./part", {"old_a": a})
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(a), np.shape(sess.run(c)))
