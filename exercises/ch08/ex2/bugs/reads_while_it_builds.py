# loses: all parts are int32, and nothing is read too early
import tinytf as tf


def build_sentences(sentences, longest, size, epochs):
    found = [pair for pair in sentences() if len(pair[0]) <= longest]
    pairs = tf.data.Dataset.from_generator(lambda: found, (tf.int32, tf.int32), ([None], []))
    counted = pairs.map(lambda words, label: (words, tf.size(words), label))
    batches = counted.padded_batch(size, ([None], [], []), padding_values=(-1, 0, 0))
    return batches.repeat(epochs)
