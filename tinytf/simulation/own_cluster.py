"""The learner's own cluster: calibrated on one worker, predicted for more on the same machine.

Measured are (`tinytf.jupyter.own_cluster` does it): a step with the variables on the worker, one
with the variables on a parameter server, and how much of the processor that takes. What the second
step takes longer is the exchange. Workers that together want more than the processor's cores share
them, and so does all that they do.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from tinytf.simulation.machine import Link
from tinytf.simulation.sharding import Parameter
from tinytf.simulation.training_cluster import TrainingCluster
from tinytf.simulation.training_loop import simulate_training


@dataclass(frozen=True, slots=True)
class OwnCluster:
    """What was measured with one worker and one parameter server.

    Attributes:
      alone: seconds of a step with the variables on the worker.
      step: seconds of a step with the variables on the parameter server.
      request: seconds to ask the parameter server for a single number.
      elements: how many numbers the variables have, together.
      cores: of the processor that all share. batch: images of a step.
      busy: how many of the cores one worker's steps keep busy, the client's and the parameter
        server's part included; one of them, if it was not measured.

    Raises:
      ValueError: for a time that is not one, and for nothing to exchange.

    Example:
      >>> from tinytf.simulation.own_cluster import OwnCluster
      >>> own = OwnCluster(0.010, 0.014, 0.0005, elements=100_000, cores=2)
      >>> round(own.steps_per_second(1), 1), round(own.steps_per_second(2), 1)
      (71.4, 142.9)
    """

    alone: float
    step: float
    request: float
    elements: int
    cores: int
    batch: int = 1
    busy: float = 1.0

    def __post_init__(self) -> None:
        times = (self.alone, self.step, self.request)
        if not all(0 <= t < math.inf for t in times) or not self.step > 0:
            raise ValueError(
                f"OwnCluster: steps of {self.alone} s and {self.step} s, a request of "
                f"{self.request} s: they have to be measured times"
            )
        if not 0 < self.busy <= self.cores:
            raise ValueError(f"OwnCluster: {self.busy} cores are busy, of {self.cores}")
        if self.elements < 1 or self.cores < 1 or self.batch < 1:
            raise ValueError(
                f"OwnCluster: {self.elements} numbers, {self.cores} cores, batches of "
                f"{self.batch}; there has to be at least one of each"
            )

    def cluster(self, workers: int) -> TrainingCluster:
        """As a cluster to simulate, asynchronous, with this many workers on this machine."""
        crowd = max(1.0, workers * self.busy / self.cores)
        exchange = max(0.0, self.step - self.alone)
        # The way to ask, that of the values, and that of the gradients: three of a request's two.
        asking = min(1.5 * self.request, exchange)
        sending = exchange - asking
        size = 4.0 * self.elements
        bandwidth = 2 * size / (sending * crowd) if sending else math.inf
        return TrainingCluster(
            workers,
            1,
            min(self.alone, self.step) * crowd,
            (Parameter("variables", self.elements),),
            link=Link(asking / 3 * crowd, bandwidth, name="this machine"),
            update=math.inf,
            synchronous=False,
            batch=self.batch,
        )

    def steps_per_second(self, workers: int) -> float:
        """Predicted, of all workers together."""
        return simulate_training(self.cluster(workers), 30).rate


@dataclass(frozen=True, slots=True)
class Comparison:
    """Predicted beside measured; one worker is what it was calibrated on.

    Attributes:
      own: what was measured with one worker. measured: workers -> steps a second.

    Example:
      >>> from tinytf.simulation.own_cluster import Comparison, OwnCluster
      >>> print(Comparison(OwnCluster(0.01, 0.014, 0.0005, 100_000, 2), {1: 70.0, 2: 120.0}))
      one worker: a step of 14.00 ms, 10.00 ms of them computing; 1.0 of 2 cores busy
      workers   predicted    measured   steps/s
            1        71.4        70.0   +2%
            2       142.9       120.0   +19%
    """

    own: OwnCluster
    measured: Mapping[int, float]

    @property
    def predicted(self) -> dict[int, float]:
        """Steps a second, by the number of workers."""
        return {workers: self.own.steps_per_second(workers) for workers in self.measured}

    def __repr__(self) -> str:
        own = self.own
        lines = [
            f"one worker: a step of {own.step * 1e3:.2f} ms, {own.alone * 1e3:.2f} ms of them "
            f"computing; {own.busy:.1f} of {own.cores} cores busy",
            "workers   predicted    measured   steps/s",
        ]
        for workers, predicted in self.predicted.items():
            off = predicted / self.measured[workers] - 1
            lines.append(f"{workers:7}{predicted:12.1f}{self.measured[workers]:12.1f}   {off:+.0%}")
        return "\n".join(lines)
