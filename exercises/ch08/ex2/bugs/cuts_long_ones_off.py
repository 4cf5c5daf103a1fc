# loses: the sentences that are short enough come in an epoch, each with its label
import tinytf as tf


def build_sentences(sentences, longest, size, epochs):
    pairs = tf.data.Dataset.from_generator(sentences, (tf.int32, tf.int32), ([None], []))
    cut = pairs.map(lambda words, label: (words[:longest], label))
    counted = cut.map(lambda words, label: (words, tf.size(words), label))
    batches = counted.padded_batch(size, ([None], [], []), padding_values=(-1, 0, 0))
    return batches.repeat(epochs)
