"""Whole files and images. The files are in tests/conformance/files; their paths are fed."""

import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from tests.conformance.registry import Program, case
from tests.conformance.values import fed

#: From the root of the project, where tests are started: recorded graphs and feeds hold the names.
FILES = Path("tests/conformance/files")
#: Written to by cases of `write_file`; the path is fed, and no recording has it.
SCRATCH = Path(tempfile.gettempdir()) / "tinytf-conformance" / "deep"


def path(tf: Any, *names: str, folder: Path = FILES) -> Any:
    """A placeholder of a path (of several: a vector of them), and its feed."""
    found = [str(folder / name).encode() for name in names]
    return fed(tf, np.array(found[0] if len(found) == 1 else found, object), "string")


def content(name: str) -> bytes:
    return (FILES / name).read_bytes()


# Whole files --------------------------------------------------------------------------------------


@case("ReadFile")
def read_file(tf):
    x, feed = path(tf, "people.csv")
    return Program(
        [tf.read_file(x), tf.io.read_file(x, name="named"), tf.read_file("/dev/null")], feed=feed
    )


@case("ReadFile", error="; No such file or directory")
def read_a_file_that_is_not_there(tf):
    return tf.read_file("/dev/null-and-void")


@case("ReadFile", error="; Is a directory")
def read_a_folder(tf):
    return tf.read_file("/dev")


@case("ReadFile", error="Shape must be rank 0 but is rank 1")
def read_two_files(tf):
    return tf.read_file(["a", "b"])


@case("ReadFile", error="Input filename tensor must be scalar, but had shape: [2]")
def read_two_fed_files(tf):
    x, feed = path(tf, "people.csv", "empty.txt")
    return Program(tf.read_file(x), feed=feed)


@case("WriteFile", "ReadFile")
def write_file(tf):
    x, feed = path(tf, "written", folder=SCRATCH)
    write = tf.write_file(x, b"one\n\x00\xff")
    with tf.control_dependencies([write]):
        again = tf.io.write_file(x, tf.constant("two"), name="named")
    with tf.control_dependencies([again]):
        return Program(tf.read_file(x), feed=feed)


@case("WriteFile", error="; Is a directory")
def write_a_folder(tf):
    return tf.write_file("/dev", "x")


@case("WriteFile", error="Contents tensor must be scalar, but had shape: [1]")
def write_two_contents(tf):
    x, feed = fed(tf, np.array([b"x"], object), "string")
    return Program(tf.write_file("/dev/null", x), feed=feed)


@case("WriteFile", error="Shape must be rank 0 but is rank 1")
def write_two_files(tf):
    return tf.write_file(["/dev/null"], "x")


@case("MatchingFiles", each=["*.csv", "p*", "[!a-o]*.csv", "?eople.csv", "*/nothing", "people.csv"])
def matching_files(tf, pattern):
    x, feed = path(tf, pattern)
    return Program(tf.strings.regex_replace(tf.matching_files(x), "^.*/", ""), feed=feed)


@case("MatchingFiles")
def matching_files_of_several_patterns(tf):
    x, feed = path(tf, "p*.csv", "*.csv", "e*")
    found = tf.io.matching_files(x, name="named")
    return Program(
        [tf.strings.regex_replace(found, "^.*/", ""), tf.matching_files("/nothing/at/all/*")],
        feed=feed,
    )


@case("MatchingFiles", error="Shape must be at most rank 1 but is rank 2")
def matching_files_of_a_matrix(tf):
    return tf.matching_files([["a"]])


# Images -------------------------------------------------------------------------------------------

PNGS = [
    "grey",
    "rgb",
    "rgba",
    "grey_alpha",
    "grey_16",
    "rgb_16",
    "palette",
    "palette_alpha",
    "transparent",
]


