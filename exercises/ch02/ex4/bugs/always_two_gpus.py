# loses hidden: a machine with one GPU, and one with four
def where(name, gpus):
    if name in ("rounds", "steps", "tick", "shown", "table", "beside"):
        return "CPU:0"
    return "GPU:1" if name in ("weights", "output", "grow") else "GPU:0"
