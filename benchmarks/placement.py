"""Placers by what their steps take on two CPU devices: `python -m benchmarks.placement`.

Ratios within one run on one machine; the sessions take turns step by step. With two devices there
is something to gain only where two processors are idle, so that is measured as well, without
tinytf, before and after each graph; a run that was disturbed is repeated. The exit code is 1 if the
cost model is not better than both others, predicted and measured, or if its search misses the
optimum of small graphs by more than 10 %.

    --graphs 2000     how many random small graphs are compared with brute force (default 500)
    --patience 600    how many seconds to wait for two idle processors (default 60)
"""

import argparse
import random
import statistics
import sys
import threading
import time

import numpy as np

import tinytf as tf
from benchmarks.graph_and_step import Table
from tests.simulation.random_work import best_possible, found_by_search, random_groups
from tinytf.testing.placer_comparison import compare_placers

SIZE = 250_000  # float32: 1 MB
STEPS = 40
#: What two threads may take for twice the work of one, as a share of twice its time: 0.5 at best.
IDLE = 0.65


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


def two_threads():
    """What two threads take for twice the work of one, as a share of twice its time."""
    x = np.ones(SIZE, np.float32)

    def work():
        for _ in range(20):
            np.tanh(x)

    alone, together = [], []
    for _ in range(10):
        start = time.perf_counter()
        work()
        alone.append(time.perf_counter() - start)
        start = time.perf_counter()
        other = threading.Thread(target=work)
        other.start()
        work()
        other.join()
        together.append(time.perf_counter() - start)
    return statistics.median(together) / statistics.median(alone) / 2


def undisturbed(measure, deadline):
    """(what `measure` gives, whether two processors were idle before and after it)."""
    while True:
        is_idle = two_threads() < IDLE
        if is_idle or time.monotonic() > deadline:
            found = measure()
            is_idle = is_idle and two_threads() < IDLE
            if is_idle or time.monotonic() > deadline:
                return found, is_idle
        threading.Event().wait(0.5)


def small_graphs(table, count):
    found = [], []
    for seed in range(count):
        groups = random_groups(random.Random(seed))
        best = best_possible(groups)
        for ratios, makespan in zip(found, found_by_search(groups)):
            ratios.append(makespan / best)
    for name, ratios in zip(("greedy walk alone", "with the search"), found):
        ratios.sort()
        print(
            f"     {count} random graphs of up to 10 nodes, {name}: optimal "
            f"{statistics.mean(r < 1 + 1e-9 for r in ratios):.1%}, within 10 % "
            f"{statistics.mean(r <= 1.1 for r in ratios):.1%}, mean {statistics.mean(ratios):.4f}, "
            f"99th percentile {ratios[int(count * 0.99)]:.3f}, worst {ratios[-1]:.3f}"
        )
    table.row("small graphs, worst against the optimum", found[1][-1], 1.10, "brute force")


def steps(table, name, build, deadline):
    def measure():
        with tf.Graph().as_default():
            fetch, feeds = build()
            config = tf.ConfigProto(device_count={"CPU": 2})
            return compare_placers(fetch, feeds, config=config, steps=STEPS)

    found, is_idle = undisturbed(measure, deadline)
    print(f"\n     {name}")
    print("     " + repr(found).replace("\n", "\n     "))
    ours = found["cost model"]
    for other in ("simple", "round-robin"):
        row = found[other]
        table.row(f"cost model / {other}, predicted", ours.predicted / row.predicted, 1.0, "")
        if is_idle:
            table.row(f"cost model / {other}, measured", ours.measured / row.measured, 1.0, "")
    if not is_idle:
        print("     not judged: no two processors were idle, and two devices cannot gain anything")
        return {}
    return {row.placer: row.error for row in found.rows.values()}


def main():
    """Measure and print; the exit code tells whether every bar was met."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--graphs", type=int, default=500)
    parser.add_argument("--patience", type=float, default=60)
    arguments = parser.parse_args()
    table = Table()
    deadline = time.monotonic() + arguments.patience
    errors = [steps(table, name, build, deadline) for name, build in GRAPHS.items()]
    for placer in ("simple", "round-robin", "cost model"):
        off = [abs(found[placer]) for found in errors if found]
        if off:
            print(f"     error of the prediction, {placer}: {min(off):.0%} to {max(off):.0%}")
    print()
    small_graphs(table, arguments.graphs)
    return 1 if table.failed else 0


if __name__ == "__main__":
    sys.exit(main())
