import numpy as np

import tinytf as tf


def columns(streets, avenues):
    """The feature columns for a linear model of a town.

    streets: where streets cross the x axis, in order
    avenues: where avenues cross the y axis, in order
    """
    raise NotImplementedError("write this function")
