"""Placers by what their steps take on two CPU devices, predicted and measured.

The sessions take turns step by step. With two devices there is something to gain only where two
processors are idle: the row "threads: numpy without a runtime" tells. The last program compares the
search with the best placement there is, found by trying all of them.
"""

import random
import statistics
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import tinytf as tf
from tests.simulation.random_work import best_possible, found_by_search, random_groups
from tinytf.testing.placer_comparison import compare_placers

SIZE = 250_000  # float32: 1 MB
STEPS = 20
SMALL_GRAPHS = 200
SIDES = "cost model", "round-robin", "simple"
PARTS = {"measured": "s", "predicted": "s"}
SMALL = "makespans of random small graphs"
SMALL_SIDES = "with the search", "greedy walk alone", "optimum"
SMALL_PARTS = {"mean": "", "99th percentile": "", "worst": ""}


def towers(width, depth, mixing, seed):
    """`width` towers of `depth` layers over one input; a layer may take its neighbour's output."""
    rng = random.Random(seed)
    x = tf.placeholder(tf.float32, [SIZE])
    layer = [tf.tanh(x * (0.1 * number), name=f"tower{number}") for number in range(1, width + 1)]
    for depth_now in range(depth):
        function = (tf.tanh, tf.exp, tf.sin)[depth_now % 3]
        taken = [
            layer[(i + 1) % width] if rng.random() < mixing else layer[i] for i in range(width)
        ]
        layer = [function(value * 0.5) for value in taken]
    return tf.add_n([tf.reduce_sum(value) for value in layer]), {x: np.ones(SIZE, np.float32)}


GRAPHS = {
    "2 towers of 20 layers": lambda: towers(2, 20, 0.0, 1),
    "4 towers of 12 layers, 10 % mixed": lambda: towers(4, 12, 0.1, 2),
    "6 towers of 12 layers, 5 % mixed": lambda: towers(6, 12, 0.05, 3),
    "5 towers of 30 layers, 2 % mixed": lambda: towers(5, 30, 0.02, 4),
}


def steps(build: Callable[[], Any], tf: Any, folder: str) -> dict[str, list[float]]:
    """Seconds of a step under each placer: measured, and predicted."""
    fetch, feeds = build()
    config = tf.ConfigProto(device_count={"CPU": 2})
    found = compare_placers(fetch, feeds, config=config, steps=STEPS)
    return {side: [found[side].measured, found[side].predicted] for side in SIDES}


def small_graphs(tf: Any, folder: str) -> dict[str, list[float]]:
    """Makespans beside the optimum's, of graphs of up to ten nodes."""
    found: dict[str, list[float]] = {side: [] for side in SMALL_SIDES}
    for seed in range(SMALL_GRAPHS):
        groups = random_groups(random.Random(seed))
        best = best_possible(groups)
        walked, searched = found_by_search(groups)
        for side, makespan in zip(SMALL_SIDES, (searched, walked, best)):
            found[side].append(makespan / best)
    return {
        side: [statistics.mean(all), sorted(all)[int(len(all) * 0.99)], max(all)]
        for side, all in found.items()
    }


PROGRAMS: dict[str, Callable[[Any, str], dict[str, list[float]]]] = {
    **{name: partial(steps, build) for name, build in GRAPHS.items()},
    SMALL: small_graphs,
}
