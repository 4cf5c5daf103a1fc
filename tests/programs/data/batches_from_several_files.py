"""Several readers of several files: an instance queue that five threads fill."""

import tensorflow as tf

for i in range(3):
    with open("part%d.csv" % i, "w") as f:
        f.write("x,y\n")
        for j in range(4):
            f.write("%d,%d\n" % (i, 10 * i + j))


def read_and_push_instance(filename_queue, instance_queue):
    reader = tf.TextLineReader(skip_header_lines=1)
    key, value = reader.read(filename_queue)
    x, y = tf.decode_csv(value, record_defaults=[[-1], [-1]])
    return instance_queue.enqueue([x, y])


filename_queue = tf.train.string_input_producer(
    tf.train.match_filenames_once("part*.csv"), num_epochs=1, shuffle=False
)
instance_queue = tf.RandomShuffleQueue(20, 2, [tf.int32, tf.int32], shapes=[[], []])
xs, ys = instance_queue.dequeue_up_to(5)
ops = [read_and_push_instance(filename_queue, instance_queue) for _ in range(5)]
tf.train.add_queue_runner(tf.train.QueueRunner(instance_queue, ops))
with tf.Session() as sess:
    sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(coord=coord)
    seen, sizes = [], []
    try:
        while True:
            x_batch, y_batch = sess.run([xs, ys])
            sizes.append(len(x_batch))
            seen += zip(x_batch.tolist(), y_batch.tolist())
    except tf.errors.OutOfRangeError:
        print("No more training instances")
    coord.request_stop()
    coord.join(threads)
print(sum(sizes), sorted(seen))
