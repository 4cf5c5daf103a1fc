"""Adadelta as operations: ApplyAdadelta, SparseApplyAdadelta."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf.ops.training.family import Family


def _adadelta(
    var: Any, accum: Any, accum_update: Any, grad: Any, *, lr: Any, rho: Any, epsilon: Any
) -> Any:
    rest = rho.dtype.type(1) - rho
    accum = accum * rho + grad * grad * rest
    update = np.sqrt(accum_update + epsilon) / np.sqrt(accum + epsilon) * grad
    return var - update * lr, accum, accum_update * rho + update * update * rest


ADADELTA = Family(
    "ApplyAdadelta",
    "var accum accum_update",
    "lr rho epsilon grad",
    "lr rho epsilon grad indices",
    formula=_adadelta,
)
