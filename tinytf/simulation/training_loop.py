"""Data-parallel training in virtual time: what happens next, until there were enough steps.

simpy would tell each worker's story from above to below; it takes about ten times as long, and a
thousand workers are what this is for. So the story is in pieces here, each started by an event:

    ask -> reply -> (the link) -> received -> computed -> (the link) -> handled -> arrived

In a synchronous training `arrived` lets the worker wait for `barrier`.
"""

from __future__ import annotations

import heapq
import math
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count

from tinytf.simulation.sharding import Shard, busiest
from tinytf.simulation.stragglers import Luck
from tinytf.simulation.training_accounts import Accounts
from tinytf.simulation.training_cluster import TrainingCluster
from tinytf.simulation.training_result import WAIT, Training

_AHEAD = 64  # random numbers are taken in handfuls


class FairLink:
    """A network card in one direction: what travels at the same time gets equal shares of it.

    All that travels is of one size, so what started first arrives first. `served` counts what each
    of them has got since the beginning, in seconds of the whole link: of n, each gets an n-th.

    Args:
      seconds: that one takes on its own.
    """

    __slots__ = ("busy", "end", "now", "seconds", "served", "travelling")

    def __init__(self, seconds: float):
        self.seconds = seconds
        self.travelling: deque[tuple[float, int]] = deque()
        self.now = self.served = self.busy = 0.0
        self.end = math.inf  # when the next one has arrived, if no other comes

    def join(self, now: float, worker: int) -> None:
        """Something starts to travel."""
        self._pass(now)
        self.travelling.append((self.served + self.seconds, worker))
        self._look_ahead()

    def leave(self) -> int:
        """The next one has arrived: whose it is."""
        self._pass(self.end)
        worker = self.travelling.popleft()[1]
        self._look_ahead()
        return worker

    def _pass(self, now: float) -> None:
        if self.travelling:
            self.served += (now - self.now) / len(self.travelling)
            self.busy += now - self.now
        self.now = now

    def _look_ahead(self) -> None:
        self.end = math.inf
        if self.travelling:
            self.end = self.now + (self.travelling[0][0] - self.served) * len(self.travelling)


class Server:
    """A parameter server: a card that sends, one that receives, and a CPU that does one at a time.

    Args:
      cluster: that it belongs to. shard: what it has. task: its number.
    """

    def __init__(self, cluster: TrainingCluster, shard: Shard, task: int):
        self.out = FairLink(shard.size / cluster.link.bandwidth)
        self.into = FairLink(shard.size / cluster.link.bandwidth)
        self.asking = shard.requests * cluster.link.handling
        self.applying = shard.size / cluster.update
        self.task = task
        self.free = self.busy = 0.0

    def handle(self, now: float, seconds: float) -> float:
        """The CPU's work on what comes now: when it is done."""
        self.free = max(self.free, now) + seconds
        self.busy += seconds
        return self.free


@dataclass(slots=True)
class Worker:
    """Where a worker stands in its step.

    Attributes:
      asked, got, sent, there: when its step began, the values were there, the gradients were
        ready, and had arrived.
      version: of the values that it has; None: not yet. missing: how many servers it waits for.
      steps: how many it has done.
    """

    number: int
    asked: float = 0.0
    got: float = 0.0
    sent: float = 0.0
    there: float = 0.0
    version: int | None = None
    missing: int = 0
    steps: int = 0


