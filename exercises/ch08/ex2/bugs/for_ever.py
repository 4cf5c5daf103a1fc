# loses: the sentences that are short enough come in an epoch, each with its label
import tinytf as tf


def build_sentences(sentences, longest, size, epochs):
    pairs = tf.data.Dataset.from_generator(sentences, (tf.int32, tf.int32), ([None], []))
    short = pairs.filter(lambda words, label: tf.size(words) <= longest)
    counted = short.map(lambda words, label: (words, tf.size(words), label))
    return counted.padded_batch(size, ([None], [], []), padding_values=(-1, 0, 0)).repeat()
