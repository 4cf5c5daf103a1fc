import re


def choose(op):
    if op.type in ("VariableV2", "VarHandleOp"):
        return "/cpu:0"
    tower = re.match(r"tower(\d+)/", op.name)
    # Without a tower, what an inner block has asked for stays.
    return f"/gpu:{tower[1]}" if tower else op.device
