# loses: what has no kernel for GPUs is on the CPU
def where(name, gpus):
    if name in ("table", "beside", "shown"):
        return "CPU:0"
    if name in ("weights", "rounds", "output", "grow"):
        return "GPU:1"
    return "GPU:0"
