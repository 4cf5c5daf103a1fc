"""Backpropagation through convolutions by hand, against what tf.gradients finds."""

import numpy as np
import tensorflow as tf

rng = np.random.RandomState(0)


def values(*shape):
    return tf.constant(rng.randn(*shape).astype(np.float32))


def compare(name, by_hand, y, upstream, *xs):
    """The largest difference, and whether there is something to differ."""
    automatic = tf.gradients(y, xs, upstream)
    pairs = sess.run(list(zip(by_hand, automatic)))
    worst = max(np.abs(a - b).max() for a, b in pairs)
    print("%-20s" % name, "agree:", worst < 1e-4, [a.shape for a, _ in pairs])
    print("   ", [np.round(float(np.abs(a).mean()), 2) for a, _ in pairs])


sess = tf.InteractiveSession()

# two dimensions
x, w = values(2, 7, 6, 3), values(3, 3, 3, 4)
y = tf.nn.conv2d(x, w, strides=[1, 2, 2, 1], padding="SAME")
dy = values(*y.shape.as_list())
dx = tf.nn.conv2d_backprop_input(tf.shape(x), w, dy, [1, 2, 2, 1], "SAME")
dw = tf.nn.conv2d_backprop_filter(x, tf.shape(w), dy, [1, 2, 2, 1], "SAME")
compare("conv2d", [dx, dw], y, dy, x, w)

# each channel for itself, under both names
x, w = values(1, 6, 6, 2), values(3, 3, 2, 2)
y = tf.nn.depthwise_conv2d_native(x, w, strides=[1, 1, 1, 1], padding="VALID")
dy = values(*y.shape.as_list())
ones = [1, 1, 1, 1]
dx = tf.nn.depthwise_conv2d_native_backprop_input([1, 6, 6, 2], w, dy, ones, "VALID")
dw = tf.nn.depthwise_conv2d_native_backprop_filter(x, [3, 3, 2, 2], dy, ones, "VALID")
compare("depthwise native", [dx, dw], y, dy, x, w)
y = tf.nn.depthwise_conv2d(x, w, ones, "SAME")
dy = values(*y.shape.as_list())
dx = tf.nn.depthwise_conv2d_backprop_input(tf.shape(x), w, dy, ones, "SAME")
dw = tf.nn.depthwise_conv2d_backprop_filter(x, tf.shape(w), dy, ones, "SAME")
compare("depthwise", [dx, dw], y, dy, x, w)

# three dimensions; to go back to the input is to go forward transposed
x, w = values(1, 4, 5, 5, 2), values(2, 3, 3, 2, 3)
y = tf.nn.conv3d(x, w, strides=[1, 1, 1, 1, 1], padding="VALID")
dy = values(*y.shape.as_list())
dx = tf.nn.conv3d_transpose(dy, w, x.shape.as_list(), [1] * 5, "VALID")
dw = tf.nn.conv3d_backprop_filter(x, w.shape.as_list(), dy, [1] * 5, "VALID")
again = tf.nn.conv3d_backprop_filter_v2(x, w.shape.as_list(), dy, [1] * 5, "VALID")
compare("conv3d", [dx, dw], y, dy, x, w)
print("the same by its other name:", np.array_equal(*sess.run([dw, again])))

# a layer whose gradient is one's own: the filter learns to blur, by hand
target_filter = np.ones([3, 3, 1, 1], np.float32) / 9
image = values(1, 8, 8, 1)
target = tf.nn.conv2d(image, target_filter, ones, "SAME")
blur = tf.get_variable("blur", [3, 3, 1, 1], initializer=tf.zeros_initializer())
error = tf.nn.conv2d(image, blur, ones, "SAME") - target
step = tf.nn.conv2d_backprop_filter(image, [3, 3, 1, 1], error, ones, "SAME")
update = tf.assign_sub(blur, 0.01 * step)
blur.initializer.run()
for i in range(60):
    sess.run(update)
print(np.round(np.float64(sess.run(blur)[:, :, 0, 0]), 2).tolist())
sess.close()
