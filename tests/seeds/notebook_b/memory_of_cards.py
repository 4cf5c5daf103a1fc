"""How much of a card's memory a session may take: a part of it, or as it needs."""

import tensorflow as tf

part = tf.ConfigProto()
part.gpu_options.per_process_gpu_memory_fraction = 0.4
growing = tf.ConfigProto()
growing.gpu_options.allow_growth = True
for config in (part, growing):
    with tf.Session(config=config) as sess:
        print(sess.run(tf.constant(1)), str(config.gpu_options).strip())
