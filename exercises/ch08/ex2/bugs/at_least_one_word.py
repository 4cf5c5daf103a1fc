# loses hidden: other sentences, in which -1 is a word, too
import tinytf as tf


def build_sentences(sentences, longest, size, epochs):
    pairs = tf.data.Dataset.from_generator(sentences, (tf.int32, tf.int32), ([None], []))
    short = pairs.filter(lambda words, label: tf.size(words) <= tf.maximum(longest, 1))
    counted = short.map(lambda words, label: (words, tf.size(words), label))
    batches = counted.padded_batch(size, ([None], [], []), padding_values=(-1, 0, 0))
    return batches.repeat(epochs)
