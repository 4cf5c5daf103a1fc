"""Sequences of a Python generator, padded to batches and bucketed by length."""

import tensorflow as tf

sentences = [[1, 2, 3], [4], [5, 6], [7, 8, 9, 10], [11], [12, 13]]


def generate():
    for i, words in enumerate(sentences):
        yield words, i


dataset = tf.data.Dataset.from_generator(generate, (tf.int32, tf.int32), ([None], []))
padded = dataset.padded_batch(3, padded_shapes=([None], []), padding_values=(-1, 0))
buckets = dataset.apply(
    tf.data.experimental.bucket_by_sequence_length(
        lambda words, i: tf.size(words), [2, 4], [2, 2, 2], no_padding=False
    )
)
grouped = dataset.apply(
    tf.data.experimental.group_by_window(
        key_func=lambda w, i: tf.cast(i % 2, tf.int64),
        reduce_func=lambda key, window: window.map(lambda w, i: i).batch(3),
        window_size=3,
    )
)
with tf.Session() as sess:
    for d in (padded, buckets, grouped):
        element = d.make_one_shot_iterator().get_next()
        while True:
            try:
                found = sess.run(element)
            except tf.errors.OutOfRangeError:
                print("--")
                break
            print(found[0].tolist() if isinstance(found, tuple) else found.tolist())
