"""`tf.image`: image files."""

from tinytf.api.names import explained as _explained
from tinytf.ops.io.decode_image import decode_bmp, decode_gif, decode_jpeg, decode_png
from tinytf.ops.io.decode_image import decode_image
from tinytf.ops.io.decode_image import extract_jpeg_shape, is_jpeg
from tinytf.ops.io.encode_image import encode_jpeg
from tinytf.ops.io.encode_image import encode_png
from tinytf.ops.nn.image_patches import extract_image_patches, extract_patches
from tinytf.ops.random.choices import random_crop

__all__ = ["decode_bmp", "decode_gif", "decode_image", "decode_jpeg", "decode_png", "encode_jpeg"]
__all__ += ["encode_png", "extract_jpeg_shape", "is_jpeg", "random_crop"]
__all__ += ["extract_image_patches", "extract_patches"]

__getattr__ = _explained(__name__, "image")
