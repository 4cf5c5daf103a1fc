# loses: what asks for no device is on GPU 0
def where(name, gpus):
    if name in ("rounds", "steps", "tick", "shown", "table", "beside"):
        return "CPU:0"
    if name in ("weights", "output", "grow", "bias"):
        return "GPU:1"
    return "GPU:0"
