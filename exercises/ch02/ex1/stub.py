import re


def choose(op):
    """Return the device to ask for, a string.

    variables (VariableV2, VarHandleOp):       /cpu:0
    other operations named tower<n>/...:       /gpu:<n>
    everything else:                           what was asked for already
    """
    raise NotImplementedError("write this function")
