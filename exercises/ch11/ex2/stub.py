import tinytf as tf


def build_step(shares, network, optimizer):
    """Build a synchronous training step; return it.

    shares: (images, labels) of each device; share k lies on /cpu:k
    network: network(images, labels) builds the network; returns the mean loss
    optimizer: a tf.train.Optimizer
    """
    raise NotImplementedError("write this function")
