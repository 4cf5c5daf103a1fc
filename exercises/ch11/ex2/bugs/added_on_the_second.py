# loses: only weights and gradients cross
import tinytf as tf


def build_step(shares, network, optimizer):
    towers, sizes = [], []
    for number, (images, labels) in enumerate(shares):
        with (
            tf.device(f"/cpu:{number}"),
            tf.variable_scope(tf.get_variable_scope(), reuse=number > 0),
        ):
            loss = network(images, labels)
            towers.append(optimizer.compute_gradients(loss, colocate_gradients_with_ops=True))
            sizes.append(tf.cast(tf.shape(images)[0], tf.float32))
    with tf.device("/cpu:1"):
        whole, mean = tf.add_n(sizes), []
        for pairs in zip(*towers):
            gradients = [gradient for gradient, _ in pairs]
            if gradients[0] is not None:
                total = tf.add_n([size * one for size, one in zip(sizes, gradients)])
                mean.append((total / whole, pairs[0][1]))
        return optimizer.apply_gradients(mean)
