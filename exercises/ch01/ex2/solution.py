def which_run(fetch, fed):
    # A value that is fed need not be computed, so the way back ends here.
    if fetch in fed:
        return set()
    names = {fetch.name}
    for tensor in fetch.inputs:
        names |= which_run(tensor.op, fed)
    # No value comes from these, but they have to run first all the same.
    for op in fetch.control_inputs:
        names |= which_run(op, fed)
    return names
