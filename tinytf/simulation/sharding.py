"""Which parameter server has which variable, and what that makes each of them send and receive."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Parameter:
    """A variable of the model.

    Attributes:
      name: for people. elements: how many numbers it has.
      touched: how many of them a step reads and changes; None: all. An embedding is sparse: a step
        reads the rows of its own words.

    Example:
      >>> from tinytf.simulation.sharding import Parameter
      >>> Parameter("embedding", 40_000 * 512, touched=32 * 512).used
      16384
    """

    name: str
    elements: int
    touched: int | None = None

    @property
    def used(self) -> int:
        """How many numbers travel each way in a step of one worker."""
        return self.elements if self.touched is None else min(self.touched, self.elements)


@dataclass(frozen=True, slots=True)
class Shard:
    """What one parameter server has, as one worker sees it in one step.

    Attributes:
      requests: how many tensors are asked of it, and sent to it.
      size: their bytes, each way.
    """

    requests: int
    size: float


def by_round_robin(parameters: Sequence[Parameter], ps: int) -> list[list[Parameter]]:
    """One after the other, whatever their size: the default of `tf.train.replica_device_setter`."""
    return [list(parameters[task::ps]) for task in range(ps)]


def by_size(parameters: Sequence[Parameter], ps: int) -> list[list[Parameter]]:
    """Each to the server that has least so far: `GreedyLoadBalancingStrategy`."""
    held: list[list[Parameter]] = [[] for _ in range(ps)]
    load = [0] * ps
    for parameter in parameters:
        task = load.index(min(load))
        held[task].append(parameter)
        load[task] += parameter.elements
    return held


def partitioned(parameters: Sequence[Parameter], ps: int) -> list[list[Parameter]]:
    """Each cut into as many pieces as there are servers: what `tf.fixed_size_partitioner` does."""
    held: list[list[Parameter]] = [[] for _ in range(ps)]
    for parameter in parameters:
        for task in range(ps):
            elements = _piece(parameter.elements, ps, task)
            if elements:
                used = None if parameter.touched is None else _piece(parameter.used, ps, task)
                held[task].append(Parameter(f"{parameter.name}/part_{task}", elements, used))
    return held


def _piece(whole: int, pieces: int, number: int) -> int:
    return whole // pieces + (number < whole % pieces)


STRATEGIES: dict[str, Callable[[Sequence[Parameter], int], list[list[Parameter]]]] = {
    "round robin": by_round_robin,
    "greedy": by_size,
    "partitioned": partitioned,
}


def shards(parameters: Sequence[Parameter], ps: int, strategy: str, bits: int) -> list[Shard]:
    """What each parameter server has to do for one step of one worker.

    Args:
      parameters: of the model. ps: how many servers.
      strategy: "round robin", "greedy" or "partitioned". bits: of a number on its way.

    Raises:
      ValueError: for a strategy that is not known.

    Example:
      >>> from tinytf.simulation.sharding import Parameter, shards
      >>> model = [Parameter("w", 1_000_000), Parameter("b", 10), Parameter("v", 500_000)]
      >>> [shard.size for shard in shards(model, 2, "round robin", 32)]
      [6000000.0, 40.0]
      >>> [shard.size for shard in shards(model, 2, "partitioned", 16)]
      [1500010.0, 1500010.0]
    """
    if strategy not in STRATEGIES:
        known = ", ".join(map(repr, STRATEGIES))
        raise ValueError(f"The sharding {strategy!r} is not known; there are {known}")
    return [
        Shard(len(held), sum(parameter.used for parameter in held) * bits / 8)
        for held in STRATEGIES[strategy](parameters, ps)
    ]


def busiest(loads: Sequence[Shard]) -> list[Shard]:
    """The shards that decide how long a step takes.

    A worker asks all servers at the same time and goes on with the last answer. A server that has
    both fewer requests and fewer bytes than another is never the last: it need not be simulated.
    So a thousand workers on a hundred even servers cost no more than on one.
    """
    kept: list[Shard] = []
    for load in sorted(loads, key=lambda load: (-load.size, -load.requests)):
        if load.requests and all(load.requests > other.requests for other in kept):
            kept.append(load)
    return kept
