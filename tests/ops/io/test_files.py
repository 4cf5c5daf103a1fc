"""Files and images: what is written is what is read, and what is hostile is refused."""

import os
import struct
import subprocess
import sys
import zlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import tinytf as tf
from tinytf.ops.io import image_headers, png_files


def run(fetches, feed=None):
    with tf.Session() as session:
        return session.run(fetches, feed)


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default():
        yield


# Whole files --------------------------------------------------------------------------------------


def test_a_file_is_replaced_at_one_stroke(tmp_path):
    path = tmp_path / "a" / "file"
    run(tf.write_file(str(path), b"first"))
    os.link(path, tmp_path / "linked")
    run(tf.write_file(str(path), b"second"))
    assert path.read_bytes() == b"second"
    assert (tmp_path / "linked").read_bytes() == b"first"  # the old file was never written to
    assert os.listdir(path.parent) == ["file"]


def test_a_device_is_written_to_and_stays_one():
    run(tf.write_file("/dev/null", b"gone"))
    assert not os.path.isfile("/dev/null")
    assert run(tf.read_file("/dev/null")) == b""


def test_a_file_is_read_when_the_graph_runs_and_every_time(tmp_path):
    path = tmp_path / "file"
    content, found = tf.read_file(str(path)), tf.matching_files(str(tmp_path / "*"))
    for text in (b"one", b"two"):
        path.write_bytes(text)
        assert run(content) == text
        assert run(found).tolist() == [str(path).encode()]


def test_a_path_with_a_zero_byte_is_refused():
    with pytest.raises(tf.errors.InvalidArgumentError, match="zero byte"):
        run(tf.read_file(b"a\0b"))


@pytest.fixture
def as_no_root():
    """Root may read everything; whoever else it is meanwhile may not."""
    is_root = os.geteuid() == 0
    if is_root:
        os.seteuid(65534)
    yield
    if is_root:
        os.seteuid(0)


def test_an_unreadable_file_is_refused(tmp_path, request):
    path = tmp_path / "file"
    path.write_bytes(b"x")
    path.chmod(0)
    request.getfixturevalue("as_no_root")
    with pytest.raises(tf.errors.PermissionDeniedError, match="Permission denied"):
        run(tf.read_file(str(path)))


def test_a_decompression_bomb_is_refused(monkeypatch):
    monkeypatch.setattr("tinytf.ops.io.decode_raw.MOST_BYTES", 1 << 20)
    bomb = zlib.compress(bytes(1 << 25))
    with pytest.raises(tf.errors.DataLossError, match="bomb"):
        run(tf.io.decode_compressed(bomb, "ZLIB"))


# Images -------------------------------------------------------------------------------------------

PIXELS = st.tuples(
    st.sampled_from([np.uint8, np.uint16]), st.integers(1, 6), st.integers(1, 6), st.integers(1, 4)
).flatmap(lambda drawn: arrays(drawn[0], drawn[1:]))


@settings(max_examples=30)
@given(PIXELS)
def test_png_files_come_back(pixels):
    with tf.Graph().as_default():
        encoded = tf.image.encode_png(pixels)
        found = run(tf.image.decode_png(encoded, dtype=pixels.dtype))
    np.testing.assert_array_equal(found, pixels)


def test_pillow_reads_our_png_files():
    from io import BytesIO

    from PIL import Image

    pixels = np.arange(60, dtype=np.uint8).reshape(4, 5, 3)
    np.testing.assert_array_equal(np.asarray(Image.open(BytesIO(png_files.encode(pixels)))), pixels)


@given(
    st.binary(max_size=60),
    st.sampled_from([b"\x89PNG\r\n\x1a\n", b"GIF89a", b"BM", b"\xff\xd8\xff", b""]),
)
def test_any_bytes_are_an_image_or_refused(data, start):
    try:
        head = image_headers.header(start + data)
    except tf.errors.InvalidArgumentError:
        return
    assert head.height * head.width <= image_headers.MOST_PIXELS


def png(width, height, depth=8, kind=2, content=bytes(100)):
    head = struct.pack(">IIBBBBB", width, height, depth, kind, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        png_files._chunk(name, body)
        for name, body in ((b"IHDR", head), (b"IDAT", zlib.compress(content)), (b"IEND", b""))
    )


@pytest.mark.parametrize(
    "data",
    [
        png(60_000, 60_000),
        png(2**31 - 1, 2**31 - 1, 16),
        b"GIF89a" + struct.pack("<HH", 65535, 65535) + bytes(20),
        b"BM" + bytes(16) + struct.pack("<iiHH", 2**31 - 1, 2**31 - 1, 1, 24) + bytes(20),
        b"\xff\xd8\xff\xc0\x00\x0b\x08" + struct.pack(">HHB", 65535, 65535, 3) + bytes(20),
    ],
)
def test_an_image_of_billions_of_pixels_is_refused_before_it_is_decoded(data):
    with pytest.raises(tf.errors.InvalidArgumentError, match="size too large for int"):
        run(tf.image.decode_image(data))


@pytest.mark.parametrize("depth", [8, 16])
def test_pixels_that_are_missing_or_damaged(depth):
    with pytest.raises(tf.errors.InvalidArgumentError, match="Invalid PNG data"):
        run(tf.image.decode_png(png(20, 20, depth)))
    good = bytearray(png_files.encode(np.zeros([4, 4, 3], np.uint16 if depth == 16 else np.uint8)))
    good[-20] ^= 1
    with pytest.raises(tf.errors.InvalidArgumentError, match="Invalid PNG data"):
        run(tf.image.decode_png(bytes(good)))


def test_jpeg_is_a_few_apart_at_most():
    """TensorFlow's default method gave these values for the first row of the file."""
    path = os.path.join(os.path.dirname(__file__), "../../conformance/files/rgb.jpg")
    with open(path, "rb") as file:
        pixels = run(tf.image.decode_jpeg(file.read()))
    recorded = np.array([0, 16, 35, 0, 21, 40])
    assert np.abs(pixels.reshape(-1)[:6].astype(int) - recorded).max() <= 5


def test_a_jpeg_cut_off_is_read_if_that_is_asked_for():
    smooth = np.add.outer(np.arange(64), np.arange(64)).astype(np.uint8)[:, :, np.newaxis]
    data = run(tf.image.encode_jpeg(smooth))
    cut = data[: len(data) * 9 // 10]
    with pytest.raises(tf.errors.InvalidArgumentError, match="jpeg::Uncompress failed"):
        run(tf.image.decode_jpeg(cut))
    recovered = run(tf.image.decode_jpeg(cut, try_recover_truncated=True))
    assert np.abs(recovered[:32].astype(int) - smooth[:32]).max() <= 3


def test_without_pillow_the_error_says_what_to_type(monkeypatch):
    data = png_files.encode(np.zeros([2, 2, 3], np.uint8))
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(tf.errors.UnimplementedError, match="pip install pillow"):
        run(tf.image.decode_png(data))


def test_pillow_is_imported_when_an_image_is_decoded_and_not_before():
    loaded = subprocess.run(
        [sys.executable, "-c", "import tinytf, sys; sys.exit('PIL' in sys.modules)"], check=False
    )
    assert loaded.returncode == 0


def test_the_name_of_an_image_file_is_told_from_its_bytes():
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"which tf\.read_file\(name\) reads"):
        run(tf.image.decode_jpeg("photos/cat.JPG"))
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        run(tf.image.decode_jpeg("no image"))
    assert "tf.read_file" not in str(caught.value)
