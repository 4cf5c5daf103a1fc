"""The digits of the course, and the network that the chapters train on them.

Every chapter trains the same network on the same images, each in its own way.
Look at what is here as you would at a cell: it is plain TensorFlow.
"""

from pathlib import Path

import numpy as np

try:
    import tinytf as tf
except ImportError:  # the same, in a real TensorFlow
    import tensorflow.compat.v1 as tf

    tf.disable_v2_behavior()

#: So many images are for training; the others show what the network has learnt.
TRAINING = 1500
FILE = Path(__file__).parent / "optdigits" / "digits.csv"


def load():
    """The images, float32 [1797, 64], 0 to 1, and their labels, int32 [1797].

    Train with the first `TRAINING` of them.
    """
    table = np.loadtxt(FILE, delimiter=",", dtype=np.float32)
    return table[:, :64] / 16, table[:, 64].astype(np.int32)


def network(images, labels, hidden=64):
    """Build the network: (loss, accuracy), two scalars of float32.

    The variables start from the same random numbers every time.

    Args:
      images: float32 [batch, 64]. labels: int32 [batch].
      hidden: how many units lie between the pixels and the ten digits.
    """
    return judge(scores_of(images, hidden), labels)


def judge(scores, labels):
    """The (loss, accuracy) of ten scores for each image."""
    losses = tf.nn.sparse_softmax_cross_entropy_with_logits(
        labels=labels, logits=scores
    )
    right = tf.equal(tf.argmax(scores, 1, output_type=tf.int32), labels)
    accuracy = tf.reduce_mean(tf.cast(right, tf.float32))
    return tf.reduce_mean(losses), accuracy


def scores_of(images, hidden=64):
    """The scores that the network gives each digit, float32 [batch, 10].

    The digit with the highest score is what it takes the image for.
    """
    seen = tf.nn.relu(layer(images, hidden, "hidden"))
    return layer(seen, 10, "digit")


def layer(inputs, units, name):
    """Each of `units` adds up all inputs, weighted, and a bias of its own."""
    start = tf.random_normal_initializer(stddev=0.1, seed=1)
    with tf.variable_scope(name):
        shape = [inputs.shape[1].value, units]
        weights = tf.get_variable("weights", shape, initializer=start)
        zeros = tf.zeros_initializer()
        bias = tf.get_variable("bias", [units], initializer=zeros)
        return tf.matmul(inputs, weights) + bias
