"""Examples: whatever is written comes back, and what is damaged is refused."""

import contextlib
import struct

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tinytf as tf
from tests.wire import example, field, varint
from tinytf.ops.io import example_wire as wire
from tinytf.protos import example_pb2

INTEGERS = st.integers(-(2**63), 2**63 - 1)
FLOATS = st.floats(width=32, allow_nan=False)
VALUES = st.one_of(
    st.lists(INTEGERS, max_size=5), st.lists(FLOATS, max_size=5), st.lists(st.binary(), max_size=5)
)
KEYS = st.text(max_size=150)


def message(features):
    made = example_pb2.Example()
    for key, values in features.items():
        feature = made.features.feature[key]
        kind = type(values[0]) if values else None
        lists = {int: feature.int64_list, float: feature.float_list, bytes: feature.bytes_list}
        if kind:
            lists[kind].value.extend(values)
    return made


@given(st.dictionaries(KEYS, VALUES, max_size=6))
def test_what_protobuf_writes_is_read(features):
    data = message(features).SerializeToString()
    found = wire.features(data)
    assert {key.decode() for key in found} == set(features)
    for key, values in features.items():
        kind, spans = wire.values(data, found[key.encode()])
        if not values:
            assert kind == 0
        elif isinstance(values[0], bytes):
            assert [data[slice(*span)] for span in spans] == values
        else:
            read = wire.integers if kind == wire.INT64 else wire.floats
            assert read(wire.payload(data, spans)).tolist() == values


@settings(max_examples=25)
@given(
    st.lists(
        st.fixed_dictionaries(
            {
                "i": st.lists(INTEGERS, max_size=4),
                "f": st.lists(FLOATS, max_size=4),
                "s": st.lists(st.binary(max_size=200), max_size=4),
                "one": st.lists(INTEGERS, min_size=1, max_size=1),
            }
        ),
        max_size=4,
    )
)
def test_a_batch_comes_back(batch):
    serialized = np.empty(len(batch), object)
    serialized[:] = [message(features).SerializeToString() for features in batch]
    kinds = {"i": tf.int64, "f": tf.float32, "s": tf.string}
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.string, [None])
        parsed = tf.parse_example(
            x,
            {
                **{key: tf.VarLenFeature(dtype) for key, dtype in kinds.items()},
                "one": tf.FixedLenFeature([], tf.int64),
            },
        )
        padded = tf.parse_example(
            x, {key: tf.FixedLenSequenceFeature([], dtype, True) for key, dtype in kinds.items()}
        )
        values, rows = session.run([parsed, padded], {x: serialized})
    assert values["one"].tolist() == [features["one"][0] for features in batch]
    for key, dtype in kinds.items():
        longest = max((len(features[key]) for features in batch), default=0)
        assert values[key].values.tolist() == [v for features in batch for v in features[key]]
        assert values[key].dense_shape.tolist() == [len(batch), longest]
        filling = b"" if dtype == tf.string else 0
        assert rows[key].tolist() == [
            features[key] + [filling] * (longest - len(features[key])) for features in batch
        ]


@given(st.dictionaries(KEYS, VALUES, min_size=1, max_size=3), st.data())
def test_a_damaged_message_gives_an_answer_or_is_refused(features, data):
    stored = bytearray(message(features).SerializeToString())
    place = data.draw(st.integers(0, len(stored) - 1))
    stored[place] ^= data.draw(st.integers(1, 255))
    damaged = bytes(stored[: data.draw(st.integers(0, len(stored)))])
    with contextlib.suppress(wire.MalformedError):  # and nothing else
        for feature in wire.features(damaged).values():
            kind, spans = wire.values(damaged, feature)
            assert kind in (0, 1, 2, 3)
            assert all(0 <= begin <= end <= len(damaged) for begin, end in spans)


@given(st.lists(INTEGERS, max_size=30))
def test_integers_of_all_lengths(values):
    packed = b"".join(map(varint, values))
    assert wire.integers(packed).tolist() == values
    assert wire.count_integers([varint(value) for value in values]).tolist() == [1] * len(values)


