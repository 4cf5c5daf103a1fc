"""A cluster that trains one network on many machines, described in a few numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from tinytf.simulation import rates
from tinytf.simulation.machine import Link
from tinytf.simulation.sharding import STRATEGIES, Parameter, Shard, shards
from tinytf.simulation.stragglers import Stragglers, constant

#: No simulation has more: what the book's largest cluster had, twice.
MOST_WORKERS = 1000

ETHERNET = Link(*rates.ETHERNET, "Ethernet")


@dataclass(frozen=True, slots=True)
class TrainingCluster:
    """Data-parallel training: workers that compute gradients, and parameter servers between them.

    In a step a worker asks all parameter servers for the values, computes, and sends the gradients
    back. Asynchronously each gradient is applied when it comes. Synchronously all wait until those
    of `workers` workers are there; of `backup` more the slowest are not waited for.

    Attributes:
      workers: whose gradients make a step. backup: how many more compute.
      compute: seconds of a worker on the gradients of its batch; from a data sheet or a
        measurement, `Rates.seconds` works it out. batch: images of a worker's step.
      parameters: the model. ps: how many parameter servers. sharding: "partitioned" (even),
        "round robin" (by variable), "greedy" (by size).
      link: the network card of each machine, in each direction: latency, bandwidth, and how long a
        CPU handles a request. bits: of a number on its way: 32 or 16.
      update: bytes of gradients a second that a parameter server adds to its variables.
      stragglers: how the time to compute varies. synchronous: whether there is a barrier.
      colocated: the parameter servers run on the first machines of the workers.

    Raises:
      ValueError: for numbers that make no cluster.

    Example:
      >>> from tinytf.simulation.training_cluster import TrainingCluster
      >>> TrainingCluster(workers=50, ps=17, backup=4).running
      54
    """

    workers: int = 8
    ps: int = 1
    compute: float = 0.1
    parameters: Sequence[Parameter] = (Parameter("weights", 1_000_000),)
    sharding: str = "partitioned"
    link: Link = ETHERNET
    bits: int = 32
    update: float = rates.CPU.memory / 3  # reads the gradient and the variable, writes the variable
    stragglers: Stragglers = field(default_factory=constant)
    synchronous: bool = True
    backup: int = 0
    batch: int = 32
    colocated: bool = False

    def __post_init__(self) -> None:
        counts = (self.workers, self.ps, self.batch)
        if not all(isinstance(n, int) and n > 0 for n in counts) or self.backup < 0:
            raise ValueError(
                f"TrainingCluster: {self.workers} workers, {self.ps} ps, a batch of {self.batch} "
                f"and {self.backup} backup workers; there has to be at least one of each, and no "
                f"fewer than 0 backup workers"
            )
        if self.running > MOST_WORKERS:
            raise ValueError(
                f"TrainingCluster: {self.running:,} workers; up to {MOST_WORKERS:,} are simulated"
            )
        if self.backup and not self.synchronous:
            raise ValueError(
                f"TrainingCluster: {self.backup} backup workers, but synchronous=False. Without a "
                f"barrier nobody is waited for: add them to the workers"
            )
        if not 0 <= self.compute < math.inf or not self.link.bandwidth > 0 or not self.update > 0:
            raise ValueError(
                f"TrainingCluster: compute is {self.compute} s, the bandwidth "
                f"{self.link.bandwidth} and update {self.update} bytes a second; none may be "
                f"negative, and something has to get through"
            )
        if self.bits not in (16, 32):
            raise ValueError(f"TrainingCluster: {self.bits} bits; numbers travel as 32 or 16")
        if self.sharding not in STRATEGIES:
            shards((), 1, self.sharding, self.bits)  # says which there are
        if not any(parameter.used for parameter in self.parameters):
            raise ValueError("TrainingCluster: the model has no parameters that a step would touch")

    @property
    def running(self) -> int:
        """The workers that compute, backup workers included."""
        return self.workers + self.backup

    @property
    def shards(self) -> list[Shard]:
        """What each parameter server sends to a worker in a step, and receives from it."""
        return shards(self.parameters, self.ps, self.sharding, self.bits)

    @property
    def size(self) -> float:
        """Bytes of the values that a worker fetches in a step, or of its gradients."""
        return sum(shard.size for shard in self.shards)

    @property
    def alone(self) -> float:
        """Images a second of one machine that computes without a network."""
        seconds = self.compute * self.stragglers.mean
        return self.batch / seconds if seconds else math.inf
