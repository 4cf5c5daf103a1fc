"""Hidden checks of ch01.ex3."""

import numpy as np
from exercise_checks import built, same, variables

import tinytf as tf
from tinytf.grading import Wrong, point


@point("matrices of other sizes, and rows that only the run knows", 1)
def other_sizes(answer):
    x = tf.placeholder(tf.float32, [None, 5])
    try:
        y = built(answer, x, 1, "wide")
    except (ValueError, TypeError) as error:
        raise Wrong(f"x of shape (?, 5) fails: {str(error).splitlines()[0]}") from None
    w, _ = variables("wide")
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        w.load(np.ones([5, 1], np.float32), session)
        for rows in (1, 4):
            same("x * w + b", session.run(y, {x: np.ones([rows, 5])}), np.full([rows, 1], 5.0))


@point("the same variables also in a name scope, and for the third time", 1)
def in_scopes(answer):
    x = tf.ones([1, 3])
    for scope in ("left", "right", "left"):
        with tf.name_scope(scope):
            built(answer, x, 2, "dense")
    names = sorted(one.op.name for one in tf.trainable_variables())
    if names != ["dense/b", "dense/w"]:
        raise Wrong("three calls in name scopes", "dense/b, dense/w", ", ".join(names))
