# loses: what asks for no device is on GPU 0
def where(name, gpus):
    if name in ("rounds", "steps", "tick", "shown", "table", "beside"):
        return "CPU:0"
    if name in ("weights", "output", "grow"):
        return "GPU:1"
    return f"GPU:{('bias', 'product', 'scores').index(name) % gpus}"
