# loses: a record without a tag has the tag none
import tinytf as tf


def build_batches(files, batch_size, epochs):
    names = tf.train.string_input_producer(files, num_epochs=epochs, shuffle=False)
    _, record = tf.TFRecordReader().read(names)
    records = tf.train.batch([record], batch_size, allow_smaller_final_batch=True)
    return tf.parse_example(
        records,
        {
            "id": tf.FixedLenFeature([], tf.int64),
            "scores": tf.FixedLenFeature([3], tf.float32),
            "tag": tf.FixedLenFeature([], tf.string),
        },
    )
