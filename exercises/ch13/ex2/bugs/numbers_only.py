# loses: the four blocks around a crossing
import numpy as np

import tinytf as tf


def columns(streets, avenues):
    of = tf.feature_column
    return [of.numeric_column("x"), of.numeric_column("y")]
