# loses hidden: an optimizer that remembers: three steps with momentum
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
        whole, steps = tf.add_n(sizes), []
        everything = [g for pairs in towers for g, _ in pairs if g is not None]
        for size, pairs in zip(sizes, towers):
            scaled = [(g * size / whole, v) for g, v in pairs if g is not None]
            # All of the same variables: nothing is changed before all is computed.
            with tf.control_dependencies(everything):
                steps.append(optimizer.apply_gradients(scaled))
        return tf.group(*steps)
