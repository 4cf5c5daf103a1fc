"""Measuring a real cluster and predicting it: that both come out, and not how fast."""

import math

import numpy as np
import pytest

import tinytf as tf
import tinytf.jupyter
from tinytf.jupyter import measured_cluster


def build():
    x = tf.constant(np.ones((4, 3), np.float32))
    w = tf.get_variable("w", [3, 2], use_resource=False)
    return tf.train.GradientDescentOptimizer(0.01).minimize(tf.reduce_mean(tf.matmul(x, w)))


@pytest.mark.slow
def test_a_real_cluster():
    shown = tinytf.jupyter.own_cluster(build, workers=2, steps=3, batch=4)
    assert shown.own.elements == 6
    assert list(shown.measured) == [1, 2]
    assert all(0 < value < math.inf for value in shown.measured.values())
    assert all(0 < value < math.inf for value in shown.predicted.values())
    assert "predicted    measured" in repr(shown)
    assert callable(tinytf.jupyter.own_cluster)  # and not the module


@pytest.mark.slow
def test_a_step_that_fails_is_raised_and_nothing_hangs():
    def fails():
        return tf.check_numerics(tf.log(tf.get_variable("w", [], use_resource=False) * 0 - 1), "w")

    with tf.LocalCluster(ps=1, worker=2) as cluster:
        with pytest.raises(tf.errors.InvalidArgumentError, match="NaN"):
            measured_cluster.rate(cluster, fails, workers=2, steps=2)


@pytest.mark.parametrize(("workers", "steps"), [(0, 1), (1, 0)])
def test_too_few(workers, steps):
    with pytest.raises(ValueError, match=f"{workers} workers and {steps} steps"):
        tinytf.jupyter.own_cluster(build, workers, steps)
