"""Random numbers: Philox against published vectors, sequences, seeds, threads."""

import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import tinytf as tf
from tinytf.ops.random import normal_numbers, philox
from tinytf.ops.random.normal_numbers import box_muller, log32, sine_and_cosine32
from tinytf.ops.random.philox import PhiloxSequence, blocks_at
from tinytf.resources.manager import ResourceManager
from tinytf.testing.evaluator import evaluate


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


# Known answers of the authors' reference implementation, Random123 (kat_vectors): philox4x32 with
# 10 rounds. Counter and key are given by words, the lowest first.
VECTORS = [
    ([0] * 4, [0] * 2, [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]),
    ([0xFFFFFFFF] * 4, [0xFFFFFFFF] * 2, [0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD]),
    (
        [0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344],
        [0xA4093822, 0x299F31D0],
        [0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1],
    ),
]


def number(words):
    return sum(word << 32 * position for position, word in enumerate(words))


@pytest.mark.parametrize(("counter", "key", "block"), VECTORS)
@pytest.mark.parametrize("count", [1, philox._FEW + 1], ids=["python", "numpy"])
def test_philox_gives_the_published_blocks(counter, key, block, count):
    offsets = np.zeros(count, np.uint64)
    found = blocks_at(number(key), number(counter), offsets)
    assert found.shape == (count, 4)
    assert (found == np.array(block, np.uint32)).all()


def test_the_counter_carries_over_64_bits():
    start = (7 << 64) + 2**64 - 3
    many = blocks_at(5, start, np.arange(20, dtype=np.uint64))
    single = [blocks_at(5, start + i, np.zeros(1, np.uint64))[0] for i in range(20)]
    assert np.array_equal(many, single)


def test_chunks_do_not_show():
    offsets = np.arange(2 * philox._CHUNK + 5, dtype=np.uint64)
    whole = blocks_at(1, 2, offsets)
    assert np.array_equal(whole[philox._CHUNK :], blocks_at(1, 2, offsets[philox._CHUNK :]))


def test_every_run_goes_on_and_every_session_starts_again():
    x = tf.random_uniform([3], seed=1)
    sequences = []
    for _ in range(2):
        with tf.Session() as session:
            sequences.append([session.run(x).tolist() for _ in range(3)])
    assert sequences[0] == sequences[1]
    assert len({tuple(numbers) for numbers in sequences[0]}) == 3


def test_signatures_of_one_session_share_the_sequence():
    x = tf.random_uniform([3], seed=1)
    y = x + 0
    with tf.Session() as session:
        mixed = [session.run(fetch).tolist() for fetch in (x, y, x)]
    with tf.Session() as session:
        assert mixed == [session.run(x).tolist() for _ in range(3)]


def test_numbers_without_seeds_differ_from_session_to_session():
    x = [tf.random_uniform([4]), tf.random_uniform([4]), tf.random_normal([4])]
    runs = []
    for _ in range(2):
        with tf.Session() as session:
            runs += [session.run(x), session.run(x)]
    flat = [tuple(numbers) for run in runs for numbers in run]
    assert len(set(flat)) == len(flat)


def test_threads_share_a_sequence_without_drawing_anything_twice():
    sequence = PhiloxSequence(1, 2)
    start = threading.Barrier(4)

    def draw(_):
        start.wait(10)
        return [sequence.reserve(1)(np.zeros(1, np.uint64)).tobytes() for _ in range(200)]

    with ThreadPoolExecutor(4) as pool:
        drawn = [block for blocks in pool.map(draw, range(4)) for block in blocks]
    alone = PhiloxSequence(1, 2)
    wanted = [alone.reserve(1)(np.zeros(1, np.uint64)).tobytes() for _ in range(800)]
    assert sorted(drawn) == sorted(wanted)


def test_threads_may_draw_from_one_node():
    x = tf.random_uniform([50], seed=3)
    y = tf.random_normal([50])
    with tf.Session() as session:
        run = session.make_callable([x, y])
        with ThreadPoolExecutor(4) as pool:
            values = list(pool.map(lambda _: run(), range(40)))
    assert len({seeded.tobytes() for seeded, _ in values}) == 40
    assert len({fresh.tobytes() for _, fresh in values}) == 40


# Seeds ------------------------------------------------------------------------------------------


