"""CSV files and Examples read straight into batches of features, as Estimators want them."""

import numpy as np
import tensorflow as tf

data = tf.contrib.data

with open("houses.csv", "w") as f:
    f.write("rooms,area,town,price\n")
    for rooms, area, town, price in [
        (3, 70.5, "a", 210),
        (5, 120.0, "b", 400),
        (2, 48.0, "a", 150),
    ]:
        f.write("%d,%.1f,%s,%d\n" % (rooms, area, town, price))
    f.write("4,,b,320\n")

# by the column's types
records = data.CsvDataset(
    "houses.csv", [tf.int32, [50.0], tf.string], header=True, select_cols=[0, 1, 2]
)
row = records.make_one_shot_iterator().get_next()

# by the names in the first line
batches = data.make_csv_dataset(
    "houses.csv",
    batch_size=2,
    column_defaults=[[0], [1.0], [""], [0.0]],
    label_name="price",
    num_epochs=1,
    shuffle=False,
)
features, price = batches.make_one_shot_iterator().get_next()

# the same houses as Examples
with tf.python_io.TFRecordWriter("houses.tfrecord") as writer:
    for rooms, words in [(3, [b"old"]), (5, [b"new", b"large"]), (2, []), (4, [b"new"])]:
        feature = {
            "rooms": tf.train.Feature(int64_list=tf.train.Int64List(value=[rooms])),
            "words": tf.train.Feature(bytes_list=tf.train.BytesList(value=words)),
            "price": tf.train.Feature(float_list=tf.train.FloatList(value=[rooms * 75.0])),
        }
        example = tf.train.Example(features=tf.train.Features(feature=feature))
        writer.write(example.SerializeToString())
spec = {
    "rooms": tf.FixedLenFeature([], tf.int64),
    "words": tf.VarLenFeature(tf.string),
    "price": tf.FixedLenFeature([1], tf.float32),
}
from_examples = data.make_batched_features_dataset(
    "houses.tfrecord",
    batch_size=3,
    features=spec,
    reader=tf.data.TFRecordDataset,
    label_key="price",
    num_epochs=1,
    shuffle=False,
)
read, read_price = from_examples.make_one_shot_iterator().get_next()
parsed = tf.data.TFRecordDataset("houses.tfrecord").batch(2).apply(data.parse_example_dataset(spec))
by_hand = parsed.make_one_shot_iterator().get_next()

with tf.Session() as sess:
    try:
        while True:
            print(tuple(v.item() for v in map(np.asarray, sess.run(row))))
    except tf.errors.OutOfRangeError:
        print("end of the rows")
    print(sorted(features), price.shape)
    for _ in range(2):
        found, label = sess.run([features, price])
        print({name: found[name].tolist() for name in sorted(found)}, label.tolist())
    found, label = sess.run([read, read_price])
    print(found["rooms"].tolist(), label.tolist(), found["words"].values.tolist())
    print(found["words"].indices.tolist(), found["words"].dense_shape.tolist())
    found = sess.run(by_hand)
    print(sorted(found), found["price"].tolist(), found["words"].values.tolist())
