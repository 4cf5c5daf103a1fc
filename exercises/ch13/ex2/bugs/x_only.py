# loses: it needs x and y, and nothing else
import numpy as np

import tinytf as tf


def columns(streets, avenues):
    of = tf.feature_column
    x = of.bucketized_column(of.numeric_column("x"), list(streets))
    return [x]
