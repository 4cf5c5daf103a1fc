"""Words of texts in sparse tensors, as columns of linear, deep and combined models."""

import numpy as np
import tensorflow as tf

tf.logging.set_verbosity(tf.logging.ERROR)
fc = tf.feature_column
r = np.random.RandomState(2)
words = [" ".join(r.choice(list("abcdef"), r.randint(1, 6))) for _ in range(20)]
y = np.array([("a" in w.split()) for w in words], np.float32)


def inp(e):
    def fn():
        d = tf.data.Dataset.from_tensor_slices((words, y)).batch(5).repeat(e)

        def split(t, label):
            return {
                "w": tf.string_split(t),
                "len": tf.cast(
                    tf.sparse_reduce_sum(
                        tf.SparseTensor(
                            tf.string_split(t).indices,
                            tf.ones_like(tf.string_split(t).values, tf.float32),
                            tf.string_split(t).dense_shape,
                        ),
                        1,
                    ),
                    tf.float32,
                ),
            }, label[:, tf.newaxis]

        return d.map(split)

    return fn


w = fc.categorical_column_with_vocabulary_list("w", list("abcde"), num_oov_buckets=1)
ln = fc.numeric_column("len")
for n, m in (
    (
        "lin",
        tf.estimator.LinearClassifier(
            [w, ln],
            "lin",
            optimizer=tf.train.FtrlOptimizer(0.5, l2_regularization_strength=0.01),
            config=tf.estimator.RunConfig(tf_random_seed=1),
            sparse_combiner="sum",
        ),
    ),
    (
        "dnn",
        tf.estimator.DNNRegressor(
            [6],
            [fc.embedding_column(w, 3, "mean"), ln],
            "dnn",
            optimizer="Adagrad",
            dropout=None,
            activation_fn=tf.nn.tanh,
            config=tf.estimator.RunConfig(tf_random_seed=1),
            batch_norm=True,
        ),
    ),
    (
        "dl",
        tf.estimator.DNNLinearCombinedRegressor(
            "dl",
            [w],
            dnn_feature_columns=[fc.indicator_column(w)],
            dnn_hidden_units=[4],
            config=tf.estimator.RunConfig(tf_random_seed=1),
        ),
    ),
):
    m.train(inp(None), steps=4)
    print(
        n,
        {k: "%.2f" % v for k, v in sorted(m.evaluate(inp(1)).items())}
        if n != "dnn" and n != "dl"
        else sorted(m.evaluate(inp(1))),
    )
    p = next(m.predict(inp(1)))
    print(sorted(p), {k: v.shape for k, v in sorted(p.items())})
    print(sorted(m.get_variable_names()))
m2 = tf.estimator.add_metrics(
    m,
    lambda labels, predictions: {
        "r": tf.metrics.root_mean_squared_error(labels, predictions["predictions"])
    },
)
print(sorted(m2.evaluate(inp(1))))