def seeds(tensor):
    attrs = next(op for op in [tensor.op, *(t.op for t in tensor.op.inputs)] if "seed" in op.attrs)
    return attrs.get_attr("seed"), attrs.get_attr("seed2")


def test_seeds_of_graph_and_op():
    assert tf.get_seed(None) == (None, None)
    assert seeds(tf.random_uniform([2])) == (0, 0)
    assert seeds(tf.random_uniform([2], seed=7)) == (87654321, 7)
    tf.set_random_seed(5)
    assert [seeds(tf.random_uniform([2])) for _ in range(3)] == [(5, 0), (5, 1), (5, 2)]
    assert seeds(tf.random_uniform([2], seed=7)) == (5, 7)
    assert seeds(tf.random_uniform([2])) == (5, 3)
    tf.set_random_seed(0)
    assert tf.get_seed(0) == (0, 2**31 - 1)
    tf.set_random_seed(2**31)
    assert tf.get_seed(-1) == (1, 2**31 - 2)


def test_each_graph_counts_its_own_ops():
    tf.set_random_seed(5)
    tf.random_uniform([2])
    with tf.Graph().as_default():
        tf.set_random_seed(5)
        assert seeds(tf.random_uniform([2])) == (5, 0)
    assert seeds(tf.random_uniform([2])) == (5, 1)


def test_dropout_of_nothing_takes_a_seed():
    tf.set_random_seed(5)
    tf.nn.dropout(tf.ones([2]), rate=0.0)
    assert seeds(tf.random_uniform([2])) == (5, 1)


# Distributions ----------------------------------------------------------------------------------


def draw(tensor):
    return evaluate([tensor], resources=ResourceManager())[0].astype(float).reshape(-1)


@pytest.mark.parametrize("seed", [None, 1], ids=["fresh", "seeded"])
@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_moments(dtype, seed):
    shape, kind = [200, 200], tf.as_dtype(dtype)
    uniform = draw(tf.random_uniform(shape, dtype=kind, seed=seed))
    assert uniform.min() >= 0
    assert uniform.max() < 1
    assert abs(uniform.mean() - 0.5) < 0.02
    assert abs(uniform.var() - 1 / 12) < 0.01
    normal = draw(tf.random_normal(shape, dtype=kind, seed=seed))
    assert abs(normal.mean()) < 0.03
    assert abs(normal.std() - 1) < 0.03
    truncated = draw(tf.truncated_normal(shape, dtype=kind, seed=seed))
    assert abs(truncated).max() <= 2
    assert abs(truncated.std() - 0.88) < 0.03


@pytest.mark.parametrize("seed", [None, 1], ids=["fresh", "seeded"])
@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_whole_numbers_fill_their_range(dtype, seed):
    kind = tf.as_dtype(dtype)
    dice = draw(tf.random_uniform([6000], 1, 7, kind, seed=seed))
    counts = np.unique(dice, return_counts=True)
    assert counts[0].tolist() == [1, 2, 3, 4, 5, 6]
    assert counts[1].min() > 800
    wide = draw(tf.random_uniform([2000], kind.min, kind.max, kind, seed=seed))
    assert wide.min() < kind.min * 0.9
    assert wide.max() > kind.max * 0.9


def test_an_empty_draw_of_an_empty_range_is_no_error():
    assert evaluate([tf.random_uniform([0], 5, 5, tf.int32)])[0].shape == (0,)


# The C library's functions, and what is made of them ----------------------------------------------


def ulps(found, exact):
    """By how many float32 numbers `found` misses the exact value."""
    return np.abs(found.astype(np.float64) - exact) / np.spacing(np.abs(found))


def test_logarithms_are_right_to_the_last_place():
    x = np.linspace(1e-7, 1.0, 200_001, dtype=np.float32)
    assert ulps(log32(x[:-1]), np.log(x[:-1].astype(np.float64))).max() < 0.9
    assert log32(np.array([1.0], np.float32)) == 0.0