@pytest.mark.parametrize("packed", [b"\x80", b"\xff" * 10 + b"\x01", b"\x01\x80"])
def test_integers_that_do_not_end(packed):
    with pytest.raises(wire.MalformedError):
        wire.integers(packed)


def test_a_length_of_terabytes_is_refused_without_asking_for_the_memory():
    announced = b"\x0a" + varint(1 << 40) + b"abc"
    inside = field(1, field(1, field(1, b"i") + b"\x12" + varint(1 << 50)))
    for data in (announced, inside):
        with pytest.raises(wire.MalformedError):
            wire.features(data)


def parse(data, **features):
    with tf.Graph().as_default(), tf.Session() as session:
        return session.run(tf.parse_example(data, features))


def test_numbers_may_come_one_by_one_or_in_several_pieces():
    floats = b"\x0d" + struct.pack("<f", 1.5) + field(1, struct.pack("<2f", 2.5, 3.5))
    data = field(1, field(1, field(1, b"f") + field(2, field(2, floats))))
    assert parse([data], f=tf.VarLenFeature(tf.float32))["f"].values.tolist() == [1.5, 2.5, 3.5]


def test_of_two_kinds_in_one_feature_the_last_counts():
    both = field(1, field(1, b"text")) + field(3, field(1, varint(7)))
    data = field(1, field(1, field(1, b"x") + field(2, both)))
    assert parse([data], x=tf.FixedLenFeature([], tf.int64))["x"].tolist() == [7]


def test_half_a_float_is_refused():
    data = field(1, field(1, field(1, b"f") + field(2, field(2, field(1, b"abcde")))))
    with pytest.raises(tf.errors.InvalidArgumentError, match="Could not parse example input"):
        parse([data], f=tf.VarLenFeature(tf.float32))


def test_the_message_names_example_feature_and_both_kinds():
    rows = [example(age=[1]), example(age=[b"old"])]
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        parse(rows, age=tf.FixedLenFeature([], tf.int64))
    text = str(caught.value)
    assert "Key: age, Index: 1." in text
    assert "Data type: string but expected type: int64" in text
    assert "bytes_list" in text
    assert "test_examples.py" in text  # where the parser was built


def test_the_message_says_how_to_take_another_number_of_values():
    data = message({"x": [1, 2]}).SerializeToString()
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        parse(data, x=tf.FixedLenFeature([], tf.int64))
    assert "Values size: 2 but output shape: []" in str(caught.value)
    assert "tf.FixedLenFeature([2], ...) takes so many" in str(caught.value)


def test_the_message_says_what_the_example_has():
    with pytest.raises(tf.errors.InvalidArgumentError, match="The example has age, name"):
        parse([example(name=[b"x"], age=[1])], height=tf.FixedLenFeature([], tf.float32))


def test_no_example_is_parsed_while_the_graph_is_built():
    with tf.Graph().as_default():
        parsed = tf.parse_example([b"garbage"], {"i": tf.VarLenFeature(tf.int64)})
        assert parsed["i"].shape.as_list() == [None, None]


def test_ragged_features_say_what_to_use():
    with pytest.raises(NotImplementedError, match=r"VarLenFeature gives the same values"):
        tf.io.RaggedFeature(tf.int64)


def test_a_feature_list_of_a_sequence_example():
    made = example_pb2.SequenceExample()
    for step in ([1, 2], [], [300]):
        made.feature_lists.feature_list["w"].feature.add().int64_list.value.extend(step)
    features = {"w": tf.VarLenFeature(tf.int64)}
    with tf.Graph().as_default(), tf.Session() as session:
        _, parsed = tf.parse_single_sequence_example(made.SerializeToString(), None, features)
        value = session.run(parsed["w"])
    assert value.values.tolist() == [1, 2, 300]
    assert value.indices.tolist() == [[0, 0], [0, 1], [2, 0]]
