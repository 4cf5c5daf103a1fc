"""What `tf.feature_column` refuses, in TensorFlow's first words."""

from tests.conformance.cases.feature_column import IDS, NUMBERS, WORDS, words
from tests.conformance.registry import case


def layer(tf, column, **features):
    return tf.feature_column.input_layer({k: tf.constant(v) for k, v in features.items()}, column)


@case(
    "ConcatV2", error="Items of feature_columns must be a _DenseColumn. You can wrap a categorical"
)
def categorical_columns_alone(tf):
    return layer(tf, [words(tf)], word=WORDS)


@case("ConcatV2", error="Items of feature_columns must be a")
def names_for_columns(tf):
    return layer(tf, ["x"], x=NUMBERS)


@case("ConcatV2", error="feature_columns must not be empty.")
def no_columns(tf):
    return layer(tf, [], x=NUMBERS)


@case("ConcatV2", error="Expected feature_columns to be iterable, found dict.")
def columns_in_a_dictionary(tf):
    return layer(tf, {"x": tf.feature_column.numeric_column("x")}, x=NUMBERS)


@case("ConcatV2", error="Duplicate feature column name found for columns")
def columns_of_one_name(tf):
    fc = tf.feature_column
    return layer(tf, [fc.numeric_column("x"), fc.numeric_column("x", 2)], x=NUMBERS)


@case("ConcatV2", error="Feature y is not in features dictionary.")
def features_that_are_missing(tf):
    return layer(tf, tf.feature_column.numeric_column("y"), x=NUMBERS)


@case("ConcatV2", error="cannot have rank 0. Given")
def features_that_are_scalars(tf):
    return layer(tf, tf.feature_column.numeric_column("x"), x=1.0)


@case("ConcatV2", error="The corresponding Tensor of numerical column must be a Tensor.")
def sparse_numbers(tf):
    sparse = tf.SparseTensor([[0, 0]], [1.0], [1, 1])
    return tf.feature_column.input_layer({"x": sparse}, tf.feature_column.numeric_column("x"))


@case("ConcatV2", error="Batch size (first dimension) of each feature must be same.")
def batches_of_different_sizes(tf):
    fc = tf.feature_column
    return layer(tf, [fc.numeric_column("x", 2), fc.numeric_column("y")], x=NUMBERS, y=[1.0])


@case("Reshape", error="Cannot reshape a tensor with 6 elements to shape [3,3]")
def numbers_of_another_shape(tf):
    return layer(tf, tf.feature_column.numeric_column("x", 3), x=NUMBERS)


@case("ConcatV2", error="Column dtype and SparseTensors dtype must be compatible. key: word")
def numbers_for_words(tf):
    return layer(tf, tf.feature_column.indicator_column(words(tf)), word=IDS)


@case("ConcatV2", error="Invalid input, not integer. key: id")
def words_for_ids(tf):
    column = tf.feature_column.categorical_column_with_identity("id", 3)
    return layer(tf, tf.feature_column.indicator_column(column), id=WORDS)


@case("ConcatV2", error="Bad dtype, expected")
def weights_of_another_dtype(tf):
    fc = tf.feature_column
    column = fc.indicator_column(fc.weighted_categorical_column(words(tf), "w"))
    return layer(tf, column, word=WORDS, w=IDS)


@case("ConcatV2", error="crossed_column does not support weight_tensor")
def crosses_of_weighted_columns(tf):
    fc = tf.feature_column
    column = fc.crossed_column([fc.weighted_categorical_column(words(tf), "w"), "id"], 3)
    return layer(tf, fc.indicator_column(column), word=WORDS, id=WORDS, w=NUMBERS)


