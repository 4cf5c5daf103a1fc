# loses: everything else stays as it was asked for
import re


def choose(op):
    if op.type in ("VariableV2", "VarHandleOp"):
        return "/cpu:0"
    tower = re.match(r"tower(\d+)/", op.name)
    return f"/gpu:{tower[1]}" if tower else "/cpu:0"
