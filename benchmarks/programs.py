"""Small programs of one process, for both libraries: each function takes the module as `tf`."""

import time
from collections.abc import Callable
from typing import Any

import numpy as np

REPEATS = 5


def seconds(call: Callable[[], Any]) -> float:
    """Of one call; what it returns goes after that."""
    start = time.perf_counter()
    result = call()
    taken = time.perf_counter() - start
    del result
    return taken


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


def convolution_layer(tf: Any, image: Any, channels: int, outputs: int) -> Any:
    """A 5 by 5 convolution with a bias and relu, pooled 2 by 2."""
    filter = tf.Variable(tf.truncated_normal([5, 5, channels, outputs], stddev=0.1))
    sums = tf.nn.conv2d(image, filter, strides=[1, 1, 1, 1], padding="SAME")
    layer = tf.nn.relu(tf.nn.bias_add(sums, tf.Variable(tf.zeros([outputs]))))
    return tf.nn.max_pool(layer, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="SAME")


def train_convolutional_net_batch_32(tf: Any) -> float:
    """A step of gradient descent on 32 made-up digits: two convolutions, two dense layers."""
    with tf.Graph().as_default():
        tf.set_random_seed(42)
        images = tf.placeholder(tf.float32, [None, 28, 28, 1])
        labels = tf.placeholder(tf.int32, [None])
        layer = convolution_layer(tf, convolution_layer(tf, images, 1, 16), 16, 32)
        layer, width = tf.reshape(layer, [-1, 7 * 7 * 32]), 7 * 7 * 32
        for units in (64, 10):
            weights = tf.Variable(tf.truncated_normal([width, units], stddev=0.05))
            layer = tf.matmul(layer, weights) + tf.Variable(tf.zeros([units]))
            layer, width = (layer if units == 10 else tf.nn.relu(layer)), units
        loss = tf.reduce_mean(
            tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=layer)
        )
        step = tf.train.GradientDescentOptimizer(0.01).minimize(loss)
        numbers = np.random.default_rng(0)
        feed = {
            images: numbers.random([32, 28, 28, 1], np.float32),
            labels: numbers.integers(0, 10, 32).astype(np.int32),
        }
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            for _ in range(100):  # until it is known whether threads gain
                session.run(step, feed)
            return best(lambda: session.run(step, feed), 50)


def train_recurrent(tf: Any, steps: int, times: int) -> float:
    """A step of gradient descent on 32 made-up sequences: 64 units of long short-term memory."""
    with tf.Graph().as_default():
        tf.set_random_seed(42)
        cell = tf.nn.rnn_cell.BasicLSTMCell(64)
        x = tf.placeholder(tf.float32, [None, None, 32] if steps > 1 else [None, 32])
        if steps > 1:
            outputs, _ = tf.nn.dynamic_rnn(cell, x, dtype=tf.float32)
        else:
            outputs, _ = cell(x, cell.zero_state(32, tf.float32))
        loss = tf.reduce_mean(tf.square(outputs))
        step = tf.train.GradientDescentOptimizer(0.01).minimize(loss)
        shape = [32, steps, 32] if steps > 1 else [32, 32]
        feed = {x: np.random.default_rng(0).random(shape, np.float32)}
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            for _ in range(30):  # until it is known what costs how much
                session.run(step, feed)
            return best(lambda: session.run(step, feed), times)


def train_lstm_step(tf: Any) -> float:
    """One step of time."""
    return train_recurrent(tf, 1, 500)


def train_dynamic_rnn_of_50_steps(tf: Any) -> float:
    """`tf.nn.dynamic_rnn` over 50 steps of time."""
    return train_recurrent(tf, 50, 20)


def run_four_matmuls_of_700(tf: Any) -> float:
    """Four independent products of 700 by 700 matrices, added up."""
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [700, 700])
        total = tf.add_n([tf.matmul(x + float(number), x) for number in range(4)])
        value = np.random.default_rng(0).random([700, 700], np.float32)
        with tf.Session() as session:
            for _ in range(20):  # until it is known whether threads gain
                session.run(total.op, {x: value})
            return best(lambda: session.run(total.op, {x: value}), 20)


PROGRAMS: dict[str, Callable[[Any, str], float]] = {
    function.__name__: lambda tf, folder, function=function: function(tf)  # type: ignore[misc]
    for function in (
        run_three_scalar_ops,
        run_loop_of_1_000_iterations,
        run_chain_of_1_000_ops,
        run_wide_graph_of_200_ops,
        run_four_matmuls_of_700,
        train_sgd_batch_50,
        train_sgd_batch_512,
        train_adam_batch_50,
        train_adam_batch_512,
        train_convolutional_net_batch_32,
        train_lstm_step,
        train_dynamic_rnn_of_50_steps,
    )
}
