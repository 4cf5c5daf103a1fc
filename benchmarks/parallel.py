"""What threads gain: `python -m benchmarks.parallel`.

Two independent branches of expensive kernels on two inter-op threads against one, with BLAS held to
one thread and the intra-op pool to one; then the rows of `graph_and_step` and `control_flow` where
threads gain nothing (a chain, a wide graph of small kernels, a loop), beside real TensorFlow in the
same run. What is compared takes turns, and each ratio is the median of the turns' ratios. What two
plain threads of Python gain is measured in the same turns: where they do not reach the bar either,
no second core was free, and the row says so. The exit code is 1 if a bar is missed.
"""

import statistics
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.graph_and_step import measure, micro
from benchmarks.load import load
from tinytf.cli import machine

#: How often the two take turns, and how many steps a turn has.
TURNS, STEPS = 15, 10
#: By then all forms of the plan were tried three times: once may have been a bad moment.
WARM = 150
#: Two threads must be so much faster than one; rows beside TensorFlow may take so much longer.
GAIN, BESIDE_BAR = 1.6, 1.5
ROUNDS = 3
BESIDE = ("run_chain_of_1_000_ops", "run_wide_graph_of_200_ops", "run_loop_of_1_000_iterations")


def ufuncs(tf: Any) -> tuple[Any, dict[Any, Any]]:
    """Two branches of six element-wise kernels on a million numbers."""
    x = tf.placeholder(tf.float32, [1_000_000])
    one, other = tf.tanh(x), tf.sin(x)
    for _ in range(5):
        one, other = tf.tanh(one), tf.tanh(other)
    return tf.reduce_max(one) + tf.reduce_max(other), {x: np.linspace(0, 1, 1_000_000)}


def products(tf: Any) -> tuple[Any, dict[Any, Any]]:
    """Two branches of three products of 400 by 400 matrices."""
    x = tf.placeholder(tf.float32, [400, 400])
    one, other = x, tf.transpose(x)
    for _ in range(3):
        one, other = tf.matmul(one, x), tf.matmul(other, x)
    value = np.random.default_rng(0).random([400, 400]) / 400
    return tf.reduce_max(one) + tf.reduce_max(other), {x: value}


def many_products(tf: Any) -> tuple[Any, dict[Any, Any]]:
    """Eight independent branches, of one product each."""
    x = tf.placeholder(tf.float32, [400, 400])
    branches = [tf.reduce_max(tf.matmul(x + float(n), x)) for n in range(8)]
    return tf.add_n(branches), {x: np.random.default_rng(0).random([400, 400])}


def step_of(build: Callable[[Any], Any], threads: int) -> Callable[[], Any]:
    """A step of the program in a session with so many inter-op threads, learned and warm."""
    import tinytf as tf

    with tf.Graph().as_default():
        fetch, feeds = build(tf)
        config = tf.ConfigProto(
            inter_op_parallelism_threads=threads, intra_op_parallelism_threads=1
        )
        session = tf.Session(config=config)
        feeds = {key: np.asarray(value, np.float32) for key, value in feeds.items()}

    def step() -> Any:
        return session.run(fetch, feeds)

    for _ in range(WARM):
        step()
    return step


def turn(step: Callable[[], Any]) -> float:
    """Seconds of a step, the median of a few."""
    found = []
    for _ in range(STEPS):
        start = time.perf_counter()
        step()
        found.append(time.perf_counter() - start)
    return statistics.median(found)


def plain_gain() -> float:
    """How much faster two threads do the same kernels without any runtime."""
    value = np.linspace(0, 1, 1_000_000, dtype=np.float32)

    def work(times: int) -> None:
        for _ in range(times):
            np.tanh(value)

    start = time.perf_counter()
    work(2 * STEPS)
    one = time.perf_counter() - start
    threads = [threading.Thread(target=work, args=[STEPS]) for _ in range(2)]
    start = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return one / (time.perf_counter() - start)


def gain(build: Callable[[Any], Any]) -> tuple[float, float, float, float]:
    """(how much faster two threads are, plain ones, seconds on one, seconds on two)."""
    from tinytf.runtime import blas

    with blas.limit(1):
        one, two = step_of(build, 1), step_of(build, 2)
        turns = [(turn(one), turn(two), plain_gain()) for _ in range(TURNS)]
    ratio = statistics.median(a / b for a, b, _ in turns)
    seconds_one, seconds_two, plain = (
        statistics.median(column) for column in zip(*turns, strict=True)
    )
    return ratio, plain, seconds_one, seconds_two


def main() -> int:
    """Measure and print; the exit code tells whether every bar was met."""
    failed = False
    print(f"     load of the machine: {load()}")
    for build in (ufuncs, products, many_products):
        ratio, plain, one, two = gain(build)
        failed |= ratio < GAIN <= plain
        verdict = "ok  " if ratio >= GAIN else "MISS" if plain >= GAIN else "busy"
        name = f"{build.__name__}, two threads against one"
        print(
            f"{verdict} {name:<48} {ratio:6.2f} times as fast (bar {GAIN}),"
            f" plain threads {plain:.2f}  {micro(two)} against {micro(one)}, load {load()}"
        )
    tensorflow = machine.tensorflow_python()
    ours, theirs = [], []
    for _ in range(ROUNDS):
        ours.append(measure("tinytf", sys.executable, BESIDE))
        if tensorflow:
            theirs.append(measure("tensorflow", str(tensorflow), BESIDE))
    for name in BESIDE:
        mine = statistics.median(run[name] for run in ours)
        if not theirs:
            print(f"     {name:<48} {micro(mine):>14}   (real TensorFlow not found)")
            continue
        ratio = statistics.median(a[name] / b[name] for a, b in zip(ours, theirs, strict=True))
        real = statistics.median(run[name] for run in theirs)
        failed |= ratio > BESIDE_BAR
        verdict = "MISS" if ratio > BESIDE_BAR else "ok  "
        print(
            f"{verdict} {name:<48} {ratio:6.2f} of TensorFlow's time (bar {BESIDE_BAR})"
            f"  {micro(mine)} against {micro(real)}, load {load()}"
        )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
