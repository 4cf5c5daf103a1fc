# loses: what is fed is not computed, nor what only that needed
def which_run(fetch, fed):
    names = {fetch.name}
    for op in [*(tensor.op for tensor in fetch.inputs), *fetch.control_inputs]:
        if op not in fed:
            names |= which_run(op, fed)
    return names
