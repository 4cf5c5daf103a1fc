# loses: the sentences that are short enough come in an epoch, each with its label
import tinytf as tf


def build_sentences(sentences, longest, size, epochs):
    pairs = tf.data.Dataset.from_generator(sentences, (tf.int32, tf.int32), ([None], []))
    counted = pairs.map(lambda words, label: (words, tf.size(words), label))
    batches = counted.padded_batch(size, ([None], [], []), padding_values=(-1, 0, 0))
    short = batches.filter(lambda words, lengths, labels: tf.shape(words)[1] <= longest)
    return short.repeat(epochs)
