# loses: streets and avenues are not the same
import numpy as np

import tinytf as tf


def columns(streets, avenues):
    of = tf.feature_column
    x = of.bucketized_column(of.numeric_column("x"), [float(n) for n in range(1, len(streets) + 1)])
    y = of.bucketized_column(of.numeric_column("y"), [float(n) for n in range(1, len(avenues) + 1)])
    return [of.crossed_column([x, y], hash_bucket_size=1_000_000)]
