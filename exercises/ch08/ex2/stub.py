import tinytf as tf


def build_sentences(sentences, longest, size, epochs):
    """Return the dataset of batches (words, lengths, labels).

    sentences: a generator function; it yields (list of numbers, number)
    longest: sentences with more words are left out
    size: how many sentences a batch has
    epochs: how often all of it comes
    """
    raise NotImplementedError("write this function")
