"""Files of records, examples, CSV, images: programs of several steps, and what errors say."""

import gzip
import os
import struct
import tempfile
import zlib

import numpy as np

from tests.behaviour.asking import question, says

#: (question, label) -> (our answer, why it is not TensorFlow's)
DIFFERENCES = {
    ("cut_off_records", "gzip, the last bytes"): (
        "[3, 'DataLossError']",
        "what a compressed file lacks at its end is noticed; TensorFlow takes it for the end",
    ),
}


def folder():
    return tempfile.mkdtemp()


def records(tf, count=3, options=None):
    """The path of a file with a few records."""
    path = os.path.join(folder(), "records")
    with tf.python_io.TFRecordWriter(path, options) as writer:
        for number in range(count):
            writer.write(b"hello%d" % number)
    return path


def content(path):
    with open(path, "rb") as file:
        return file.read()


def read(tf, data, options=None):
    """The records in these bytes."""
    path = os.path.join(folder(), "file")
    with open(path, "wb") as file:
        file.write(data)
    return list(tf.python_io.tf_record_iterator(path, options))


def read_until(tf, data, options=None):
    """How many records come, and the class of the error that ends them."""
    found = []
    path = os.path.join(folder(), "file")
    with open(path, "wb") as file:
        file.write(data)
    try:
        for record in tf.python_io.tf_record_iterator(path, options):
            found.append(record)
    except tf.errors.OpError as error:
        return [len(found), type(error).__name__]
    return [len(found), "no error"]


def flipped(data, place):
    changed = bytearray(data)
    changed[place] ^= 1
    return bytes(changed)


def run(tf, fetches, feed=None):
    with tf.Session() as session:
        return session.run(fetches, feed)


# Records ------------------------------------------------------------------------------------------


@question
def record_writers(tf):
    path = os.path.join(folder(), "a")
    writer = tf.python_io.TFRecordWriter(path)
    writer.write(b"abc")
    writer.write("é")
    writer.write(b"")
    writer.flush()
    flushed = len(content(path))
    inside = writer.__enter__() is writer
    writer.close()
    return {
        "flushed": flushed,
        "inside": inside,
        "closed twice": writer.close(),
        "bytes": content(path).hex(),
        "read": list(tf.python_io.tf_record_iterator(path)),
        "write when closed": says("Writer is closed.", writer.write, b"x"),
        "flush when closed": says("Writer is closed.", writer.flush),
        "a number": says("write():", tf.python_io.TFRecordWriter(path).write, 3),
        "no path": says("Expected binary or unicode string, got", tf.python_io.TFRecordWriter, 3),
        "no folder": says(
            "/nowhere/x; No such file or directory", tf.python_io.TFRecordWriter, "/nowhere/x"
        ),
        "a folder": says("; Is a directory", tf.python_io.TFRecordWriter, os.path.dirname(path)),
        "names": tf.io.TFRecordWriter is tf.python_io.TFRecordWriter,
    }


@question
def compressed_records(tf):
    options, kinds = tf.python_io.TFRecordOptions, tf.python_io.TFRecordCompressionType
    every = [
        None,
        "",
        "GZIP",
        "ZLIB",
        kinds.NONE,
        kinds.GZIP,
        kinds.ZLIB,
        options("GZIP"),
        options(options("ZLIB")),
        options("ZLIB", compression_level=0),
        options("GZIP", compression_level=9, mem_level=1),
        options(kinds.ZLIB, flush_mode=2),
        options("ZLIB", compression_strategy=2, input_buffer_size=10),
    ]
    answers = {}
    for number, given in enumerate(every):
        path = records(tf, 5, given)
        data = content(path)
        answers[f"read {number}"] = list(tf.python_io.tf_record_iterator(path, given))
        answers[f"begins {number}"] = data[:1]
    twice = content(records(tf, 2, "GZIP")) * 2
    return {
        **answers,
        "two streams": read(tf, twice, "GZIP"),
        "by python's gzip": read(tf, gzip.compress(content(records(tf))), "GZIP"),
        "an empty file": read(tf, b"", "GZIP"),
        "not compressed": says(
            "inflate() failed with error -3: incorrect header check",
            read,
            tf,
            content(records(tf)),
            "GZIP",
        ),
        "another way": says(
            "inflate() failed with error -3: incorrect header check",
            read,
            tf,
            content(records(tf, 1, "GZIP")),
            "ZLIB",
        ),
        "unnoticed": says(
            "corrupted record at 0 (Is this even a TFRecord file?)",
            read,
            tf,
            content(records(tf, 1, "GZIP")),
        ),
        "damaged inside": says(
            "corrupted record at 56",
            read,
            tf,
            gzip.compress(flipped(content(records(tf)), -6)),
            "GZIP",
        ),
        "damaged": says(
            "inflate() failed with error -3: ",
            read,
            tf,
            flipped(content(records(tf, 3, "GZIP")), -6),
            "GZIP",
        ),
    }


@question
def record_options(tf):
    options, kinds = tf.python_io.TFRecordOptions, tf.python_io.TFRecordCompressionType
    name = options.get_compression_type_string
    return {
        "kinds": [kinds.NONE, kinds.ZLIB, kinds.GZIP],
        "map": options.compression_type_map,
        "names": [name(x) for x in (None, "", kinds.NONE, kinds.GZIP, "ZLIB", options("GZIP"))],
        "default": vars(options()),
        "kept": options("GZIP", 1, 2, 3, 4, 5, 6, 7, 8).compression_strategy,
        "unknown": says('Not a valid compression_type: "x"', options, "x"),
        "unknown number": says('Not a valid compression_type: "7"', name, 7),
        "of a writer": says(
            'Not a valid compression_type: "SNAPPY"',
            tf.python_io.TFRecordWriter,
            "/nowhere/x",
            "SNAPPY",
        ),
        "levels": len(content(records(tf, 200, options("ZLIB", compression_level=9))))
        < len(content(records(tf, 200, options("ZLIB", compression_level=0)))),
    }


