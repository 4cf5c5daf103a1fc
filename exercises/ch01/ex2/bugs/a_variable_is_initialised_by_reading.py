# loses: a variable's initial value is computed by its initializer alone
def which_run(fetch, fed):
    if fetch in fed:
        return set()
    needed = [tensor.op for tensor in fetch.inputs] + fetch.control_inputs
    names = {fetch.name}.union(*(which_run(op, fed) for op in needed))
    if fetch.type == "VariableV2":
        names |= {f"{fetch.name}/Assign", f"{fetch.name}/initial_value"}
    return names
