"""How long the same work takes on different machines and in different steps.

A distribution is its quantile function: a number between 0 and 1 in, a factor on the time of a
computation out. So one stream of numbers serves all distributions and all settings: what differs
between two simulations is what was changed, and not the luck.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from statistics import NormalDist

import numpy as np

_NORMAL = NormalDist()


@dataclass(frozen=True, slots=True)
class Stragglers:
    """A distribution of factors on the time of a computation; make it with the functions below.

    Attributes:
      name: in words. quantile: the factor that a share of all computations stays below.
      mean: of the factors; what a worker on its own has.
      slow: worker -> a factor that it has in every step.

    Example:
      >>> from tinytf.simulation.stragglers import lognormal
      >>> round(lognormal(0.5).quantile(0.5), 3)
      1.0
    """

    name: str
    quantile: Callable[[float], float]
    mean: float
    slow: tuple[tuple[int, float], ...] = ()

    def __repr__(self) -> str:
        return f"<stragglers: {self.name}>"


@cache
def constant() -> Stragglers:
    """Every computation takes the same time."""
    return Stragglers("none", lambda share: 1.0, 1.0)


@cache
def lognormal(sigma: float) -> Stragglers:
    """Times vary around a median of 1, more often a little than much: what machines really do.

    Args:
      sigma: of the logarithm of the factor: 0.1 is a calm cluster, 0.5 a crowded one.

    Raises:
      ValueError: if it is negative.
    """
    _check_not_negative("sigma", sigma)
    if not sigma:
        return constant()
    return Stragglers(
        f"lognormal, sigma {sigma:g}",
        lambda share: math.exp(sigma * _NORMAL.inv_cdf(share)),
        math.exp(sigma**2 / 2),
    )


@cache
def exponential(tail: float) -> Stragglers:
    """No computation takes less than 1; some take longer, and a few much longer.

    Args:
      tail: the mean of what they take longer.

    Raises:
      ValueError: if it is negative.
    """
    _check_not_negative("tail", tail)
    if not tail:
        return constant()
    return Stragglers(
        f"exponential tail of {tail:g}", lambda share: 1 - tail * math.log1p(-share), 1 + tail
    )


@cache
def slow_worker(factor: float, worker: int = 0) -> Stragglers:
    """One machine takes longer in every step, all others take the same time.

    Args:
      factor: how many times as long. worker: its number.

    Raises:
      ValueError: if the factor is negative.
    """
    _check_not_negative("factor", factor)
    name = f"worker {worker} takes {factor:g} times as long"
    return Stragglers(name, lambda share: 1.0, 1.0, ((worker, factor),))


class Luck:
    """The numbers between 0 and 1 of one worker, one after the other; the same for the same seed.

    They are taken from the bits of PCG64, whose stream numpy keeps as it is; each worker has its
    own, so that its steps do not change when others join.

    Args:
      seed: of the simulation. worker: the number of the worker.
    """

    def __init__(self, seed: int, worker: int):
        self._bits = np.random.PCG64([seed, worker])

    def numbers(self, count: int) -> list[float]:
        """The next numbers, none of them 0 or 1."""
        raw = np.asarray(self._bits.random_raw(count), np.uint64)
        shares: list[float] = (((raw >> np.uint64(12)) + 0.5) * 2.0**-52).tolist()
        return shares


def _check_not_negative(name: str, value: float) -> None:
    if not 0 <= value < math.inf:
        raise ValueError(f"stragglers: {name} is {value}; it has to be 0 or more")
