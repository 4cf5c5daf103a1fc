# loses: each share is worked on where it lies, forward and back
import tinytf as tf


def build_step(shares, network, optimizer):
    losses, sizes = [], []
    for number, (images, labels) in enumerate(shares):
        place = tf.train.replica_device_setter(
            ps_tasks=1, ps_device="/cpu:0", worker_device=f"/cpu:{number}"
        )
        with tf.device(place), tf.variable_scope(tf.get_variable_scope(), reuse=number > 0):
            losses.append(network(images, labels))
            sizes.append(tf.cast(tf.shape(images)[0], tf.float32))
    with tf.device("/cpu:0"):
        total = tf.add_n([size * loss for size, loss in zip(sizes, losses)])
        return optimizer.minimize(total / tf.add_n(sizes))
