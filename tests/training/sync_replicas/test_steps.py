"""What synchronous steps compute: that of one process with all the data."""

import numpy as np
import pytest

import tinytf as tf
from tests.training.sync_replicas.conftest import LABELS, ROWS, linear


def part(count):
    """The loss of one of so many replicas: its share of the rows."""
    return lambda number: linear(ROWS[number::count], LABELS[number::count])


def alone(steps, loss=linear, make=None):
    """The values after so many steps of one process with all the data."""
    with tf.Graph().as_default(), tf.Session() as sess:
        optimizer = make() if make else tf.train.GradientDescentOptimizer(0.1)
        train = optimizer.minimize(loss(), tf.train.get_or_create_global_step())
        sess.run(tf.global_variables_initializer())
        for _ in range(steps):
            sess.run(train)
        variables = [*tf.trainable_variables(), tf.train.get_global_step()]
        return sess.run({v.op.name: v for v in variables})


def same(found, expected):
    assert found.keys() == expected.keys()
    for name, value in found.items():
        np.testing.assert_allclose(value, expected[name], rtol=2e-6, atol=1e-6, err_msg=name)


@pytest.mark.parametrize("count", [1, 2, 4])
def test_steps_are_those_of_one_process_with_all_the_data(replicas, count):
    trained = replicas(count, part(count), count)
    for step in range(5):
        assert trained.run() == [step + 1] * count
    same(trained.values(), alone(5))


@pytest.mark.parametrize(
    "make",
    [
        lambda: tf.train.AdamOptimizer(0.1),
        lambda: tf.train.MomentumOptimizer(0.1, 0.9),
    ],
    ids=["adam", "momentum"],
)
def test_with_any_optimizer(replicas, make):
    trained = replicas(2, part(2), 2, within=make)
    for _ in range(5):
        trained.run()
    same(trained.values(), alone(5, make=make))


def test_gradients_that_come_late_are_dropped(replicas):
    """Two of three make a step: the third's gradient, of the step before, counts for nothing."""
    trained = replicas(3, part(2), 2, total_num_replicas=3)
    for step in range(3):
        assert trained.run(0, 1) == [step + 1] * 2
        assert trained.run(2) == [step + 1]  # it took a token that was left
        same(trained.values(), alone(step + 1))


def test_a_replica_may_give_several_gradients_to_a_step(replicas):
    """Two replicas, four gradients a step: each gives two, the second for an initial token."""
    trained = replicas(2, part(2), 4, total_num_replicas=2)
    trained.all[0].session.run(trained.all[0].put_tokens)
    for _ in range(3):
        trained.run()
        trained.run()
    trained.run()  # the token says that the third step is over
    same(trained.values(), alone(3))


def test_rows_of_a_table(replicas):
    """Of a sparse gradient, each row is the mean over those who have it."""

    def rows(number):
        table = tf.get_variable("table", initializer=np.ones([4, 2], np.float32))
        looked_up = tf.nn.embedding_lookup(table, [[0, 1], [1, 3]][number])
        return tf.reduce_sum(looked_up * (number + 1.0))

    trained = replicas(2, rows, 2)
    trained.run()
    found = trained.values()["table"]
    np.testing.assert_allclose(found[:, 0], [0.9, 0.85, 1.0, 0.8], rtol=1e-6)


def test_averages_are_those_of_the_steps(replicas):
    average = tf.train.ExponentialMovingAverage(0.5)
    how = {"variable_averages": average, "variables_to_average": tf.trainable_variables}
    trained = replicas(1, part(1), 1, starts_runner=False, **how)
    [chief] = trained.all
    expected = np.float32([0.5, 0.5, 0.5])
    for step in range(1, 5):
        # Tokens are there before averages, as in TensorFlow: the chief's own step is waited for.
        replica = trained.start(0)
        chief.session.run(chief.optimizer.get_chief_queue_runner().enqueue_ops)
        replica.result()
        with chief.graph.as_default():
            found = chief.session.run(average.average(tf.trainable_variables()[0]))
        expected = 0.5 * expected + 0.5 * alone(step)["w"]
        np.testing.assert_allclose(found, expected, rtol=1e-5)
