"""Candidate samplers that know how often classes are; and the one that takes all."""

import numpy as np

from tests.conformance.registry import Program, case
from tests.conformance.values import fed

CLASSES = np.array([[0, 3], [2, 1]])
UNIGRAMS = [3.0, 1.0, 0.5, 7.0]


def fixed(tf, count=3, unique=True, classes=4, unigrams=UNIGRAMS, seed=3, **how):
    sampler = tf.nn.fixed_unigram_candidate_sampler
    return sampler(CLASSES, 2, count, unique, classes, unigrams=unigrams, seed=seed, **how)


@case("AllCandidateSampler", each=[True, False])
def all_candidates(tf, unique):
    first = tf.nn.all_candidate_sampler(CLASSES, 2, 4, unique)
    return [first, tf.random.all_candidate_sampler(CLASSES, 2, 4, unique, 1, "named")]


@case("LearnedUnigramCandidateSampler", each=[(True, 6), (False, 4), (True, 8)])
def candidates_seen(tf, unique, classes):
    tf.set_random_seed(3)
    first = tf.nn.learned_unigram_candidate_sampler(CLASSES, 2, 3, unique, classes, seed=5)
    sampler = tf.random.learned_unigram_candidate_sampler
    second = sampler(np.array([[3, 3]]), 2, 4, unique, classes, name="named")
    return Program([first, second], runs=4)


@case("LearnedUnigramCandidateSampler")
def many_candidates_seen(tf):
    return Program(tf.nn.learned_unigram_candidate_sampler(CLASSES, 2, 300, False, 1000, 1), runs=2)


@case("LearnedUnigramCandidateSampler", error="is too large to handle")
def too_many_candidates(tf):
    return tf.nn.learned_unigram_candidate_sampler(CLASSES, 2, 3, True, 2**31)


@case(
    "FixedUnigramCandidateSampler", each=[(u, d) for u in (True, False) for d in (1.0, 0.75, 0.0)]
)
def candidates_listed(tf, unique, distortion):
    tf.set_random_seed(3)
    first = fixed(tf, 3, unique, distortion=distortion)
    second = tf.random.fixed_unigram_candidate_sampler(
        CLASSES, 2, 4, unique, 6, "", distortion, 2, unigrams=UNIGRAMS, name="named"
    )
    return Program([first, second], runs=3)


@case("FixedUnigramCandidateSampler")
def many_candidates_listed(tf):
    how = {"unigrams": [float(i % 7 + 1) for i in range(1000)], "distortion": 0.75}
    return Program(fixed(tf, 300, False, 1000, **how), runs=2)


@case("FixedUnigramCandidateSampler", each=[(0, 4), (1, 3)])
def candidates_of_a_shard(tf, shard, classes):
    how = {"num_reserved_ids": 3, "num_shards": 2, "shard": shard}
    sampler = tf.nn.fixed_unigram_candidate_sampler
    classes_of = np.array([[0, 2], [2, 1]])
    return sampler(classes_of, 2, 2, True, classes, unigrams=UNIGRAMS, seed=3, **how)


@case("FixedUnigramCandidateSampler", error="nowhere.csv; No such file or directory")
def candidates_of_no_file(tf):
    return fixed(tf, unigrams=(), vocab_file="nowhere.csv")


WRONG = {
    "both": ({"vocab_file": "some.csv"}, "Must only provide one of vocab_file and unigrams"),
    "neither": ({"unigrams": ()}, "Must provide either vocab_file or unigrams"),
    "range": ({"classes": 5}, "range is 5 must be equal to weights size  4"),
    "shard": ({"num_shards": 2, "shard": 2}, "range is 4 must be equal to weights size  0"),
    "many": ({"count": 5}, "Sampler's range is too small."),
}


@case("FixedUnigramCandidateSampler", error="", each=WRONG)
def candidates_that_are_wrong(tf, what):
    return fixed(tf, **WRONG[what][0])


SAMPLERS = ["log_uniform_candidate_sampler", "learned_unigram_candidate_sampler"]


@case(
    "UniformCandidateSampler",
    error="`true_candidate` out of range [0, 3), received 3",
    each=SAMPLERS,
)
def right_classes_that_are_none(tf, name):
    return getattr(tf.nn, name)(CLASSES, 2, 2, True, 3, seed=1)


@case("AllCandidateSampler", "FixedUnigramCandidateSampler", each=[None, [None, None], [None, 2]])
def static_shapes_of_samples(tf, shape):
    x, feed = fed(tf, CLASSES, "int64", shape)
    sampler = tf.nn.fixed_unigram_candidate_sampler
    samples = sampler(x, 2, 3, True, 4, unigrams=UNIGRAMS, seed=1)
    return Program([tf.nn.all_candidate_sampler(x, 2, 4, True), samples], feed=feed)
