"""A file of three lines, one with a blank field, read into a queue that shuffles."""

import tensorflow as tf

with open("lines.csv", "w") as f:
    f.write("first, second, kind\n1.,, 0\n4., 5. , 1\n7., 8. , 0\n")
files = tf.FIFOQueue(capacity=10, dtypes=[tf.string], shapes=[()])
name = tf.placeholder(tf.string)
add_file, no_more_files = files.enqueue([name]), files.close()
reader = tf.TextLineReader(skip_header_lines=1)
key, value = reader.read(files)
first, second, kind = tf.decode_csv(value, record_defaults=[[-1.0], [-1.0], [-1]])
instances = tf.RandomShuffleQueue(10, 2, [tf.float32, tf.int32], shapes=[[2], []], shared_name="s")
add, no_more = instances.enqueue([tf.stack([first, second]), kind]), instances.close()
batch = instances.dequeue_up_to(2)
with tf.Session() as sess:
    sess.run(add_file, feed_dict={name: "lines.csv"})
    sess.run(no_more_files)
    try:
        while True:
            sess.run(add)
    except tf.errors.OutOfRangeError:
        print("all lines read")
    sess.run(no_more)
    seen = []
    try:
        while True:
            rows, kinds = sess.run(batch)
            print(len(rows), "of them")
            seen += zip(rows.tolist(), kinds.tolist())
    except tf.errors.OutOfRangeError:
        print("no more instances", sorted(seen))
