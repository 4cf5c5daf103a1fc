"""Hidden checks of ch11.ex2."""

from exercise_checks import check_devices, check_values, with_spare

import tinytf as tf
from tinytf.grading import point


def momentum():
    return tf.train.MomentumOptimizer(0.1, 0.9)


@point("an optimizer that remembers: three steps with momentum", 1)
def remembers(answer):
    check_values(answer, [3, 5], make=momentum, steps=3)


@point("three shares, and a variable without a gradient", 1)
def three_shares(answer):
    check_values(answer, [2, 9, 4], net=with_spare)
    check_devices(answer, [2, 9, 4])
