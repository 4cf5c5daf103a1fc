"""Random numbers: with seeds the very same as TensorFlow's, without them the same kind."""

import numpy as np

from tests.conformance.nodes import node
from tests.conformance.registry import Program, case

FLOATS = ["float16", "bfloat16", "float32", "float64"]
SEEDS = [(0, 1), (1, 0), (42, 7), (-1, -2), (87654321, 2**40), (2**63 - 1, 2**63 - 1)]


@case("RandomUniform", "RandomStandardNormal", "TruncatedNormal", each=FLOATS)
def seeded_floats(tf, dtype):
    functions = [tf.random_uniform, tf.random_normal, tf.truncated_normal]
    kind = tf.as_dtype(dtype)
    results = [f([5], dtype=kind, seed=seed) for f in functions for seed in (1, 2)]
    results += [f([40, 3], dtype=kind, seed=3) for f in functions]
    return Program(results + [f([0, 3], dtype=kind, seed=3) for f in functions], runs=3)


@case("RandomUniformInt", each=["int32", "int64"])
def seeded_integers(tf, dtype):
    kind = tf.as_dtype(dtype)
    ranges = [(0, 10), (-5, 3), (kind.min, kind.max), (7, 8)]
    results = [tf.random_uniform([6], low, high, kind, seed=5) for low, high in ranges]
    return Program([*results, tf.random_uniform([100], 0, 1000, kind, seed=1)], runs=2)


@case("RandomUniform", each=SEEDS)
def seeds_of_a_node(tf, seed, seed2):
    attrs = {"T": tf.int32, "dtype": tf.float32, "seed": seed, "seed2": seed2}
    return Program(node(tf, "RandomUniform", [tf.constant([2, 6])], **attrs), runs=2)


@case("RandomUniform", "RandomStandardNormal")
def seeds_of_a_graph(tf):
    first = tf.random_uniform([3], seed=4)
    tf.set_random_seed(1234)
    results = [first, tf.random_uniform([3]), tf.random_normal([3], seed=4), tf.random_normal([3])]
    tf.set_random_seed(0)
    results += [tf.random_uniform([3], seed=0), tf.random_uniform([3])]
    tf.set_random_seed(2**31 + 5)
    results += [tf.random_uniform([3]), tf.random_uniform([3], seed=-3)]
    return Program(results, runs=2)


@case("RandomUniform")
def two_nodes_of_one_seed_draw_the_same(tf):
    return [tf.random_uniform([4], seed=9), tf.random_uniform([4], seed=9)]


@case("RandomUniform")
def large_seeded_draws(tf):
    return tf.random_uniform([3000], seed=2)


@case("RandomUniform", "RandomStandardNormal", "TruncatedNormal")
def scaled_numbers(tf):
    mean = tf.constant([0.0, 100.0])
    return [
        tf.random_uniform([2], -3, 5, seed=1), tf.random_uniform([2], 0, 5, seed=1),
        tf.random_uniform([2], 0.0, 1.0, seed=1), tf.random_uniform([2], maxval=3.0, seed=1),
        tf.random_uniform([2], tf.constant(1.0), tf.constant(2.0), seed=1, name="tensors"),
        tf.random_normal([3, 2], mean, 0.5, seed=1), tf.truncated_normal([3, 2], mean, 2, seed=1),
        tf.random.uniform([2], seed=2), tf.random.normal([2], seed=2, name="named"),
        tf.random.truncated_normal([2], seed=2),
    ]  # fmt: skip


@case("RandomUniform", "RandomStandardNormal", "TruncatedNormal", "RandomUniformInt")
def shapes_of_random_numbers(tf):
    size = tf.placeholder(tf.int32, [])
    shape = tf.placeholder(tf.int64, [2])
    known = tf.zeros([2, 3])
    results = []
    for wanted in ([size, 2], shape, tf.shape(known), known.shape, [], np.array([2, 1]), (4,)):
        results += [tf.random_uniform(wanted, seed=1), tf.random_normal(wanted, seed=1)]
        results += [tf.truncated_normal(wanted, seed=1)]
        results += [tf.random_uniform(wanted, 0, 9, tf.int32, seed=1)]
    return Program(results, feed=[{size: 3, shape: [1, 2]}, {size: 0, shape: [2, 2]}])


