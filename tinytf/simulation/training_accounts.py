"""What a simulated training is written down as while it runs, and what is made of it."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from tinytf.simulation.training_cluster import TrainingCluster
from tinytf.simulation.training_result import (
    APPLY,
    COMPUTE,
    FETCH,
    SEND,
    SERVER,
    WAIT,
    Span,
    Training,
)

if TYPE_CHECKING:
    from tinytf.simulation.training_loop import Server, Worker


class Accounts:
    """Counts what happens in a `Loop`.

    Args:
      traced: how many workers' spans are kept.
      warm: how many updates it takes until all goes its way: all workers begin at the same time,
        and the first gradients of an asynchronous training are fresher than any later.
    """

    def __init__(self, traced: int, warm: int):
        self.traced, self.warm = traced, warm
        self.ends: list[float] = []  # of the updates
        self.step_times: list[float] = []
        self.computing = 0.0  # in the steps of those that were waited for
        self.staleness: Counter[int] = Counter()
        self.done = self.dropped = 0
        self.waits: list[float] = []
        self.spans: list[Span] = []

    def step_of(self, worker: Worker, age: int, is_dropped: bool) -> None:
        """A worker's gradients have arrived."""
        self.done += 1
        if is_dropped:
            self.dropped += 1
        elif len(self.ends) >= self.warm:
            self.staleness[age] += 1
        worker.steps += 1
        self.span(worker, FETCH, worker.asked, worker.got)
        self.span(worker, COMPUTE, worker.got, worker.sent)
        self.span(worker, SEND, worker.sent, worker.there)

    def update(self, now: float, seconds: float, last: Worker) -> None:
        """The variables have changed, by a step of so many seconds that `last` was the last of."""
        self.ends.append(now)
        self.step_times.append(seconds)
        self.computing += last.sent - last.got

    def span(self, worker: Worker, what: str, start: float, end: float) -> None:
        """What a worker did; it is kept of the first ones."""
        if what == WAIT:
            self.waits.append(end - start)
        if worker.number < self.traced:
            self.spans.append(Span(worker.number, what, start, end, worker.steps - 1))

    def applied(self, done: float, seconds: float) -> None:
        """The busiest parameter server has added up gradients, or changed its variables."""
        if self.traced:
            self.spans.append(Span(SERVER, APPLY, done - seconds, done, len(self.ends)))

    def result(self, cluster: TrainingCluster, servers: list[Server]) -> Training:
        """All of it."""
        seconds = self.ends[-1]
        warm = min(self.warm, len(self.ends) // 2)
        since = self.ends[warm - 1] if warm else 0.0
        passed = max(seconds - since, 1e-12)
        busy = {
            "ps network": max(max(s.out.busy, s.into.busy) for s in servers) / (seconds or 1.0),
            "ps CPU": max(s.busy for s in servers) / (seconds or 1.0),
        }
        return Training(
            cluster=cluster,
            seconds=seconds,
            updates=len(self.ends),
            rate=(len(self.ends) - warm) / passed,
            step_times=tuple(self.step_times),
            staleness=dict(sorted(self.staleness.items())),
            dropped=self.dropped,
            waited=sum(self.waits) / (cluster.running * seconds or 1.0),
            waits=tuple(self.waits),
            moved=2.0 * self.done * cluster.size * _share_on_the_way(cluster),
            parts=self._parts(cluster, busy),
            busy={name: min(share, 1.0) for name, share in busy.items()},
            spans=tuple(self.spans),
        )

    def _parts(self, cluster: TrainingCluster, busy: dict[str, float]) -> dict[str, float]:
        """What a mean step is made of; what nothing else explains was waiting for the servers."""
        steps = len(self.step_times)
        computing = self.computing / steps
        plain = cluster.compute * cluster.stragglers.mean
        straggling = max(0.0, computing - plain) if cluster.synchronous else 0.0
        requests = sum(shard.requests for shard in cluster.shards)
        link = cluster.link
        own = 2 * (cluster.size / link.bandwidth) * _share_on_the_way(cluster)
        parts = {
            "compute": computing - straggling,
            "stragglers": straggling,
            "worker network": own,
            "latency": 3 * link.latency + 2 * requests * link.handling,
        }
        rest = max(0.0, sum(self.step_times) / steps - sum(parts.values()))
        queue = max(busy, key=lambda name: busy[name])
        return parts | {name: rest if name == queue else 0.0 for name in busy}


def _share_on_the_way(cluster: TrainingCluster) -> float:
    """Of the bytes: what a parameter server exchanges with a worker on its machine is not."""
    return 1 - 1 / cluster.running if cluster.colocated else 1.0
