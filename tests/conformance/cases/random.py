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
        tf.random_uniform([2], -3, 5, seed=1),
        tf.random_uniform([2], 0, 5, seed=1),
        tf.random_uniform([2], 0.0, 1.0, seed=1),
        tf.random_uniform([2], maxval=3.0, seed=1),
        tf.random_uniform([2], tf.constant(1.0), tf.constant(2.0), seed=1, name="tensors"),
        tf.random_normal([3, 2], mean, 0.5, seed=1),
        tf.truncated_normal([3, 2], mean, 2, seed=1),
        tf.random.uniform([2], seed=2),
        tf.random.normal([2], seed=2, name="named"),
        tf.random.truncated_normal([2], seed=2),
    ]


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
    "RandomUniform",
    "RandomStandardNormal",
    "TruncatedNormal",
    "RandomUniformInt",
    random=True,
    check=plausible,
)
def numbers_without_seeds(tf):
    shape = [50, 100]
    results = [
        tf.random_uniform(shape, dtype=tf.float64),
        tf.random_uniform(shape, -2, 6),
        tf.random_normal(shape),
        tf.truncated_normal(shape),
        tf.random_uniform(shape, 1, 7, tf.int32),
        tf.random_uniform(shape, tf.int64.min, tf.int64.max, tf.int64),
    ]
    return Program(results, runs=2)


def in_range(values):
    for uniform, normal, truncated in values:
        assert (uniform.astype(float) >= 0).all()
        assert (uniform.astype(float) < 1).all()
        assert len(np.unique(uniform)) > 50
        assert abs(normal.astype(float).mean()) < 0.1
        assert (abs(truncated.astype(float)) <= 2).all()


@case(
    "RandomUniform",
    "RandomStandardNormal",
    "TruncatedNormal",
    random=True,
    check=in_range,
    each=FLOATS,
)
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


# Beyond the basic distributions -------------------------------------------------------------------


@case("RandomStandardNormal", "TruncatedNormal", each=FLOATS, rtol=0.0, atol=0.0)
def many_normal_numbers_to_the_last_bit(tf, dtype):
    kind = tf.as_dtype(dtype)
    normal = tf.random_normal([20000], dtype=kind, seed=11)
    return [normal, tf.truncated_normal([8000], dtype=kind, seed=12)]


@case("RandomShuffle", each=["int32", "float64", "string", "bool"])
def shuffled(tf, dtype):
    values = np.arange(12)
    values = values.astype(str) if dtype == "string" else values
    flat = tf.constant(values.astype(bool) if dtype == "bool" else values, dtype)
    table = tf.reshape(flat, [6, 2])
    scalar = tf.reshape(tf.slice(flat, [0], [1]), [])
    results = [tf.random_shuffle(x, seed=3) for x in (flat, table, scalar, table[:1], table[:0])]
    return Program([*results, tf.random.shuffle(tf.reshape(flat, [3, 2, 2]), seed=4)], runs=3)


@case("RandomShuffle")
def a_long_shuffle(tf):
    return Program(tf.random_shuffle(tf.range(1001), seed=7, name="cards"), runs=2)


def _is_permutation(values):
    orders = [tuple(order) for run in values for order in run]
    assert len(set(orders)) == len(orders)
    assert all(sorted(order) == list(range(50)) for order in orders)


@case("RandomShuffle", random=True, check=_is_permutation)
def shuffled_without_seeds(tf):
    return Program([tf.random_shuffle(tf.range(50)), tf.random_shuffle(tf.range(50))], runs=2)


CHANCES = np.log([[0.1, 0.2, 0.7], [0.5, 0.25, 0.25]])


