"""A queue runner with five threads for one reader, then five readers; both end by themselves."""

import tensorflow as tf

with open("lines.csv", "w") as f:
    f.write("first,second,kind\n1.,,0\n4.,5.,1\n7.,8.,0\n")


def one_more(files, instances):
    _, value = tf.TextLineReader(skip_header_lines=1).read(files)
    first, second, kind = tf.decode_csv(value, record_defaults=[[-1.0], [-1.0], [-1]])
    return instances.enqueue([tf.stack([first, second]), kind])


for readers in (1, 5):
    tf.reset_default_graph()
    files = tf.FIFOQueue(capacity=10, dtypes=[tf.string], shapes=[()])
    instances = tf.RandomShuffleQueue(10, 2, [tf.float32, tf.int32], shapes=[[2], []])
    batch = instances.dequeue_up_to(2)
    adds = [one_more(files, instances) for _ in range(readers)] * (5 // readers)
    runner = tf.train.QueueRunner(instances, adds)
    coord = tf.train.Coordinator()
    with tf.Session() as sess:
        sess.run(files.enqueue(["lines.csv"]))
        sess.run(files.close())
        threads = runner.create_threads(sess, coord=coord, start=True)
        seen = []
        try:
            while True:
                rows, kinds = sess.run(batch)
                seen += zip(rows.tolist(), kinds.tolist())
        except tf.errors.OutOfRangeError:
            print("no more instances", sorted(seen))
        coord.request_stop()
        coord.join(threads)
