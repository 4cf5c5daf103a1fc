"""What came out of a simulated training."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tinytf.simulation.training_cluster import TrainingCluster

#: What a worker does, in the order in which it does it.
FETCH, COMPUTE, SEND, WAIT = "fetch", "compute", "send", "wait"
#: What a parameter server does with gradients; in its spans it has the number `SERVER`.
APPLY, SERVER = "apply", -1
_MOSTLY = 0.75
#: What a step is made of, and the sentence about it when it is most of the step.
BOTTLENECKS = {
    "compute": "The machines compute most of the time: faster machines, or a larger network, help.",
    "stragglers": "All wait for the slowest worker: backup workers, or training without a barrier, "
    "help.",
    "ps network": "All share the network cards of the parameter servers: more of them, or fewer "
    "bytes, help.",
    "ps CPU": "The parameter servers are busy handling requests and gradients: more of them help.",
    "worker network": "A worker's own network card is the narrow place: only fewer bytes help.",
    "latency": "The messages are small, and their way takes longer than the work: larger batches "
    "help.",
}


@dataclass(frozen=True, slots=True)
class Span:
    """What a worker (or the busiest parameter server: `SERVER`) did from `start` to `end`.

    Times are in virtual seconds; `step` is the worker's.
    """

    worker: int
    what: str
    start: float
    end: float
    step: int


@dataclass(frozen=True, slots=True)
class Training:
    """A simulated training; all times are in virtual seconds.

    Attributes:
      cluster: what was simulated. seconds: how long. updates: of the variables; `rate` is how many
        there are in a second, without the first of each worker.
      step_times: synchronous: from barrier to barrier; asynchronous: of each worker's steps.
      staleness: how many updates came between the values of a gradient and its own -> how often;
        asynchronous: without the first of each worker, which all begin at the same time.
      dropped: gradients that came after the barrier, and were computed for nothing.
      waited: the share of the workers' time at the barrier. waits: in seconds, each.
      moved: bytes, from and to the parameter servers.
      parts: what a step is made of, in seconds: the names are those of `BOTTLENECKS`.
      busy: the share of the time in which the busiest parameter server sends, receives, handles.
      spans: what the first workers did, and the busiest parameter server.
    """

    cluster: TrainingCluster
    seconds: float
    updates: int
    rate: float
    step_times: tuple[float, ...]
    staleness: Mapping[int, int]
    dropped: int
    waited: float
    waits: tuple[float, ...]
    moved: float
    parts: Mapping[str, float]
    busy: Mapping[str, float]
    spans: tuple[Span, ...] = ()

    def quantile(self, share: float) -> float:
        """The step time that this share of the steps stays within."""
        times = sorted(self.step_times)
        return times[max(0, math.ceil(share * len(times)) - 1)]

    @property
    def median(self) -> float:
        """The median step time."""
        times = sorted(self.step_times)
        half = len(times) // 2
        return times[half] if len(times) % 2 else (times[half - 1] + times[half]) / 2

    @property
    def p90(self) -> float:
        """The step time that nine of ten steps stay within."""
        return self.quantile(0.9)

    @property
    def images_per_second(self) -> float:
        """Of all gradients that were applied."""
        gradients = self.cluster.workers if self.cluster.synchronous else 1
        return self.rate * gradients * self.cluster.batch

    @property
    def speed_up(self) -> float:
        """How many times as many images as one machine that computes without a network."""
        return self.images_per_second / self.cluster.alone

    @property
    def mean_staleness(self) -> float:
        """Of the gradients that were applied."""
        count = sum(self.staleness.values())
        return sum(age * often for age, often in self.staleness.items()) / max(count, 1)

    @property
    def bottleneck(self) -> str:
        """One of `BOTTLENECKS`: what a step loses most by, if it does not mostly compute."""
        if self.parts["compute"] >= _MOSTLY * sum(self.parts.values()):
            return "compute"
        return max(BOTTLENECKS.keys() - {"compute"}, key=lambda part: (self.parts[part], part))

    def __repr__(self) -> str:
        cluster = self.cluster
        how = "synchronous" if cluster.synchronous else "asynchronous"
        backup = f" + {cluster.backup}" if cluster.backup else ""
        return (
            f"<simulated {how} training: {cluster.workers}{backup} workers, {cluster.ps} ps, "
            f"{self.updates:,} updates in {self.seconds:.3f} s: step {self.median * 1e3:.4g} ms "
            f"(p90 {self.p90 * 1e3:.4g}), {self.images_per_second:,.4g} images/s, speed-up "
            f"{self.speed_up:.3g}, bottleneck: {self.bottleneck}>"
        )
