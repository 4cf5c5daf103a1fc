"""`tf.feature_column`: composites; graphs, values and gradients as TensorFlow's, name by name."""

import numpy as np

from tests.conformance.cases.readers import FILES
from tests.conformance.nodes import node
from tests.conformance.registry import Program, case

NUMBERS = np.array([[0.5, 2.0], [-1.0, 3.5], [7.0, 0.0]], np.float32)
WORDS = [["a", "b"], ["", "c"], ["c", "?"]]
IDS = [[0, 2], [-1, 1], [7, 0]]


def program(tf, *fetches, **how):
    """Run once variables and tables are initialised, which adds nothing to the graph."""
    setup = [v.initializer for v in tf.global_variables()]
    return Program(fetches, setup=setup + tf.get_collection(tf.GraphKeys.TABLE_INITIALIZERS), **how)


def fixed(tf, rows, width):
    return tf.constant_initializer(np.arange(rows * width).reshape(rows, width) / 10)


def gradients(tf, y):
    """Of a sum that weighs all results differently."""
    width = y.shape[1].value
    total = y * tf.constant(np.arange(1.0, width + 1, dtype=np.float32))
    return tf.gradients(total, tf.trainable_variables())


def words(tf):
    return tf.feature_column.categorical_column_with_vocabulary_list("word", ["a", "b", "c"])


@case("Const")
def columns_are_values(tf):
    """They are compared by their fields, sorted by what they print, and print themselves."""
    fc = tf.feature_column
    x, y, again = (fc.numeric_column(key, shape=2) for key in "xyx")
    assert x == again
    assert len({x, y, again, fc.bucketized_column(x, [0.0])}) == 3
    assert sorted([y, words(tf), x]) == [x, y, words(tf)]
    numeric = "NumericColumn(key='x', shape=(2,), default_value=None, dtype=tf.float32, "
    assert str(x) == numeric + "normalizer_fn=None)"
    assert x._replace(key="y") == y
    columns = [fc.indicator_column(words(tf)), fc.crossed_column(["b", x.key, "a"], 5)]
    assert [c.name for c in columns] == ["word_indicator", "a_X_b_X_x"]
    assert columns[0].variable_shape.as_list() == [1, 3]
    assert columns[1].num_buckets == 5
    return tf.constant(0)


@case("Cast", "ExpandDims", "ConcatV2")
def numeric_columns(tf):
    """Of other dtypes, vectors, with functions of their own; in the order of their names."""
    fc = tf.feature_column
    columns = [
        fc.numeric_column("x", shape=2),
        fc.numeric_column("count", dtype=tf.int64),
        fc.numeric_column("deep", shape=(2, 1), normalizer_fn=lambda x: (x - 1.0) / 2.0),
    ]
    features = {
        "x": tf.constant(NUMBERS),
        "count": tf.constant([1, 2, 3], tf.int64),
        "deep": tf.constant(NUMBERS[:, :, None]),
    }
    return fc.input_layer(features, columns)


@case("Bucketize", "OneHot", "SparseSegmentSum")
def bucketized_columns(tf):
    fc = tf.feature_column
    column = fc.bucketized_column(fc.numeric_column("x", 2), [0.0, 0.5, 3.5])
    x = tf.placeholder(tf.float32, [None, 2])
    dense = fc.input_layer({"x": x}, column)
    linear = fc.linear_model({"x": x}, [column], units=2)
    return program(tf, dense, linear, gradients(tf, linear), feed={x: NUMBERS})


def bucketized(tf, x, boundaries):
    limits = tf.AttrValue(list=tf.AttrValue.ListValue(f=boundaries))
    return node(tf, "Bucketize", [x], T=x.dtype, boundaries=limits)


@case("Bucketize", each=["int32", "int64", "float64"])
def buckets_of_other_dtypes(tf, dtype):
    return bucketized(tf, tf.constant([[-5, 10000], [150, 10], [5, 100]], dtype), [0, 10, 100])


@case("Bucketize", error="Expected sorted boundaries")
def buckets_without_order(tf):
    return bucketized(tf, tf.constant([1.0]), [2, 1])


@case("LookupTableFindV2", "OneHot", "SparseToDense", each=[(-1, 0), (1, 0), (-1, 2)])
def vocabulary_lists(tf, default, buckets):
    fc = tf.feature_column
    columns = [
        fc.categorical_column_with_vocabulary_list(
            "word", ["a", "b", "c"], default_value=default, num_oov_buckets=buckets
        ),
        fc.categorical_column_with_vocabulary_list("id", [2, 0], tf.int32),
    ]
    features = {"word": tf.constant(WORDS), "id": tf.constant(IDS)}
    dense = fc.input_layer(features, map(fc.indicator_column, columns))
    return program(tf, dense)


