"""Complex numbers: how long each point takes to leave, by assignments in a loop of steps."""

import numpy as np
import tensorflow as tf

Y, X = np.mgrid[-1.2:1.21:0.2, -2:0.61:0.1]
xs = tf.constant((X + 1j * Y).astype(np.complex64))
zs = tf.Variable(xs)
ns = tf.Variable(tf.zeros_like(xs, tf.float32))
zs_ = zs * zs + xs
not_diverged = tf.abs(zs_) < 4
step = tf.group(
    zs.assign(tf.where(not_diverged, zs_, zs)), ns.assign_add(tf.cast(not_diverged, tf.float32))
)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(20):
        step.run()
    counts = ns.eval()
for row in counts:
    print("".join(" .:+#"[min(4, int(n) // 5)] for n in row).rstrip())
