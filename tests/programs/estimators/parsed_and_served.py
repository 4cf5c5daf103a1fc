"""Records parsed by a specification of columns; a model that is served a single tensor."""

import numpy as np
import tensorflow as tf

tf.logging.set_verbosity(tf.logging.ERROR)
rng = np.random.RandomState(3)
sizes = rng.uniform(1, 3, 24).astype(np.float32)
rooms = rng.randint(1, 5, 24)
prices = (2.0 * sizes + 0.5 * rooms).astype(np.float32)
kinds = [b"flat" if room < 3 else b"house" for room in rooms]


def feature(**lists):
    return tf.train.Feature(**lists)


with tf.python_io.TFRecordWriter("houses.tfrecord") as writer:
    for size, room, price, kind in zip(sizes, rooms, prices, kinds):
        features = {
            "size": feature(float_list=tf.train.FloatList(value=[size])),
            "rooms": feature(int64_list=tf.train.Int64List(value=[room])),
            "price": feature(float_list=tf.train.FloatList(value=[price])),
            "kind": feature(bytes_list=tf.train.BytesList(value=[kind])),
        }
        example = tf.train.Example(features=tf.train.Features(feature=features))
        writer.write(example.SerializeToString())

columns = [
    tf.feature_column.numeric_column("size"),
    tf.feature_column.indicator_column(
        tf.feature_column.categorical_column_with_identity("rooms", num_buckets=5)
    ),
]
of_prices = tf.estimator.regressor_parse_example_spec(columns, label_key="price")
of_kinds = tf.estimator.classifier_parse_example_spec(
    columns, label_key="kind", label_dtype=tf.string, weight_column="weight"
)
for spec in (of_prices, of_kinds):
    print([(name, type(spec[name]).__name__, spec[name].dtype.name) for name in sorted(spec)])


def input_fn():
    def parsed(serialized):
        features = tf.parse_example(serialized, of_prices)
        labels = features.pop("price")
        return tf.feature_column.input_layer(features, columns), labels

    return tf.data.TFRecordDataset("houses.tfrecord").batch(24).map(parsed)


def model_fn(features, labels, mode):
    """A straight line; its features are one tensor, not a dict."""
    weights = tf.get_variable("weights", [6, 1], initializer=tf.zeros_initializer())
    value = tf.matmul(features, weights, name="value")
    if mode == tf.estimator.ModeKeys.PREDICT:
        outputs = {
            "serving_default": tf.estimator.export.RegressionOutput(value),
            "doubled": tf.estimator.export.PredictOutput({"doubled": 2.0 * value}),
        }
        print([isinstance(o, tf.estimator.export.ExportOutput) for o in outputs.values()])
        return tf.estimator.EstimatorSpec(mode, value, export_outputs=outputs)
    loss = tf.losses.mean_squared_error(labels, value)
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, value, loss, train_op)


def serving_input_receiver_fn():
    serialized = tf.placeholder(tf.string, [None], name="serialized")
    decoded = tf.reshape(tf.decode_raw(serialized, tf.float32), [-1, 6])
    return tf.estimator.export.TensorServingInputReceiver(
        decoded, serialized, receiver_tensors_alternatives={"rows": {"rows": decoded}}
    )


config = tf.estimator.RunConfig(save_summary_steps=None, log_step_count_steps=None)
model = tf.estimator.Estimator(model_fn, "model", config)
model.train(lambda: input_fn().repeat(), steps=25)
print("loss %.2f" % model.evaluate(input_fn)["loss"])
print(["%.2f" % weight for weight in model.get_variable_value("weights")[:, 0]])
folder = model.export_savedmodel("served", serving_input_receiver_fn)
with tf.Session(graph=tf.Graph()) as sess:
    meta_graph = tf.saved_model.loader.load(sess, [tf.saved_model.tag_constants.SERVING], folder)
    signatures = meta_graph.signature_def
    for name in sorted(signatures):
        print(name, signatures[name].method_name, sorted(signatures[name].inputs))
    signature = signatures["serving_default"]
    row = np.array([[0.0, 0.0, 1.0, 0.0, 0.0, 2.0]], np.float32)
    given = {signature.inputs["inputs"].name: [row.tobytes()]}
    print(["%.2f" % value for value in sess.run(signature.outputs["outputs"].name, given).ravel()])
