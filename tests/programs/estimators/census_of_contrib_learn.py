"""Who earns more: the wide and the deep model as tf.contrib.learn's tutorials built them."""

import numpy as np
import tensorflow as tf
from tensorflow.contrib import layers, learn

rng = np.random.RandomState(15)
JOBS = ["farming", "sales", "tech"]
with open("towns.txt", "w") as towns:
    towns.write("Athens\nBerlin\nCairo\n")
people = {
    "age": rng.randint(18, 70, 40).astype(np.float32),
    "hours": rng.randint(10, 60, 40).astype(np.float32),
    "job": np.array(JOBS)[rng.randint(0, 3, 40)],
    "town": np.array(["Athens", "Berlin", "Oslo"])[rng.randint(0, 3, 40)],
    "school": rng.randint(0, 4, 40),
    "name": np.array(["p%d" % n for n in rng.randint(0, 9, 40)]),
    "friend": np.array(["p%d" % n for n in rng.randint(0, 9, 40)]),
    "trust": rng.rand(40).astype(np.float32),
}
earned = 0.1 * people["age"] + 0.2 * people["hours"] + 4.0 * (people["job"] == "tech")
rich = (earned > np.median(earned)).astype(np.int32)


def features():
    columns = {key: tf.constant(value[:, np.newaxis]) for key, value in people.items()}
    for key in ("job", "name", "friend"):
        indices = [[row, 0] for row in range(40)]
        columns[key] = tf.SparseTensor(indices, tf.constant(people[key]), [40, 1])
    return columns


def classes():
    return features(), tf.constant(rich[:, np.newaxis])


def numbers():
    return {key: tf.constant(people[key][:, np.newaxis]) for key in ("age", "hours")}


def amounts():
    return numbers(), tf.constant(earned[:, np.newaxis].astype(np.float32))


age = layers.real_valued_column("age")
hours = layers.real_valued_column("hours", normalizer=lambda value: value / 60.0)
ages = layers.bucketized_column(age, boundaries=[25, 35, 50])
job = layers.sparse_column_with_keys("job", keys=JOBS)
town = layers.sparse_column_with_vocabulary_file(
    "town", "towns.txt", num_oov_buckets=1, vocab_size=3
)
school = layers.sparse_column_with_integerized_feature("school", bucket_size=4)
name = layers.sparse_column_with_hash_bucket("name", hash_bucket_size=6)
friend = layers.sparse_column_with_hash_bucket("friend", hash_bucket_size=6)
trusted = layers.weighted_sparse_column(school, "trust")
crossed = layers.crossed_column([ages, "job"], hash_bucket_size=12)
start = tf.truncated_normal_initializer(stddev=0.3, seed=25)
deep = [
    layers.one_hot_column(job),
    layers.embedding_column(town, dimension=1, initializer=start),
]
deep += layers.shared_embedding_columns([name, friend], dimension=2, initializer=start)

wide = learn.LinearClassifier(feature_columns=[job, crossed, trusted], model_dir="wide")
wide.fit(input_fn=classes, steps=15)
found = wide.evaluate(input_fn=classes, steps=1)
print("wide %.3f %.2f %d" % (found["accuracy"], found["loss"], found["global_step"]))
print(list(wide.predict(input_fn=features))[:10])

amount = learn.LinearRegressor([hours], "amount", optimizer=tf.train.FtrlOptimizer(0.8))
amount.fit(input_fn=amounts, max_steps=20)
print(np.round(list(amount.predict_scores(input_fn=numbers))[:4], 1))

config = learn.RunConfig(tf_random_seed=7, model_dir="both")
both = learn.DNNLinearCombinedClassifier(
    config=config,
    linear_feature_columns=[ages],
    dnn_feature_columns=deep,
    linear_optimizer=tf.train.FtrlOptimizer(0.2),
    dnn_hidden_units=[5, 3],
    dnn_optimizer=tf.train.AdagradOptimizer(0.1),
)
both.fit(input_fn=classes, steps=20)
metrics = {
    "mean": learn.MetricSpec(
        lambda predictions, labels: tf.metrics.mean_squared_error(tf.to_float(labels), predictions),
        prediction_key=learn.PredictionKey.LOGISTIC,
    )
}
found = both.evaluate(input_fn=classes, steps=1, metrics=metrics)
print("both %.3f %.2f %.2f" % (found["accuracy"], found["loss"], found["mean"]))

together = learn.DNNLinearCombinedRegressor(
    model_dir="together",
    config=learn.RunConfig(tf_random_seed=8),
    linear_feature_columns=[ages],
    dnn_feature_columns=[hours],
    linear_optimizer=tf.train.FtrlOptimizer(0.2),
    dnn_hidden_units=[4],
    dnn_optimizer=tf.train.AdagradOptimizer(0.1),
)
together.fit(input_fn=amounts, steps=15)
print(np.round([next(together.predict(input_fn=numbers)), earned[0]], 1))
