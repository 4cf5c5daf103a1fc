# loses: one device runs as many at once as there are threads
import tinytf as tf


def can_happen(fetches, story, threads):
    needed, front = {}, [getattr(one, "op", one) for one in fetches]
    while front:
        op = front.pop()
        if op.name not in needed:
            needed[op.name] = op
            front += before(op)
    begun, ended = [], []
    for event in story:
        name, what = event.split()
        if what == "ends":
            ended.append(name)
            continue
        if name not in needed or any(one.name not in ended for one in before(needed[name])):
            return False
        running = [needed[other].device for other in begun if other not in ended]
        if not has_room(needed[name].device, running, threads):
            return False
        begun.append(name)
    return sorted(ended) == sorted(needed)


def before(op):
    return [tensor.op for tensor in op.inputs] + list(op.control_inputs)


def has_room(device, running, threads):
    if "GPU" in device:
        return device not in running
    return device not in running
