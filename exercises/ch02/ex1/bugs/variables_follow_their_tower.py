# loses: variables of both kinds are on the CPU, also in a tower
import re


def choose(op):
    tower = re.match(r"tower(\d+)/", op.name)
    if tower:
        return f"/gpu:{tower[1]}"
    return "/cpu:0" if op.type in ("VariableV2", "VarHandleOp") else op.device
