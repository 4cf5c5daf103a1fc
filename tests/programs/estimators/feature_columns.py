"""What input_layer and linear_model make of columns, with tables and weights."""

import tensorflow as tf

features = {
    "price": [[1.0], [5.0], [9.0]],
    "colour": [["red"], ["blue"], ["green"]],
    "tags": tf.SparseTensor([[0, 0], [2, 0], [2, 1]], ["a", "b", "a"], [3, 2]),
}
price = tf.feature_column.numeric_column("price")
bucketized = tf.feature_column.bucketized_column(price, boundaries=[3.0, 6.0])
colour = tf.feature_column.categorical_column_with_vocabulary_list(
    "colour", ["red", "blue"], default_value=-1
)
hashed = tf.feature_column.categorical_column_with_hash_bucket("colour", 5)
tags = tf.feature_column.categorical_column_with_vocabulary_list("tags", ["a", "b"])
columns = [
    price,
    bucketized,
    tf.feature_column.indicator_column(colour),
    tf.feature_column.indicator_column(tags),
]
dense = tf.feature_column.input_layer(features, columns)
embedded = tf.feature_column.input_layer(
    features,
    tf.feature_column.embedding_column(tags, 2, initializer=tf.ones_initializer(), combiner="sum"),
)
linear = tf.feature_column.linear_model(features, [price, hashed])
spec = tf.feature_column.make_parse_example_spec(columns)
with tf.Session() as sess:
    sess.run([tf.global_variables_initializer(), tf.tables_initializer()])
    print(sess.run(dense))
    print(sess.run(embedded).tolist(), sess.run(linear).tolist())
print([v.name for v in tf.trainable_variables()])
print({key: type(value).__name__ for key, value in sorted(spec.items())})