@case("DecodePng", each=PNGS)
def decode_png(tf, name):
    data = tf.constant(content(f"{name}.png"))
    return [tf.image.decode_png(data, channels=n) for n in (0, 1, 3, 4)] + [
        tf.image.decode_png(data, channels=n, dtype=tf.uint16, name="named") for n in (0, 3, 4)
    ]


@case("DecodePng")
def decode_png_of_one_bit(tf):
    data = tf.constant(content("bits.png"))
    return [tf.image.decode_png(data), tf.image.decode_png(data, 3), tf.io.decode_png(data, 1)]


@case("DecodeImage", each=["rgb.png", "grey_16.png", "rgb_16.png", "rgb.bmp", "one.gif", "two.gif"])
def decode_image(tf, name):
    data = tf.constant(content(name))
    images = [tf.image.decode_image(data, dtype=t) for t in (tf.uint8, tf.uint16, tf.float32)]
    return [*images, tf.image.decode_image(data, channels=3, expand_animations=False, name="named")]


@case("DecodeBmp", "DecodeGif", "DecodePng", "DecodeJpeg")
def other_formats(tf):
    bmp, gif, png = (tf.constant(content(n)) for n in ("rgb.bmp", "two.gif", "rgb.png"))
    return [
        tf.image.decode_bmp(bmp),
        tf.image.decode_bmp(bmp, channels=4, name="named"),
        tf.image.decode_gif(gif),
        tf.image.decode_gif(png),
        tf.image.decode_jpeg(png),
        tf.image.decode_png(content("one.gif")),
        tf.image.is_jpeg(png),
    ]


@case("DecodeJpeg", each=[0, 1, 3])
def decode_jpeg(tf, channels):
    """Bit by bit the same with the more exact method."""
    data, grey = tf.constant(content("rgb.jpg")), tf.constant(content("grey.jpg"))
    exact = {"channels": channels, "dct_method": "INTEGER_ACCURATE"}
    return [
        tf.image.decode_jpeg(data, **exact),
        tf.image.decode_jpeg(data, ratio=2, **exact),
        tf.image.decode_jpeg(grey, **exact),
        tf.image.is_jpeg(data),
    ]


@case("DecodeJpeg", "DecodeImage", check=lambda runs: None, random=True)
def decode_jpeg_quickly(tf):
    # The quick method differs by a few in each value: types and shapes only (values: tests/ops/io)
    data = tf.constant(content("rgb.jpg"))
    return [tf.image.decode_jpeg(data), tf.image.decode_image(data), tf.io.decode_jpeg(data, 1)]


@case("ExtractJpegShape")
def extract_jpeg_shape(tf):
    return [
        tf.image.extract_jpeg_shape(content("rgb.jpg")),
        tf.image.extract_jpeg_shape(content("grey.jpg"), output_type=tf.int64),
    ]


@case("EncodePng", "DecodePng", each=[(c, t) for c in (1, 2, 3, 4) for t in ("uint8", "uint16")])
def encode_png(tf, channels, dtype):
    most = 251 if dtype == "uint8" else 65521
    values = np.arange(5 * 7 * channels).reshape(5, 7, channels) * 311 % most
    x = tf.constant(values, dtype)
    return [
        tf.image.decode_png(tf.image.encode_png(x, compression=n), dtype=dtype) for n in (-1, 0, 9)
    ]


@case("EncodePng")
def encode_several_pngs(tf):
    x, feed = fed(tf, np.arange(2 * 3 * 4 * 3).reshape(2, 3, 4, 3), "uint8", [2, None, 4, 3])
    files = tf.io.encode_png(x, name="named")
    return Program([tf.image.decode_png(files[0]), tf.image.decode_png(files[1])], feed=feed)


@case("EncodeJpeg", "DecodeJpeg", each=[1, 3])
def encode_jpeg(tf, channels):
    x = tf.fill([8, 16, channels], tf.constant(100, tf.uint8))
    return [
        tf.image.decode_jpeg(tf.image.encode_jpeg(x)),
        tf.image.decode_jpeg(
            tf.io.encode_jpeg(x, quality=100, progressive=True, optimize_size=True, name="named")
        ),
    ]


