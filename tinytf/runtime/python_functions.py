"""Python functions in a graph (`tf.py_func`) run side by side from the first step on.

What they cost, and what they wait for, is the user's affair. Two of them may wait for each other;
in straight code they would do so for ever, and nothing could be learned from it. So those that do
not need each other's values are units of their own, whatever is known of costs (`learning`).
"""

from __future__ import annotations

from collections.abc import Container, Iterable

from tinytf.framework.operation import Operation

PYTHON_FUNCTIONS = frozenset({"PyFunc", "PyFuncStateless"})


def functions_apart(ops: Iterable[Operation], in_loops: Container[Operation]) -> frozenset[str]:
    """The names of the Python functions of a plan, if two of them could run at once.

    Args:
      ops: of the plan, producers first. in_loops: operations inside of loops: they do not count.
    """
    needs: dict[Operation, int] = {}  # which functions led to it: a bit for each
    names: list[str] = []
    could_overlap = False
    for op in ops:
        mask = 0
        for producer in (*(t.op for t in op.inputs), *op.control_inputs):
            mask |= needs.get(producer, 0)
        if op.type in PYTHON_FUNCTIONS and op not in in_loops:
            could_overlap = could_overlap or mask.bit_count() < len(names)
            mask |= 1 << len(names)
            names.append(op.name)
        needs[op] = mask
    return frozenset(names) if could_overlap else frozenset()
