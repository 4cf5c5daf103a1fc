"""`tf.image`: image files; resizing, cropping, colours, boxes."""

from tinytf.api.names import explained as _explained
from tinytf.ops.image.cropping import central_crop, crop_to_bounding_box, pad_to_bounding_box
from tinytf.ops.image.cropping import resize_image_with_crop_or_pad, resize_image_with_pad
from tinytf.ops.image.cropping import resize_image_with_crop_or_pad as resize_with_crop_or_pad
from tinytf.ops.image.flips import flip_left_right, flip_up_down, rot90
from tinytf.ops.image.flips import random_flip_left_right, random_flip_up_down
from tinytf.ops.image.flips import transpose_image
from tinytf.ops.image.flips import transpose_image as transpose
from tinytf.ops.image.resizing import ResizeMethod, resize_images
from tinytf.ops.image.resizing import resize_area, resize_bicubic, resize_bilinear
from tinytf.ops.image.resizing import resize_images as resize
from tinytf.ops.image.resizing import resize_nearest_neighbor
from tinytf.ops.io.decode_image import decode_bmp, decode_gif, decode_jpeg, decode_png
from tinytf.ops.io.decode_image import decode_image
from tinytf.ops.io.decode_image import extract_jpeg_shape, is_jpeg
from tinytf.ops.io.encode_image import encode_jpeg
from tinytf.ops.io.encode_image import encode_png
from tinytf.ops.random.choices import random_crop

__all__ = ["ResizeMethod", "central_crop", "crop_to_bounding_box", "decode_bmp", "decode_gif"]
__all__ += ["decode_image", "decode_jpeg", "decode_png", "encode_jpeg", "encode_png"]
__all__ += ["extract_jpeg_shape", "flip_left_right", "flip_up_down", "is_jpeg"]
__all__ += ["pad_to_bounding_box", "random_crop", "random_flip_left_right", "random_flip_up_down"]
__all__ += ["resize", "resize_area", "resize_bicubic", "resize_bilinear"]
__all__ += ["resize_image_with_crop_or_pad", "resize_image_with_pad", "resize_images"]
__all__ += ["resize_nearest_neighbor", "resize_with_crop_or_pad", "rot90", "transpose"]
__all__ += ["transpose_image"]

__getattr__ = _explained(__name__, "image")
