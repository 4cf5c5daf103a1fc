# loses hidden: a machine without GPUs
def where(name, gpus):
    if name in ("rounds", "steps", "tick", "shown", "table", "beside"):
        return "CPU:0"
    return "GPU:1" if gpus > 1 and name in ("weights", "output", "grow") else "GPU:0"
