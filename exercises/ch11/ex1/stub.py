import tinytf as tf


def work(sess, ops, batches):
    """Train as one of several workers, until the training is over.

    sess: the worker's session
    ops: ops.token takes a token; ops.give gives a gradient, and is fed with
        ops.batch, and with ops.step, the step that the gradient is for
    batches: the worker's own share
    return: how many gradients it has given
    """
    raise NotImplementedError("write this function")
