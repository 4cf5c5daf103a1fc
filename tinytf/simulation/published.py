"""Clusters that others have measured: their figures, and what the simulation says of them.

`print(table())` shows all of it. The figures of the papers were read in write-ups of them, two
that agree wherever two were found; docs/scaling.md names the sources, and holds the same table.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial

from tinytf.simulation import experiments
from tinytf.simulation.experiments import Constant, Experiment, Point
from tinytf.simulation.machine import Link
from tinytf.simulation.rates import ETHERNET
from tinytf.simulation.sharding import Parameter
from tinytf.simulation.stragglers import Stragglers, constant, exponential, lognormal
from tinytf.simulation.training_cluster import TrainingCluster
from tinytf.simulation.training_loop import simulate_training
from tinytf.simulation.training_result import Training

OSDI = "Abadi et al., TensorFlow: A system for large-scale machine learning, OSDI 2016"
BOOK = "Geron, Hands-On Machine Learning with Scikit-Learn and TensorFlow, chapter 12"
_LATENCY, _BANDWIDTH, _HANDLING = ETHERNET
#: A distribution by its width.
Spread = Callable[[float], Stragglers]
#: Where there is nothing but computing.
_NO_NETWORK = Link(0.0)
_INCEPTION = (Parameter("inception_v3", 24_000_000),)


@cache
def _simulated(cluster: TrainingCluster, steps: int) -> Training:
    return simulate_training(cluster, steps)


# ------------------------------------------------------------------------------------ null steps


def _null_step(parameters: tuple[Parameter, ...], workers: int, link: Link) -> float:
    """Milliseconds of a step that only fetches and sends, with 16 parameter servers."""
    cluster = TrainingCluster(workers, 16, 0.0, parameters, "round robin", link)
    return 1e3 * _simulated(cluster, 5).median


def _scalar(workers: int, handling: float) -> float:
    scalars = tuple(Parameter(f"scalar_{n}", 1) for n in range(16))
    return _null_step(scalars, workers, Link(_LATENCY, _BANDWIDTH, handling))


def _sparse(gigabytes: int, workers: int, handling: float) -> float:
    elements = gigabytes * 10**9 // 4 // 16
    pieces = tuple(Parameter(f"part_{n}", elements, 2 * 512) for n in range(16))
    return _null_step(pieces, workers, Link(_LATENCY, _BANDWIDTH, handling))


def _dense(megabytes: int, workers: int, bandwidth: float) -> float:
    pieces = tuple(Parameter(f"part_{n}", megabytes * 10**6 // 4 // 16) for n in range(16))
    return _null_step(pieces, workers, Link(_LATENCY, bandwidth, SCALAR.value()))


SCALAR = Experiment(
    "Null step, scalars and sparse rows",
    f"{OSDI}, the null-step figure: 16 parameter servers, synchronous",
    "10 gigabit Ethernet as in tinytf.simulation.rates, 0.2 ms one way; of the sparse table, "
    "32 rows of 512 numbers (the source tells no width)",
    (
        Point("scalars, 100 workers", 8.8, "ms", partial(_scalar, 100)),
        Point("32 rows of 1 GB, 1 worker", 5.0, "ms", partial(_sparse, 1, 1)),
        Point("32 rows of 16 GB, 1 worker", 5.0, "ms", partial(_sparse, 16, 1)),
        Point("32 rows of 1 GB, 100 workers", 20.0, "ms", partial(_sparse, 1, 100)),
        Point("32 rows of 16 GB, 100 workers", 20.0, "ms", partial(_sparse, 16, 100)),
    ),
    "Sparse: the published range is 5 to 20 ms, whatever the size of the table; the simulation has "
    "the flatness, and is too fast, because to it a row is only bytes: the real step also draws "
    "indices, gathers on the server, and stitches the parts together.",
    Constant("handling of a request, s", 1e-7, 1e-3),
    Point("scalars, 1 worker", 1.8, "ms", partial(_scalar, 1)),
)

DENSE = Experiment(
    "Null step, dense",
    f"{OSDI}, the null-step figure",
    "the handling calibrated on the scalars; a card that carries as much in as out",
    (
        Point("1 GB, 100 workers", 7160.0, "ms", partial(_dense, 1000, 100)),
        Point("100 MB, 1 worker", 147.0, "ms", partial(_dense, 100, 1)),
        Point("100 MB, 100 workers", 613.0, "ms", partial(_dense, 100, 100)),
    ),
    "A worker on its own is slower with 100 MB than in proportion to 1 GB: what starting a large "
    "transfer costs, the simulation does not have.",
    Constant("bandwidth of a card, bytes/s", 1e8, 1e11),
    Point("1 GB, 1 worker", 1010.0, "ms", partial(_dense, 1000, 1)),
)

# -------------------------------------------------------------------------------- backup workers


def _inception(
    workers: int, backup: int, spread: Stragglers, compute: float, synchronous: bool = True
) -> Training:
    """Inception-v3 on 17 parameter servers."""
    cluster = TrainingCluster(
        workers,
        17,
        compute,
        _INCEPTION,
        stragglers=spread,
        backup=backup,
        synchronous=synchronous,
    )
    return _simulated(cluster, 100)


def _normalised(spread: Spread, backup: int, width: float) -> float:
    times = [_inception(50, b, spread(width), 1.5).median for b in (0, backup)]
    return times[0] / times[1] * 50 / (50 + backup)


def _gain(spread: Spread, backup: int, width: float) -> float:
    """The normalised speed-up as what it is more than 1, in percent."""
    return 100 * (_normalised(spread, backup, width) - 1)


def _fastest(spread: Spread, width: float) -> float:
    """The number of backup workers, of up to five, with the shortest step."""
    return min(range(6), key=lambda backup: _inception(50, backup, spread(width), 1.5).median)


def _most_efficient(spread: Spread, width: float) -> float:
    """... and that with the best normalised speed-up."""
    return max(range(1, 6), key=lambda backup: _normalised(spread, backup, width))


def _against_asynchronous(spread: Spread, width: float) -> float:
    both = [_inception(50, 0, spread(width), 1.5, how).median for how in (True, False)]
    return both[0] / both[1]


def _backup(times: str, name: str, spread: Spread, note: str) -> Experiment:
    return Experiment(
        f"Backup workers, 50 + b, {times}",
        f"{OSDI}, the figure of backup workers: Inception-v3, 17 parameter servers, Tesla K40",
        f"{times}; 1.5 s of computing, 24 million parameters, 10 gigabit Ethernet (the ratios "
        f"depend little on these)",
        (
            Point("fastest step: b", 4.0, "", partial(_fastest, spread)),
            Point("best normalised speed-up: b", 3.0, "", partial(_most_efficient, spread)),
            Point(
                "synchronous / asynchronous median step",
                1.1,
                "",
                partial(_against_asynchronous, spread),
            ),
        ),
        note,
        Constant(name, 0.01, 1.0),
        Point("normalised speed-up, b = 3", 9.5, "%", partial(_gain, spread, 3)),
    )


BACKUP = _backup(
    "lognormal times",
    "sigma",
    lognormal,
    "The fifth backup worker costs time in the paper, for the traffic of gradients that nobody "
    "needs; here it still helps a little. And the barrier costs much more here than in the paper: "
    "a lognormal spread that makes three backup workers worth their while makes every step wait. "
    "The real one must be of few and large delays.",
)

BACKUP_TAIL = _backup(
    "times with an exponential tail",
    "mean of the tail",
    exponential,
    "The same point with another shape of the spread: the barrier costs a little less, and no "
    "fewer backup workers are best. Neither shape is the published one, and what one "
    "learns of backup "
    "workers depends on it.",
)


def _step_with_backup(compute: float) -> float:
    return _inception(50, 4, lognormal(BACKUP.value()), compute).median


def _images(compute: float) -> float:
    return _inception(200, 0, lognormal(BACKUP.value()), compute).images_per_second


INCEPTION = Experiment(
    "Inception-v3, throughput",
    f"{OSDI}, the figures of Inception-v3: 17 parameter servers, Tesla K40",
    "batches of 32; the sigma calibrated on the backup workers; 10 gigabit Ethernet",
    (Point("200 workers, synchronous", 2300.0, "images/s", _images),),
    "Too slow with 200: the lognormal spread that gives the gain of three backup workers asks more "
    "of 200 workers than theirs did. It misses in the same direction as the backup workers above.",
    Constant("computing, s a step", 0.1, 10.0),
    Point("50 + 4 workers, median step", 1.93, "s", _step_with_backup),
)

# ------------------------------------------------------------------------------------- speed-ups


def _speed_up(workers: int, sigma: float) -> float:
    """The barrier alone, without a network."""
    cluster = TrainingCluster(
        workers, link=_NO_NETWORK, update=math.inf, stragglers=lognormal(sigma)
    )
    return _simulated(cluster, 100).speed_up


SPEED_UPS = Experiment(
    "Speed-ups of whole systems",
    f"{BOOK} (8, 50 and 500 workers); the announcement of TensorFlow 0.8 (100 GPUs)",
    "all lose by waiting for the slowest of their workers, whose times are lognormal; nothing else",
    (
        Point("translation, 8 workers", 6.0, "times", partial(_speed_up, 8)),
        Point("Inception, 100 GPUs", 56.0, "times", partial(_speed_up, 100)),
        Point("RankBrain (sparse), 500 workers", 300.0, "times", partial(_speed_up, 500)),
    ),
    "Four systems, one constant: how much of the ideal is lost grows with the number that is "
    "waited for. It does not say that this is why they lost it: a crowded network looks alike.",
    Constant("sigma of the lognormal times", 0.01, 1.0),
    Point("Inception, 50 workers", 32.0, "times", partial(_speed_up, 50)),
)

# ---------------------------------------------------------------------------- without a constant


def _lesson(backup: int, _: float) -> float:
    cluster = TrainingCluster(
        64, 1, 1.0, link=_NO_NETWORK, update=math.inf, stragglers=lognormal(0.5), backup=backup
    )
    times = _simulated(cluster, 100).step_times
    return sum(times) / len(times)


STRAGGLERS = Experiment(
    "Stragglers, 64 + b workers",
    "a published lesson on stragglers: 64 workers, lognormal times with sigma 0.5 and median 1",
    "nothing: the source gives the distribution",
    tuple(
        Point(f"mean step, b = {backup}", published, "", partial(_lesson, backup))
        for backup, published in ((0, 3.327), (8, 1.819), (16, 1.510))
    ),
    "Without backup workers, what is off is luck: the lesson is a simulation, too. With "
    "them it "
    "lets every worker begin each step anew; here, as in TensorFlow, who was late has the "
    "old step to "
    "end first, and the next one has fewer to choose from.",
)


def _staleness(workers: int, _: float) -> float:
    cluster = TrainingCluster(workers, stragglers=lognormal(0.3), synchronous=False)
    return _simulated(cluster, 50).mean_staleness


STALENESS = Experiment(
    "Staleness of asynchronous gradients",
    "TensorFlow's documentation and the book: N - 1 updates on average",
    "lognormal times with sigma 0.3, 1 million parameters",
    tuple(Point(f"{n} workers", n - 1.0, "", partial(_staleness, n)) for n in (2, 10, 50, 100)),
    "Below N - 1 by the updates that come while a worker waits for its new values: those it does "
    "not miss.",
)


def _softmax(_: float) -> float:
    full = Parameter("softmax", 512 * 40_000)
    cluster = TrainingCluster(parameters=(full,))
    return cluster.size / replace(cluster, parameters=(replace(full, touched=512 * 512),)).size


SOFTMAX = Experiment(
    "Sampled softmax",
    f"{OSDI}: 512 sampled of 40,000 words",
    "nothing",
    (Point("bytes, full / sampled", 78.0, "times", _softmax),),
    "Arithmetic, and here to show that the simulation counts what a step touches.",
)

# ------------------------------------------------------------------------------- small and shared


def _aggregation(ps: int, colocated: bool, bandwidth: float) -> float:
    """Milliseconds to bring 160 MB of four GPUs together and back."""
    cluster = TrainingCluster(
        workers=4,
        ps=ps,
        compute=0.0,
        parameters=(Parameter("gradients", 40_000_000),),
        link=Link(0.0, bandwidth),
        update=math.inf,
        stragglers=constant(),
        colocated=colocated,
    )
    return 1e3 * _simulated(cluster, 3).median


SHARDING = Experiment(
    "Where gradients are added up",
    "Dive into Deep Learning, the chapter on parameter servers: 160 MB from four GPUs",
    "as there: links that carry as much in as out, at the same time",
    (
        Point("on one of the GPUs", 60.0, "ms", partial(_aggregation, 1, True)),
        Point("a quarter on each GPU", 15.0, "ms", partial(_aggregation, 4, True)),
    ),
    "The source computes, and does not measure; so does the simulation, and agrees.",
    Constant("bandwidth of a link, bytes/s", 1e9, 1e11),
    Point("on the CPU", 80.0, "ms", partial(_aggregation, 1, False)),
)


def _small(workers: int, compute: float) -> Training:
    cluster = TrainingCluster(workers, 1, compute, batch=8)
    return _simulated(cluster, 5)


def _small_speed_up(workers: int, compute: float) -> float:
    return _small(workers, compute).speed_up


def _small_exchange(workers: int, compute: float) -> float:
    result = _small(workers, compute)
    return 100 * (1 - result.parts["compute"] / sum(result.parts.values()))


SMALL = Experiment(
    "A small parameter server in Python",
    "MatrixSlow, benchmark/benchmark.xlsx: batches of 8 a worker",
    "1 million parameters, 10 gigabit Ethernet, nobody slower than others",
    (
        Point("5 workers", 4.7, "times", partial(_small_speed_up, 5)),
        Point("exchange, 3 workers", 8.0, "%", partial(_small_exchange, 3)),
        Point("exchange, 5 workers", 13.0, "%", partial(_small_exchange, 5)),
    ),
    "The source's speed-up of five is nearer to the ideal than that of three, although its share "
    "of the exchange grows: no model in which the exchange takes time can have both.",
    Constant("computing, s a step", 1e-4, 10.0),
    Point("3 workers", 2.6, "times", partial(_small_speed_up, 3)),
)

EXPERIMENTS: tuple[Experiment, ...] = (
    SCALAR,
    DENSE,
    BACKUP,
    BACKUP_TAIL,
    INCEPTION,
    SPEED_UPS,
    STRAGGLERS,
    STALENESS,
)
EXPERIMENTS += (SOFTMAX, SHARDING, SMALL)


def table() -> str:
    """What was published, what the simulation says, and what it is off by, as text.

    Example:
      >>> from tinytf.simulation.published import table
      >>> print(table())  # doctest: +SKIP
    """
    return experiments.as_text(EXPERIMENTS)
