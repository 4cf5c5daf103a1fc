"""tf.image: how images differ, from others and from pixel to pixel."""

import numpy as np

from tests.conformance.cases.image import pictures
from tests.conformance.registry import Program, case
from tests.conformance.values import fed, varied


def two_pictures(tf, *shape, dtype="float32"):
    noise = np.abs(varied(*shape, 2)[..., 1])
    first = np.linspace(0, 1, noise.size).reshape(shape)
    images = [first, first * 0.8 + noise * 0.2]
    scale = 1 if dtype.startswith("float") else 255
    return [tf.constant(image * scale, dtype) for image in images]


@case("Abs", each=["float32", "float64", "int32"])
def total_variation(tf, dtype):
    one, several = pictures(tf, 4, 5, 3, dtype=dtype), pictures(tf, 2, 3, 3, 1, dtype=dtype)
    return [tf.image.total_variation(one), tf.image.total_variation(several, name="named")]


@case("Abs", graph="types")
def gradient_of_total_variation(tf):
    image = pictures(tf, 4, 5, 3)
    return tf.gradients(tf.image.total_variation(image), image)


@case("Abs", error="'images' must be either 3 or 4-dimensional.", each=[2, 5])
def total_variation_of_another_rank(tf, rank):
    return tf.image.total_variation(tf.ones([2] * rank))


@case("ConcatV2", each=["float32", "int32"])
def image_gradients(tf, dtype):
    x, feed = fed(tf, np.abs(varied(2, 3, 4, 1)) * 9, dtype, shape=[None, None, None, 1])
    results = [tf.image.image_gradients(y) for y in (pictures(tf, 2, 3, 4, 2, dtype=dtype), x)]
    return Program([list(result) for result in results], feed=feed)


@case("ConcatV2", error="image_gradients expects a 4D tensor [batch_size, h, w, d], not (2, 2, 1)")
def image_gradients_of_one(tf):
    return list(tf.image.image_gradients(tf.ones([2, 2, 1])))


@case("DepthwiseConv2dNative", "MirrorPad", each=["float32", "float64"])
def sobel(tf, dtype):
    x, feed = fed(tf, np.abs(varied(2, 3, 4, 1)), dtype, shape=[None, None, None, 1])
    edges = [tf.image.sobel_edges(y) for y in (pictures(tf, 2, 5, 4, 3, dtype=dtype), x)]
    return Program(edges, feed=feed)


@case("Log", each=["float32", "uint8", "float64"], rtol=1e-4)
def psnr(tf, dtype):
    most = 255 if dtype == "uint8" else 1.0
    one, several = (two_pictures(tf, *s, dtype=dtype) for s in ((5, 6, 3), (2, 5, 6, 1)))
    return [
        tf.image.psnr(*one, max_val=most),
        tf.image.psnr(*several, most, name="named"),
        tf.image.psnr(one[0], one[0], most),
    ]


# Differences of squares in float32: TensorFlow's are 6e-5 from those of float64, ours 1e-5.
@case("DepthwiseConv2dNative", each=["float32", "uint8"], rtol=5e-4)
def ssim(tf, dtype):
    most = 255 if dtype == "uint8" else 1.0
    one, several = (two_pictures(tf, *s, dtype=dtype) for s in ((14, 12, 3), (2, 13, 12, 1)))
    return [
        tf.image.ssim(*one, max_val=most),
        tf.image.ssim(*several, most, filter_size=5, filter_sigma=1.0, k1=0.02, k2=0.05),
        tf.image.ssim(*several, most, return_index_map=True),
    ]


@case("DepthwiseConv2dNative", rtol=1e-4)
def ssim_of_broadcast_images(tf):
    first, second = two_pictures(tf, 2, 13, 12, 1)
    return tf.image.ssim(first, second[:1], 1.0, filter_size=4)


# The branches' nodes have other names.
@case("AvgPool", "MirrorPad", graph="types", rtol=1e-4, each=["float32", "uint8"])
def ssim_at_several_sizes(tf, dtype):
    most = 255 if dtype == "uint8" else 1.0
    one, several = (two_pictures(tf, *s, dtype=dtype) for s in ((20, 23, 3), (2, 12, 12, 1)))
    return [
        tf.image.ssim_multiscale(*one, most, power_factors=(0.4, 0.3, 0.3), filter_size=4),
        tf.image.ssim_multiscale(*several, most, (0.5, 0.5), 5, 1.0, 0.02, 0.05),
    ]


@case("DepthwiseConv2dNative", graph="types", rtol=1e-3, atol=1e-5)
def gradients_of_measures(tf):
    first, second = two_pictures(tf, 12, 12, 1)
    results = [
        tf.gradients(getattr(tf.image, name)(first, second, 1.0), first)
        for name in ("psnr", "ssim")
    ]
    return [*results, tf.gradients(tf.image.sobel_edges(first[None]), first)]


PAIRS = [((5, 5, 1), (5, 6, 1)), ((5, 5), (5, 5)), ((2, 5, 5, 1), (3, 5, 5, 1))]


@case("Log", error="", each=[(m, *pair) for m in ("psnr", "ssim") for pair in PAIRS])
def measures_of_other_shapes(tf, name, first, second):
    return getattr(tf.image, name)(tf.ones(first), tf.ones(second), 1.0)


@case("Assert", error="assertion failed: ", graph="types", each=["psnr", "ssim"])
def measures_of_other_shapes_in_the_run(tf, name):
    x, feed = fed(tf, np.ones([12, 12, 1]))
    y, more = fed(tf, np.ones([12, 12, 3]))
    return Program(getattr(tf.image, name)(x, y, 1.0), feed={**feed, **more})


@case("Assert", error="Negative dimension size caused by subtracting 11 from 10")
def ssim_of_small_images(tf):
    return tf.image.ssim(*two_pictures(tf, 10, 12, 1), 1.0)
