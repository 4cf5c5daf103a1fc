"""Files of records: lines, fixed lengths, TFRecords, compressed or not, whole or damaged."""

import gzip
import os
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tinytf.framework import errors
from tinytf.resources.file_formats.compression import open_bytes
from tinytf.resources.file_formats.fixed_length import FixedLengthRecords
from tinytf.resources.file_formats.lines import TextLines
from tinytf.resources.file_formats.tf_records import TFRecords
from tinytf.resources.records import encode_record

COMPRESS = {"": bytes, "ZLIB": zlib.compress, "GZIP": gzip.compress}
compressions = st.sampled_from(list(COMPRESS))
buffers = st.integers(1, 20)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("formats")


def stored(folder, content, compression=""):
    path = folder / f"file{len(os.listdir(folder))}"
    path.write_bytes(COMPRESS[compression](content))
    return str(path)


def read(file):
    with file:
        found = []
        while (record := file.read()) is not None:
            found.append((file.position, record))
        assert file.read() is None
        return found


# Lines ----------------------------------------------------------------------------------------


def lines_of(text, drops):
    """A simple model: what TensorFlow's two ways of reading lines make of a file."""
    if drops:
        text = text.replace(b"\r", b"")
    pieces = text.split(b"\n")
    lines = [piece.removesuffix(b"\r") for piece in pieces]
    return lines if lines[-1] else lines[:-1]


@given(
    st.lists(st.sampled_from([b"a", b"bc", b"\n", b"\r", b"\r\n", b"\0"])).map(b"".join),
    st.booleans(),
    st.integers(0, 3),
    buffers,
    compressions,
)
def test_lines_are_those_of_a_simple_model(folder, text, drops, skipped, buffer, compression):
    path = stored(folder, text, compression)
    expected = list(enumerate(lines_of(text, drops), 1))[skipped:]
    for size in (buffer, 0):
        assert read(TextLines(path, skipped, compression, size, drops)) == expected


def test_a_line_may_be_longer_than_many_buffers(folder):
    long = b"x" * 100_000
    path = stored(folder, long + b"\nend")
    assert read(TextLines(path, buffer_size=100)) == [(1, long), (2, b"end")]


def test_lines_can_be_iterated_and_read_in_turns(folder):
    with TextLines(stored(folder, b"a\nb\nc\nd\n")) as lines:
        assert lines.read() == b"a"
        assert next(iter(lines)) == b"b"
        assert list(lines) == [b"c", b"d"]
        assert lines.position == 4


# Records of a fixed length ----------------------------------------------------------------------


@given(st.data())
def test_fixed_lengths_are_those_of_a_simple_model(folder, data):
    content = data.draw(st.binary(max_size=30))
    record = data.draw(st.integers(1, 6))
    header, footer, hop = (data.draw(st.integers(0, 5)) for _ in range(3))
    compression, buffer = data.draw(compressions), data.draw(buffers)
    path = stored(folder, content, compression)
    if len(content) < header:
        with pytest.raises(errors.OutOfRangeError, match="reached end of file"):
            FixedLengthRecords(path, record, header, footer, hop, compression, buffer)
        return
    starts = range(header, len(content) - footer - record + 1, hop or record)
    expected = [(number, content[at : at + record]) for number, at in enumerate(starts)]
    for size in (buffer, 0):
        file = FixedLengthRecords(path, record, header, footer, hop, compression, size)
        assert read(file) == expected


def test_bytes_left_over_are_an_error_if_lengths_are_exact(folder):
    path = stored(folder, b"HHaabbcF")
    words = r"header \(2 bytes\) and footer \(1 bytes\), input file .* has body length 5 bytes"
    with pytest.raises(errors.InvalidArgumentError, match=words):
        FixedLengthRecords(path, 2, 2, 1, exact=True)
    file = FixedLengthRecords(stored(folder, b"HHaabbcF", "ZLIB"), 2, 2, 1, 0, "ZLIB", exact=True)
    assert [file.read(), file.read()] == [b"aa", b"bb"]
    with pytest.raises(errors.DataLossError, match=words):
        file.read()


@pytest.mark.parametrize(
    "lengths", [(0,), (-1,), (2, -1), (2, 0, -1), (2, 0, 0, -1)], ids=lambda lengths: str(lengths)
)
def test_impossible_lengths_are_refused(folder, lengths):
    with pytest.raises(errors.InvalidArgumentError, match=r"_bytes must be >=? 0 not"):
        FixedLengthRecords(stored(folder, b"abc"), *lengths)


