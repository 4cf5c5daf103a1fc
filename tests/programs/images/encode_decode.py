"""PNG there and back, JPEG's shape, GIF-less decode_image, and an image summary's bytes."""

import numpy as np
import tensorflow as tf

image = (np.arange(48).reshape(4, 4, 3) * 5).astype(np.uint8)
png = tf.image.encode_png(image)
decoded = tf.image.decode_png(png)
grey = tf.image.decode_png(png, channels=1)
jpeg = tf.image.decode_jpeg(tf.image.encode_jpeg(image, quality=95), channels=3)
either = tf.image.decode_image(png)
with tf.Session() as sess:
    print(np.array_equal(sess.run(decoded), image), sess.run(grey).shape, decoded.shape)
    print(sess.run(jpeg).shape, np.abs(sess.run(jpeg).astype(int) - image).max() < 40)
    print(sess.run(tf.shape(either)), sess.run(png)[:4])
    with open("image.png", "wb") as f:
        f.write(sess.run(png))
    reader = tf.WholeFileReader()
    queue = tf.train.string_input_producer(tf.train.match_filenames_once("*.png"))
    key, value = reader.read(queue)
    from_file = tf.image.decode_png(value)
    sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(coord=coord)
    name, found = sess.run([key, from_file])
    print(name, np.array_equal(found, image))
    coord.request_stop()
    coord.join(threads)
