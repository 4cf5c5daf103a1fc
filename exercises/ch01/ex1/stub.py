import tinytf as tf


def build_graph():
    """Build a graph and return (x, cheap, expensive, count).

    x:         a placeholder for a vector of float32 numbers, of any length
    cheap:     2 * x
    expensive: x * x; every run that computes it adds 1 to `count`
    count:     an int32 variable that starts at 0
    """
    raise NotImplementedError("write this function")
