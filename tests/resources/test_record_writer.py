"""TFRecordWriter: what is written is in the file, whatever becomes of the writer."""

import gc
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tinytf as tf
from tinytf.resources import record_writer
from tinytf.resources.records import encode_record, encode_records

KINDS = st.sampled_from(["", "GZIP", "ZLIB"])


def read(path, kind=""):
    return list(tf.python_io.tf_record_iterator(path, kind))


@given(st.lists(st.binary(max_size=5000), max_size=30), KINDS)
def test_records_come_back(tmp_path_factory, contents, kind):
    path = tmp_path_factory.mktemp("records") / "file"
    with tf.python_io.TFRecordWriter(path, kind) as writer:
        for content in contents:
            writer.write(content)
    assert read(path, kind) == contents
    if not kind:
        assert path.read_bytes() == b"".join(map(encode_record, contents))


@given(st.lists(st.binary(max_size=50), max_size=20))
def test_records_together_are_the_records_one_by_one(contents):
    assert encode_records(contents) == b"".join(map(encode_record, contents))


@pytest.mark.parametrize("kind", ["", "GZIP", "ZLIB"])
def test_what_was_flushed_is_there_for_others(tmp_path, kind):
    writer = tf.python_io.TFRecordWriter(tmp_path / "file", kind)
    writer.write(b"one")
    writer.flush()
    if not kind:  # a compressed stream that has no end yet is no file of records
        assert read(tmp_path / "file") == [b"one"]
    writer.write(b"two")
    writer.close()
    assert read(tmp_path / "file", kind) == [b"one", b"two"]


def test_a_forgotten_writer_has_written(tmp_path):
    writer = tf.python_io.TFRecordWriter(tmp_path / "file", "GZIP")
    writer.write(b"one")
    del writer
    gc.collect()
    assert read(tmp_path / "file", "GZIP") == [b"one"]


def test_a_bytearray_may_change_afterwards(tmp_path):
    content = bytearray(b"one")
    with tf.python_io.TFRecordWriter(tmp_path / "file") as writer:
        writer.write(content)
        content[:] = b"two"
    assert read(tmp_path / "file") == [b"one"]


def test_nothing_is_lost_between_threads(tmp_path, monkeypatch):
    monkeypatch.setattr(record_writer, "_TOGETHER", 500)
    with tf.python_io.TFRecordWriter(tmp_path / "file") as writer:

        def write(name):
            for number in range(500):
                writer.write(b"%d %d" % (name, number))

        threads = [threading.Thread(target=write, args=[name]) for name in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    found = [tuple(map(int, record.split())) for record in read(tmp_path / "file")]
    assert sorted(found) == [(name, number) for name in range(4) for number in range(500)]


def test_a_full_disk_is_an_error_with_the_path():
    writer = tf.python_io.TFRecordWriter("/dev/full")
    writer.write(b"x" * 1000)
    with pytest.raises(tf.errors.ResourceExhaustedError, match="/dev/full; No space left"):
        writer.flush()
    with pytest.raises(tf.errors.ResourceExhaustedError):
        writer.close()
    writer.close()


def test_what_is_no_record_says_what_to_write(tmp_path):
    with tf.python_io.TFRecordWriter(tmp_path / "file") as writer:
        with pytest.raises(TypeError, match=r"message\.SerializeToString\(\)"):
            writer.write(tf.train.Example())
        with pytest.raises(TypeError, match="got int"):
            writer.write(3)
    with pytest.raises(tf.errors.FailedPreconditionError, match="until close"):
        writer.write(b"x")


def test_the_iterator_opens_the_file_at_once_and_lets_go_of_it(tmp_path):
    with pytest.raises(tf.errors.NotFoundError, match="No such file"):
        tf.python_io.tf_record_iterator(tmp_path / "nothing")
    (tmp_path / "empty").write_bytes(b"")
    assert read(tmp_path / "empty") == []


def test_damage_is_told_with_the_file_and_what_it_looks_like(tmp_path):
    text, packed = tmp_path / "a.txt", tmp_path / "packed"
    text.write_text("this is no file of records at all")
    with pytest.raises(tf.errors.DataLossError) as caught:
        list(tf.python_io.tf_record_iterator(text))
    assert f"(in the file {text})" in str(caught.value)
    assert "gzip" not in str(caught.value)
    with tf.python_io.TFRecordWriter(packed, "GZIP") as writer:
        writer.write(b"record")
    with pytest.raises(tf.errors.DataLossError, match='read it with options="GZIP"'):
        list(tf.python_io.tf_record_iterator(packed))
