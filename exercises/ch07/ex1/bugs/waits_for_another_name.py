# loses: every row of every file, once
import tinytf as tf


def read_row(names):
    _, line = tf.TextLineReader(skip_header_lines=1).read(names)
    return tf.decode_csv(line, [[0.0], [0.0]])


def read_all(files, readers):
    names = tf.FIFOQueue(100, tf.string, shapes=[[]])
    fill = names.enqueue_many([files])  # and nobody closes it
    rows = tf.train.batch_join(
        [read_row(names) for _ in range(readers)], 16, allow_smaller_final_batch=True
    )
    taken = []
    coord = tf.train.Coordinator()
    with tf.Session() as sess:
        sess.run(fill)
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
