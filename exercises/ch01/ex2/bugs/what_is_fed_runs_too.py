# loses: what the fetch does not need does not run
def which_run(fetch, fed):
    if fetch in fed:
        return {fetch.name}
    needed = [tensor.op for tensor in fetch.inputs] + fetch.control_inputs
    return {fetch.name}.union(*(which_run(op, fed) for op in needed))
