def copied(use, home, at, numbers):
    """Return how many bytes go from one device to another, or "refused".

    use:      "negate", "twice", "rows", "assign", "sum" or "between"
    home, at: the devices of the variable and of the block:
              "/cpu:0", "/gpu:0" or "/gpu:1"
    numbers:  how many numbers of type float32 the variable has
    """
    raise NotImplementedError("write this function")
