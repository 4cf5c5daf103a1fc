import tinytf as tf


def build_careful_job(tools, use):
    """Return one operation that takes all tools, uses them, puts them back.

    tools: queues with one element each, in any order
    use: use(elements) builds the operation that works with the elements (in
        the order of `tools`), and returns it
    """
    raise NotImplementedError("write this function")