@case("InitializeTableFromTextFileV2", travels=False)  # the file is of the process
def vocabulary_files(tf):
    path = FILES / "words.txt"
    fc = tf.feature_column
    column = fc.categorical_column_with_vocabulary_file("word", str(path), num_oov_buckets=1)
    assert (column.vocabulary_size, column.default_value) == (3, -1)
    shorter = fc.categorical_column_with_vocabulary_file("other", str(path), 2)
    given = tf.constant([["lake", "?"], ["palmer", ""]])
    features = {"word": given, "other": given}
    columns = [fc.indicator_column(c) for c in (column, shorter)]
    return program(tf, fc.input_layer(features, columns))


@case("StringToHashBucketFast", "AsString")
def hashed_columns(tf):
    fc = tf.feature_column
    columns = [
        fc.categorical_column_with_hash_bucket("word", 5),
        fc.categorical_column_with_hash_bucket("id", 5, tf.int64),
    ]
    sparse = tf.SparseTensor([[0, 0], [0, 3], [2, 1]], ["a", "b", "a"], [3, 4])
    features = {"word": sparse, "id": tf.constant(IDS, tf.int64)}
    dense = fc.input_layer(features, [fc.indicator_column(c) for c in columns])
    return program(tf, dense, fc.linear_model(features, columns))


@case("SelectV2", "OneHot", each=[None, 1])
def identity_columns(tf, default):
    fc = tf.feature_column
    column = fc.categorical_column_with_identity("id", 3, default)
    given = IDS if default else np.clip(IDS, -1, 2)
    features = {"id": tf.constant(given, tf.int32)}
    return program(tf, fc.input_layer(features, [fc.indicator_column(column)]))


@case("Merge", "Assert")
def features_of_unknown_rank(tf):
    fc = tf.feature_column
    x = tf.placeholder(tf.float32)
    layer = fc.input_layer({"x": x}, [fc.numeric_column("x")])
    return Program(layer, feed=[{x: [1.0, 2.0]}, {x: [[1.0], [2.0]]}])


@case("SparseReshape", "ExpandDims")
def features_without_columns_of_their_own(tf):
    """Vectors become matrices, sparse ones too; nothing is known of the batch."""
    fc = tf.feature_column
    word = tf.SparseTensor([[0], [2]], ["a", "b"], [3])
    price = tf.placeholder(tf.float32, [None])
    columns = [fc.numeric_column("price"), fc.indicator_column(words(tf))]
    layer = fc.input_layer({"word": word, "price": price}, columns)
    return program(tf, layer, feed={price: [1.0, 2.0, 3.0]})


@case("SparseSegmentMean", "SparseSegmentSqrtN", "SparseSegmentSum", each=["mean", "sqrtn", "sum"])
def embeddings(tf, combiner):
    fc = tf.feature_column
    how = {"combiner": combiner, "initializer": fixed(tf, 3, 2)}
    column = fc.embedding_column(words(tf), 2, **how)
    made: dict = {}
    outputs: dict = {}
    layer = fc.input_layer(
        {"word": tf.constant(WORDS)},
        [column, fc.indicator_column(words(tf))],
        weight_collections=["mine"],
        cols_to_vars=made,
        cols_to_output_tensors=outputs,
    )
    (table,) = made[column]
    assert made[fc.indicator_column(words(tf))] == []
    assert tf.get_collection("mine") == tf.model_variables() == tf.trainable_variables() == [table]
    gradient = tf.convert_to_tensor(gradients(tf, layer)[0])
    return program(tf, layer, gradient, outputs[column])


@case("SparseSegmentMean", "LookupTableFindV2", graph="types")  # max_norm's names: see embeddings
def embeddings_of_limited_norm(tf):
    fc = tf.feature_column
    column = fc.embedding_column(words(tf), 2, max_norm=0.4, initializer=fixed(tf, 3, 2))
    return program(tf, fc.input_layer({"word": tf.constant(WORDS)}, [column]))


@case("VariableV2", each=[(True, False), (False, True)])
def embeddings_that_are_not_trained(tf, of_column, of_layer):
    fc = tf.feature_column
    column = fc.embedding_column(words(tf), 2, initializer=fixed(tf, 3, 2), trainable=of_column)
    layer = fc.input_layer({"word": tf.constant(WORDS)}, [column], trainable=of_layer)
    assert not tf.trainable_variables()
    return program(tf, layer)


