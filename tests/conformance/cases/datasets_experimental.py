"""Datasets of `tf.data.experimental`: groups, examples, values that may be missing."""

from tests.conformance.nodes import Shapes, node
from tests.conformance.registry import Program, case

#: Functions are named by counters there.
NAMED = "types"


def elements(tf, dataset, runs, **settings):
    """The next elements in so many runs."""
    iterator = tf.data.make_initializable_iterator(dataset)
    return Program(iterator.get_next(), setup=[iterator.initializer], runs=runs, **settings)


# Groups -------------------------------------------------------------------------------------------


def mean_of_groups(tf):
    return tf.data.experimental.Reducer(
        lambda key: (tf.constant(0.0), tf.constant(0.0)),
        lambda state, x: (state[0] + tf.cast(x, tf.float32), state[1] + 1.0),
        lambda total, count: total / count,
    )


@case("ExperimentalGroupByReducerDataset", graph=NAMED)
def group_by_reducer(tf):
    grouped = tf.data.experimental.group_by_reducer(lambda x: x % 3, mean_of_groups(tf))
    return elements(tf, tf.data.Dataset.range(10).apply(grouped), 3)


@case("ExperimentalGroupByReducerDataset", graph=NAMED)
def group_by_reducer_of_growing_states(tf):
    reducer = tf.data.experimental.Reducer(
        lambda key: tf.zeros([0], tf.int64),
        lambda state, x: tf.concat([state, [x]], 0),
        lambda state: {"all": state, "sum": tf.reduce_sum(state)},
    )
    grouped = tf.data.experimental.group_by_reducer(lambda x: -(x % 2), reducer)
    return elements(tf, tf.data.Dataset.range(5).apply(grouped), 2)


@case("ExperimentalGroupByReducerDataset", graph=NAMED, error="End of sequence")
def group_by_reducer_of_nothing(tf):
    grouped = tf.data.experimental.group_by_reducer(lambda x: x, mean_of_groups(tf))
    return elements(tf, tf.data.Dataset.range(0).apply(grouped), 1)


@case("ExperimentalGroupByReducerDataset", error="Expected `key_func` to return a scalar")
def group_by_reducer_with_another_key(tf):
    grouped = tf.data.experimental.group_by_reducer(lambda x: tf.stack([x]), mean_of_groups(tf))
    return elements(tf, tf.data.Dataset.range(3).apply(grouped), 1)


@case("ExperimentalGroupByReducerDataset", error="he element types for the new state")
def group_by_reducer_with_another_state(tf):
    reducer = tf.data.experimental.Reducer(
        lambda key: tf.constant(0.0), lambda state, x: x, lambda state: state
    )
    grouped = tf.data.experimental.group_by_reducer(lambda x: x, reducer)
    return elements(tf, tf.data.Dataset.range(3).apply(grouped), 1)


# Sparse batches -----------------------------------------------------------------------------------


@case("DenseToSparseBatchDataset", graph=NAMED, each=[([6],), ([None],)])
def dense_to_sparse_batch(tf, shape):
    ragged = tf.data.Dataset.range(1, 6).map(lambda n: tf.fill([n], n))
    batches = ragged.apply(tf.data.experimental.dense_to_sparse_batch(2, shape))
    return elements(tf, batches, 3)


@case("DenseToSparseBatchDataset", graph=NAMED)
def dense_to_sparse_batch_of_texts(tf):
    ragged = tf.data.Dataset.range(3).map(lambda n: tf.fill([n, 2], "a"))
    batches = ragged.apply(tf.data.experimental.dense_to_sparse_batch(3, [4, 2]))
    return elements(tf, batches, 1)


@case("DenseToSparseBatchDataset", graph=NAMED, error="larger than the row shape")
def dense_to_sparse_batch_that_is_too_small(tf):
    ragged = tf.data.Dataset.range(1, 6).map(lambda n: tf.fill([n], n))
    return elements(tf, ragged.apply(tf.data.experimental.dense_to_sparse_batch(5, [3])), 1)


@case("DenseToSparseBatchDataset", graph=NAMED, error="incompatible with the row shape")
def dense_to_sparse_batch_of_another_rank(tf):
    ragged = tf.data.Dataset.range(1, 6).map(lambda n: tf.fill([n], n))
    return elements(tf, ragged.apply(tf.data.experimental.dense_to_sparse_batch(5, [3, 3])), 1)


# Examples -----------------------------------------------------------------------------------------


def examples(tf, count=4):
    serialised = []
    for number in range(count):
        example = tf.train.Example()
        feature = example.features.feature
        feature["label"].int64_list.value.append(number)
        feature["image"].float_list.value.extend([number, 0.5])
        feature["words"].bytes_list.value.extend([b"w"] * number)
        feature["places"].int64_list.value.extend(range(number))
        serialised.append(example.SerializeToString(deterministic=True))
    return tf.data.Dataset.from_tensor_slices(tf.constant(serialised))


def features(tf):
    return {
        "label": tf.FixedLenFeature([], tf.int64),
        "words": tf.VarLenFeature(tf.string),
        "image": tf.FixedLenFeature([2], tf.float32),
        "more": tf.FixedLenFeature([1], tf.float32, default_value=[7.0]),
        "places": tf.FixedLenSequenceFeature([], tf.int64, allow_missing=True),
    }


@case("ParseExampleDatasetV2", graph=NAMED)
def parse_example_dataset(tf):
    batches = examples(tf).batch(2)
    parsed = batches.apply(tf.data.experimental.parse_example_dataset(features(tf)))
    return elements(tf, parsed, 2)


