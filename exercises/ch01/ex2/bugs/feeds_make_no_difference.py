# loses: what is fed is not computed, nor what only that needed
def which_run(fetch, fed):
    if fetch.type == "Placeholder":
        return set()
    needed = [tensor.op for tensor in fetch.inputs] + fetch.control_inputs
    return {fetch.name}.union(*(which_run(op, fed) for op in needed))
