import numpy as np

import tinytf as tf


def columns(streets, avenues):
    of = tf.feature_column
    x = of.bucketized_column(of.numeric_column("x"), list(streets))
    y = of.bucketized_column(of.numeric_column("y"), list(avenues))
    return [of.crossed_column([x, y], hash_bucket_size=1_000_000)]
