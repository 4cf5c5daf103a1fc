"""Hidden checks of ch13.ex1."""

import numpy as np
from exercise_checks import MODES, SETTINGS, called, predictions, same

import tinytf as tf
from tinytf.grading import Wrong, point


@point("units are switched off in training, and then only", 2)
def dropout(answer):
    settings = {**SETTINGS, "hidden": 200, "dropout": 0.5}
    with called(answer, MODES.TRAIN, settings) as (spec, sess, _):
        losses = {float(sess.run(spec.loss)) for _ in range(3)}
        same("in training with dropout: how many of three losses differ", 3, len(losses))
    with called(answer, MODES.EVAL, settings) as (spec, sess, _):
        losses = {float(sess.run(spec.loss)) for _ in range(3)}
        same("in an evaluation: how many of three losses differ", 1, len(losses))
    once, again = (predictions(answer, settings)["probabilities"] for _ in range(2))
    if not np.array_equal(once, again):
        raise Wrong("two predictions for the same rows", "the same", "different ones")


@point("rate and sizes are those of `params`", 1)
def other_settings(answer):
    still = {**SETTINGS, "rate": 0.0, "hidden": 5, "classes": 4}
    with called(answer, MODES.TRAIN, still) as (spec, sess, _):
        shapes = [one.shape.as_list() for one in tf.trainable_variables()]
        same("the variables' shapes", [[4, 5], [5], [5, 4], [4]], shapes)
        before = sess.run(tf.trainable_variables()[0])
        sess.run(spec.train_op)
        moved = not np.array_equal(before, sess.run(tf.trainable_variables()[0]))
        same("with a rate of 0, the weights move", False, moved)
