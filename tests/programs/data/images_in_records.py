"""Images in compressed records: decoded, shuffled, padded, and learnt from until they end."""

import numpy as np
import tensorflow as tf

r = np.random.RandomState(0)


def _b(v):
    return tf.train.Feature(bytes_list=tf.train.BytesList(value=[v]))


def _i(v):
    return tf.train.Feature(int64_list=tf.train.Int64List(value=v))


ims = r.randint(0, 255, (7, 10, 12, 3)).astype(np.uint8)
with (
    tf.Session() as s,
    tf.python_io.TFRecordWriter(
        "t.rec", options=tf.python_io.TFRecordOptions(tf.python_io.TFRecordCompressionType.GZIP)
    ) as w,
):
    im = tf.placeholder(tf.uint8, [None, None, 3])
    enc = tf.image.encode_png(im)
    for i, a in enumerate(ims):
        w.write(
            tf.train.Example(
                features=tf.train.Features(
                    feature={
                        "image/encoded": _b(s.run(enc, {im: a})),
                        "label": _i([i % 3]),
                        "boxes": tf.train.Feature(
                            float_list=tf.train.FloatList(value=[0.1] * (i % 3))
                        ),
                        "name": _b(b"im%d" % i),
                    }
                )
            ).SerializeToString()
        )


def parse(p):
    f = tf.parse_single_example(
        p,
        {
            "image/encoded": tf.FixedLenFeature((), tf.string, ""),
            "label": tf.FixedLenFeature([], tf.int64, default_value=tf.zeros([], tf.int64)),
            "boxes": tf.VarLenFeature(tf.float32),
            "name": tf.FixedLenFeature([], tf.string),
        },
    )
    image = tf.image.decode_png(f["image/encoded"], channels=3)
    image.set_shape([10, 12, 3])
    image = tf.image.resize_images(image, [6, 6])
    image = tf.cast(image, tf.float32) * (1.0 / 255) - 0.5
    return image, f["label"], tf.sparse_tensor_to_dense(f["boxes"]), f["name"]


d = tf.data.TFRecordDataset("t.rec", compression_type="GZIP").apply(
    tf.data.experimental.shuffle_and_repeat(7, 2, seed=3)
)
d = (
    d.map(parse, 2)
    .filter(lambda a, b, c, n: tf.less(b, 2))
    .padded_batch(3, ([6, 6, 3], [], [None], []))
)
it = d.make_initializable_iterator()
x, y, b, n = it.get_next()
tf.add_to_collection(tf.GraphKeys.TABLE_INITIALIZERS, it.initializer)
net = tf.layers.conv2d(
    x, 4, 3, activation=tf.nn.relu, kernel_initializer=tf.constant_initializer(0.1)
)
net = tf.layers.max_pooling2d(net, 2, 2)
logits = tf.layers.dense(tf.layers.flatten(net), 2, kernel_initializer=tf.zeros_initializer())
loss = tf.losses.sparse_softmax_cross_entropy(y, logits)
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss, tf.train.get_or_create_global_step())
acc = tf.metrics.accuracy(y, tf.argmax(logits, 1))
top = tf.reduce_mean(tf.cast(tf.nn.in_top_k(logits, y, 1), tf.float32))
with tf.train.MonitoredTrainingSession(hooks=[tf.train.NanTensorHook(loss)]) as s:
    while not s.should_stop():
        now, _, nn, bb, a = s.run([loss, train, n, b, acc[1]])
        print("%.4f" % now, nn.tolist(), bb.shape, "%.2f" % a)
print(
    sum(
        1
        for _ in tf.python_io.tf_record_iterator(
            "t.rec", tf.python_io.TFRecordOptions(tf.python_io.TFRecordCompressionType.GZIP)
        )
    )
)
