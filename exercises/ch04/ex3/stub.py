import tinytf as tf


def count_tensors(fetches, master):
    """Return how many tensors travel between tasks in one step.

    fetches: a list of tensors and operations
    master: a task, such as "worker:0"
    Returns a dictionary, {("ps:0", "worker:0"): 2}: from, to, how many
    """
    raise NotImplementedError("write this function")
