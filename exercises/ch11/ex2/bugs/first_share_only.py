# loses: a step does what a step with the combined batch does
import tinytf as tf


def build_step(shares, network, optimizer):
    images, labels = shares[0]
    with tf.device("/cpu:0"):
        return optimizer.minimize(network(images, labels))
