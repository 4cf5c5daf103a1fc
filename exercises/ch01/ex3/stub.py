import tinytf as tf


def layer(x, units, name):
    """Return x * w + b, with the trainable variables name/w and name/b.

    x:     a matrix of float32 numbers; the number of its columns is known
    units: the number of columns of the result
    name:  the same name means the same variables
    """
    raise NotImplementedError("write this function")
