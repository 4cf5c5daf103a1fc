"""Batch normalisation in a model_fn: UPDATE_OPS, metrics, predictions, exported in two ways."""

import numpy as np
import tensorflow as tf

tf.logging.set_verbosity(tf.logging.ERROR)
rng = np.random.RandomState(1)
X = rng.randn(64, 6).astype(np.float32)
Y = (X.sum(1) > 0).astype(np.int32)


def model_fn(features, labels, mode, params):
    training = mode == tf.estimator.ModeKeys.TRAIN
    net = tf.feature_column.input_layer(features, params["columns"])
    for units in params["hidden"]:
        net = tf.layers.dense(
            net, units, use_bias=False, kernel_initializer=tf.glorot_uniform_initializer(seed=units)
        )
        net = tf.layers.batch_normalization(net, training=training, momentum=0.8)
        net = tf.nn.relu(net)
    logits = tf.layers.dense(net, 2, kernel_initializer=tf.glorot_uniform_initializer(seed=3))
    predictions = {
        "class_ids": tf.argmax(logits, 1)[:, tf.newaxis],
        "probabilities": tf.nn.softmax(logits),
        "logits": logits,
    }
    if mode == tf.estimator.ModeKeys.PREDICT:
        return tf.estimator.EstimatorSpec(
            mode,
            predictions=predictions,
            export_outputs={
                "serving_default": tf.estimator.export.PredictOutput(predictions),
                "classes": tf.estimator.export.ClassificationOutput(
                    scores=predictions["probabilities"]
                ),
            },
        )
    loss = tf.losses.sparse_softmax_cross_entropy(labels=labels, logits=logits)
    accuracy = tf.metrics.accuracy(labels=labels, predictions=tf.argmax(logits, 1), name="acc_op")
    auc = tf.metrics.auc(labels, predictions["probabilities"][:, 1])
    tf.summary.scalar("accuracy", accuracy[1])
    if mode == tf.estimator.ModeKeys.EVAL:
        return tf.estimator.EstimatorSpec(
            mode, loss=loss, eval_metric_ops={"accuracy": accuracy, "auc": auc}
        )
    update_ops = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
    lr = tf.train.exponential_decay(0.1, tf.train.get_global_step(), 20, 0.5, staircase=True)
    with tf.control_dependencies(update_ops):
        train_op = tf.train.AdamOptimizer(lr).minimize(loss, global_step=tf.train.get_global_step())
    hook = tf.train.LoggingTensorHook({"lr": lr}, every_n_iter=20)
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op, training_hooks=[hook])


columns = [tf.feature_column.numeric_column("x", shape=[6])]
est = tf.estimator.Estimator(
    model_fn,
    "model",
    params={"columns": columns, "hidden": [8, 4]},
    config=tf.estimator.RunConfig(
        tf_random_seed=1, save_checkpoints_steps=25, keep_checkpoint_max=2
    ),
)
train_fn = tf.estimator.inputs.numpy_input_fn(
    {"x": X}, Y, batch_size=16, num_epochs=None, shuffle=False
)
eval_fn = tf.estimator.inputs.numpy_input_fn(
    {"x": X}, Y, batch_size=16, num_epochs=1, shuffle=False
)
est.train(train_fn, steps=40)
m = est.evaluate(eval_fn)
print({k: round(float(v), 3) for k, v in sorted(m.items())})
print(est.latest_checkpoint())
print(sorted(est.get_variable_names()))
print(np.round(est.get_variable_value("batch_normalization/moving_mean"), 3))


def serving():
    p = tf.placeholder(tf.float32, [None, 6], name="input")
    return tf.estimator.export.ServingInputReceiver({"x": p}, {"x": p})


path = est.export_savedmodel("export", serving).decode()
spec = tf.feature_column.make_parse_example_spec(columns)
print(spec)
path2 = est.export_savedmodel(
    "export2", tf.estimator.export.build_parsing_serving_input_receiver_fn(spec)
).decode()
pr = [p["class_ids"][0] for p in est.predict(eval_fn)]
print(pr[:20])
with tf.Graph().as_default(), tf.Session() as s:
    md = tf.saved_model.loader.load(s, ["serve"], path)
    print(sorted(md.signature_def))
    sig = md.signature_def["serving_default"]
    o = s.run({k: v.name for k, v in sig.outputs.items()}, {sig.inputs["x"].name: X[:3]})
    print({k: np.round(v, 3).tolist() for k, v in sorted(o.items())})
with tf.Graph().as_default(), tf.Session() as s:
    md = tf.saved_model.loader.load(s, ["serve"], path2)
    sig = md.signature_def["serving_default"]
    ex = [
        tf.train.Example(
            features=tf.train.Features(
                feature={"x": tf.train.Feature(float_list=tf.train.FloatList(value=r))}
            )
        ).SerializeToString()
        for r in X[:3]
    ]
    print(s.run(sig.outputs["class_ids"].name, {sig.inputs["examples"].name: ex}).ravel())