@case("TruncatedNormal", "VariableV2", random=True)
def embeddings_by_default(tf):
    fc = tf.feature_column
    layer = fc.input_layer({"word": tf.constant(WORDS)}, [fc.embedding_column(words(tf), 4)])
    return program(tf, layer)


@case("VarHandleOp", "ResourceGather")
def embeddings_in_resource_variables(tf):
    fc = tf.feature_column
    with tf.variable_scope("outer", use_resource=True):
        column = fc.embedding_column(words(tf), 2, initializer=fixed(tf, 3, 2))
        layer = fc.input_layer({"word": tf.constant(WORDS)}, [column])
        linear = fc.linear_model({"word": tf.constant(WORDS)}, [words(tf)])
    return program(tf, layer, linear)


@case("DynamicPartition", "VariableV2")
def partitioned_embeddings(tf):
    fc = tf.feature_column
    made: dict = {}
    with tf.variable_scope("outer", partitioner=tf.fixed_size_partitioner(2)):
        column = fc.embedding_column(words(tf), 2, initializer=tf.ones_initializer())
        layer = fc.input_layer({"word": tf.constant(WORDS)}, [column], cols_to_vars=made)
        linear = fc.linear_model({"word": tf.constant(WORDS)}, [words(tf)], cols_to_vars=made)
    assert [len(variables) for variables in made.values()] == [2, 2, 1]
    return program(tf, layer, linear)


@case("SparseSegmentMean")
def layers_that_are_used_again(tf):
    fc = tf.feature_column
    column = fc.embedding_column(words(tf), 2, initializer=fixed(tf, 3, 2))
    features = {"word": tf.constant(WORDS)}
    with tf.variable_scope("model"):
        first = fc.input_layer(features, [column])
        linear = fc.linear_model(features, [words(tf)])
    with tf.variable_scope("model", reuse=True):
        second = fc.input_layer(features, [column])
        again = fc.linear_model(features, [words(tf)])
    third = fc.input_layer(features, [column])
    assert len(tf.global_variables()) == 4
    return program(tf, first, linear, second, again, third)


@case("SparseSegmentSum", "SparseSegmentMean", "MatMul", "BiasAdd", each=["sum", "mean"])
def linear_models(tf, combiner):
    fc = tf.feature_column
    made: dict = {}
    x = fc.numeric_column("x", 2)
    features = {"word": tf.constant(WORDS), "x": tf.constant(NUMBERS), "id": tf.constant(IDS)}
    embedding = fc.embedding_column(
        fc.categorical_column_with_identity("id", 8), 2, initializer=fixed(tf, 8, 2)
    )
    columns = [words(tf), x, embedding]
    how = {"weight_collections": ["mine"], "cols_to_vars": made}
    y = fc.linear_model(features, columns, 2, combiner, **how)
    assert [len(made[key]) for key in (words(tf), x, "bias")] == [1, 1, 1]
    assert {*tf.get_collection("mine")} == {*tf.model_variables()} == {*tf.global_variables()}
    found = [tf.convert_to_tensor(g) for g in gradients(tf, y) if g is not None]
    return program(tf, y, found)


@case("MatMul", "BiasAdd")
def linear_models_twice(tf):
    fc = tf.feature_column
    features = {"x": tf.constant(NUMBERS)}
    column = fc.numeric_column("x", 2)
    with tf.variable_scope("outer"):
        results = [fc.linear_model(features, [column], trainable=False) for _ in range(2)]
    assert not tf.trainable_variables()
    return program(tf, *results, fc.linear_model(features, [column]))


@case("ScatterNd", each=["float32", "int64"])
def weighted_columns(tf, dtype):
    fc = tf.feature_column
    column = fc.weighted_categorical_column(words(tf), "weight", tf.as_dtype(dtype))
    places = [[0, 0], [0, 1], [2, 0]]
    features = {
        "word": tf.SparseTensor(places, ["a", "c", "b"], [3, 2]),
        "weight": tf.SparseTensor(places, tf.constant([2, 3, 1], dtype), [3, 2]),
    }
    dense = fc.input_layer(features, [fc.indicator_column(column)])
    embedded = fc.input_layer(
        features, [fc.embedding_column(column, 2, initializer=fixed(tf, 3, 2))]
    )
    return program(tf, dense, embedded, fc.linear_model(features, [column]))


