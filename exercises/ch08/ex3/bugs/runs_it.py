# loses: repeat, batch: the sizes of the batches
import tinytf as tf


def predict(rows, epochs, size, buffer):
    batches = tf.data.Dataset.range(rows).repeat(epochs).batch(size)
    batch = batches.make_one_shot_iterator().get_next()
    found = []
    with tf.Session() as sess:
        try:
            while True:
                found.append(len(sess.run(batch)))
        except tf.errors.OutOfRangeError:
            return {"repeat batch": found}
