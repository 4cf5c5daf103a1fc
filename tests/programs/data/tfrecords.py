"""Examples written to a TFRecord file, and read by iterator, by dataset, and by a reader."""

import numpy as np
import tensorflow as tf


def _int64(value):
    return tf.train.Feature(int64_list=tf.train.Int64List(value=[value]))


def _bytes(value):
    return tf.train.Feature(bytes_list=tf.train.BytesList(value=[value]))


with tf.python_io.TFRecordWriter("digits.tfrecord") as writer:
    for i in range(4):
        image = np.full((2, 3), i, np.uint8)
        feature = {"label": _int64(i), "shape": _bytes(np.int32([2, 3]).tobytes())}
        feature["image"] = _bytes(image.tobytes())
        feature["scores"] = tf.train.Feature(float_list=tf.train.FloatList(value=[0.5] * i))
        example = tf.train.Example(features=tf.train.Features(feature=feature))
        writer.write(example.SerializeToString())

for record in list(tf.python_io.tf_record_iterator("digits.tfrecord"))[:1]:
    print(sorted(tf.train.Example.FromString(record).features.feature))

spec = {
    "label": tf.FixedLenFeature([], tf.int64),
    "shape": tf.FixedLenFeature([], tf.string),
    "image": tf.FixedLenFeature([], tf.string),
    "scores": tf.VarLenFeature(tf.float32),
}


def parse(record):
    parsed = tf.parse_single_example(record, features=spec)
    image = tf.reshape(
        tf.decode_raw(parsed["image"], tf.uint8), tf.decode_raw(parsed["shape"], tf.int32)
    )
    return image, parsed["label"], tf.sparse_tensor_to_dense(parsed["scores"])


image, label, scores = (
    tf.data.TFRecordDataset(["digits.tfrecord"]).map(parse).make_one_shot_iterator().get_next()
)
filename_queue = tf.train.string_input_producer(["digits.tfrecord"], num_epochs=1)
key, serialized = tf.TFRecordReader().read(filename_queue)
by_reader = parse(serialized)[1]
with tf.Session() as sess:
    sess.run(tf.local_variables_initializer())
    for _ in range(4):
        found = sess.run([image, label, scores])
        print(found[0].tolist(), found[1], found[2])
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(coord=coord)
    total = []
    try:
        while not coord.should_stop():
            total.append(int(sess.run(by_reader)))
    except tf.errors.OutOfRangeError:
        print("read", total)
    coord.request_stop()
    coord.join(threads)
