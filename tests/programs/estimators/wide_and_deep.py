"""Categorical columns, buckets, crosses and embeddings in a DNNLinearCombinedClassifier."""

import numpy as np
import tensorflow as tf

rng = np.random.RandomState(0)
age = rng.randint(18, 70, 60).astype(np.float32)
work = np.array(["private", "state", "none"])[rng.randint(3, size=60)]
label = ((age > 40) & (work != "none")).astype(np.int32)
age_column = tf.feature_column.numeric_column("age", normalizer_fn=lambda t: t / 70.0)
raw_age = tf.feature_column.numeric_column("age")
buckets = tf.feature_column.bucketized_column(raw_age, [30, 40, 50, 60])
kind = tf.feature_column.categorical_column_with_vocabulary_list(
    "work", ["private", "state"], num_oov_buckets=1
)
crossed = tf.feature_column.crossed_column([buckets, "work"], hash_bucket_size=20)
model = tf.estimator.DNNLinearCombinedClassifier(
    model_dir="wide_deep",
    linear_feature_columns=[buckets, kind, crossed],
    linear_optimizer=tf.train.FtrlOptimizer(0.2),
    dnn_feature_columns=[
        age_column,
        tf.feature_column.indicator_column(kind),
        tf.feature_column.embedding_column(kind, 2),
    ],
    dnn_optimizer=tf.train.AdagradOptimizer(0.1),
    dnn_hidden_units=[8],
    config=tf.estimator.RunConfig(tf_random_seed=2, save_summary_steps=None),
)
fn = lambda epochs: tf.estimator.inputs.numpy_input_fn(
    {"age": age, "work": work}, label, 60, epochs, False
)
model.train(fn(None), steps=80)
found = model.evaluate(fn(1))
print("accuracy %.2f" % found["accuracy"], found["global_step"])
print([name for name in model.get_variable_names() if "Adagrad" not in name and "Ftrl" not in name])
