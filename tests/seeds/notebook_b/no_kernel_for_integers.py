"""An integer variable on a card fails, and says on which device it was wanted."""

import tensorflow as tf

with tf.device("/gpu:0"):
    a = tf.Variable(3)
with tf.Session() as sess:
    try:
        sess.run(a.initializer)
    except tf.errors.InvalidArgumentError as error:
        print(type(error).__name__, "Cannot assign a device for operation" in str(error))
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(a.initializer)
    print(sess.run(a))
