"""Random numbers that are a function of a seed in the graph."""

import numpy as np

from tests.conformance.nodes import node
from tests.conformance.registry import Program, case

FLOATS = ["float16", "bfloat16", "float32", "float64"]
CHANCES = np.log([[0.1, 0.2, 0.7], [0.5, 0.25, 0.25]])


@case(
    "StatelessRandomUniformV2",
    "StatelessRandomNormalV2",
    "StatelessTruncatedNormalV2",
    "StatelessRandomGetKeyCounter",
    each=FLOATS,
    rtol=0.0,
    atol=0.0,
)
def stateless_floats(tf, dtype):
    random, kind = tf.random, tf.as_dtype(dtype)
    functions = [random.stateless_uniform, random.stateless_normal]
    functions += [random.stateless_truncated_normal]
    results = [f([7, 3], seed=[5, 6], dtype=kind) for f in functions]
    results += [f([300], tf.constant([2**40, -6], tf.int64), dtype=kind) for f in functions]
    results += [f([0], [1, 2], dtype=kind, name="empty") for f in functions]
    results += [random.stateless_uniform([3], [1, 2], 2, 5, kind)]
    return Program(
        [*results, random.stateless_normal([2, 2], [3, 4], [1.0, 2.0], 3.0, kind)], runs=2
    )


@case("StatelessRandomUniformIntV2", each=["int32", "int64"])
def stateless_integers(tf, dtype):
    kind = tf.as_dtype(dtype)
    ranges = [(0, 10), (-5, 3), (kind.min, kind.max), (7, 8)]
    return [tf.random.stateless_uniform([6], [1, 2], low, high, kind) for low, high in ranges]


@case("StatelessRandomUniformFullIntV2", each=["int32", "int64", "uint32", "uint64"])
def stateless_integers_of_the_whole_range(tf, dtype):
    return tf.random.stateless_uniform([3, 3], [1, 2], None, None, tf.as_dtype(dtype))


@case(
    "StatelessRandomUniform",
    "StatelessRandomNormal",
    "StatelessTruncatedNormal",
    "StatelessRandomUniformInt",
    "StatelessRandomUniformFullInt",
)
def older_stateless_ops(tf):
    inputs = [tf.constant([7]), tf.constant([5, 6])]
    attrs = {"T": tf.int32, "Tseed": tf.int32}
    names = ["StatelessRandomUniform", "StatelessRandomNormal", "StatelessTruncatedNormal"]
    results = [node(tf, name, inputs, dtype=tf.float32, **attrs) for name in names]
    results += [node(tf, "StatelessRandomUniformFullInt", inputs, dtype=tf.uint64, **attrs)]
    ends = [tf.constant(2), tf.constant(9)]
    name = "StatelessRandomUniformInt"
    return [*results, node(tf, name, [*inputs, *ends], dtype=tf.int32, **attrs)]


@case("StatelessRandomGetKeyCounterAlg", "StatelessRandomGetAlg")
def key_counter_and_algorithm(tf):
    name = "StatelessRandomGetKeyCounterAlg"
    return [
        *node(tf, name, [tf.constant([5, 7])], Tseed=tf.int32),
        node(tf, "StatelessRandomGetAlg", []),
    ]


@case("StatelessMultinomial", each=["int32", "int64"])
def stateless_classes(tf, dtype):
    logits, kind = tf.constant(CHANCES), tf.as_dtype(dtype)
    results = [tf.random.stateless_categorical(logits, 30, [1, 2], kind)]
    return [*results, tf.random.stateless_multinomial(logits, 3, [1, 3], kind, name="m")]


@case("StatelessShuffle", "StatelessRandomUniformFullIntV2", "Pack")
def stateless_shuffles_and_seeds(tf):
    random = tf.random.experimental
    results = [random.stateless_shuffle(tf.range(30), [1, 2]), tf.random.split([1, 2], 3)]
    results += [random.stateless_shuffle([[1, 2], [3, 4], [5, 6]], [1, 3], name="rows")]
    return [*results, random.stateless_fold_in([1, 2], 3), random.stateless_split([1, 2])]


# TensorFlow mixes the seed with a dozen nodes for an algorithm that is given.
@case("StatelessRandomUniformV2", graph="any")
def stateless_numbers_of_a_given_algorithm(tf):
    algorithms = ["philox", "auto_select", 1, 3, tf.random.Algorithm.PHILOX, None]
    return [tf.random.stateless_uniform([3], [5, 6], alg=alg) for alg in algorithms]


@case("StatelessRandomUniformV2", error="Argument `alg` got unsupported value", each=["des", 7])
def stateless_numbers_of_an_unknown_algorithm(tf, alg):
    return tf.random.stateless_uniform([3], [5, 6], alg=alg)


@case("StatelessRandomUniformV2", error="Dimension must be 2 but is 3")
def a_stateless_seed_of_three(tf):
    return tf.random.stateless_uniform([3], [5, 6, 7])


@case("StatelessRandomUniformV2", error="Shape must be rank 1 but is rank 0")
def a_stateless_seed_of_one(tf):
    return tf.random.stateless_uniform([3], 5)


@case("StatelessRandomUniformV2", error="seed must have shape [2], not [3]")
def a_stateless_seed_of_three_in_the_run(tf):
    seed = tf.placeholder(tf.int32)
    return Program(tf.random.stateless_uniform([3], seed), feed={seed: [5, 6, 7]})


@case("StatelessRandomUniformIntV2", error="Need minval < maxval, got 5 >= 5")
def stateless_integers_of_an_empty_range(tf):
    return tf.random.stateless_uniform([2], [1, 2], 5, 5, tf.int32)


@case("StatelessRandomUniformIntV2", error="minval must be a scalar; got a tensor of shape [1]")
def stateless_integers_with_a_vector_of_starts(tf):
    return tf.random.stateless_uniform([2], [1, 2], [5], 7, tf.int32)


@case(
    "StatelessRandomUniformIntV2", error="argument `minval` and `maxval` must be both None or not"
)
def stateless_integers_without_an_end(tf):
    return tf.random.stateless_uniform([2], [1, 2], 0, None, tf.int32)


@case("StatelessRandomUniformFullIntV2", error="Please don't use unsigned integers in this case.")
def stateless_unsigned_integers_of_a_range(tf):
    return tf.random.stateless_uniform([2], [1, 2], 0, 5, tf.uint32)


@case("StatelessRandomUniformV2", error="Argument `dtype` got invalid value")
def stateless_numbers_of_another_type(tf):
    return tf.random.stateless_uniform([2], [1, 2], 0, 5, tf.int8)


WRONG_KEYS = [
    ("key", [2], [1, 2], [0, 0], 1),
    ("key of rank 0", [2], 1, [0, 0], 1),
    ("matrix", [2], [1], [[0, 0]], 1),
    ("algorithm", [2], [1], [0, 0], [1]),
    ("shape", 2, [1], [0, 0], 1),
    ("size", [-2], [1], [0, 0], 1),
    ("unknown", [2], [1], [0, 0], 9),
]


@case("StatelessRandomUniformV2", error="", each=WRONG_KEYS)
def wrong_keys_in_the_run(tf, _, shape, key, counter, alg):
    kinds = [tf.int32, tf.uint64, tf.uint64, tf.int32]
    fed = [tf.placeholder(kind) for kind in kinds]
    numbers = node(tf, "StatelessRandomUniformV2", fed, dtype=tf.float32, Tshape=tf.int32)
    return Program(numbers, feed=dict(zip(fed, (shape, key, counter, alg))))
