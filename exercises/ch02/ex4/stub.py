def where(name, gpus):
    """Return the place of a variable or operation: "CPU:0", "GPU:0" ...

    name: one of table, weights, rounds, bias, steps, product, output, scores,
          shown, grow, tick, beside
    gpus: how many GPUs the machine has
    """
    raise NotImplementedError("write this function")