NO_IMAGE = "Unknown image file format. One of JPEG, PNG, GIF, BMP required."


@case("DecodeImage", error=NO_IMAGE, each=["garbage", "<svg>"])
def no_image(tf, text):
    return tf.image.decode_image(text)


@case("DecodePng", error="Input is empty.")
def an_empty_image(tf):
    return tf.image.decode_png("")


@case("DecodePng", error="Invalid PNG data, size ")
def a_png_cut_off(tf):
    return tf.image.decode_png(content("rgb.png")[:-30])


@case("DecodeJpeg", error="jpeg::Uncompress failed. Invalid JPEG data or crop window.")
def a_jpeg_cut_off(tf):
    return tf.image.decode_jpeg(content("rgb.jpg")[:200])


@case("DecodePng", error="`channels` must be 0, 1, 3 or 4 but got 2")
def two_channels(tf):
    return tf.image.decode_png(content("rgb.png"), channels=2)


@case("DecodeJpeg", error="JPEG does not support 4 channels")
def four_channels_of_a_jpeg(tf):
    return tf.image.decode_jpeg(content("rgb.jpg"), channels=4)


@case("DecodeJpeg", error="ratio must be 1, 2, 4, or 8, got 3")
def a_third_of_a_jpeg(tf):
    return tf.image.decode_jpeg(content("rgb.jpg"), ratio=3)


@case("DecodePng", error="animated gifs can only be decoded by tf.io.decode_gif")
def a_png_of_two_pictures(tf):
    return tf.image.decode_png(content("two.gif"))


@case("DecodePng", error="Trying to decode BMP format using a wrong op.")
def a_png_that_is_a_bmp(tf):
    return tf.image.decode_png(content("rgb.bmp"))


@case("DecodeBmp", error="Trying to decode PNG format using DecodeBmp op.")
def a_bmp_that_is_a_png(tf):
    return tf.image.decode_bmp(content("rgb.png"))


@case("DecodeBmp", error="`channels` must be 0, 3 or 4 for BMP, but got 1")
def a_grey_bmp(tf):
    return tf.image.decode_bmp(content("rgb.bmp"), channels=1)


@case("ExtractJpegShape", error="Invalid JPEG data, size")
def the_shape_of_no_jpeg(tf):
    return tf.image.extract_jpeg_shape(content("rgb.png"))


@case("DecodeGif", error=NO_IMAGE)
def no_gif(tf):
    return tf.image.decode_gif("garbage")


@case("EncodePng", error="image must have 1, 2, 3, or 4 channels, got 5")
def a_png_of_five_channels(tf):
    return tf.image.encode_png(tf.zeros([2, 2, 5], tf.uint8))


@case("EncodePng", error="compression should be in [-1,9], got 10")
def a_png_compressed_too_much(tf):
    return tf.image.encode_png(tf.zeros([2, 2, 3], tf.uint8), compression=10)


@case("EncodeJpeg", error="image must have 1 or 3 channels, got [2,2,4]")
def a_jpeg_of_four_channels(tf):
    return tf.image.encode_jpeg(tf.zeros([2, 2, 4], tf.uint8))


@case("EncodeJpeg", error="quality must be in [0,100], got 101")
def a_jpeg_of_too_high_quality(tf):
    return tf.image.encode_jpeg(tf.zeros([2, 2, 1], tf.uint8), quality=101)


@case("EncodeJpeg", error="format rgb expects 3 channels, got [2,2,1]")
def a_coloured_jpeg_of_grey(tf):
    return tf.image.encode_jpeg(tf.zeros([2, 2, 1], tf.uint8), format="rgb")


@case("DecodeImage", "Cast", "Mul", graph="any")  # TensorFlow's convert_image_dtype adds a scale
def decode_image_as_double(tf):
    return tf.image.decode_image(content("rgb.png"), dtype=tf.float64)
