"""Caches in files, generators and files that go wrong: what is left, and what is said."""

import os

import pytest

import tinytf as tf
from tinytf.testing import leaks


@pytest.fixture(autouse=True)
def a_graph_of_its_own():
    with leaks.none_left(), tf.Graph().as_default():
        yield


def elements(dataset):
    iterator = dataset.make_initializable_iterator()
    element, found = iterator.get_next(), []
    with tf.Session() as session:
        session.run(iterator.initializer)
        while True:
            try:
                found.append(session.run(element).tolist())
            except tf.errors.OutOfRangeError:
                return found


def test_a_cache_file_appears_when_it_is_complete(tmp_path):
    name = str(tmp_path / "numbers")
    iterator = tf.data.Dataset.range(3).cache(name).make_initializable_iterator()
    element = iterator.get_next()
    with tf.Session() as session:
        session.run(iterator.initializer)
        session.run(element)
        assert not os.path.exists(name + ".index")
        assert os.path.exists(name + "_0.lockfile")
        session.run([element])
        session.run([element])
        with pytest.raises(tf.errors.OutOfRangeError):
            session.run(element)
        assert os.listdir(tmp_path) == ["numbers.index"]


def test_closing_the_session_leaves_nothing_of_a_cache_that_is_not_complete(tmp_path):
    iterator = tf.data.Dataset.range(3).cache(str(tmp_path / "a")).make_initializable_iterator()
    element = iterator.get_next()
    with tf.Session() as session:
        session.run(iterator.initializer)
        session.run(element)
        assert os.listdir(tmp_path)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("kept", ["0", "1/4", "1/2", "all but one byte"])
def test_a_truncated_cache_file_is_an_error(tmp_path, kept):
    name = str(tmp_path / "a")
    dataset = tf.data.Dataset.range(5).cache(name)
    assert elements(dataset) == [0, 1, 2, 3, 4]
    path = tmp_path / "a.index"
    content = path.read_bytes()
    size = {"0": 0, "1/4": len(content) // 4, "1/2": len(content) // 2}.get(kept, len(content) - 1)
    path.write_bytes(content[:size])
    with pytest.raises(tf.errors.DataLossError, match="no complete cache of a dataset"):
        elements(dataset)


def test_a_changed_byte_of_a_cache_file_is_an_error(tmp_path):
    dataset = tf.data.Dataset.range(5).cache(str(tmp_path / "a"))
    elements(dataset)
    path = tmp_path / "a.index"
    content = bytearray(path.read_bytes())
    for place in range(0, len(content), 7):
        content[place] ^= 4
        path.write_bytes(content)
        with pytest.raises((tf.errors.DataLossError, tf.errors.InvalidArgumentError)):
            elements(dataset)
        content[place] ^= 4


def test_strings_and_shapes_come_back_out_of_a_cache_file(tmp_path):
    rows = tf.data.Dataset.from_tensor_slices(([["a", "\u00e4"], ["", "bc"]], [1.5, 2.5]))
    iterator = rows.cache(str(tmp_path / "a")).repeat(2).make_one_shot_iterator()
    with tf.Session() as session:
        found = [session.run(iterator.get_next()) for _ in range(4)]
    assert [words.tolist() for words, _ in found] == 2 * [[b"a", "\u00e4".encode()], [b"", b"bc"]]
    assert [float(number) for _, number in found] == [1.5, 2.5, 1.5, 2.5]


def test_the_error_of_a_generator_has_its_line_and_the_number_of_the_element():
    def numbers():
        yield 1
        raise KeyError("this line")

    with pytest.raises(tf.errors.UnknownError) as caught:
        elements(tf.data.Dataset.from_generator(numbers, tf.int64, []).prefetch(1))
    assert 'raise KeyError("this line")' in str(caught.value)
    assert "at element 2 of it" in str(caught.value)


def test_what_a_generator_does_at_the_end_is_done_when_nobody_needs_more():
    ended = []

    def numbers():
        try:
            yield from range(100)
        finally:
            ended.append(True)

    iterator = tf.data.Dataset.from_generator(numbers, tf.int64, []).make_one_shot_iterator()
    element = iterator.get_next()
    with tf.Session() as session:
        assert session.run(element) == 0
        assert ended == []
    assert ended == [True]


def test_errors_that_would_come_for_ever_are_not_ignored():
    dataset = tf.data.TextLineDataset("/no/such/file")
    with pytest.raises(tf.errors.NotFoundError):
        elements(dataset.apply(tf.data.experimental.ignore_errors()))


def test_a_header_among_the_rows_is_told(tmp_path):
    (tmp_path / "rows.csv").write_text("x,y\n1,2\n3,four\n")
    lines = tf.data.TextLineDataset(str(tmp_path / "rows.csv"))
    rows = lines.map(lambda line: tf.decode_csv(line, [[0.0], [0.0]]))
    element = rows.make_one_shot_iterator().get_next()
    with tf.Session() as session:
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"dataset\.skip\(1\)"):
            session.run(element)
        assert list(session.run(element)) == [1.0, 2.0]
        with pytest.raises(tf.errors.InvalidArgumentError) as caught:
            session.run(element)
    assert "four" in str(caught.value)
    assert "skip" not in str(caught.value)
