"""tf.contrib.layers.optimize_loss: decay, clipping, multipliers, and what it summarises."""

import numpy as np
import tensorflow as tf
from tensorflow.contrib import layers

rng = np.random.RandomState(4)
rows = rng.randn(40, 5).astype(np.float32)
targets = (rows @ [1.0, -2.0, 0.5, 0.0, 0.0] + 0.1 * rng.randn(40)).astype(np.float32)
init = layers.xavier_initializer(seed=12)

with tf.variable_scope("net"):
    with tf.contrib.framework.arg_scope([layers.fully_connected], weights_initializer=init):
        hidden = layers.fully_connected(tf.constant(rows), 6, tf.nn.relu6, scope="hidden")
        more = layers.fully_connected(hidden, 4, tf.nn.relu, scope="more")
        outputs = layers.linear(more, 1, scope="outputs")
error = tf.reduce_mean(tf.squared_difference(outputs[:, 0], targets), name="error")
weights = tf.contrib.framework.get_variables_by_suffix("weights")
elastic = layers.l1_l2_regularizer(scale_l1=0.001, scale_l2=0.01)
both = layers.sum_regularizer([layers.l1_regularizer(0.1), layers.l2_regularizer(0.2), None])
penalty = layers.apply_regularization(elastic, weights)
large = both(weights[-1])

for tensor in (hidden, more):
    layers.summarize_activation(tensor)
layers.summarize_tensor(penalty, tag="penalty")
layers.summarize_tensors([error, weights[0]])
tf.add_to_collection("outputs", outputs)
layers.summarize_collection("outputs", name_filter="net/")
print(len(layers.summarize_activations("net/nothing")))
values = tf.summary.merge_all()

step = tf.train.create_global_step()
train_op = layers.optimize_loss(
    error + penalty,
    step,
    learning_rate=0.2,
    optimizer="SGD",
    gradient_multipliers={"net/outputs/biases": 2.0},
    clip_gradients=2.0,
    learning_rate_decay_fn=lambda rate, at: tf.train.exponential_decay(rate, at, 10, 0.5),
    summaries=["learning_rate", "global_gradient_norm", "gradients"],
    name="train",
)
only_last = layers.optimize_loss(
    loss=error,
    global_step=step,
    learning_rate=None,
    optimizer=lambda: tf.train.AdamOptimizer(0.05),
    variables=[weights[-1]],
    clip_gradients=1.0,
    increment_global_step=False,
    summaries=[],
)
summaries = tf.summary.merge_all()


def show(text, *names):
    for value in tf.Summary.FromString(text).value:
        if value.tag.startswith(names):
            if value.HasField("histo"):
                print(value.tag, int(value.histo.num), "%.2f" % value.histo.max)
            else:
                print(value.tag, "%.3f" % value.simple_value)


with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print("%.3f %.3f %.3f" % tuple(sess.run([error, penalty, large])))
    show(sess.run(values), "")
    show(sess.run(summaries), "train", "OptimizeLoss", "learning_rate")
    for _ in range(20):
        sess.run(train_op)
    print("%.2f" % sess.run(error), sess.run(step))
    show(sess.run(summaries), "train/learning_rate", "train/global")
    for _ in range(5):
        sess.run(only_last)
    print("%.2f" % sess.run(error), sess.run(step))
print(sorted(layers.OPTIMIZER_CLS_NAMES), len(layers.OPTIMIZER_SUMMARIES))
print([s.op.name for s in tf.get_collection(tf.GraphKeys.SUMMARIES) if "train" in s.op.name])
