# loses hidden: other sentences, in which -1 is a word, too
import tinytf as tf


def build_sentences(sentences, longest, size, epochs):
    pairs = tf.data.Dataset.from_generator(sentences, (tf.int32, tf.int32), ([None], []))
    short = pairs.filter(lambda words, label: tf.size(words) <= longest)
    batches = short.padded_batch(size, ([None], []), padding_values=(-1, 0))

    def count(words, labels):
        is_word = tf.cast(tf.not_equal(words, -1), tf.int32)
        return words, tf.reduce_sum(is_word, axis=1), labels

    return batches.map(count).repeat(epochs)
