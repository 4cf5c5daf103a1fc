"""`tf.contrib.data`, which TensorFlow 2 has no longer; and what it is made of."""

import pytest

import tinytf as tf


def elements(dataset):
    iterator = tf.data.make_initializable_iterator(dataset)
    element = iterator.get_next()
    found = []
    with tf.Session() as session:
        session.run(iterator.initializer)
        while True:
            try:
                found.append(session.run(element))
            except tf.errors.OutOfRangeError:
                return found


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default():
        yield


def test_whole_batches_only():
    numbers = tf.data.Dataset.range(5)
    batches = elements(numbers.apply(tf.contrib.data.batch_and_drop_remainder(2)))
    assert [batch.tolist() for batch in batches] == [[0, 1], [2, 3]]
    ragged = numbers.map(lambda n: tf.fill([n], n))
    padded = ragged.apply(tf.contrib.data.padded_batch_and_drop_remainder(3, [None]))
    assert [batch.tolist() for batch in elements(padded)] == [[[0, 0], [1, 0], [2, 2]]]


def test_windows():
    numbers = tf.data.Dataset.range(7)
    make = tf.contrib.data.sliding_window_batch
    assert [w.tolist() for w in elements(numbers.apply(make(3, 2)))] == [
        [0, 1, 2],
        [2, 3, 4],
        [4, 5, 6],
    ]
    spread = make(window_size=3, window_shift=3, window_stride=2)
    assert [w.tolist() for w in elements(numbers.apply(spread))] == [[0, 2, 4]]
    pairs = tf.data.Dataset.from_tensor_slices(([1, 2, 3], ["a", "b", "c"]))
    windows = elements(pairs.apply(make(2)))
    assert [(n.tolist(), t.tolist()) for n, t in windows] == [
        ([1, 2], [b"a", b"b"]),
        ([2, 3], [b"b", b"c"]),
    ]
    with pytest.raises(ValueError, match="Cannot specify both `stride` and `window_shift`"):
        make(2, 1, 1)


def test_shapes_are_checked():
    pairs = tf.data.Dataset.from_tensors([1, 2]).map(lambda x: tf.placeholder_with_default(x, None))
    checked = pairs.apply(tf.contrib.data.assert_element_shape(tf.TensorShape([2])))
    assert checked.output_shapes.as_list() == [2]
    assert [x.tolist() for x in elements(checked)] == [[1, 2]]
    iterator = tf.data.make_initializable_iterator(
        pairs.apply(tf.contrib.data.assert_element_shape(tf.TensorShape([3])))
    )
    element = iterator.get_next()
    with tf.Session() as session:
        session.run(iterator.initializer)
        with pytest.raises(tf.errors.InvalidArgumentError, match="not compatible with"):
            session.run(element)


def test_reduced_to_one():
    total = tf.contrib.data.Reducer(
        lambda key: key, lambda state, x: state + x, lambda state: state * 10
    )
    with tf.Session() as session:
        assert session.run(tf.contrib.data.reduce_dataset(tf.data.Dataset.range(5), total)) == 100


def test_interleaved():
    rows = tf.data.Dataset.range(1, 4)
    apart = rows.apply(
        tf.contrib.data.sloppy_interleave(
            lambda n: tf.data.Dataset.from_tensors(n).repeat(n), cycle_length=2
        )
    )
    assert sorted(elements(apart)) == [1, 2, 2, 3, 3, 3]


def test_got_ready_for_a_device():
    numbers = tf.data.Dataset.range(3)
    there = numbers.apply(tf.data.experimental.copy_to_device("/gpu:0"))
    assert elements(there.apply(tf.data.experimental.prefetch_to_device("/gpu:0"))) == [0, 1, 2]


def test_older_functions():
    numbers = tf.data.Dataset.range(6).map_with_legacy_function(lambda x: x * 2)
    assert elements(numbers.filter_with_legacy_function(lambda x: x > 6)) == [8, 10]
    batches = numbers.apply(
        tf.data.experimental.map_and_batch_with_legacy_function(lambda x: x + 1, 3)
    )
    assert [b.tolist() for b in elements(batches)] == [[1, 3, 5], [7, 9, 11]]


def test_names_that_contrib_had():
    assert tf.contrib.data.Counter is tf.data.experimental.Counter
    assert tf.contrib.data.CsvDataset is tf.data.experimental.CsvDataset
    assert tf.contrib.staging.StagingArea.__name__ == "StagingArea"
    with pytest.raises(AttributeError, match=r"Did you mean tf\.contrib\.data\.unique"):
        _ = tf.contrib.data.uniqe


def test_long_csv_records_over_buffers(tmp_path):
    """What is cut between two buffers, quotes and line ends too."""
    texts = [f'{number},"a,{number}\r\nb""c",{"x" * (number % 7)}' for number in range(300)]
    path = tmp_path / "long.csv"
    path.write_bytes("\r\n".join(texts).encode())
    for size in (1, 2, 3, 7, 64, 100_000):
        with tf.Graph().as_default():
            data = tf.data.experimental.CsvDataset(
                str(path), [tf.int64, tf.string, [""]], buffer_size=size
            )
            found = elements(data)
        assert [(n, text, rest) for n, text, rest in found] == [
            (number, f'a,{number}\r\nb"c'.encode(), b"x" * (number % 7)) for number in range(300)
        ]