WRONG = {
    "shape dimensions must be integer.": lambda fc, tf: fc.numeric_column("x", 1.5),
    "shape dimensions must be greater than 0.": lambda fc, tf: fc.numeric_column("x", 0),
    "dtype must be convertible to float.": lambda fc, tf: fc.numeric_column("x", dtype=tf.string),
    "The shape of default_value must be equal": lambda fc, tf: fc.numeric_column("x", 2, [1.0]),
    "default_value must be compatible": lambda fc, tf: fc.numeric_column("x", 1, "a"),
    "normalizer_fn must be a callable.": lambda fc, tf: fc.numeric_column("x", normalizer_fn=3),
    "key must be a string. Got": lambda fc, tf: fc.numeric_column(fc.numeric_column("x")),
    "source_column must be a column": lambda fc, tf: fc.bucketized_column("x", [1.0]),
    "source_column must be one-dim": lambda fc, tf: fc.bucketized_column(
        fc.numeric_column("x", (2, 2)), [1.0]
    ),
    "boundaries must be a sorted list": lambda fc, tf: fc.bucketized_column(
        fc.numeric_column("x"), [2.0, 1.0]
    ),
    "boundaries must not be empty": lambda fc, tf: fc.bucketized_column(fc.numeric_column("x"), []),
    "hash_bucket_size must be at least 1": lambda fc, tf: fc.categorical_column_with_hash_bucket(
        "x", 0
    ),
    "dtype must be string or integer": lambda fc, tf: fc.categorical_column_with_hash_bucket(
        "x", 3, tf.float32
    ),
    "Duplicate keys in vocab": lambda fc, tf: fc.categorical_column_with_vocabulary_list(
        "x", ["a", "a"]
    ),
    "must be non-empty, column": lambda fc, tf: fc.categorical_column_with_vocabulary_list("x", []),
    "Can't specify both num_oov_buckets": lambda fc, tf: fc.categorical_column_with_vocabulary_list(
        "x", ["a"], default_value=0, num_oov_buckets=1
    ),
    "and vocabulary dtype": lambda fc, tf: fc.categorical_column_with_vocabulary_list(
        "x", ["a"], tf.int64
    ),
    "Missing vocabulary_file in x": lambda fc, tf: fc.categorical_column_with_vocabulary_file(
        "x", ""
    ),
    "vocabulary_file in x does not exist": lambda fc, tf: (
        fc.categorical_column_with_vocabulary_file("x", "/nowhere/to/be/found")
    ),
    "not in range [0, 3)": lambda fc, tf: fc.categorical_column_with_identity("x", 3, 3),
    "num_buckets 0 < 1": lambda fc, tf: fc.categorical_column_with_identity("x", 0),
    "is not convertible to float": lambda fc, tf: fc.weighted_categorical_column(
        words(tf), "w", tf.string
    ),
    "keys must be a list with length > 1": lambda fc, tf: fc.crossed_column(["x"], 3),
    "Unsupported key type.": lambda fc, tf: fc.crossed_column(["x", fc.numeric_column("y")], 3),
    "is not supported for crossing": lambda fc, tf: fc.crossed_column(
        ["x", fc.categorical_column_with_hash_bucket("y", 3)], 3
    ),
    "Unsupported input type.": lambda fc, tf: fc.indicator_column(fc.numeric_column("x")),
    "Invalid dimension 0": lambda fc, tf: fc.embedding_column(words(tf), 0),
    "Must specify both `ckpt_to_load_from`": lambda fc, tf: fc.embedding_column(
        words(tf), 2, ckpt_to_load_from="here"
    ),
    "initializer must be callable": lambda fc, tf: fc.embedding_column(words(tf), 2, initializer=3),
    "all categorical_columns must have the same type": lambda fc, tf: fc.shared_embedding_columns(
        [words(tf), fc.categorical_column_with_identity("id", 3)], 2
    ),
    "same number of buckets": lambda fc, tf: fc.shared_embedding_columns(
        [fc.categorical_column_with_identity(key, n) for key, n in (("a", 2), ("b", 3))], 2
    ),
    "All feature_columns must be": lambda fc, tf: fc.make_parse_example_spec(["x"]),
    "different parse_spec for key x": lambda fc, tf: fc.make_parse_example_spec(
        [fc.numeric_column("x"), fc.numeric_column("x", 2)]
    ),
}


@case("Const")
def arguments_that_are_refused(tf):
    for message, wrong in WRONG.items():
        refused = None
        try:
            wrong(tf.feature_column, tf)
        except (TypeError, ValueError) as error:
            refused = str(error)
        assert message in (refused or "not at all"), (message, refused)
    return tf.constant(len(WRONG))


@case("ConcatV2", error="categorical_column must not be of type _SequenceCategoricalColumn.")
def sequences_as_inputs_of_a_network(tf):
    fc = tf.feature_column
    word = fc.sequence_categorical_column_with_identity("id", 3)
    return layer(tf, fc.indicator_column(word), id=IDS)