@question
def damaged_records(tf):
    plain = content(records(tf))  # each takes 22 bytes: 12, 6, and 4
    huge = struct.pack("<Q", 1 << 40) + b"\0\0\0\0"
    return {
        "garbage": says(
            "corrupted record at 0 (Is this even a TFRecord file?)", read, tf, b"garbage" * 5
        ),
        "content": says("corrupted record at 56", read, tf, flipped(plain, 58)),
        "before it": read_until(tf, flipped(plain, 58)),
        "checksum": says("corrupted record at 56", read, tf, flipped(plain, -1)),
        "length": says("corrupted record at 22", read, tf, flipped(plain, 22)),
        "checksum of the length": says("corrupted record at 22", read, tf, flipped(plain, 31)),
        "before that": read_until(tf, flipped(plain, 31)),
        "a huge length": says("corrupted record at 22", read, tf, plain[:22] + huge + plain[34:]),
        "an empty file": read(tf, b""),
        "no file": says(
            "/nowhere; No such file or directory", tf.python_io.tf_record_iterator, "/nowhere"
        ),
        "a folder": says(
            "; Is a directory", lambda: list(tf.python_io.tf_record_iterator(folder()))
        ),
    }


@question
def cut_off_records(tf):
    plain, packed = content(records(tf)), content(records(tf, 3, "GZIP"))
    return {
        "content": says("truncated record at 44", read, tf, plain[:-1]),
        "before it": read_until(tf, plain[:-1]),
        "all of the content": says("truncated record at 44", read, tf, plain[:-10]),
        "a header": read(tf, plain[:50]),
        "the first": says("truncated record at 0", read, tf, plain[:13]),
        "gzip, the last bytes": read_until(tf, packed[:-3], "GZIP"),
        "gzip, much": read_until(tf, packed[:-14], "GZIP"),
    }


# Examples -----------------------------------------------------------------------------------------


# CSV ----------------------------------------------------------------------------------------------


@question
def csv_programs(tf):
    lines = tf.placeholder(tf.string, [None])
    age, name, height = tf.decode_csv(lines, [[0], ["?"], tf.constant([], tf.float32)])
    mean = tf.reduce_mean(height)

    def of(*rows):
        return run(tf, [age, name, mean], {lines: list(rows)})

    return {
        "tensors": [age, name, height],
        "two rows": of("1,Ann,1.5", ",,2.5"),
        "missing": says("Field 2 is required but missing in record 1!", of, "1,Ann,1.5", "2,Bob,"),
        "too few": says("Expect 3 fields but have 2 in record 0", of, "1,Ann"),
        "too many": says("Expect 3 fields but have 4 in record 1", of, "1,Ann,1", "1,Ann,1,x"),
        "no number": says("Field 0 in record 1 is not a valid int32: x", of, "1,Ann,1", "x,Bob,2"),
        "no float": says("Field 2 in record 0 is not a valid float: tall", of, "1,Ann,tall"),
        "an empty line": says("Expect 3 fields but have 0 in record 0", of, ""),
        "windows": says("Unquoted fields cannot have quotes/CRLFs inside", of, "1,Ann,1.5\r"),
        "quotes": of('"1","Ann, or ""Nan""","1.5"'),
        "a type": says(
            "Tensors in list passed to 'record_defaults'", tf.decode_csv, ["1"], [tf.float32]
        ),
        "bool": says(
            "not in list of allowed values: float32, float64, int32, int64, string",
            tf.decode_csv,
            ["1"],
            [[True]],
        ),
        "no defaults": says(
            "passed list of length 0 less than minimum 1", tf.decode_csv, ["1"], []
        ),
    }


# Bytes --------------------------------------------------------------------------------------------


@question
def bytes_and_images(tf):
    data = tf.placeholder(tf.string)
    pixels = tf.image.decode_png(data, channels=3)
    picture = np.arange(18).reshape(2, 3, 3).astype(np.uint8)
    encoded = run(tf, tf.image.encode_png(picture))
    raw = tf.decode_raw(data, tf.int16)

    def decoded(given):
        return run(tf, pixels, {data: given})

    return {
        "tensors": [
            pixels,
            raw,
            tf.image.decode_image(data),
            tf.io.decode_gif(data),
            tf.io.decode_compressed(data),
            tf.io.parse_tensor(data, tf.int32),
        ],
        "there and back": decoded(encoded),
        "signature": encoded[:4],
        "raw": run(tf, raw, {data: [b"\x01\x00\x02\x00"]}),
        "both names": says(
            "Cannot specify both 'bytes' and 'input_bytes'.",
            tf.decode_raw,
            b"a",
            tf.int8,
            bytes=b"a",
        ),
        "no type": says("missing 1 positional argument: 'out_type'", tf.decode_raw, b"a"),
        "decompressed": run(tf, tf.io.decode_compressed(zlib.compress(b"hello"), "ZLIB")),
        "no image": says("Unknown image file format.", decoded, b"garbage"),
        "nothing": says("Input is empty.", decoded, b""),
        "many pixels": says("size too large for int: 60000 by 60000", decoded, bomb()),
    }


def bomb():
    """A PNG file of a thousand bytes that announces 3,600,000,000 pixels."""

    def chunk(kind, body):
        return (
            struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
        )

    head = struct.pack(">IIBBBBB", 60000, 60000, 8, 2, 0, 0, 0)
    parts = [chunk(b"IHDR", head), chunk(b"IDAT", zlib.compress(bytes(1000))), chunk(b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)
