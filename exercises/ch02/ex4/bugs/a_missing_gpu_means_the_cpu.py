# loses hidden: a machine with one GPU, and one with four
def where(name, gpus):
    if name in ("rounds", "steps", "tick", "shown", "table", "beside") or not gpus:
        return "CPU:0"
    if name in ("weights", "output", "grow"):
        return "GPU:1" if gpus > 1 else "CPU:0"
    return "GPU:0"