def test_sines_and_cosines_are_right_to_the_last_place():
    x = np.linspace(0.0, 2 * np.pi, 200_001, dtype=np.float32)
    sine, cosine = sine_and_cosine32(x)
    assert ulps(sine, np.sin(x.astype(np.float64))).max() < 0.6
    assert ulps(cosine, np.cos(x.astype(np.float64))).max() < 0.6
    assert np.signbit(sine[:-1]).tolist() == (np.sin(x[:-1].astype(np.float64)) < 0).tolist()


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_chunks_of_normal_numbers_do_not_show(kind):
    u1, u2 = np.random.default_rng(1).random((2, 2, normal_numbers._CHUNK - 7), dtype=kind)
    whole = box_muller(u1, u2)
    assert whole.shape == (*u1.shape, 2)
    assert whole.dtype == kind
    assert np.array_equal(whole[1, 100:], box_muller(u1[1, 100:], u2[1, 100:]))
    assert np.isfinite(box_muller(np.zeros(1, kind), np.zeros(1, kind))).all()


def test_shuffles_are_as_likely_as_each_other():
    orders = Counter()
    with tf.Session() as session:
        shuffled = tf.random_shuffle([0, 1, 2], seed=1)
        for _ in range(3000):
            orders[tuple(session.run(shuffled).tolist())] += 1
    assert len(orders) == 6
    assert max(abs(count - 500) for count in orders.values()) < 100


@pytest.mark.parametrize("seed", [None, 7])
@pytest.mark.parametrize("rate", [0.3, 5.0, 9.99, 10.0, 80.0])
def test_poisson_numbers_have_mean_and_variance(rate, seed):
    with tf.Session() as session:
        numbers = session.run(tf.random_poisson(rate, [20_000], seed=seed))
    assert abs(numbers.mean() - rate) < 5 * np.sqrt(rate / 20_000)
    assert abs(numbers.var() / rate - 1) < 0.1


@pytest.mark.parametrize("seed", [None, 7])
@pytest.mark.parametrize("alpha", [0.2, 1.0, 1.5, 40.0])
def test_gamma_numbers_have_mean_and_variance(alpha, seed):
    with tf.Session() as session:
        numbers = session.run(tf.random_gamma([20_000], alpha, seed=seed, dtype=tf.float64))
    assert abs(numbers.mean() - alpha) < 5 * np.sqrt(alpha / 20_000)
    assert abs(numbers.var() / alpha - 1) < 0.1


@pytest.mark.parametrize("rate", [-1.0, np.nan, np.inf])
def test_impossible_rates_are_refused(rate):
    # TensorFlow goes on looking for ever.
    with tf.Session() as session:
        with pytest.raises(tf.errors.InvalidArgumentError, match="finite and not negative"):
            session.run(tf.random_poisson([1.0, rate], [2], seed=1))


def test_gammas_of_impossible_parameters_are_not_numbers():
    with tf.Session() as session:
        for seed in (None, 1):
            positive = tf.random.gamma([1], [-1.0, np.nan, np.inf, 1.0], seed=seed)
            numbers = positive.op.inputs[1].op.inputs[0]
            assert np.isnan(session.run(numbers)).tolist() == [[True, True, True, False]]


def test_gammas_move_with_alpha():
    """The gradient keeps a number's rank: P(alpha, x), the chance of a smaller one."""
    alpha = np.array([0.1, 0.7, 1.0, 3.0, 25.0])
    parameter = tf.placeholder(tf.float64, [5])
    numbers = tf.random_gamma([50], parameter, dtype=tf.float64, seed=2)
    # Of a sum, each of 50 numbers weighs in; one at a time, the others are given no weight.
    weight = tf.placeholder(tf.float64, [50, 5])
    slope = tf.gradients(numbers, parameter, grad_ys=weight)[0]
    with tf.Session() as session:
        x, one = session.run([numbers, slope], {parameter: alpha, weight: np.eye(50, 5)})
    x = np.diagonal(x)
    h = 1e-5
    before, after = tf.igamma(alpha - h, x - h * one), tf.igamma(alpha + h, x + h * one)
    with tf.Session() as session:
        assert np.allclose(*session.run([before, after]), rtol=1e-8)


def test_a_stateless_number_depends_on_its_seed_alone():
    seed = tf.placeholder(tf.int64, [2])
    numbers = tf.random.stateless_uniform([4], seed)
    with tf.Session() as session:
        first = [session.run(numbers, {seed: s}).tolist() for s in ([1, 2], [2, 1], [1, 2])]
    assert first[0] == first[2] != first[1]


def test_threefry_is_said_to_be_missing():
    with pytest.raises(NotImplementedError, match="ThreeFry"):
        tf.random.stateless_uniform([4], [1, 2], alg="threefry")
