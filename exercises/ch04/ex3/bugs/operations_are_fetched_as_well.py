# loses: what is fetched travels to the master
from collections import Counter

import tinytf as tf


def count_tensors(fetches, master):
    travelling = set()
    front = []
    for one in fetches:
        op = one if isinstance(one, tf.Operation) else one.op
        front.append(op)
        travelling.add((f"fetched {one.name}", place_of(op), master))
    needed = set()
    while front:
        op = front.pop()
        if op in needed:
            continue
        needed.add(op)
        for tensor in op.inputs:
            front.append(tensor.op)
            if not is_small_constant(tensor):
                travelling.add((tensor.name, place_of(tensor.op), place_of(op)))
        for before in op.control_inputs:
            front.append(before)
            travelling.add((f"^{before.name}", place_of(before), place_of(op)))
    return dict(Counter((source, to) for _, source, to in travelling if source != to))


def place_of(op):
    place = tf.DeviceSpec.from_string(op.device)
    return f"{place.job}:{place.task}"


def is_small_constant(tensor):
    return tensor.op.type == "Const" and tensor.shape.num_elements() <= 16
