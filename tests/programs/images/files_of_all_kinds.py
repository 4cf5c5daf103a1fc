"""A folder of images of all kinds: is it a JPEG, how large, and the crops that training needs."""

import struct

import numpy as np
import tensorflow as tf


def bmp(pixels):
    """An uncompressed bitmap: rows from below, blue first, filled up to four bytes."""
    height, width, _ = pixels.shape
    rows = b"".join(row[:, ::-1].tobytes() + b"\0" * (-3 * width % 4) for row in pixels[::-1])
    head = struct.pack("<2sIHHI", b"BM", 54 + len(rows), 0, 0, 54)
    return head + struct.pack("<IiiHHIIiiII", 40, width, height, 1, 24, 0, 0, 0, 0, 0, 0) + rows


def gif(frames):
    """A film of black and white frames of 2 by 2 pixels, each in one block of its own."""
    out = b"GIF89a" + struct.pack("<HHBBB", 2, 2, 0x80, 0, 0) + b"\0\0\0\xff\xff\xff"
    for frame in frames:
        out += b"\x2c" + struct.pack("<HHHHB", 0, 0, 2, 2, 0) + b"\x02"
        codes = [4] + [code for pixel in frame for code in (pixel, 4)] + [5]
        bits = sum(code << 3 * i for i, code in enumerate(codes))
        block = struct.pack("<Q", bits)[: -(-3 * len(codes) // 8)]
        out += bytes(bytearray([len(block)])) + block + b"\0"
    return out + b"\x3b"


smooth = np.add.outer(np.arange(24) * 4, np.arange(32) * 3)[:, :, None] + [0, 20, 40]
smooth = smooth.astype(np.uint8)
with tf.Session() as sess:
    jpeg = sess.run(tf.image.encode_jpeg(smooth, format="rgb", quality=95))
    png = sess.run(tf.image.encode_png(smooth))
files = {
    "a.jpg": jpeg,
    "b.png": png,
    "c.bmp": bmp(smooth[:4, :5]),
    "d.gif": gif([[0, 1, 1, 0], [1] * 4]),
}
for name, contents in files.items():
    with tf.gfile.GFile(name, "wb") as f:
        f.write(contents)

name = tf.placeholder(tf.string, [])
contents = tf.read_file(name)
is_jpeg = tf.image.is_jpeg(contents)
size = tf.image.extract_jpeg_shape(contents)
whole = tf.image.decode_jpeg(contents, channels=3)
crop = tf.image.decode_and_crop_jpeg(contents, [4, 6, 8, 10], channels=3)
worse = tf.image.adjust_jpeg_quality(tf.image.convert_image_dtype(whole, tf.float32), 30)
at_random = tf.image.random_jpeg_quality(whole, 60, 90, seed=5)
bitmap = tf.image.decode_bmp(contents, channels=3)
film = tf.image.decode_gif(contents)


def near(a, b, most):
    return np.abs(a.astype(int) - b.astype(int)).max() < most


with tf.Session() as sess:
    for file_name in sorted(files):
        print(file_name, sess.run(is_jpeg, {name: file_name}))
    height, width, channels = sess.run(size, {name: "a.jpg"})
    print(height, width, channels, whole.shape, crop.shape, worse.dtype.name)
    image, part, lossy, lossier = sess.run([whole, crop, worse, at_random], {name: "a.jpg"})
    print(part.shape, np.array_equal(part, image[4:12, 6:16]), near(image, smooth, 12))
    print(lossy.shape, near(lossy * 255, smooth, 40), lossier.shape, near(lossier, smooth, 40))
    print(np.array_equal(sess.run(bitmap, {name: "c.bmp"}), smooth[:4, :5]), bitmap.shape)
    frames = sess.run(film, {name: "d.gif"})
    print(frames.shape, film.shape, frames[:, :, :, 0].tolist())
    try:
        sess.run(bitmap, {name: "b.png"})
    except tf.errors.InvalidArgumentError as e:
        print(type(e).__name__)
