"""slice_input_producer, batch, shuffle_batch and batch_join: pipelines of TensorFlow 1.0."""

import numpy as np
import tensorflow as tf

images = np.arange(12, dtype=np.float32).reshape(6, 2)
labels = np.arange(6, dtype=np.int32)
image, label = tf.train.slice_input_producer([images, labels], shuffle=False, num_epochs=2)
image_batch, label_batch = tf.train.batch(
    [image, label], batch_size=4, allow_smaller_final_batch=True, num_threads=1
)
index = tf.train.range_input_producer(6, shuffle=False).dequeue()
shuffled = tf.train.shuffle_batch([index], batch_size=6, capacity=20, min_after_dequeue=0, seed=1)
padded = tf.train.batch([tf.range(index + 1)], 3, dynamic_pad=True)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(tf.local_variables_initializer())
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(coord=coord)
    try:
        while not coord.should_stop():
            print(sess.run(label_batch), image_batch.shape, label_batch.shape)
    except tf.errors.OutOfRangeError:
        print("Done training -- epoch limit reached")
    found = sess.run(shuffled)
    print(len(found), set(found.tolist()) <= set(range(6)), sess.run(padded).shape[0])
    coord.request_stop()
    coord.join(threads)
print(len(tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS)))
