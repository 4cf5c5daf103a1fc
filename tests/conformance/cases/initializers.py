"""Initial values of variables: all of TensorFlow 1's initializers, by seed."""

import numpy as np

from tests.conformance.registry import Program, case

FLOATS = ["float16", "float32", "float64"]
SHAPES = [(), (5,), (4, 3), (3, 3, 2, 4)]


def variables(tf, initializers, shape, dtype="float32", **settings):
    made = []
    for number, initializer in enumerate(initializers):
        made.append(tf.get_variable(f"v{number}", shape, dtype, initializer, **settings))
    return Program([v.read_value() for v in made], setup=[v.initializer for v in made])


@case("Const", each=SHAPES)
def the_same_everywhere(tf, *shape):
    kinds = [tf.zeros_initializer, tf.ones_initializer(), tf.initializers.constant(2.5)]
    return variables(tf, [*kinds, tf.initializers.zeros(), tf.initializers.ones], list(shape))


@case("Const")
def constants_in_a_shape(tf):
    values = [3, [1, 2, 3, 4, 5, 6], [[1, 2, 3], [4, 5, 6]], np.arange(6.0)]
    return variables(tf, [tf.constant_initializer(value) for value in values], [2, 3])


@case("Const", error="")
def a_constant_of_another_shape(tf):
    verified = tf.constant_initializer([1.0, 2.0, 3.0], verify_shape=True)
    return variables(tf, [verified], [2, 3])


@case("Const", error="Invalid type for initial value=")
def a_constant_of_nothing(tf):
    return tf.constant_initializer(None)([2])


def _seeded(tf):
    make = tf.initializers
    yield from (make.random_uniform(-1.0, 2.0, seed=1), make.random_normal(1.0, 2.0, seed=2))
    yield from (make.truncated_normal(stddev=0.1, seed=3), make.glorot_normal(seed=4))
    yield from (make.glorot_uniform(seed=5), make.uniform_unit_scaling(2.0, seed=6))
    yield from (make.he_normal(seed=7), make.he_uniform(seed=8), make.lecun_normal(seed=9))
    yield make.lecun_uniform(seed=10)


@case("RandomUniform", "RandomStandardNormal", "TruncatedNormal", each=SHAPES)
def random_ones(tf, *shape):
    return variables(tf, list(_seeded(tf)), list(shape))


@case("RandomUniform", "RandomStandardNormal", "TruncatedNormal", each=FLOATS)
def random_ones_of_a_type(tf, dtype):
    return variables(tf, list(_seeded(tf)), [3, 2], dtype)


@case("RandomUniformInt")
def random_integers(tf):
    return variables(tf, [tf.random_uniform_initializer(0, 9, seed=1)], [7], "int32")


MODES = ["fan_in", "fan_out", "fan_avg"]
DISTRIBUTIONS = ["normal", "truncated_normal", "untruncated_normal", "uniform", "UNIFORM"]


@case("TruncatedNormal", each=[(m, d) for m in MODES[:1] for d in DISTRIBUTIONS[:2]])
def scaled_truncated(tf, mode, distribution):
    return _scaled(tf, mode, distribution)


@case("RandomStandardNormal", each=MODES)
def scaled_normal(tf, mode):
    return _scaled(tf, mode, "untruncated_normal")


@case("RandomUniform", each=[(m, d) for m in MODES for d in DISTRIBUTIONS[3:]])
def scaled_uniform(tf, mode, distribution):
    return _scaled(tf, mode, distribution)


def _scaled(tf, mode, distribution):
    initializer = tf.variance_scaling_initializer(3.0, mode, distribution, seed=4)
    results = [initializer(list(shape)) for shape in SHAPES]
    return [*results, initializer([2, 3], dtype=tf.float64)]


@case(
    "Qr", "DiagPart", "Sign", each=[(4, 4), (2, 5), (5, 2), (2, 3, 4), (1, 1)], rtol=1e-4, atol=1e-5
)
def orthogonal(tf, *shape):
    initializers = [tf.orthogonal_initializer(2.0, seed=3), tf.initializers.orthogonal(seed=4)]
    return variables(tf, initializers, list(shape))


@case("Qr", error="must be at least two-dimensional")
def orthogonal_vectors(tf):
    return tf.orthogonal_initializer()([3])


@case("Mul", each=[(3, 3), (2, 4), (4, 2)])
def identities(tf, *shape):
    return variables(tf, [tf.initializers.identity(2.0), tf.initializers.identity()], list(shape))


@case("Mul", error="must be at least two-dimensional")
def an_identity_of_three_dimensions(tf):
    return tf.initializers.identity()([2, 2, 2])


@case("RandomUniform", "TruncatedNormal", "Slice")
def of_partitioned_variables(tf):
    make = tf.initializers
    kinds = [make.glorot_uniform(seed=1), make.he_normal(seed=2), make.identity(3.0)]
    kinds += [
        make.uniform_unit_scaling(seed=3),
        make.zeros(),
        np.arange(20.0, dtype=np.float32).reshape(5, 4),
    ]
    whole = []
    for number, initializer in enumerate(kinds):
        settings = {"initializer": initializer, "partitioner": tf.fixed_size_partitioner(2)}
        whole.append(tf.get_variable(f"v{number}", [5, 4], tf.float32, **settings))
    parts = [part for variable in whole for part in variable]
    fetches = [part.read_value() for part in parts] + [v.as_tensor() for v in whole]
    return Program(fetches, setup=[part.initializer for part in parts])


@case("NoOp")
def tables(tf):
    return [
        tf.tables_initializer(),
        tf.initializers.tables_initializer("t"),
        tf.initialize_all_tables(),
    ]
