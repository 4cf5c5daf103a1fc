# loses: what is fed is not computed, nor what only that needed
def which_run(fetch, fed):
    needed = [tensor.op for tensor in fetch.inputs] + fetch.control_inputs
    names = {fetch.name}.union(*(which_run(op, fed) for op in needed))
    return names - {op.name for op in fed}
