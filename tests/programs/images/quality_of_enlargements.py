"""Which way to enlarge an image is best? SSIM at one and many scales, colours, edges, glimpses."""

import numpy as np
import tensorflow as tf

rows, columns = np.mgrid[0:64, 0:64] / 5.0
picture = 0.5 + 0.25 * np.sin(rows * 2 + columns) + 0.2 * np.cos(columns * rows / 3)
picture = np.stack([picture, 0.8 * picture[::-1] + 0.1, 0.5 * picture], 2)[np.newaxis].astype(
    np.float32
)

original = tf.constant(picture)
small = tf.image.resize_area(original, [32, 32])
enlarged = [
    ("bilinear", tf.image.resize_bilinear(small, [64, 64])),
    ("aligned", tf.image.resize_bilinear(small, [64, 64], align_corners=True)),
    ("centres", tf.image.resize_bilinear(small, [64, 64], half_pixel_centers=True)),
    ("bicubic", tf.image.resize_bicubic(small, [64, 64])),
]


def luma(image):
    """Brightness alone, of an image in YUV."""
    return tf.image.rgb_to_yuv(image)[..., :1]


with tf.Session() as sess:
    for name, image in enlarged:
        one = tf.image.ssim(luma(original), luma(image), max_val=1.0)
        signal = tf.image.psnr(original, image, max_val=1.0)
        values = sess.run([one[0], signal[0]])
        print("%-9s" % name, np.round(float(values[0]), 2), np.round(float(values[1]), 1))
    scales = tf.image.ssim_multiscale(
        luma(original), luma(enlarged[0][1]), 1.0, power_factors=(0.3, 0.7)
    )
    print("at two scales", np.round(float(sess.run(scales)[0]), 2))

    tile = original[:, 16:40, 16:48]
    # colours in other words, and back again
    yiq, yuv = tf.image.rgb_to_yiq(tile), tf.image.rgb_to_yuv(tile)
    print(np.round(np.float64(sess.run(yiq[0, 0, 0])), 3).tolist())
    print(np.round(np.float64(sess.run(yuv[0, 0, 0])), 3).tolist())
    back = sess.run([tf.image.yiq_to_rgb(yiq), tf.image.yuv_to_rgb(yuv)])
    print([np.allclose(b, picture[:, 16:40, 16:48], atol=1e-3) for b in back])

    # edges: Sobel's filters for the step between two halves
    half = tf.concat([tf.zeros([1, 6, 3, 1]), tf.ones([1, 6, 3, 1])], 2)
    sobel = tf.image.sobel_edges(half)
    edges = sess.run(sobel)[0, :, :, 0]
    print(sobel.shape, edges[2, :, 1].tolist(), np.abs(edges[:, :, 0]).max())

    # framed to another aspect ratio, as detectors want their input
    framed = tf.image.resize_image_with_pad(tile, 16, 16)
    values = sess.run(framed)[0, :, :, 0]
    print(framed.shape, (values.sum(1) > 0).tolist(), np.round(np.float64(values[8, 3]), 3))

    # what an attentive model sees: glimpses around points, and all patches of an image
    glimpses = tf.image.extract_glimpse(
        tf.tile(tile, [2, 1, 1, 1]), [4, 4], [[0.0, 0.0], [0.25, -0.25]], centered=True
    )
    seen = sess.run(glimpses)
    print(glimpses.shape, np.array_equal(seen[0], picture[0, 26:30, 30:34]))
    print(np.round(np.float64(seen[1, 0, :, 0]), 2).tolist())
    patches = tf.image.extract_patches(
        tile[..., :1], [1, 3, 3, 1], [1, 8, 8, 1], [1, 2, 2, 1], "SAME"
    )
    found = sess.run(patches)
    print(patches.shape, np.round(np.float64(found[0, 1, 1]), 3).tolist())
