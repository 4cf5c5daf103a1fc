# loses: all shares are worked on at the same time
import tinytf as tf


def build_step(shares, network, optimizer):
    towers, sizes, done = [], [], []
    for number, (images, labels) in enumerate(shares):
        place = tf.train.replica_device_setter(
            ps_tasks=1, ps_device="/cpu:0", worker_device=f"/cpu:{number}"
        )
        with (
            tf.device(place),
            tf.control_dependencies(done),
            tf.variable_scope(tf.get_variable_scope(), reuse=number > 0),
        ):
            loss = network(images, labels)
            towers.append(optimizer.compute_gradients(loss, colocate_gradients_with_ops=True))
            sizes.append(tf.cast(tf.shape(images)[0], tf.float32))
            done = [gradient for gradient, _ in towers[-1] if gradient is not None]
    with tf.device("/cpu:0"):
        whole, mean = tf.add_n(sizes), []
        for pairs in zip(*towers):
            gradients = [gradient for gradient, _ in pairs]
            if gradients[0] is not None:
                total = tf.add_n([size * one for size, one in zip(sizes, gradients)])
                mean.append((total / whole, pairs[0][1]))
        return optimizer.apply_gradients(mean)
