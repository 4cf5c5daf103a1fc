"""Columns of sequences: clicks of visitors, parsed from records, into a recurrent network."""

import numpy as np
import tensorflow as tf

fc = tf.feature_column
with open("pages.txt", "w") as file:
    file.write("\n".join(["home", "search", "basket"]))

VISITS = [
    (["home", "search", "basket"], [3, 1, 0], [1.0, 2.0, 0.5], ["de", "fr", "de"]),
    (["home"], [2], [4.0], ["fr"]),
    (["search", "help"], [9, 1], [0.0, 1.5], ["en", "de"]),
]


def example_of(pages, buttons, seconds, languages):
    def strings(words):
        return tf.train.Feature(bytes_list=tf.train.BytesList(value=[w.encode() for w in words]))

    features = {
        "page": strings(pages),
        "button": tf.train.Feature(int64_list=tf.train.Int64List(value=buttons)),
        "seconds": tf.train.Feature(float_list=tf.train.FloatList(value=seconds)),
        "language": strings(languages),
    }
    return tf.train.Example(features=tf.train.Features(feature=features)).SerializeToString()


page = fc.sequence_categorical_column_with_vocabulary_file("page", "pages.txt", num_oov_buckets=1)
button = fc.sequence_categorical_column_with_identity("button", num_buckets=4, default_value=0)
language = fc.sequence_categorical_column_with_vocabulary_list("language", ["de", "fr"])
hashed = fc.sequence_categorical_column_with_hash_bucket("language", hash_bucket_size=3)
seconds = fc.sequence_numeric_column("seconds", default_value=-1.0, normalizer_fn=lambda t: t / 2)
columns = [
    fc.embedding_column(page, 2, initializer=tf.constant_initializer(np.arange(8.0).reshape(4, 2))),
    fc.indicator_column(button),
    fc.indicator_column(hashed),
    seconds,
]
spec = fc.make_parse_example_spec(columns[:3] + [fc.indicator_column(language)])
spec.update(seconds.parse_example_spec)
print({name: (type(spec[name]).__name__, spec[name].dtype.name) for name in sorted(spec)})

parsed = tf.parse_example([example_of(*visit) for visit in VISITS], spec)
steps, lengths = tf.contrib.feature_column.sequence_input_layer(parsed, columns)
spoken, _ = tf.contrib.feature_column.sequence_input_layer(parsed, [fc.indicator_column(language)])
cell = tf.nn.rnn_cell.BasicRNNCell(3, name="visitor")
_, state = tf.nn.dynamic_rnn(cell, steps, sequence_length=lengths, dtype=tf.float32)
buys = tf.layers.dense(state, 1, kernel_initializer=tf.ones_initializer(), name="buys")

with tf.Session() as sess:
    sess.run([tf.global_variables_initializer(), tf.tables_initializer()])
    kernel = next(v for v in tf.trainable_variables() if "visitor" in v.name or "rnn" in v.name)
    weights = np.linspace(-0.4, 0.5, int(np.prod(kernel.shape.as_list())))
    sess.run(kernel.assign(weights.reshape(kernel.shape.as_list())))
    values, counts = sess.run([steps, lengths])
    print(values.shape, counts.tolist())
    for row in values[0]:
        print(row.tolist())
    print(values[2, :, -1].tolist())
    print(sess.run(spoken)[2].tolist())
    print(["%.3f" % value for value in sess.run(buys)[:, 0]])
