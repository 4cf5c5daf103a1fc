"""Binary records as CIFAR's files have them: a label byte, then an image plane by plane."""

import numpy as np
import tensorflow as tf

height, width, depth = 4, 4, 3
record_bytes = 1 + height * width * depth
rng = np.random.RandomState(0)
records = rng.randint(0, 256, (5, record_bytes)).astype(np.uint8)
records[:, 0] = [3, 1, 4, 1, 5]
records.tofile("data_batch_1.bin")

reader = tf.FixedLengthRecordReader(record_bytes=record_bytes)
queue = tf.train.string_input_producer(["data_batch_1.bin"], num_epochs=1)
key, value = reader.read(queue)
raw = tf.decode_raw(value, tf.uint8)
label = tf.cast(tf.strided_slice(raw, [0], [1]), tf.int32)
depth_major = tf.reshape(tf.strided_slice(raw, [1], [record_bytes]), [depth, height, width])
image = tf.cast(tf.transpose(depth_major, [1, 2, 0]), tf.float32)
label.set_shape([1])
images, labels = tf.train.batch([image, label], batch_size=5)
same = tf.data.FixedLengthRecordDataset("data_batch_1.bin", record_bytes).map(
    lambda r: tf.decode_raw(r, tf.uint8)[0]
)
labels_again = same.batch(5).make_one_shot_iterator().get_next()
with tf.Session() as sess:
    sess.run(tf.local_variables_initializer())
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess, coord)
    found_images, found_labels = sess.run([images, labels])
    print(found_images.shape, found_labels.ravel(), sess.run(labels_again))
    print(found_images[0, 0, 0], records[0, [1, 17, 33]])
    coord.request_stop()
    coord.join(threads)
