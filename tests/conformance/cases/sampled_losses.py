"""Candidate samplers, and the losses that use them."""

import numpy as np

from tests.conformance.registry import Program, case
from tests.conformance.values import fed, numbers

SAMPLERS = ["log_uniform_candidate_sampler", "uniform_candidate_sampler"]
CLASSES = np.array([[0, 3], [7, 1], [2, 2]])


@case(
    "LogUniformCandidateSampler",
    "UniformCandidateSampler",
    each=[
        (name, unique, classes)
        for name in SAMPLERS
        for unique in (True, False)
        for classes in (10, 16)
    ],
)
def candidate_sampler(tf, name, unique, classes):
    tf.set_random_seed(3)
    sampler = getattr(tf.nn, name)
    first = sampler(CLASSES, 2, 8, unique, classes, seed=5)
    second = getattr(tf.random, name)(CLASSES, 2, 5, unique, classes, name="named")
    return Program([first, second], runs=3)


@case("LogUniformCandidateSampler")
def candidate_sampler_of_many(tf):
    return Program(tf.nn.log_uniform_candidate_sampler(CLASSES, 2, 500, True, 10000, 1), runs=2)


@case("UniformCandidateSampler")
def static_shapes_of_candidate_samplers(tf):
    x, feed = fed(tf, CLASSES, "int64")
    y, more = fed(tf, CLASSES, "int64", [None, None])
    samples = [tf.nn.uniform_candidate_sampler(t, 2, 4, True, 10, seed=1) for t in (x, y)]
    return Program(samples, feed={**feed, **more})


@case("UniformCandidateSampler", error="Sampler's range is too small.")
def more_different_classes_than_there_are(tf):
    return tf.nn.uniform_candidate_sampler(CLASSES, 2, 11, True, 10, seed=1)


@case("UniformCandidateSampler", error="Shape must be rank 2 but is rank 1")
def classes_in_a_vector(tf):
    return tf.nn.uniform_candidate_sampler(CLASSES[0], 2, 4, True, 10, seed=1)


@case("UniformCandidateSampler", error="true_classes must be a matrix")
def classes_in_a_vector_in_the_run(tf):
    x, feed = fed(tf, CLASSES[0], "int64")
    return Program(tf.nn.uniform_candidate_sampler(x, 2, 4, True, 10, seed=1), feed=feed)


@case(
    "UniformCandidateSampler", error="true_classes must have num_true columns, expected: 2 was: 3"
)
def classes_in_other_columns_in_the_run(tf):
    x, feed = fed(tf, CLASSES, "int64")
    return Program(tf.nn.uniform_candidate_sampler(x, 3, 4, True, 10, seed=1), feed=feed)


@case("ComputeAccidentalHits")
def accidental_hits(tf):
    return [
        tf.nn.compute_accidental_hits(CLASSES, [2, 9, 0, 3], 2),
        tf.nn.compute_accidental_hits(CLASSES, np.int64([8]), 2, 1, name="named"),
    ]


@case("ComputeAccidentalHits", error="Dimension must be 1 but is 2")
def accidental_hits_in_other_columns(tf):
    return tf.nn.compute_accidental_hits(CLASSES, [2, 9, 0, 3], 1)


def table(tf, parts=1):
    values = np.cos(np.arange(40.0)).reshape(10, 4)
    return [tf.constant(values[i::parts], tf.float32) for i in range(parts)]


def loss(tf, function, **more):
    labels, inputs = tf.constant(CLASSES, tf.int64), numbers(tf, 3, 4) * 0.1
    biases = tf.constant(np.linspace(0, 1, 10), tf.float32)
    given = {"num_sampled": 4, "num_classes": 10, "num_true": 2, **more}
    weights = given.pop("weights", table(tf)[0])
    return getattr(tf.nn, function)(weights, biases, labels, inputs, **given), inputs


@case(
    "LogUniformCandidateSampler",
    "GatherV2",
    each=[(n, h) for n in ("nce_loss", "sampled_softmax_loss") for h in (False, True)],
)
def sampled_losses(tf, name, remove_hits):
    tf.set_random_seed(7)
    first, _ = loss(tf, name, remove_accidental_hits=remove_hits)
    second, _ = loss(tf, name, weights=table(tf, 2), name="named")
    return [first, second]


@case("GatherV2", each=["nce_loss", "sampled_softmax_loss"])
def sampled_losses_of_given_samples(tf, name):
    sampled = tf.constant([1, 2, 5, 7], tf.int64)
    values = (sampled, tf.fill([3, 2], 0.5), tf.fill([4], 0.25))
    return loss(tf, name, sampled_values=values)[0]


@case("GatherV2", graph="types", each=["nce_loss", "sampled_softmax_loss"])
def gradients_of_sampled_losses(tf, name):
    tf.set_random_seed(7)
    (weights,) = table(tf)
    value, inputs = loss(tf, name, weights=weights)
    of_weights, of_inputs = tf.gradients(value, [weights, inputs])
    return [tf.convert_to_tensor(of_weights), of_inputs]