def plausible(values):
    """What holds of the unseeded numbers below, whichever library drew them."""
    uniform, scaled, normal, truncated, dice, wide = (np.concatenate(f, None) for f in zip(*values))
    assert len(np.unique(uniform)) > 0.99 * len(uniform)  # and each run draws others
    assert 0 <= uniform.min() < 0.01
    assert 0.99 < uniform.max() < 1
    assert abs(uniform.mean() - 0.5) < 0.02
    assert scaled.min() >= -2
    assert scaled.max() < 6
    assert abs(normal.mean()) < 0.05
    assert abs(normal.std() - 1) < 0.05
    assert abs(normal).max() > 2.5
    assert abs(truncated).max() < 2
    assert abs(truncated.std() - 0.88) < 0.05
    assert set(np.unique(dice)) == {1, 2, 3, 4, 5, 6}
    assert abs(wide.mean() / 2**62) < 0.1


@case(
    "RandomUniform", "RandomStandardNormal", "TruncatedNormal", "RandomUniformInt",
    random=True, check=plausible,
)  # fmt: skip
def numbers_without_seeds(tf):
    shape = [50, 100]
    results = [
        tf.random_uniform(shape, dtype=tf.float64), tf.random_uniform(shape, -2, 6),
        tf.random_normal(shape), tf.truncated_normal(shape),
        tf.random_uniform(shape, 1, 7, tf.int32),
        tf.random_uniform(shape, tf.int64.min, tf.int64.max, tf.int64),
    ]  # fmt: skip
    return Program(results, runs=2)


def in_range(values):
    for uniform, normal, truncated in values:
        assert (uniform.astype(float) >= 0).all()
        assert (uniform.astype(float) < 1).all()
        assert len(np.unique(uniform)) > 50
        assert abs(normal.astype(float).mean()) < 0.1
        assert (abs(truncated.astype(float)) <= 2).all()


@case(
    "RandomUniform", "RandomStandardNormal", "TruncatedNormal", random=True, check=in_range,
    each=FLOATS,
)  # fmt: skip
def floats_without_seeds(tf, dtype):
    kind = tf.as_dtype(dtype)
    functions = [tf.random_uniform, tf.random_normal, tf.truncated_normal]
    return [f([4000], dtype=kind) for f in functions]


@case("RandomUniform", error="Argument `dtype` got invalid value")
def uniform_numbers_of_another_type(tf):
    return tf.random_uniform([2], dtype=tf.int8)


@case("RandomUniformInt", error="Must specify maxval for integer dtype")
def uniform_integers_without_an_end(tf):
    return tf.random_uniform([2], dtype=tf.int32)


@case("RandomUniformInt", error="Need minval < maxval, got 5 >= 5")
def uniform_integers_of_an_empty_range(tf):
    return tf.random_uniform([2], 5, 5, tf.int32)


@case("RandomUniformInt", error="maxval must be a scalar; got a tensor of shape [2]")
def uniform_integers_with_a_vector_of_ends(tf):
    return tf.random_uniform([2], 0, [5, 6], tf.int32)


@case("RandomUniform", error="Shape must be rank 1 but is rank 0")
def random_numbers_of_a_scalar_shape(tf):
    return tf.random_uniform(3)


@case("RandomUniform", error="", each=[((-1,),), (3,), (((2,),),)])
def random_numbers_of_a_wrong_shape_in_the_run(tf, value):
    shape = tf.placeholder(tf.int32)
    return Program(tf.random_uniform(shape), feed={shape: value})


@case("TruncatedNormal", error="")
def normal_integers(tf):
    return tf.truncated_normal([2], dtype=tf.int32)
