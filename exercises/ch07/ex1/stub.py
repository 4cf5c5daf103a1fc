import tinytf as tf


def read_all(files, readers):
    """Return the rows of all files, as pairs of floats, in any order.

    files: names of CSV files; each has a header line, then rows of two numbers
    readers: how many readers, each with a thread of its own
    """
    raise NotImplementedError("write this function")
