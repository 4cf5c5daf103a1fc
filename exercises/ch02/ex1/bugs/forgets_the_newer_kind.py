# loses: variables of both kinds are on the CPU, also in a tower
import re


def choose(op):
    if op.type.startswith("Variable"):
        return "/cpu:0"
    tower = re.match(r"tower(\d+)/", op.name)
    return f"/gpu:{tower[1]}" if tower else op.device
