# loses: a control dependency makes run what no value comes from
def which_run(fetch, fed):
    if fetch in fed:
        return set()
    return {fetch.name}.union(*(which_run(tensor.op, fed) for tensor in fetch.inputs))
