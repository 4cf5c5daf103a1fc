# loses: the sentences that are short enough come in an epoch, each with its label
import tinytf as tf


def build_sentences(sentences, longest, size, epochs):
    pairs = tf.data.Dataset.from_generator(sentences, (tf.int32, tf.int32), ([None], []))
    short = pairs.filter(lambda words, label: tf.size(words) <= longest)
    batches = short.padded_batch(size, ([None], []))
    counted = batches.map(
        lambda words, labels: (
            tf.where(tf.equal(words, 0), -tf.ones_like(words), words),
            tf.reduce_sum(tf.cast(tf.not_equal(words, 0), tf.int32), axis=1),
            labels,
        )
    )
    return counted.repeat(epochs)
