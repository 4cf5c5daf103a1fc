"""Adding two numbers makes a node; printing it shows the tensor, running it the number."""

import tensorflow as tf

a = tf.add(3, 5)
print(a)
print([op.name for op in a.graph.get_operations()])
with tf.Session() as sess:
    print(sess.run(a))