@case("Multinomial", each=["float16", "float32", "float64"])
def classes(tf, dtype):
    logits = tf.constant(CHANCES, dtype)
    results = [tf.multinomial(logits, 101, seed=5), tf.multinomial(logits, 0, seed=5)]
    results += [tf.random.categorical(logits, 7, tf.int32, seed=5, name="drawn")]
    results += [tf.multinomial(logits[:0], 3), tf.multinomial(logits, 3, 5, "m", tf.int32)]
    return Program(results, runs=3)


@case("Multinomial")
def classes_with_numbers_that_are_not_finite(tf):
    inf, nan = np.inf, np.nan
    logits = [[-inf, -inf, 0.0], [nan, 1.0, 1.0], [inf, 0.0, 0.0], [-inf, -inf, -inf]]
    return Program(tf.multinomial(logits, 20, seed=5), runs=2)


@case("Multinomial")
def the_number_of_classes_is_fed(tf):
    logits, count = tf.placeholder(tf.float32), tf.placeholder(tf.int32)
    known = tf.placeholder(tf.float32, [None, 3])
    results = [tf.multinomial(x, count, seed=1) for x in (logits, known)]
    return Program(results, feed={logits: CHANCES, known: CHANCES, count: 5})


@case("Multinomial", random=True, check=lambda values: _mostly_the_last(values))
def classes_without_seeds(tf):
    return tf.multinomial(tf.constant(CHANCES), 5000)


def _mostly_the_last(values):
    first, second = values[0][0]
    assert abs((first == 2).mean() - 0.7) < 0.05
    assert abs((second == 0).mean() - 0.5) < 0.05


@case(
    "Multinomial", error="Dimension size, given by scalar input 1, must be non-negative but is -1"
)
def fewer_than_no_classes(tf):
    return tf.multinomial(CHANCES, -1)


@case("Multinomial", error="Shape must be rank 2 but is rank 1")
def classes_of_a_vector(tf):
    return tf.multinomial([1.0, 2.0], 2)


@case("Multinomial", error="Shape must be rank 0 but is rank 1")
def classes_of_several_numbers(tf):
    return tf.multinomial(CHANCES, [2])


@case("Multinomial", error="num_classes should be positive, got 0")
def classes_of_none(tf):
    return tf.multinomial(np.zeros([2, 0]), 3)


@case(
    "Multinomial",
    error="",
    each=[("rank", [1.0], 2), ("samples", [[1.0]], [2]), ("negative", [[1.0]], -2)],
)
def classes_of_wrong_inputs_in_the_run(tf, _, logits, count):
    fed, number = tf.placeholder(tf.float32), tf.placeholder(tf.int32)
    return Program(tf.multinomial(fed, number), feed={fed: logits, number: count})


@case("Multinomial", error="Argument `dtype` got invalid value")
def classes_of_a_floating_type(tf):
    return tf.multinomial(CHANCES, 3, output_dtype=tf.float32)


@case("RandomGamma", each=["float16", "float32", "float64"], rtol=0.0, atol=0.0)
def gammas(tf, dtype):
    alpha = tf.constant([0.1, 0.5, 1.0, 1.5, 10.0, 100.0], dtype)
    results = [tf.random_gamma([40], alpha, seed=3, dtype=dtype)]
    results += [tf.random.gamma([], alpha, dtype=dtype, seed=4, name="named")]
    results += [tf.random_gamma([3], [[0.5], [2.5]], [1.0, 2.0, 4.0], dtype, seed=5)]
    return Program([*results, tf.random_gamma([0, 2], alpha, dtype=dtype, seed=6)], runs=2)


@case("RandomGammaGrad", each=["float32", "float64"], rtol=2e-5)
def gammas_differentiated(tf, dtype):
    alpha = tf.constant([0.05, 0.5, 1.0, 1.5, 10.0, 100.0], dtype)
    beta = tf.constant([[2.0], [0.5]], dtype)
    drawn = tf.random_gamma([4, 3], alpha, beta, dtype, seed=3)
    return Program([drawn, *tf.gradients(tf.square(drawn), [alpha, beta])], runs=2)