@case("SparseCross", "Bucketize")
def crossed_columns(tf):
    """Of text, numbers, buckets, and of crosses; another key gives other buckets."""
    fc = tf.feature_column
    buckets = fc.bucketized_column(fc.numeric_column("x", 2), [1.0, 3.0])
    first = fc.crossed_column(["word", "id"], 7)
    columns = [first, fc.crossed_column([buckets, first], 9, hash_key=3)]
    columns.append(fc.crossed_column([words(tf), "id"], 5))
    assert [c.name for c in columns] == ["id_X_word", "id_X_word_X_x_bucketized", "id_X_word"]
    x = tf.placeholder(tf.float32, [3, 2])
    features = {
        "word": tf.constant(WORDS),
        "x": x,
        "id": tf.SparseTensor([[0, 0], [1, 0], [1, 1]], tf.constant([4, 5, 6], tf.int64), [3, 2]),
    }
    linear = fc.linear_model(features, columns[:2])
    ids = [fc.input_layer(features, [fc.indicator_column(c)]) for c in columns]
    return program(tf, linear, ids, feed={x: NUMBERS})


@case("SparseSegmentMean")
def shared_embeddings(tf):
    fc = tf.feature_column
    plain = fc.categorical_column_with_identity("id", 8)
    weighted = fc.weighted_categorical_column(
        fc.categorical_column_with_identity("other", 8), "weight"
    )
    columns = fc.shared_embedding_columns([plain, weighted], 2, initializer=fixed(tf, 8, 2))
    features = {
        "id": tf.constant(IDS),
        "other": tf.constant([[1], [2], [3]]),
        "weight": tf.constant([[1.0], [2.0], [0.5]]),
    }
    made: dict = {}
    layer = fc.input_layer(features, columns, cols_to_vars=made)
    name = "id_other_weighted_by_weight_shared_embedding"
    assert [len(made[column]) for column in columns] == [1, 0]
    assert tf.get_collection(name) == tf.trainable_variables()
    again = fc.input_layer(features, columns[1:])
    gradient = tf.convert_to_tensor(gradients(tf, layer)[0])
    return program(tf, layer, again, gradient)


@case("ParseExampleV2")
def examples(tf):
    fc = tf.feature_column
    columns = [
        fc.indicator_column(words(tf)),
        fc.numeric_column("x", (1, 2), default_value=3),
        fc.crossed_column(["word", "other"], 5),
        fc.weighted_categorical_column(fc.categorical_column_with_identity("id", 3), "weight"),
    ]
    spec = fc.make_parse_example_spec(columns)
    assert spec["x"].default_value == ((3, 3),)
    example = tf.train.Example()
    example.features.feature["word"].bytes_list.value.append(b"b")
    parsed = tf.parse_example([example.SerializeToString()], spec)
    return [parsed[key] for key in sorted(parsed)]


# Sequences ----------------------------------------------------------------------------------------


def sequences(tf, features, columns):
    """Of TensorFlow 2.15, which has no contrib, the layer that does the same."""
    if hasattr(tf, "contrib"):
        return tf.contrib.feature_column.sequence_input_layer(features, columns)
    return tf.keras.experimental.SequenceFeatures(columns)(features)


#: One feature, of steps with several values; another, a number or two for each step.
def sequence_features(tf):
    places = [[0, 0, 0], [0, 0, 1], [0, 1, 0], [2, 0, 0]]
    numbers = [[0, 0], [0, 1], [0, 2], [0, 3], [2, 0], [2, 1]]
    return {
        "word": tf.SparseTensor(places, ["a", "c", "b", "?"], [4, 2, 2]),
        "x": tf.SparseTensor(numbers, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [4, 4]),
    }


@case("SegmentMax", "SparseReshape", "SparseSegmentMean", graph="any")  # TensorFlow 2's layer
def sequences_of_words_and_numbers(tf):
    fc = tf.feature_column
    word = fc.sequence_categorical_column_with_vocabulary_list("word", ["a", "b", "c"])
    columns = [
        fc.embedding_column(word, 2, initializer=fixed(tf, 3, 2)),
        fc.indicator_column(word),
        fc.sequence_numeric_column("x", 2, default_value=-1.0, normalizer_fn=halved),
    ]
    return program(tf, sequences(tf, sequence_features(tf), columns))


def halved(x):
    return x * 0.5


@case("SegmentMax", graph="any")  # TensorFlow 2's layer
def sequences_in_buckets(tf):
    fc = tf.feature_column
    column = fc.sequence_categorical_column_with_hash_bucket("word", 5)
    return program(tf, sequences(tf, sequence_features(tf), [fc.indicator_column(column)]))


@case("ConcatV2", error="categorical_column must be of type SequenceCategoricalColumn to use")
def sequences_of_other_columns(tf):
    column = tf.feature_column.indicator_column(words(tf))
    return sequences(tf, sequence_features(tf), [column])
