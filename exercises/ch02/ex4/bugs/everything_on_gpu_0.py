# loses: what asks for a device is there
def where(name, gpus):
    return "GPU:0"
