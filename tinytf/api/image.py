"""`tf.image`: image files; resizing, cropping, colours, boxes."""

from tinytf.api.names import explained as _explained
from tinytf.ops.image.boxes import draw_bounding_boxes, extract_glimpse
from tinytf.ops.image.boxes import sample_distorted_bounding_box
from tinytf.ops.image.colour_ops import hsv_to_rgb, rgb_to_hsv
from tinytf.ops.image.colours import adjust_brightness, adjust_contrast, adjust_gamma, adjust_hue
from tinytf.ops.image.colours import adjust_jpeg_quality, adjust_saturation
from tinytf.ops.image.colours import convert_image_dtype, grayscale_to_rgb, rgb_to_grayscale
from tinytf.ops.image.colours import per_image_standardization
from tinytf.ops.image.colours import random_brightness, random_contrast, random_hue
from tinytf.ops.image.colours import random_jpeg_quality, random_saturation
from tinytf.ops.image.colours import rgb_to_yiq, rgb_to_yuv, yiq_to_rgb, yuv_to_rgb
from tinytf.ops.image.crop_and_resize import crop_and_resize
from tinytf.ops.image.cropping import central_crop, crop_to_bounding_box, pad_to_bounding_box
from tinytf.ops.image.cropping import resize_image_with_crop_or_pad, resize_image_with_pad
from tinytf.ops.image.cropping import resize_image_with_crop_or_pad as resize_with_crop_or_pad
from tinytf.ops.image.flips import flip_left_right, flip_up_down, rot90
from tinytf.ops.image.flips import random_flip_left_right, random_flip_up_down
from tinytf.ops.image.flips import transpose_image
from tinytf.ops.image.flips import transpose_image as transpose
from tinytf.ops.image.measures import image_gradients, psnr, sobel_edges, ssim, ssim_multiscale
from tinytf.ops.image.measures import total_variation
from tinytf.ops.image.resizing import ResizeMethod, resize_images
from tinytf.ops.image.resizing import resize_area, resize_bicubic, resize_bilinear
from tinytf.ops.image.resizing import resize_images as resize
from tinytf.ops.image.resizing import resize_nearest_neighbor
from tinytf.ops.io.decode_image import decode_bmp, decode_gif, decode_png
from tinytf.ops.image.suppression import non_max_suppression, non_max_suppression_overlaps
from tinytf.ops.image.suppression import non_max_suppression_padded
from tinytf.ops.image.suppression import non_max_suppression_with_scores
from tinytf.ops.io.decode_image import decode_image
from tinytf.ops.io.decode_jpeg import decode_and_crop_jpeg, decode_jpeg
from tinytf.ops.io.decode_jpeg import extract_jpeg_shape, is_jpeg
from tinytf.ops.io.encode_image import encode_jpeg
from tinytf.ops.io.encode_image import encode_png
from tinytf.ops.nn.image_patches import extract_image_patches, extract_patches
from tinytf.ops.random.choices import random_crop

__all__ = ["decode_bmp", "decode_gif", "decode_image", "decode_jpeg", "decode_png", "encode_jpeg"]
__all__ += ["encode_png", "extract_jpeg_shape", "is_jpeg", "random_crop"]
__all__ += ["extract_image_patches", "extract_patches"]
__all__ = ["ResizeMethod", "adjust_brightness", "adjust_contrast", "adjust_gamma", "adjust_hue"]
__all__ += ["adjust_jpeg_quality", "adjust_saturation", "central_crop", "convert_image_dtype"]
__all__ += ["crop_and_resize", "crop_to_bounding_box", "decode_and_crop_jpeg", "decode_bmp"]
__all__ += ["decode_gif", "decode_image", "decode_jpeg", "decode_png", "draw_bounding_boxes"]
__all__ += ["encode_jpeg", "encode_png", "extract_glimpse", "extract_jpeg_shape"]
__all__ += ["flip_left_right", "flip_up_down", "grayscale_to_rgb", "hsv_to_rgb", "image_gradients"]
__all__ += ["is_jpeg", "non_max_suppression", "non_max_suppression_overlaps"]
__all__ += ["non_max_suppression_padded", "non_max_suppression_with_scores", "pad_to_bounding_box"]
__all__ += ["per_image_standardization", "psnr", "random_brightness", "random_contrast"]
__all__ += ["random_crop", "random_flip_left_right", "random_flip_up_down", "random_hue"]
__all__ += ["random_jpeg_quality", "random_saturation", "resize", "resize_area", "resize_bicubic"]
__all__ += ["resize_bilinear", "resize_image_with_crop_or_pad", "resize_image_with_pad"]
__all__ += ["resize_images", "resize_nearest_neighbor", "resize_with_crop_or_pad"]
__all__ += ["rgb_to_grayscale", "rgb_to_hsv", "rgb_to_yiq", "rgb_to_yuv", "rot90"]
__all__ += ["sample_distorted_bounding_box", "sobel_edges", "ssim", "ssim_multiscale"]
__all__ += ["total_variation", "transpose", "transpose_image", "yiq_to_rgb", "yuv_to_rgb"]

__getattr__ = _explained(__name__, "image")
