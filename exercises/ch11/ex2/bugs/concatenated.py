# loses: each share is worked on where it lies, forward and back
import tinytf as tf


def build_step(shares, network, optimizer):
    with tf.device("/cpu:0"):
        images = tf.concat([images for images, _ in shares], axis=0)
        labels = tf.concat([labels for _, labels in shares], axis=0)
        return optimizer.minimize(network(images, labels))
