"""Loops and conditionals, for both libraries."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from benchmarks.programs import best

TIMES = 5


def counting(tf: Any) -> Any:
    """A loop of 1,000 iterations, with a counter and a sum."""
    return tf.while_loop(lambda i, _: i < 1000, lambda i, total: (i + 1, total + i), [0, 0])


def loop_with_a_conditional(tf: Any) -> Any:
    """1,000 iterations, each with a choice between two branches."""

    def body(i: Any, total: Any) -> Any:
        even = tf.equal(i % 2, 0)
        return i + 1, tf.cond(even, lambda: total + i, lambda: total - 1)

    return tf.while_loop(lambda i, _: i < 1000, body, [0, 0])


def loop_in_a_loop(tf: Any) -> Any:
    """30 times 30 iterations."""

    def body(i: Any, total: Any) -> Any:
        inner = tf.while_loop(lambda j, _: j < 30, lambda j, t: (j + 1, t + j), [0, total])
        return i + 1, inner[1]

    return tf.while_loop(lambda i, _: i < 30, body, [0, 0])


def map_of_1_000_elements(tf: Any) -> Any:
    """`tf.map_fn` of a function of two operations."""
    return tf.map_fn(lambda x: x * x + 1.0, tf.constant(np.arange(1000), tf.float32))


def recurrent_network(tf: Any) -> Any:
    """`tf.scan` over 50 steps of a layer of 64 units, batch 20; the states."""
    return recurrent(tf)[0]


def gradient_of_a_recurrent_network(tf: Any) -> Any:
    """The gradients of its three variables."""
    states, variables = recurrent(tf)
    return tf.gradients(tf.reduce_sum(states * states), variables)


def recurrent(tf: Any) -> tuple[Any, list[Any]]:
    """The states of the network, and its variables."""
    random = np.random.RandomState(0)
    x = tf.constant(random.randn(50, 20, 32), tf.float32)
    w = tf.Variable(random.randn(64, 64) * 0.1, dtype=tf.float32)
    u = tf.Variable(random.randn(32, 64) * 0.1, dtype=tf.float32)
    b = tf.Variable(np.zeros(64), dtype=tf.float32)
    states = tf.scan(
        lambda h, row: tf.tanh(tf.matmul(h, w) + tf.matmul(row, u) + b),
        x,
        initializer=tf.zeros([20, 64]),
    )
    return states, [w, u, b]


def gradient_of_a_loop(tf: Any) -> Any:
    """A power of 1,000 by a loop, differentiated."""
    x = tf.constant(1.001)
    power = tf.while_loop(lambda i, _: i < 1000, lambda i, p: (i + 1, p * x), [0, 1.0])[1]
    return tf.gradients(power, x)


def gradient_of_a_loop_with_a_conditional(tf: Any) -> Any:
    """1,000 iterations of x * y or x + y, differentiated."""
    x = tf.constant(1.001)

    def body(i: Any, y: Any) -> Any:
        return i + 1, tf.cond(tf.equal(i % 2, 0), lambda: y * x, lambda: y + x)

    return tf.gradients(tf.while_loop(lambda i, _: i < 1000, body, [0, 1.0])[1], x)


def seconds(program: Callable[[Any], Any], tf: Any, folder: str) -> float:
    """For one run of what the program builds."""
    fetches = program(tf)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return best(lambda: session.run(fetches), TIMES)


PROGRAMS = {
    program.__name__: partial(seconds, program)
    for program in (
        counting,
        loop_with_a_conditional,
        loop_in_a_loop,
        map_of_1_000_elements,
        recurrent_network,
        gradient_of_a_recurrent_network,
        gradient_of_a_loop,
        gradient_of_a_loop_with_a_conditional,
    )
}
