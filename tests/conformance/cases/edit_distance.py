"""The edit distance of sequences."""

import numpy as np

from tests.conformance.cases.sparse_arithmetic import fed
from tests.conformance.registry import Program, case


def texts(tf, words, columns=None, kind="string"):
    """A sparse tensor with a row of letters for each word."""
    indices = [[row, i] for row, word in enumerate(words) for i in range(len(word))]
    letters = [letter if kind == "string" else ord(letter) for word in words for letter in word]
    width = max(map(len, words)) if columns is None else columns
    return tf.SparseTensor(
        np.array(indices, np.int64).reshape(-1, 2), tf.constant(letters, kind), [len(words), width]
    )


HYPOTHESES = ["kitten", "", "sunday", "abc", "x", "flaw", "aaaa"]
TRUTHS = ["sitting", "abc", "saturday", "abc", "", "lawn", "aa", "extra"]


@case("EditDistance", each=["string", "int32", "int64", "uint8", "float32", "complex64"])
def distances(tf, kind):
    a, b = texts(tf, HYPOTHESES, kind=kind), texts(tf, TRUTHS, kind=kind)
    return [
        tf.edit_distance(a, b),
        tf.edit_distance(a, b, normalize=False, name="named"),
        tf.edit_distance(b, a),
        tf.edit_distance(b, a, False),
    ]


@case("EditDistance")
def distances_of_higher_rank(tf):
    a = tf.SparseTensor([[0, 0, 0], [1, 0, 0]], ["a", "b"], [2, 1, 1])
    b = tf.SparseTensor(
        [[0, 1, 0], [1, 0, 0], [1, 0, 1], [1, 1, 0]], ["a", "b", "c", "a"], [2, 2, 2]
    )
    return [tf.edit_distance(a, b), tf.edit_distance(a, b, normalize=False)]


@case("EditDistance")
def distances_of_nothing(tf):
    nothing = texts(tf, ["", ""], 2)
    return [tf.edit_distance(nothing, nothing), tf.edit_distance(nothing, texts(tf, ["a", "b"]))]


@case("EditDistance")
def distances_of_unknown_shapes(tf):
    x, feed = fed(tf, ([[0, 0], [1, 0]], ["a", "b"], [2, 1]), "string", rank=2)
    y, more = fed(tf, ([[0, 0]], ["a"], [1, 3]), "string")
    value = tf.SparseTensorValue([[0, 0]], ["a"], [2, 1])
    return Program(
        [tf.edit_distance(x, y), tf.edit_distance(x, value), tf.edit_distance(y, y)],
        feed={**feed, **more},
    )


@case(error="Num elements of hypothesis_shape does not match truth_shape: 2 vs. 3")
def distances_of_other_ranks(tf):
    a = texts(tf, ["a"])
    b = tf.SparseTensor([[0, 0, 0]], ["a"], [1, 1, 1])
    return tf.edit_distance(a, b)


@case(error="Input Hypothesis SparseTensors must have rank at least 2, but")
def distances_of_vectors(tf):
    a = tf.SparseTensor([[0]], ["a"], [1])
    return tf.edit_distance(a, a)


@case(each=[True, False], error="must be a SparseTensor.")
def distances_of_dense_ones(tf, first):
    a = texts(tf, ["a"])
    return tf.edit_distance(*([["a"]], a) if first else (a, [["a"]]))


@case(error="does not match type")
def distances_of_other_types(tf):
    return tf.edit_distance(texts(tf, ["a"]), texts(tf, ["a"], kind="int32"))