# TFRecords --------------------------------------------------------------------------------------


@given(st.lists(st.binary(max_size=40), max_size=6), compressions, buffers)
def test_records_are_read_with_their_positions(folder, contents, compression, buffer):
    path = stored(folder, b"".join(map(encode_record, contents)), compression)
    starts = [sum(len(c) + 16 for c in contents[:number]) for number in range(len(contents))]
    expected = list(zip(starts, contents, strict=True))
    for size in (buffer, 0):
        assert read(TFRecords(path, compression, size)) == expected


@given(st.lists(st.binary(min_size=1, max_size=20), min_size=1, max_size=4), buffers, st.data())
def test_a_damaged_record_is_an_error_that_comes_again(folder, contents, buffer, data):
    whole = bytearray(b"".join(map(encode_record, contents)))
    bit = data.draw(st.integers(0, 8 * len(whole) - 1))
    whole[bit // 8] ^= 1 << bit % 8
    path = stored(folder, bytes(whole))
    file, found = TFRecords(path, buffer_size=buffer), []
    with pytest.raises(errors.DataLossError, match=r"record at \d+.*" + path):
        found.extend(file)
    start = sum(len(content) + 16 for content in found)
    assert found == contents[: len(found)]
    assert start <= bit // 8 < start + 16 + 20
    with pytest.raises(errors.DataLossError):
        file.read()


# Compression, and what can go wrong -------------------------------------------------------------


def test_gzip_may_hold_several_streams_and_zlib_only_one(folder):
    for compression, expected in (("GZIP", [b"one", b"two"]), ("ZLIB", [b"one"])):
        path = folder / f"streams{compression}"
        path.write_bytes(b"".join(map(COMPRESS[compression], [b"one\n", b"two\n"])))
        assert list(TextLines(str(path), compression=compression)) == expected


@pytest.mark.parametrize("compression", ["ZLIB", "GZIP"])
def test_a_compressed_file_that_is_cut_off_is_damaged(folder, compression):
    content = b"\n".join(b"%d" % (number**5) for number in range(5_000))
    path = folder / f"cut{compression}"
    path.write_bytes(COMPRESS[compression](content)[:-6])
    file = TextLines(str(path), compression=compression)
    for _ in range(2):
        with pytest.raises(errors.DataLossError, match=f"{path}; the compressed data is cut off"):
            list(file)


@pytest.mark.parametrize("kind", [TextLines, TFRecords])
def test_what_was_not_compressed_is_damaged(folder, kind):
    path = stored(folder, encode_record(b"as it is"))
    for compression in ("ZLIB", "GZIP"):
        file = kind(path, compression=compression)
        with pytest.raises(errors.DataLossError, match=f"{path}; inflate.*incorrect header check"):
            file.read()


def test_a_small_file_that_inflates_to_much_is_inflated_piece_by_piece(folder):
    path = stored(folder, bytes(50_000_000), "ZLIB")
    source = open_bytes(path, "ZLIB")
    assert len(source.read(1000)) == 1000
    source.close()


@pytest.mark.parametrize("kind", [TextLines, TFRecords, lambda path: FixedLengthRecords(path, 3)])
def test_files_that_cannot_be_read(folder, kind):
    with pytest.raises(errors.NotFoundError, match="no such; No such file or directory"):
        kind(str(folder / "no such"))
    with pytest.raises(errors.InvalidArgumentError, match="null byte"):
        kind("zero\0byte")
    with kind(str(folder)) as file:  # it opens, as in TensorFlow
        for _ in range(2):
            with pytest.raises(errors.FailedPreconditionError, match="Is a directory"):
                file.read()
    assert list(kind(stored(folder, b""))) == []


def test_other_compressions_are_unknown(folder):
    with pytest.raises(errors.InvalidArgumentError, match="Unsupported compression_type: 'LZMA'"):
        TextLines(stored(folder, b""), compression="LZMA")


def test_a_closed_file_is_closed(folder):
    file = TextLines(stored(folder, b"a\nb\n"))
    file.close()
    file.close()
    with pytest.raises(errors.OpError, match="file"):
        file.read()
