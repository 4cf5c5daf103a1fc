"""An estimator of one's own: a model_fn for training, evaluation and prediction."""

import numpy as np
import tensorflow as tf

rng = np.random.RandomState(0)
images = rng.randn(80, 10).astype(np.float32)
labels = (images[:, 0] > 0).astype(np.int32) + (images[:, 1] > 0.5)


def neural_net(x_dict):
    layer_1 = tf.layers.dense(x_dict["images"], 12, activation=tf.nn.relu)
    return tf.layers.dense(layer_1, 3)


def model_fn(features, labels, mode, params):
    logits = neural_net(features)
    pred_classes = tf.argmax(logits, axis=1)
    if mode == tf.estimator.ModeKeys.PREDICT:
        return tf.estimator.EstimatorSpec(mode, predictions={"classes": pred_classes})
    loss_op = tf.reduce_mean(
        tf.nn.sparse_softmax_cross_entropy_with_logits(
            logits=logits, labels=tf.cast(labels, tf.int32)
        )
    )
    optimizer = tf.train.AdamOptimizer(learning_rate=params["learning_rate"])
    train_op = optimizer.minimize(loss_op, global_step=tf.train.get_global_step())
    acc_op = tf.metrics.accuracy(labels=labels, predictions=pred_classes)
    return tf.estimator.EstimatorSpec(
        mode=mode,
        predictions=pred_classes,
        loss=loss_op,
        train_op=train_op,
        eval_metric_ops={"accuracy": acc_op},
    )


config = tf.estimator.RunConfig(tf_random_seed=3, model_dir="model", save_summary_steps=None)
model = tf.estimator.Estimator(model_fn, params={"learning_rate": 0.02}, config=config)
input_fn = tf.estimator.inputs.numpy_input_fn(
    x={"images": images[:60]}, y=labels[:60], batch_size=20, num_epochs=None, shuffle=False
)
model.train(input_fn, steps=40)
test_fn = tf.estimator.inputs.numpy_input_fn(
    x={"images": images[60:]}, y=labels[60:], batch_size=20, shuffle=False
)
found = model.evaluate(test_fn)
print("accuracy %.2f loss %.2f step %d" % (found["accuracy"], found["loss"], found["global_step"]))
print([int(p["classes"]) for p in model.predict(test_fn)])
print(
    model.get_variable_names()[:3],
    model.get_variable_value("dense/kernel").shape,
    model.latest_checkpoint(),
)
