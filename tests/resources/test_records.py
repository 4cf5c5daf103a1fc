"""The TFRecord format."""

import io
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tinytf.framework.errors import DataLossError
from tinytf.resources import records
from tinytf.resources.records import encode_record, masked_crc, read_records


def read(content):
    return list(read_records(io.BytesIO(content)))


def test_checksums_are_the_standards():
    # CRC32C of "123456789" is E3069283 (RFC 3720's polynomial); masked as TensorFlow does.
    crc = 0xE3069283
    assert masked_crc(b"123456789") == ((crc >> 15 | crc << 17) + 0xA282EAD8) % 2**32


@given(st.lists(st.binary(max_size=300), max_size=5))
def test_records_come_back(contents):
    assert read(b"".join(map(encode_record, contents))) == contents


@given(st.binary(min_size=1, max_size=50), st.data())
def test_every_flipped_bit_is_noticed(content, data):
    stored = bytearray(encode_record(content))
    bit = data.draw(st.integers(0, 8 * len(stored) - 1))
    stored[bit // 8] ^= 1 << bit % 8
    with pytest.raises(DataLossError, match="record at"):
        read(bytes(stored))


@pytest.mark.parametrize("length", range(12, 19))
def test_a_cut_record_is_noticed(length):
    with pytest.raises(DataLossError, match="truncated record at 0: 3 bytes were announced"):
        read(encode_record(b"abc")[:length])


def test_large_records_are_read_in_pieces(monkeypatch):
    monkeypatch.setattr(records, "_PIECE", 7)
    assert read(encode_record(b"x" * 100)) == [b"x" * 100]


def test_a_length_that_nothing_can_hold_is_noticed_without_asking_for_the_memory():
    length = struct.pack("<Q", 1 << 62)
    header = length + struct.pack("<I", masked_crc(length))
    with pytest.raises(DataLossError, match="truncated record at 0"):
        read(header + b"a few bytes")
