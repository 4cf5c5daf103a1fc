"""RMSProp, plain and centred, as operations: ApplyRMSProp, ApplyCenteredRMSProp."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf.ops.training.family import Family


def _rms_prop(
    var: Any, ms: Any, mom: Any, grad: Any, *, lr: Any, rho: Any, momentum: Any, epsilon: Any
) -> Any:
    ms = ms + (grad * grad - ms) * (rho.dtype.type(1) - rho)
    mom = mom * momentum + grad * lr / np.sqrt(ms + epsilon)
    return var - mom, ms, mom


def _centered(
    var: Any,
    mg: Any,
    ms: Any,
    mom: Any,
    grad: Any,
    *,
    lr: Any,
    rho: Any,
    momentum: Any,
    epsilon: Any,
) -> Any:
    rest = rho.dtype.type(1) - rho
    ms = ms + (grad * grad - ms) * rest
    mg = mg + (grad - mg) * rest
    mom = mom * momentum + grad * lr / np.sqrt(ms - mg * mg + epsilon)
    return var - mom, mg, ms, mom


RMS_PROP = Family(
    "ApplyRMSProp",
    "var ms mom",
    "lr rho momentum epsilon grad",
    "lr rho momentum epsilon grad indices",
    formula=_rms_prop,
)
CENTERED_RMS_PROP = Family(
    "ApplyCenteredRMSProp",
    "var mg ms mom",
    "lr rho momentum epsilon grad",
    "lr rho momentum epsilon grad indices",
    formula=_centered,
)
