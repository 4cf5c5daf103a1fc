# loses hidden: a variable is on the CPU also where a block asks for a GPU
import re


def choose(op):
    if op.device:
        return op.device
    if op.type in ("VariableV2", "VarHandleOp"):
        return "/cpu:0"
    tower = re.match(r"tower(\d+)/", op.name)
    return f"/gpu:{tower[1]}" if tower else ""
