# loses hidden: towers of any number, and names that only begin like one
def choose(op):
    if op.type in ("VariableV2", "VarHandleOp"):
        return "/cpu:0"
    for number in (0, 1, 7, 12):
        if op.name.startswith(f"tower{number}/"):
            return f"/gpu:{number}"
    return op.device
