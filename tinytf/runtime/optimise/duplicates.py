"""Common subexpressions: what is computed twice from the same inputs is computed once.

TensorFlow: core/grappler/optimizers/common_subgraph_elimination.cc.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf.framework.operation import Operation
from tinytf.runtime.optimise.step_graph import StepGraph

PASS = "common subexpressions"
#: Larger constants are not compared.
_MAX_BYTES = 1024

Key = tuple[Any, ...]


class Duplicates:
    """Finds them; ask once for each operation, producers first."""

    def __init__(self) -> None:
        self._first: dict[Key, Operation] = {}

    def merge(self, graph: StepGraph, op: Operation) -> bool:
        """Let others take the outputs of an equal operation instead; says whether there is one."""
        if not graph.is_pure(op):
            return False
        key = _key(op)
        if key is None:
            return False
        first = self._first.setdefault(key, op)
        if first is op or op in graph.kept:
            return False
        graph.replace(op, first.outputs, PASS, f"is the same as {first.name}")
        return True


def _key(op: Operation) -> Key | None:
    """What equal operations have in common; None if that cannot be told."""
    attrs = []
    for name in sorted(op.attrs):
        if name.startswith("_"):
            continue  # notes about the node, not what it computes
        value = _attr(op.attrs[name])
        if value is None:
            return None
        attrs.append((name, value))
    inputs = [id(tensor) for tensor in op._inputs]
    if op.op_def.is_commutative:
        inputs.sort()
    return (op.type, op.device, tuple(inputs), frozenset(op._controls), tuple(attrs))


def _attr(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        if value.dtype == object or value.nbytes > _MAX_BYTES:
            return None
        return (value.dtype.str, value.shape, value.tobytes())
    if isinstance(value, tuple):
        parts = tuple(_attr(part) for part in value)
        return None if None in parts else parts
    return (type(value).__name__, str(value))