class Loop:
    """One simulation; `run` is all of it.

    Args:
      cluster: see there. steps: of the training, or asynchronously of each worker on average.
      seed: of the stragglers. traced: how many workers' spans are kept.
      on_gradient: told of each gradient that is applied: (worker, version it was computed from).
    """

    def __init__(
        self,
        cluster: TrainingCluster,
        steps: int,
        seed: int,
        traced: int,
        on_gradient: Callable[[int, int], None] | None = None,
    ):
        self.cluster, self.on_gradient = cluster, on_gradient
        self.accounts = Accounts(traced, warm=0 if cluster.synchronous else cluster.running)
        self.wanted = steps if cluster.synchronous else steps * cluster.workers
        shards = busiest(cluster.shards)
        self.servers = [Server(cluster, s, cluster.shards.index(s)) for s in shards]
        self.links = [link for s in self.servers for link in (s.out, s.into)]
        self.workers = [Worker(number) for number in range(cluster.running)]
        self.luck = [Luck(seed, number) for number in range(cluster.running)]
        self.numbers: list[list[float]] = [[] for _ in self.workers]
        self.slow = dict(cluster.stragglers.slow)
        requests = sum(shard.requests for shard in cluster.shards)
        self.own = requests * cluster.link.handling + cluster.size / cluster.link.bandwidth
        self.own_colocated = [self.own] * cluster.running
        for task, shard in enumerate(cluster.shards):
            self.own_colocated[task % cluster.running] -= shard.size / cluster.link.bandwidth
        self.events: list[tuple[float, int, Callable[..., None], Worker, Server]] = []
        self.order = count()
        self.version, self.open_since = 0, 0.0  # of the step that is open
        self.waiting: list[Worker] = []  # at the barrier

    def run(self) -> Training:
        """Simulate until there were enough steps."""
        for worker in self.workers:
            self.ask(0.0, worker)
        while self.version < self.wanted:
            link = min(self.links, key=_end)
            if self.events and self.events[0][0] <= link.end:
                now, _, what, worker, server = heapq.heappop(self.events)
                what(now, worker, server)
            else:
                now, server = link.end, self.servers[self.links.index(link) // 2]
                worker = self.workers[link.leave()]
                (self.received if link is server.out else self.handled)(now, worker, server)
        return self.accounts.result(self.cluster, self.servers)

    def at(self, time: float, what: Callable[..., None], worker: Worker, server: Server) -> None:
        """Something will happen then."""
        heapq.heappush(self.events, (time, next(self.order), what, worker, server))

    # ---------------------------------------------------------------------------- a worker's step

    def ask(self, now: float, worker: Worker) -> None:
        """It asks all parameter servers for the values of the variables."""
        worker.asked, worker.version, worker.missing = now, None, len(self.servers)
        for server in self.servers:
            replied = server.handle(now + self.cluster.link.latency, server.asking)
            self.at(replied, self.reply, worker, server)

    def reply(self, now: float, worker: Worker, server: Server) -> None:
        """A server reads its values and sends them."""
        if worker.version is None:
            worker.version = self.version
        if self._is_at_home(worker, server):
            self.received(now, worker, server)
        else:
            server.out.join(now, worker.number)

    def received(self, now: float, worker: Worker, server: Server) -> None:
        """One server's values are there. With the last of them it computes."""
        worker.missing -= 1
        if worker.missing:
            return
        latency = self.cluster.link.latency
        worker.got = max(now + latency, worker.asked + 2 * latency + self._own(worker))
        worker.sent = worker.got + self.cluster.compute * self._factor(worker)
        self.at(worker.sent, self.computed, worker, server)

    def computed(self, now: float, worker: Worker, server: Server) -> None:
        """It sends the gradients, to each server those of its variables."""
        worker.missing = len(self.servers)
        for server in self.servers:
            if self._is_at_home(worker, server):
                self.handled(now, worker, server)
            else:
                server.into.join(now, worker.number)

    def handled(self, now: float, worker: Worker, server: Server) -> None:
        """A server has received its gradients: its CPU adds them up, or to the variables."""
        latency = self.cluster.link.latency
        done = server.handle(now + latency, server.asking + server.applying)
        worker.there = max(worker.there, done, worker.sent + latency + self._own(worker))
        worker.missing -= 1
        if server is self.servers[0]:
            self.accounts.applied(done, server.applying)
        if not worker.missing:
            self.at(worker.there, self.arrived, worker, server)

    def arrived(self, now: float, worker: Worker, server: Server) -> None:
        """All its gradients are with the servers. What then, makes the difference."""
        age = self.version - (worker.version or 0)
        is_dropped = self.cluster.synchronous and age > 0  # the barrier went up without it
        self.accounts.step_of(worker, age, is_dropped)
        if not is_dropped and self.on_gradient is not None:
            self.on_gradient(worker.number, worker.version or 0)
        if not self.cluster.synchronous:
            self.version += 1
            self.accounts.update(now, now - worker.asked, worker)
            self.ask(now, worker)
        elif is_dropped:
            self.ask(max(now, self.open_since), worker)
        else:
            self.waiting.append(worker)
            if len(self.waiting) == self.cluster.workers:
                self.barrier(now + max(s.applying for s in self.servers))

    def barrier(self, now: float) -> None:
        """All gradients that a step takes are there: they are applied, and the next step begins."""
        self.accounts.applied(now, self.servers[0].applying)
        self.version += 1
        self.accounts.update(now, now - self.open_since, self.waiting[-1])
        self.open_since = now
        begin, self.waiting = self.waiting, []
        for worker in begin:
            self.accounts.span(worker, WAIT, worker.there, now)
            self.ask(now, worker)

    # ------------------------------------------------------------------------------------- a step

    def _factor(self, worker: Worker) -> float:
        """How many times as long its computation takes this time."""
        numbers = self.numbers[worker.number]
        if not numbers:
            numbers.extend(reversed(self.luck[worker.number].numbers(_AHEAD)))
        slow = self.slow.get(worker.number, 1.0)
        return self.cluster.stragglers.quantile(numbers.pop()) * slow

    def _is_at_home(self, worker: Worker, server: Server) -> bool:
        """Whether they are on one machine: nothing has to travel."""
        return self.cluster.colocated and server.task % self.cluster.running == worker.number

    def _own(self, worker: Worker) -> float:
        """What a worker's own machine needs for all shards, when no other is in the way."""
        return self.own_colocated[worker.number] if self.cluster.colocated else self.own


def _end(link: FairLink) -> float:
    return link.end


def simulate_training(
    cluster: TrainingCluster,
    steps: int = 100,
    seed: int = 0,
    traced: int = 0,
    on_gradient: Callable[[int, int], None] | None = None,
) -> Training:
    """Train on a simulated cluster, in virtual time.

    The same cluster, steps and seed give the same training, on every machine.

    Args:
      cluster: see `TrainingCluster`.
      steps: synchronous: of the training; asynchronous: of each worker, on average.
      seed: of the stragglers. traced: of how many workers the spans are kept.
      on_gradient: is called for each gradient that is applied, in order, with the worker and the
        version of the variables that it was computed from: for what the gradients really do.

    Returns:
      the step times, the throughput, the staleness, and what a step is made of.

    Raises:
      ValueError: for fewer than one step.

    Example:
      >>> from tinytf.simulation.training_cluster import TrainingCluster
      >>> from tinytf.simulation.training_loop import simulate_training
      >>> simulate_training(TrainingCluster(workers=10, ps=2, synchronous=False)).mean_staleness > 8
      True
    """
    if steps < 1:
        raise ValueError(f"simulate_training: {steps} steps; there has to be at least one")
    return Loop(cluster, steps, seed, traced, on_gradient).run()
