import tinytf as tf


def can_happen(fetches, story, threads):
    """Return whether a step can go like this.

    fetches: a list of tensors and operations
    story: a list of texts, "a begins" or "a ends", in the order of time
    threads: how many inter-op threads the session has
    """
    raise NotImplementedError("write this function")
