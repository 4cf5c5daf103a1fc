"""Writers on a full disk: one error, where it happens, and nothing from destructors."""

import gc
import os
import sys

import pytest

import tinytf as tf

FULL = "/dev/full"
LARGE = b"x" * 3_000_000


@pytest.fixture(autouse=True)
def nothing_from_destructors(monkeypatch):
    """No "Exception ignored in: __del__"."""
    seen = []
    monkeypatch.setattr(sys, "unraisablehook", seen.append)
    yield
    gc.collect()
    assert [str(each.exc_value) for each in seen] == []


def records(path, options=None):
    return tf.python_io.TFRecordWriter(path, options)


def text_file(path):
    return tf.gfile.GFile(path, "wb")


def compressed(path):
    return records(path, tf.python_io.TFRecordOptions("GZIP", compression_level=0))


WRITERS = {"records": records, "compressed records": compressed, "GFile": text_file}


def fill(writer):
    for _ in range(10):
        writer.write(LARGE)
    writer.flush()


@pytest.mark.parametrize("make", WRITERS.values(), ids=WRITERS)
def test_the_error_is_told_once(make, caplog):
    writer = make(FULL)
    with pytest.raises(tf.errors.ResourceExhaustedError, match="/dev/full; No space left"):
        fill(writer)
    del writer
    gc.collect()
    assert caplog.text == ""


@pytest.mark.parametrize("make", WRITERS.values(), ids=WRITERS)
def test_of_a_forgotten_writer_it_is_logged(make, caplog):
    writer = make(FULL)
    writer.write(b"a little")
    del writer
    gc.collect()
    assert "What was written last is lost: /dev/full; No space left on device" in caplog.text


@pytest.fixture
def cache(tmp_path):
    """The name of a cache whose file, while it is written, is on a full disk."""
    name = tmp_path / "cache"
    (tmp_path / f"cache_0.{os.getpid()}.temporary").symlink_to(FULL)
    return name


@pytest.mark.parametrize("size", [1, 100_000], ids=["at its end", "in its middle"])
def test_a_cache(cache, size):
    with tf.Graph().as_default(), tf.Session() as session:
        numbers = tf.data.Dataset.range(20).map(lambda x: tf.fill([size], x)).cache(str(cache))
        element = numbers.make_one_shot_iterator().get_next()[0]
        got, errors = [], 0
        while True:
            try:
                got.append(int(session.run(element)))
            except tf.errors.ResourceExhaustedError:
                errors += 1
            except tf.errors.OutOfRangeError:
                break
    assert errors == 1
    assert got == sorted(got)
    assert len(got) in (19, 20)  # the one that it failed at is lost
    assert os.listdir(cache.parent) == []  # neither half a cache nor its lock


def test_a_cache_of_which_little_was_read(cache):
    with tf.Graph().as_default(), tf.Session() as session:
        element = tf.data.Dataset.range(3).cache(str(cache)).make_one_shot_iterator().get_next()
        assert session.run(element) == 0
    assert os.listdir(cache.parent) == []


def test_write_file():
    with tf.Graph().as_default(), tf.Session() as session:
        with pytest.raises(tf.errors.ResourceExhaustedError, match="/dev/full; No space left"):
            session.run(tf.write_file(FULL, "text"))
