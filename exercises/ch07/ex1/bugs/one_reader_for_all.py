# loses: as many readers as asked for, on one queue of names
import tinytf as tf


def read_all(files, readers):
    names = tf.train.string_input_producer(files, num_epochs=1)
    _, line = tf.TextLineReader(skip_header_lines=1).read(names)
    row = tf.decode_csv(line, [[0.0], [0.0]])
    rows = tf.train.batch(row, 16, num_threads=readers, allow_smaller_final_batch=True)
    taken = []
    coord = tf.train.Coordinator()
    with tf.Session() as sess:
        sess.run(tf.local_variables_initializer())
        threads = tf.train.start_queue_runners(sess, coord)
        try:
            while True:
                taken.extend(zip(*sess.run(rows)))
        except tf.errors.OutOfRangeError:
            pass
        finally:
            coord.request_stop()
            coord.join(threads)
    return taken
