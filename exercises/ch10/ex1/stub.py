import tinytf as tf


def build_scores(images, first, second):
    """Return the scores, on /cpu:1: relu(images · first) · second.

    images: a pair of tensors, the same images on /cpu:0 and on /cpu:1
    first, second: the weights, arrays: [pixels, hidden] and [hidden, 10]
    """
    raise NotImplementedError("write this function")
