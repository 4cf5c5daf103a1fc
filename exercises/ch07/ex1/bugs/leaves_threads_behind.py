# loses: nothing is left running, with good files and with a broken one
import contextlib
import threading

import tinytf as tf


def read_row(names):
    _, line = tf.TextLineReader(skip_header_lines=1).read(names)
    return tf.decode_csv(line, [[0.0], [0.0]])


def read_all(files, readers):
    names = tf.FIFOQueue(100, tf.string, shapes=[[]])
    fill, close_names = names.enqueue_many([files]), names.close()
    rows = tf.FIFOQueue(50, [tf.float32, tf.float32], shapes=[[], []])
    puts = [rows.enqueue(read_row(names)) for _ in range(readers)]
    close_rows, take = rows.close(), rows.dequeue()
    sess = tf.Session()  # nobody closes it
    sess.run(fill)
    sess.run(close_names)
    taken, errors, running = [], [], [None] * readers
    over = threading.Event()

    def work(put):
        try:
            while True:
                sess.run(put)
        except tf.errors.OutOfRangeError:
            pass
        except tf.errors.OpError as error:
            errors.append(error)
        running.pop()
        if not running or errors:
            with contextlib.suppress(tf.errors.CancelledError):  # closed already
                sess.run(close_rows)
        over.wait()  # of nothing

    for put in puts:
        threading.Thread(target=work, args=[put], daemon=True).start()
    try:
        while True:
            taken.append(tuple(map(float, sess.run(take))))
    except tf.errors.OutOfRangeError:
        pass
    if errors:
        raise errors[0]
    return taken
