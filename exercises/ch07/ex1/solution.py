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
        try:
            while True:
                for x, y in zip(*sess.run(rows)):
                    taken.append((float(x), float(y)))
        except tf.errors.OutOfRangeError:
            pass  # the end, or a thread has failed: `join` says which
        finally:
            coord.request_stop()
            coord.join(threads)
    return taken
