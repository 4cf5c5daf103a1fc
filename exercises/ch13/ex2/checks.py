"""Checks of ch13.ex2."""

from itertools import pairwise

import numpy as np

import tinytf as tf
from tinytf.grading import Wrong, point


def same(what, wanted, got, hint=""):
    if wanted != got:
        raise Wrong(what, wanted, got, hint=hint)


def given(answer, streets, avenues):
    """What the answer returns, if it is a list."""
    found = answer(list(streets), list(avenues))
    if not isinstance(found, list | tuple) or not found:
        raise Wrong("columns returns", "a list of feature columns", repr(found)[:60])
    return list(found)


def learnt(answer, streets, avenues, is_park, steps=40):
    """How many of the blocks' middles a linear model says right, after training with them."""
    x, y = (grid.ravel() for grid in np.meshgrid(middles(streets), middles(avenues)))
    wanted = np.array([is_park(a, b) for a, b in blocks(streets, avenues)], np.float32)
    with tf.Graph().as_default(), tf.Session() as sess:
        features = {"x": tf.constant(x), "y": tf.constant(y)}
        scores = tf.feature_column.linear_model(features, given(answer, streets, avenues))
        loss = tf.losses.sigmoid_cross_entropy(wanted[:, None], scores)
        step = tf.train.FtrlOptimizer(0.5).minimize(loss)
        sess.run([tf.global_variables_initializer(), tf.tables_initializer()])
        for _ in range(steps):
            sess.run(step)
        said = sess.run(scores)[:, 0] > 0
    return int(np.sum(said == (wanted > 0))), len(wanted)


def middles(edges):
    """A place between each two edges, and before the first and after the last."""
    outer = [edges[0] - 1.0, *edges, edges[-1] + 1.0]
    return np.array([(a + b) / 2 for a, b in pairwise(outer)], np.float32)


def blocks(streets, avenues):
    """Numbers of strips, in the order of the places."""
    return [(a, b) for b in range(len(avenues) + 1) for a in range(len(streets) + 1)]


def chessboard(a, b):
    return (a + b) % 2


@point("it needs x and y, and nothing else", 1)
def the_features(answer):
    spec = tf.feature_column.make_parse_example_spec(given(answer, [1.0], [1.0]))
    same("the features that the columns read", ["x", "y"], sorted(spec))


@point("the four blocks around a crossing", 2)
def a_crossing(answer):
    right, of = learnt(answer, [1.0], [1.0], chessboard)
    same("blocks that the model says right, with one street and one avenue", of, right)


@point("a chessboard", 3)
def the_chessboard(answer):
    right, of = learnt(answer, [1.0, 2.0, 3.0], [1.0, 2.0, 3.0], chessboard)
    same("blocks that the model says right, with three streets and three avenues", of, right)


@point("streets and avenues are not the same", 2)
def other_edges(answer):
    right, of = learnt(answer, [-2.5, 0.0, 0.5, 7.0], [10.0, 11.0], chessboard)
    same("blocks that the model says right, with four streets and two avenues", of, right)