@case("ParseExampleDatasetV2", graph=NAMED)
def parse_example_dataset_with_sparse_features(tf):
    wanted = {
        "label": tf.FixedLenFeature([], tf.int64),
        "x": tf.SparseFeature("places", "places", tf.int64, 9),
    }
    batches = examples(tf).batch(4, drop_remainder=True)
    return elements(tf, batches.apply(tf.data.experimental.parse_example_dataset(wanted, 2)), 1)


@case("ParseExampleDatasetV2", graph=NAMED, error="is required but could not be found")
def parse_example_dataset_without_a_feature(tf):
    wanted = {"nothing": tf.FixedLenFeature([], tf.int64)}
    batches = examples(tf).batch(2)
    return elements(tf, batches.apply(tf.data.experimental.parse_example_dataset(wanted)), 1)


@case("ParseExampleDatasetV2", error="should be a dataset of vectors of strings")
def parse_example_dataset_of_scalars(tf):
    wanted = {"label": tf.FixedLenFeature([], tf.int64)}
    return examples(tf).apply(tf.data.experimental.parse_example_dataset(wanted))


@case("ParseExampleDataset")
def parse_example_dataset_of_older_graphs(tf):
    batches = examples(tf).batch(2)
    attrs = {
        "sparse_keys": ["words"],
        "dense_keys": ["label"],
        "sparse_types": (tf.string,),
        "Tdense": (tf.int64,),
        "dense_shapes": Shapes([]),
        "output_types": (tf.int64, tf.variant),
        "output_shapes": Shapes([None], None),
    }
    inputs = [batches._variant_tensor, tf.constant(1, tf.int64), tf.constant([], tf.int64)]
    attrs["output_shapes"] = tf.AttrValue(
        list=tf.AttrValue.ListValue(
            shape=[tf.TensorShape([None]).as_proto(), tf.TensorShape(None).as_proto()]
        )
    )
    handle = node(tf, "ParseExampleDataset", inputs, **attrs)[0]
    types = {"output_types": attrs["output_types"], "output_shapes": attrs["output_shapes"]}
    iterator = node(tf, "IteratorV2", [], shared_name="", container="", **types)[0]
    begin = tf.get_default_graph().create_op("MakeIterator", [handle, iterator])
    label, words = node(tf, "IteratorGetNext", [iterator], **types)
    parts = node(tf, "DeserializeSparse", [words], dtype=tf.string, Tserialized=tf.variant)
    return Program([label, *parts], setup=[begin], runs=2)


@case("GroupByReducerDataset", graph=NAMED)
def group_by_reducer_of_newer_graphs(tf):
    # its functions come from what TensorFlow itself builds, by the type before it
    grouped = tf.data.experimental.group_by_reducer(lambda x: x % 3, mean_of_groups(tf))
    made = tf.data.Dataset.range(10).apply(grouped)._variant_tensor.op
    names = ("key_func", "init_func", "reduce_func", "finalize_func")
    attrs = {
        **{name: made.get_attr(name) for name in names},
        **{f"T{name}_other_arguments": () for name in names},
    }
    attrs = {
        name: tf.AttrValue(func=value)
        if name in names
        else tf.AttrValue(list=tf.AttrValue.ListValue())
        for name, value in attrs.items()
    }
    types = {"output_types": (tf.float32,), "output_shapes": Shapes([])}
    handle = node(tf, "GroupByReducerDataset", list(made.inputs), **attrs, **types)[0]
    iterator = node(tf, "IteratorV2", [], shared_name="", container="", **types)[0]
    begin = tf.get_default_graph().create_op("MakeIterator", [handle, iterator])
    return Program(node(tf, "IteratorGetNext", [iterator], **types), setup=[begin], runs=3)


# Values that may be missing -----------------------------------------------------------------------


@case("IteratorGetNextAsOptional", "OptionalHasValue", "OptionalGetValue", graph=NAMED)
def get_next_as_optional(tf):
    pairs = tf.data.Dataset.from_tensor_slices({"a": [1, 2], "b": ["x", "y"]})
    iterator = tf.data.make_initializable_iterator(pairs)
    element = tf.data.experimental.get_next_as_optional(iterator)
    return Program([element.has_value(), element.get_value()], setup=[iterator.initializer], runs=2)


@case("IteratorGetNextAsOptional", "OptionalHasValue")
def the_end_as_optional(tf):
    iterator = tf.data.make_initializable_iterator(tf.data.Dataset.range(1))
    element = tf.data.experimental.get_next_as_optional(iterator)
    found = tf.cond(
        element.has_value(), lambda: element.get_value() + 10, lambda: tf.constant(-1, tf.int64)
    )
    return Program([element.has_value(), found], setup=[iterator.initializer], runs=3)


@case("OptionalFromValue", "OptionalHasValue", "OptionalGetValue")
def an_optional_value(tf):
    both = (tf.constant([1, 2]), {"a": tf.constant("text")})
    some = tf.data.experimental.Optional.from_value(both)
    return [some.has_value(), some.get_value()]


@case("OptionalNone", "OptionalHasValue")
def no_optional_value(tf):
    none = tf.data.experimental.Optional.empty(tf.TensorSpec([2], tf.float32))
    return none.has_value()


@case("OptionalGetValue", error="The given optional does not have a value")
def getting_no_optional_value(tf):
    none = tf.data.experimental.Optional.empty(tf.TensorSpec([2], tf.float32))
    return none.get_value()
