"""An integer variable, for which a card has no kernel: a session that may place softly runs it."""

import tensorflow as tf

with tf.device("/gpu:0"):
    i = tf.Variable(3)
config = tf.ConfigProto()
config.allow_soft_placement = True
sess = tf.Session(config=config)
sess.run(i.initializer)
print(sess.run(i))
sess.close()
