# loses: a step runs what the fetches need, and nothing else
import tinytf as tf


def can_happen(fetches, story, threads):
    needed, front = {}, [getattr(one, "op", one) for one in fetches]
    while front:
        op = front.pop()
        if op.name not in needed:
            needed[op.name] = op
            front += before(op)
    begun, ended = [], []
    graph = {op.name: op for op in getattr(fetches[0], "op", fetches[0]).graph.get_operations()}
    for event in story:
        name, what = event.split()
        if what == "ends":
            ended.append(name)
            continue
        if any(one.name not in ended for one in before(graph[name])):
            return False
        running = [graph[other].device for other in begun if other not in ended]
        if not has_room(graph[name].device, running, threads):
            return False
        begun.append(name)
    return set(needed) <= set(ended)


def before(op):
    return [tensor.op for tensor in op.inputs] + list(op.control_inputs)


def has_room(device, running, threads):
    if "GPU" in device:
        return device not in running
    return sum("GPU" not in other for other in running) < threads
