"""Examples: as messages, through a file, by configurations of features."""

import os

import numpy as np

from tests.behaviour.asking import question, says
from tests.behaviour.questions.parsing import folder, run
from tests.wire import example


@question
def examples_as_messages(tf):
    train = tf.train
    message = train.Example(
        features=train.Features(
            feature={"a": train.Feature(int64_list=train.Int64List(value=[1, -2]))}
        )
    )
    back = train.Example.FromString(message.SerializeToString())
    message.features.feature["s"].bytes_list.value.append(b"x")
    steps = train.SequenceExample()
    steps.context.feature["n"].int64_list.value.extend([3])
    steps.feature_lists.feature_list["w"].feature.add().float_list.value.append(1.5)
    return {
        "back": back,
        "equal": back == message,
        "kind": back.features.feature["a"].WhichOneof("kind"),
        "hand-written": train.Example.FromString(example(a=[1, -2])) == back,
        "steps": steps,
        "empty": train.Example().SerializeToString(),
        "size": len(example(a=[1, -2])) == back.ByteSize(),
        "an int as float": says("", lambda: train.Int64List(value=[1.5]))[:9],
        "text as bytes": says("", lambda: train.BytesList(value=["é"]))[:9],
    }


@question
def examples_through_a_file(tf):
    path = os.path.join(folder(), "examples")
    with tf.python_io.TFRecordWriter(path) as writer:
        for number in range(3):
            writer.write(example(n=[number], words=[b"w"] * number, x=[number / 2]))
    serialized = tf.placeholder(tf.string, [None])
    parsed = tf.parse_example(
        serialized,
        {
            "n": tf.FixedLenFeature([], tf.int64),
            "words": tf.VarLenFeature(tf.string),
            "x": tf.FixedLenFeature([1], tf.float32),
            "y": tf.FixedLenFeature([], tf.float32, -1.0),
        },
    )
    values = run(tf, parsed, {serialized: list(tf.python_io.tf_record_iterator(path))})
    return {
        "names": sorted(parsed),
        "tensors": [parsed["n"], parsed["x"], parsed["words"].indices],
        **{f"value of {key}": values[key] for key in sorted(values)},
        "static": [str(parsed["words"].shape), parsed["x"].shape.as_list()],
    }


@question
def feature_configurations(tf):
    fixed, sequence, sparse = tf.FixedLenFeature, tf.FixedLenSequenceFeature, tf.SparseFeature

    def parse(features):
        return tf.parse_example([example(a=[1])], features)

    return {
        "printed": [
            repr(fixed([2], tf.int64, 3)).replace("<dtype: 'int64'>", "tf.int64"),
            repr(sequence([], "x")),
            repr(sparse("i", "v", "t", 5)),
            repr(tf.VarLenFeature("x")),
        ],
        "equal": fixed([2], tf.int64) == fixed([2], tf.int64),
        "none": says("Argument `features` cannot be None.", parse, {}),
        "a number": says("Unsupported int 3 for key 'a'", parse, {"a": 3}),
        "no type": says("Missing type for feature a.", parse, {"a": tf.VarLenFeature(None)}),
        "no type, fixed": says("Missing type for feature a.", parse, {"a": fixed([], None)}),
        "no shape": says("Missing shape for feature a.", parse, {"a": fixed(None, tf.int64)}),
        "unknown length": says(
            "Consider using FixedLenSequenceFeature.", parse, {"a": fixed([None], tf.int64)}
        ),
        "unknown size": says(
            "All dimensions of shape for feature a need to be known",
            parse,
            {"a": fixed([2, None], tf.int64)},
        ),
        "may not be missing": says(
            "FixedLenSequenceFeature requires allow_missing to be True.",
            parse,
            {"a": sequence([], tf.int64)},
        ),
        "no index": says(
            "Missing index_key for SparseFeature", parse, {"a": sparse(None, "v", tf.int64, 5)}
        ),
        "no value": says(
            "Missing value_key for SparseFeature", parse, {"a": sparse("i", None, tf.int64, 5)}
        ),
        "two types": says(
            "Conflicting type",
            parse,
            {"a": sparse("i", "v", tf.int64, 5), "v": tf.VarLenFeature(tf.string)},
        ),
        "two ways": says(
            "Dense and sparse keys must not intersect",
            parse,
            {"a": sparse("i", "v", tf.int64, 5), "v": fixed([], tf.int64)},
        ),
        "sizes": says(
            "sp_ids and vocab_size have to have equal lengths.",
            parse,
            {"a": sparse(["i"], "v", tf.int64, [5, 6])},
        ),
        "int32": says(
            "not in list of allowed values: float32, int64, string",
            parse,
            {"a": tf.VarLenFeature(tf.int32)},
        ),
        "default of another shape": says(
            "Cannot reshape a tensor with 3 elements to shape [2]",
            parse,
            {"a": fixed([2], tf.int64, [1, 2, 3])},
        ),
        "one and many": says(
            "Input serialized must be a scalar",
            tf.parse_single_example,
            [b""],
            {"a": fixed([], tf.int64)},
        ),
        "context": says("at least one should have values", tf.io.parse_sequence_example, [b""]),
        "a fixed feature list": says(
            "Unsupported FixedLenFeature",
            tf.io.parse_sequence_example,
            [b""],
            None,
            {"a": fixed([], tf.int64)},
        ),
        "a default for a list": says(
            "feature_list.dense_defaults[a] must be None",
            tf.io.parse_sequence_example,
            [b""],
            None,
            {"a": sequence([], tf.int64, True, 1)},
        ),
    }


@question
def names_of_nodes(tf):
    features = {
        "a": tf.FixedLenFeature([], tf.int64, 1),
        "b/c d": tf.FixedLenFeature([2], tf.int64, [1, 2]),
    }
    tf.parse_example([b""], features)
    tf.parse_single_example(b"", features, name="one")
    tf.parse_single_sequence_example(b"", features)
    tf.io.parse_sequence_example([b""], features, name="steps")
    tf.decode_csv(["1"], [[1]])
    return {"nodes": [node.name for node in tf.get_default_graph().as_graph_def().node]}


@question
def sequence_examples(tf):
    empty = tf.placeholder(tf.string, [None])
    required = tf.io.parse_sequence_example(empty, {"m": tf.FixedLenFeature([2], tf.int64)})
    none = np.array([], object)

    def of_none():
        try:
            return list(run(tf, required[0]["m"], {empty: none}).shape)
        except tf.errors.InvalidArgumentError as error:
            return type(error).__name__

    parsed = tf.parse_single_sequence_example(b"", None, {"t": tf.VarLenFeature(tf.string)})
    return {
        "no examples, a required feature": of_none(),
        "an empty example": run(tf, parsed[1]["t"]),
        "context": parsed[0],
    }


DIFFERENCES = {
    ("sequence_examples", "no examples, a required feature"): (
        "[0, 2]",
        "an empty batch lacks nothing; TensorFlow finds 0 elements where it expects 2",
    ),
}
