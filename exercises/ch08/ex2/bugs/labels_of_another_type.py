# loses: all parts are int32, and nothing is read too early
import tinytf as tf


def build_sentences(sentences, longest, size, epochs):
    pairs = tf.data.Dataset.from_generator(sentences, (tf.int32, tf.int64), ([None], []))
    short = pairs.filter(lambda words, label: tf.size(words) <= longest)
    counted = short.map(lambda words, label: (words, tf.size(words), label))
    batches = counted.padded_batch(
        size, ([None], [], []), padding_values=(-1, 0, tf.constant(0, tf.int64))
    )
    return batches.repeat(epochs)
