def where(name, gpus):
    # On the CPU for want of a kernel (int32 variables and what changes them, Print), or because
    # they ask for it, or are colocated with what does.
    without_kernel = name in ("rounds", "steps", "tick", "shown")
    if gpus == 0 or without_kernel or name in ("table", "beside"):
        return "CPU:0"
    # Soft placement: where there is no GPU 1, another GPU will do.
    if name in ("weights", "output", "grow") and gpus > 1:
        return "GPU:1"
    return "GPU:0"
