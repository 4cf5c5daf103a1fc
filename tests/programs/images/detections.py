"""What comes after a detector: overlapping boxes are dropped, softly or not, and random windows."""

import numpy as np
import tensorflow as tf

# top, left, bottom, right of what a detector believes to see, in parts of the image
boxes = np.float32(
    [
        [0.1, 0.1, 0.5, 0.5],
        [0.12, 0.1, 0.52, 0.5],
        [0.1, 0.3, 0.5, 0.72],
        [0.6, 0.6, 0.9, 0.9],
        [0.62, 0.58, 0.9, 0.93],
        [0.0, 0.8, 0.2, 1.0],
    ]
)
scores = np.float32([0.9, 0.85, 0.6, 0.75, 0.8, 0.2])


def intersection_over_union(a, b):
    """Of each of `a` with each of `b`."""
    a, b = tf.expand_dims(a, 1), tf.expand_dims(b, 0)
    top_left = tf.maximum(a[..., :2], b[..., :2])
    bottom_right = tf.minimum(a[..., 2:], b[..., 2:])
    sides = tf.maximum(bottom_right - top_left, 0.0)
    both = sides[..., 0] * sides[..., 1]
    area = lambda x: (x[..., 2] - x[..., 0]) * (x[..., 3] - x[..., 1])
    return both / (area(a) + area(b) - both)


overlaps = intersection_over_union(boxes, boxes)
by_overlaps = tf.image.non_max_suppression_overlaps(
    overlaps, scores, max_output_size=4, overlap_threshold=0.4, score_threshold=0.3
)
padded, valid = tf.image.non_max_suppression_padded(
    boxes,
    scores,
    max_output_size=5,
    iou_threshold=0.4,
    score_threshold=0.3,
    pad_to_max_output_size=True,
)
soft, soft_scores = tf.image.non_max_suppression_with_scores(
    boxes, scores, max_output_size=6, iou_threshold=1.0, score_threshold=0.1, soft_nms_sigma=0.3
)
chosen = tf.gather(boxes, padded[:valid])

# a window for training has to show enough of one of the objects
image = tf.reshape(tf.range(20 * 30, dtype=tf.float32), [20, 30, 1]) / 600
begin, size, window = tf.image.sample_distorted_bounding_box(
    tf.shape(image),
    bounding_boxes=tf.expand_dims(chosen, 0),
    min_object_covered=0.5,
    aspect_ratio_range=[0.75, 1.33],
    area_range=[0.1, 0.8],
    max_attempts=50,
    seed=7,
    seed2=3,
    use_image_if_no_bounding_boxes=True,
)
cropped = tf.slice(image, begin, size)
with_windows = tf.image.draw_bounding_boxes(tf.expand_dims(image, 0), window)

with tf.Session() as sess:
    print(np.round(np.float64(sess.run(overlaps)[0]), 3).tolist())
    print("by overlaps", sess.run(by_overlaps).tolist())
    print("padded", sess.run(padded).tolist(), "of which", sess.run(valid), padded.shape)
    indices, values = sess.run([soft, soft_scores])
    print("soft", indices.tolist(), np.round(np.float64(values), 3).tolist())
    print("chosen", np.round(np.float64(sess.run(chosen)), 2).tolist())
    for _ in range(3):
        b, s, w, c, d = sess.run([begin, size, window, cropped, with_windows])
        print(b.tolist(), s.tolist(), np.round(np.float64(w[0, 0]), 3).tolist(), c.shape)
        print("  mean of the window", np.round(np.float64(c.mean()), 2), d.shape)
