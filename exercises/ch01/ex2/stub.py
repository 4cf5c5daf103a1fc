def which_run(fetch, fed):
    """Return the set of the names of the operations that run.

    fetch: the operation that is fetched
    fed:   the operations whose results are fed, the placeholders among them
    """
    raise NotImplementedError("write this function")
