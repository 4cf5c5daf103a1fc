# loses: a step does what a step with the combined batch does
import tinytf as tf


def build_step(shares, network, optimizer):
    towers, sizes = [], []
    for number, (images, labels) in enumerate(shares):
        place = tf.train.replica_device_setter(
            ps_tasks=1, ps_device="/cpu:0", worker_device=f"/cpu:{number}"
        )
        with tf.device(place), tf.variable_scope(tf.get_variable_scope(), reuse=number > 0):
            loss = network(images, labels)
            towers.append(optimizer.compute_gradients(loss, colocate_gradients_with_ops=True))
            sizes.append(tf.cast(tf.shape(images)[0], tf.float32))
    with tf.device("/cpu:0"):
        total = []
        for pairs in zip(*towers):
            gradients = [gradient for gradient, _ in pairs]
            if gradients[0] is not None:
                total.append((tf.add_n(gradients), pairs[0][1]))
        return optimizer.apply_gradients(total)
