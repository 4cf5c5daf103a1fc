"""What is timed, written once for both libraries: each function takes the module as `tf`.

Run as `python benchmarks/programs.py tinytf|tensorflow NAME...`: prints one JSON object, name ->
seconds, each the best of several repetitions after a warm-up.
"""

import gc
import importlib
import json
import os
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

REPEATS = 5


def best(function: Callable[[], Any], times: int) -> float:
    """Seconds for one call: `times` calls REPEATS times, the best of short stretches of them.

    Short, because other work on the machine leaves no long stretch alone.
    """
    function()
    results = []
    stretch = max(1, times // 10)
    for _ in range(REPEATS * times // stretch):
        start = time.perf_counter()
        for _ in range(stretch):
            function()
        results.append((time.perf_counter() - start) / stretch)
    return min(results)


def run_three_scalar_ops(tf: Any) -> float:
    """One `sess.run` of three scalar operations with a feed."""
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [])
        result = tf.multiply(tf.add(x, 1.0), 2.0) - x
        with tf.Session() as session:
            return best(lambda: session.run(result, {x: 3.0}), 2000)


def run_loop_of_1_000_iterations(tf: Any) -> float:
    """A `while_loop` with a counter and a sum."""
    with tf.Graph().as_default():
        result = tf.while_loop(
            lambda i, total: i < 1000, lambda i, total: (i + 1, total + i), [0, 0]
        )
        with tf.Session() as session:
            return best(lambda: session.run(result), 20)


def run_chain_of_1_000_ops(tf: Any) -> float:
    """A thousand additions of single numbers, one after the other, from a feed."""
    with tf.Graph().as_default():
        value = x = tf.placeholder(tf.float32, [])
        for _ in range(1000):
            value = tf.add(value, x)
        with tf.Session() as session:
            return best(lambda: session.run(value, {x: 1.0}), 100)


def run_wide_graph_of_200_ops(tf: Any) -> float:
    """Two hundred tanh of one fed 64 by 64 matrix each, added up."""
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [64, 64])
        result = tf.add_n([tf.tanh(x + float(number)) for number in range(100)])
        value = np.linspace(-1, 1, 64 * 64, dtype=np.float32).reshape(64, 64)
        with tf.Session() as session:
            return best(lambda: session.run(result.op, {x: value}), 50)


def train(tf: Any, batch: int, optimizer: Any) -> float:
    """A step of a 784-300-100-10 network on made-up digits, as the book's chapter 10 builds it."""
    with tf.Graph().as_default():
        tf.set_random_seed(42)
        images = tf.placeholder(tf.float32, [None, 784])
        labels = tf.placeholder(tf.int32, [None])
        layer, width = images, 784
        for number, units in enumerate((300, 100, 10)):
            with tf.name_scope(f"layer{number}"):
                weights = tf.Variable(tf.truncated_normal([width, units], stddev=2 / width**0.5))
                layer = tf.matmul(layer, weights) + tf.Variable(tf.zeros([units]))
                layer, width = (layer if units == 10 else tf.nn.relu(layer)), units
        loss = tf.reduce_mean(
            tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=layer)
        )
        step = optimizer.minimize(loss)
        numbers = np.random.default_rng(0)
        feed = {
            images: numbers.random([batch, 784], np.float32),
            labels: numbers.integers(0, 10, batch).astype(np.int32),
        }
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            return best(lambda: session.run(step, feed), 5000 // batch)


def train_sgd_batch_50(tf: Any) -> float:
    """A step of gradient descent on 50 digits."""
    return train(tf, 50, tf.train.GradientDescentOptimizer(0.01))


def train_sgd_batch_512(tf: Any) -> float:
    """A step of gradient descent on 512 digits."""
    return train(tf, 512, tf.train.GradientDescentOptimizer(0.01))


def train_adam_batch_50(tf: Any) -> float:
    """A step of Adam on 50 digits."""
    return train(tf, 50, tf.train.AdamOptimizer())


def train_adam_batch_512(tf: Any) -> float:
    """A step of Adam on 512 digits."""
    return train(tf, 512, tf.train.AdamOptimizer())


def build(tf: Any, count: int) -> float:
    """Seconds per operation for building a chain of `count` additions in a new graph."""
    results = []
    for _ in range(REPEATS if count < 10_000 else 2):
        gc.collect()
        with tf.Graph().as_default():
            one = tf.constant(1.0)
            value = one
            # Building is pure computation: the process's own time, whatever else runs here.
            start = time.process_time()
            for _ in range(count):
                value = tf.add(value, one)
            results.append((time.process_time() - start) / count)
    return min(results)


def build_100_ops(tf: Any) -> float:
    """Per operation, in a graph of 100."""
    build(tf, 100)
    return build(tf, 100)


def build_5_000_ops(tf: Any) -> float:
    """Per operation, in a graph of 5,000."""
    return build(tf, 5_000)


def build_100_000_ops(tf: Any) -> float:
    """Per operation, in a graph of 100,000."""
    return build(tf, 100_000)


def run_beside(tf: Any, unneeded: int, first: bool) -> float:
    """A run of ten operations in a graph that has `unneeded` others."""
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [])
        other = tf.constant(1.0)
        for _ in range(unneeded):
            other = tf.add(other, other)
        results = []
        value = x
        for _ in range(10):
            value = tf.add(value, 1.0)
        with tf.Session() as session:
            if not first:
                return best(lambda: session.run(value, {x: 3.0}), 1000)
            for number in range(20):  # a new signature every time: pruned and compiled anew
                target = tf.add(value, float(number))
                start = time.perf_counter()
                session.run(target, {x: 3.0})
                results.append(time.perf_counter() - start)
        return min(results)


def run_beside_10_ops(tf: Any) -> float:
    """A cached run, with 10 unneeded operations in the graph."""
    return run_beside(tf, 10, first=False)


def run_beside_50_000_ops(tf: Any) -> float:
    """A cached run, with 50,000 unneeded operations in the graph."""
    return run_beside(tf, 50_000, first=False)


def first_run_beside_10_ops(tf: Any) -> float:
    """The first run of a signature, with 10 unneeded operations."""
    return run_beside(tf, 10, first=True)


def first_run_beside_50_000_ops(tf: Any) -> float:
    """The first run of a signature, with 50,000 unneeded operations."""
    return run_beside(tf, 50_000, first=True)


PROGRAMS: dict[str, Callable[[Any], float]] = {
    function.__name__: function
    for function in (
        run_three_scalar_ops,
        run_loop_of_1_000_iterations,
        run_chain_of_1_000_ops,
        run_wide_graph_of_200_ops,
        train_sgd_batch_50,
        train_sgd_batch_512,
        train_adam_batch_50,
        train_adam_batch_512,
        build_100_ops,
        build_5_000_ops,
        build_100_000_ops,
        run_beside_10_ops,
        run_beside_50_000_ops,
        first_run_beside_10_ops,
        first_run_beside_50_000_ops,
    )
}


def load(library: str) -> Any:
    """The module to time: "tinytf", or "tensorflow" in graph mode."""
    if library == "tinytf":
        return importlib.import_module("tinytf")
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    tf = importlib.import_module("tensorflow.compat.v1")
    tf.disable_v2_behavior()
    return tf


if __name__ == "__main__":
    module = load(sys.argv[1])
    print(json.dumps({name: PROGRAMS[name](module) for name in sys.argv[2:]}))
