"""Columns of numbers, of words in a file, with weights, and two that share an embedding."""

import tensorflow as tf

fc = tf.feature_column
with open("genres.txt", "w") as file:
    file.write("comedy\ndrama\nhorror\n")

features = {
    "year": tf.constant([[0], [2], [7]], tf.int64),
    "genre": tf.SparseTensor(
        [[0, 0], [1, 0], [1, 1], [2, 0]], ["drama", "comedy", "western", "horror"], [3, 2]
    ),
    "liking": tf.SparseTensor([[0, 0], [1, 0], [1, 1], [2, 0]], [0.5, 2.0, 1.0, -1.0], [3, 2]),
    "watched": tf.SparseTensor([[0, 0], [0, 1], [2, 0]], tf.constant([1, 3, 0], tf.int64), [3, 2]),
    "wanted": tf.constant([[2], [3], [1]], tf.int64),
}
year = fc.categorical_column_with_identity("year", num_buckets=5, default_value=4)
genre = fc.categorical_column_with_vocabulary_file("genre", "genres.txt", num_oov_buckets=2)
first_two = fc.categorical_column_with_vocabulary_file(
    "genre", "genres.txt", vocabulary_size=2, default_value=0
)
liked = fc.weighted_categorical_column(first_two, "liking")
films = [fc.categorical_column_with_identity(name, 4) for name in ("watched", "wanted")]
rows = [[0.0, 1.0], [1.0, 0.0], [2.0, 2.0], [-1.0, 0.5]]
shared = fc.shared_embedding_columns(
    films, dimension=2, combiner="sum", initializer=tf.constant_initializer(rows)
)
for column in (year, genre, liked, shared[0]):
    print(column.name)

columns = [fc.indicator_column(year), fc.indicator_column(genre)]
dense = fc.input_layer(features, columns)
weighted = fc.input_layer(features, fc.indicator_column(liked))
same_films = fc.input_layer(features, shared)
crossed = fc.crossed_column(["wanted", year], hash_bucket_size=7)
linear = fc.linear_model(features, [liked, year, crossed], sparse_combiner="mean")
labels = tf.constant([[1.0], [0.0], [1.0]])
loss = tf.losses.mean_squared_error(labels, linear + tf.reduce_sum(same_films, 1, keepdims=True))
train_op = tf.train.GradientDescentOptimizer(0.2, name="descent").minimize(loss)

with tf.Session() as sess:
    sess.run([tf.global_variables_initializer(), tf.tables_initializer()])
    for row in sess.run(dense):
        print(row.astype(int).tolist())
    print(sess.run(weighted).tolist())
    print(sess.run(same_films).tolist())
    for step in range(3):
        print("loss %.3f" % sess.run(loss))
        sess.run(train_op)
    print(["%.3f" % value for value in sess.run(linear)[:, 0]])
    (table,) = tf.get_collection(tf.GraphKeys.GLOBAL_VARIABLES, scope=".*shared_embedding")
    print([["%.3f" % value for value in row] for row in sess.run(table)])
for variable in tf.trainable_variables():
    print(variable.name, variable.shape)
spec = fc.make_parse_example_spec([year, genre, liked, *shared])
print([(name, spec[name].dtype.name) for name in sorted(spec)])
try:
    fc.categorical_column_with_identity("year", num_buckets=5, default_value=9)
except ValueError as error:
    print(str(error)[:60])