@case("RandomGammaGrad", each=["float32", "float64"], rtol=2e-5)
def slopes_of_gammas(tf, dtype):
    alpha = np.array([[0.01], [0.3], [1.0], [2.0], [30.0]], dtype)
    # Not further out: the density, which TensorFlow divides by, underflows there.
    sample = alpha * np.array([0.5, 0.9, 1.0, 1.3], dtype)
    return node(tf, "RandomGammaGrad", [tf.constant(alpha), tf.constant(sample)])


def _around(values):
    for gamma, poisson in values:
        assert abs(gamma.mean(0) - [0.5, 4.0]).max() < 0.3
        assert abs(poisson.mean(0) - [0.5, 40.0]).max() < 1


@case("RandomGamma", each=["float16", "float32", "float64"])
def scaled_gammas(tf, dtype):
    return Program(tf.random_gamma([5, 2], 2.0, 3.0, dtype=dtype, seed=3, name="scaled"), runs=2)


@case("RandomGamma", "RandomPoissonV2", random=True, check=_around)
def gammas_and_poissons_without_seeds(tf):
    gamma, poisson = tf.random_gamma([3000], [0.5, 4.0]), tf.random_poisson([0.5, 40.0], [3000])
    return Program([gamma, poisson], runs=2)


@case("RandomPoissonV2", each=["float16", "float32", "float64", "int32", "int64"])
def poissons(tf, dtype):
    rate = tf.constant([0, 1, 9, 10, 25, 300], dtype)
    kind = tf.as_dtype(dtype)
    results = [tf.random_poisson(rate, [40], kind, seed=3), tf.random_poisson(3.5, [4], kind, 3)]
    results += [tf.random.poisson(rate, [], seed=4, name="named")]
    return Program([*results, tf.random_poisson(rate, [2, 0], kind, seed=5)], runs=2)


@case("RandomPoissonV2", error="Dimension -1 must be >= 0")
def poissons_of_a_wrong_shape_in_the_run(tf):
    shape = tf.placeholder(tf.int32)
    return Program(tf.random_poisson(1.0, shape), feed={shape: [-1]})


@case("RandomPoissonV2", "RandomGamma")
def numbers_without_parameters(tf):
    return [tf.random_poisson(np.zeros([0]), [2], seed=1), tf.random_gamma([2], np.zeros([0]))]


@case("RandomGamma", error="Shape must be rank 1 but is rank 0")
def gammas_of_a_scalar_shape(tf):
    return tf.random_gamma(3, 1.0)


@case("RandomUniformInt", "Slice", "Assert")
def crops(tf):
    image = tf.reshape(tf.range(60), [4, 5, 3])
    return [tf.random_crop(image, size, seed=1) for size in ([2, 2, 3], [4, 5, 1])]


@case("Assert", error="Need value.shape >= size, got")
def a_crop_that_is_too_large(tf):
    return tf.random_crop(tf.zeros([2, 2]), [3, 1])


@case("RandomUniform", "RandomShuffle")
def drawn_in_a_loop(tf):
    def body(i, numbers, order):
        numbers = tf.concat([numbers, tf.random_uniform([2], seed=3)], 0)
        return i + 1, numbers, tf.concat([order, tf.random_shuffle([1, 2, 3, 4], seed=4)], 0)

    shapes = [tf.TensorShape([]), tf.TensorShape([None]), tf.TensorShape([None])]
    start = [0, tf.zeros([0]), tf.zeros([0], tf.int32)]
    loop = tf.while_loop(lambda i, *_: i < 4, body, start, shapes, parallel_iterations=1)
    return Program(loop[1:], runs=2)


@case("RandomUniform", "TruncatedNormal")
def runs_of_some_nodes_only(tf):
    tf.set_random_seed(11)
    first, second = tf.random_uniform([2]), tf.truncated_normal([2])
    return Program([first, tf.add(first, 0.0), second], runs=3)
