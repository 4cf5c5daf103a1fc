"""train_and_evaluate with an exporter, and the exported model loaded by a predictor's means."""

import os

import numpy as np
import tensorflow as tf

x = np.linspace(-1, 1, 20).astype(np.float32)[:, None]


def model_fn(features, labels, mode):
    y = tf.layers.dense(features["x"], 1, kernel_initializer=tf.zeros_initializer(), name="line")
    outputs = {"y": tf.estimator.export.PredictOutput({"y": y})}
    if mode == tf.estimator.ModeKeys.PREDICT:
        return tf.estimator.EstimatorSpec(mode, {"y": y}, export_outputs=outputs)
    loss = tf.losses.mean_squared_error(labels, y)
    train_op = tf.train.GradientDescentOptimizer(0.3).minimize(loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, {"y": y}, loss, train_op)


def serving_input_receiver_fn():
    inputs = {"x": tf.placeholder(tf.float32, [None, 1])}
    return tf.estimator.export.ServingInputReceiver(inputs, inputs)


dataset = lambda: tf.data.Dataset.from_tensors(({"x": x}, 2 * x))
estimator = tf.estimator.Estimator(model_fn, "line")
train_spec = tf.estimator.TrainSpec(lambda: dataset().repeat(), max_steps=30)
exporter = tf.estimator.LatestExporter("latest", serving_input_receiver_fn)
eval_spec = tf.estimator.EvalSpec(
    dataset, steps=1, exporters=exporter, throttle_secs=0, start_delay_secs=0
)
found, exported = tf.estimator.train_and_evaluate(estimator, train_spec, eval_spec)
print("%.3f" % found["loss"], found["global_step"], len(exported), os.listdir("line/export"))
with tf.Session(graph=tf.Graph()) as sess:
    meta = tf.saved_model.loader.load(sess, [tf.saved_model.tag_constants.SERVING], exported[0])
    signature = meta.signature_def["serving_default"]
    out = sess.run(signature.outputs["y"].name, {signature.inputs["x"].name: [[3.0]]})
    print(np.round(out, 1), sorted(meta.signature_def))
