# loses: what must be with another is with it
def where(name, gpus):
    if name in ("rounds", "steps", "tick", "shown", "table"):
        return "CPU:0"
    if name in ("weights", "output", "grow"):
        return "GPU:1"
    return "GPU:0"
