"""`tf.image`: image files."""

from tinytf.api.names import explained
from tinytf.ops.io.decode_image import (
    decode_bmp, decode_gif, decode_image, decode_jpeg, decode_png, extract_jpeg_shape, is_jpeg,
)  # fmt: skip
from tinytf.ops.io.encode_image import encode_jpeg, encode_png
from tinytf.ops.random.choices import random_crop

__all__ = [
    "decode_bmp", "decode_gif", "decode_image", "decode_jpeg", "decode_png", "encode_jpeg",
    "encode_png", "extract_jpeg_shape", "is_jpeg", "random_crop",
]  # fmt: skip

__getattr__ = explained(__name__, "image")
