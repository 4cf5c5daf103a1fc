"""A model_fn of Keras layers and a lookup table, with averages of weights and a Scaffold."""

import os

import numpy as np
import tensorflow as tf

tf.logging.set_verbosity(tf.logging.ERROR)
r = np.random.RandomState(0)
X = {"t": r.randint(0, 12, (24, 5)), "s": r.choice(["u", "v"], 24)}
Y = np.where(X["t"].sum(1) > 27, "pos", "neg")


def model_fn(features, labels, mode, params, config):
    class Net(object):
        def __init__(self):
            self.emb = tf.keras.layers.Embedding(
                12, 4, embeddings_initializer=tf.keras.initializers.RandomUniform(-0.5, 0.5, seed=1)
            )
            self.d = tf.keras.layers.Dense(
                params.units,
                activation="relu",
                kernel_initializer=tf.keras.initializers.glorot_normal(seed=2),
            )
            self.o = tf.keras.layers.Dense(
                2, kernel_initializer=tf.keras.initializers.glorot_normal(seed=3)
            )

        def __call__(self, x):
            return self.o(self.d(tf.reduce_mean(self.emb(x), 1)))

    logits = Net()(features["t"])
    table = tf.contrib.lookup.index_table_from_tensor(tf.constant(["neg", "pos"]))
    back = tf.constant(["neg", "pos"])
    pred = {"class": tf.gather(back, tf.argmax(logits, 1)), "p": tf.nn.softmax(logits)}
    if mode == tf.estimator.ModeKeys.PREDICT:
        return tf.estimator.EstimatorSpec(
            mode,
            pred,
            export_outputs={
                "c": tf.estimator.export.ClassificationOutput(pred["p"], pred["class"])
            },
        )
    ids = table.lookup(labels)
    loss = tf.losses.sparse_softmax_cross_entropy(ids, logits)
    m = {
        "acc": tf.metrics.accuracy(labels, pred["class"]),
        "prec": tf.metrics.precision(ids, tf.argmax(logits, 1)),
        "mpca": tf.metrics.mean_per_class_accuracy(ids, tf.argmax(logits, 1), 2),
    }
    gs = tf.train.get_global_step()
    train = tf.train.AdamOptimizer(params.lr).minimize(loss, gs)
    ema = tf.train.ExponentialMovingAverage(0.9, gs)
    with tf.control_dependencies([train]):
        train = ema.apply(tf.trainable_variables())
    sc = tf.train.Scaffold(saver=tf.train.Saver(max_to_keep=1), init_fn=lambda scaffold, sess: None)
    return tf.estimator.EstimatorSpec(mode, pred, loss, train, m, scaffold=sc)


class HParams:
    units, lr = 6, 0.05


def fn(features, labels=None, n=None):
    d = (
        tf.data.Dataset.from_tensor_slices(
            (dict(features), labels) if labels is not None else dict(features)
        )
        .batch(12)
        .repeat(n)
    )
    return d.make_one_shot_iterator().get_next()


e = tf.estimator.Estimator(
    model_fn, "m", tf.estimator.RunConfig(tf_random_seed=3, save_checkpoints_steps=20), HParams
)
for _ in range(2):
    e.train(lambda: fn(X, Y), steps=20)
print(
    {
        k: round(float(v), 3)
        for k, v in sorted(e.evaluate(lambda: fn(X, Y, 1), steps=2, name="v").items())
    }
)
print([p["class"] for p in e.predict(lambda: fn(X, None, 1))][:6])
print(sorted(e.get_variable_names()))
print(sorted(f for f in os.listdir("m") if "ckpt" in f), os.path.isdir("m/eval_v"))
ev = next(tf.train.summary_iterator(os.path.join("m/eval_v", os.listdir("m/eval_v")[0])))
print(ev.file_version)
