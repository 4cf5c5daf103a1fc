"""make_callable, partial_run, options and metadata of a run."""

import tensorflow as tf

a = tf.placeholder(tf.float32, shape=[])
b = tf.placeholder(tf.float32, shape=[])
c = tf.placeholder(tf.float32, shape=[])
r1 = tf.add(a, b)
r2 = tf.multiply(r1, c)
with tf.Session() as sess:
    h = sess.partial_run_setup([r1, r2], [a, b, c])
    res = sess.partial_run(h, r1, feed_dict={a: 1, b: 2})
    print(res, sess.partial_run(h, r2, feed_dict={c: res}))
    add = sess.make_callable(r1, feed_list=[a, b])
    print(add(3.0, 4.0), add(5.0, 6.0))
    metadata = tf.RunMetadata()
    options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
    sess.run(r2, {a: 1, b: 1, c: 1}, options=options, run_metadata=metadata)
    print(len(metadata.step_stats.dev_stats) > 0, len(sess.list_devices()) > 0)
    print(sess.run(tf.get_default_graph().get_tensor_by_name("Add:0"), {"Placeholder:0": 1, b: 2}))
