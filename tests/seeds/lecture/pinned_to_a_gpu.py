"""A variable that is asked to live on a graphics card; without one, soft placement moves it."""

import tensorflow as tf

with tf.device("/gpu:0"):
    number = tf.Variable(3.1415926535897932384)
print(number.device)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(number.initializer)
    print("%.5f" % sess.run(number))
