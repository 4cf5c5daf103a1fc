"""Operations, as cards, in rooms named after TensorFlow's families; see `framework.op_card`.

array/  math/  reduce/  segment/  linalg/  signal/  random/  strings/  sparse/     values
nn/  training/                                            neural networks, optimizers' updates
image/                                                    resizing, colours, boxes
variables/  queues/  readers/  lookup/  tensor_array/     state
control_flow/  functions/  gradients/                     conditionals and loops, calls, derivatives
io/  check/  logging/  summary/                           files, assertions, what is shown
base/                                                     what cards of many rooms share

docs/where.md says for every name of TensorFlow's in which file it is.

Operations are made of each other: the gradient of `concat` is a slice, that of a slice a `pad`.
Where an import at the top of a file would go round in a circle, a file says `from tinytf import
ops` and `ops.concat(...)`, which finds the function when it is first used. Layers, losses and
whatever else is made of many operations find them in the same way. `__init__.pyi` says where these
are, here and to editors.
"""

from __future__ import annotations

import ast
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any


@cache
def _modules() -> dict[str, str]:
    """Which function is in which module, as `__init__.pyi` imports them."""
    stub = ast.parse(Path(__file__).with_suffix(".pyi").read_text())
    imports = (line for line in stub.body if isinstance(line, ast.ImportFrom))
    return {name.name: str(line.module) for line in imports for name in line.names}


def __getattr__(name: str) -> Any:
    module = _modules().get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    function = globals()[name] = getattr(import_module(module), name)
    return function
