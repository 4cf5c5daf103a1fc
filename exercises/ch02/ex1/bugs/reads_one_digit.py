# loses: a tower's operations are on the GPU of its number
def choose(op):
    if op.type in ("VariableV2", "VarHandleOp"):
        return "/cpu:0"
    if op.name.startswith("tower"):
        return "/gpu:" + op.name[5]
    return op.device
