"""Strategies of device setters, and what is said about wrong ones.

What `tf.train.replica_device_setter` does is recorded: tests/behaviour/questions/device_setter.py.
"""

import re
from collections import namedtuple

import pytest

import tinytf as tf

training = tf.contrib.training


def homes(strategy, shapes, **settings):
    """The tasks that variables of these shapes get."""
    with (
        tf.Graph().as_default(),
        tf.device(tf.train.replica_device_setter(2, ps_strategy=strategy)),
    ):
        variables = [tf.Variable(tf.zeros(shape), **settings) for shape in shapes]
    assert all(v.initializer.device == v.device for v in variables)
    return [int(v.device.removeprefix("/job:ps/task:")) for v in variables]


SHAPES = [[2, 2], [2, 1], [2, 2], [1, 3]]


# The three rows are what TensorFlow 1.x's own tests of these strategies expect.
@pytest.mark.parametrize(
    ("strategy", "expected"),
    [
        (training.RandomStrategy(2, seed=0), [1, 0, 1, 1]),
        (training.GreedyLoadBalancingStrategy(2, lambda op: 1), [0, 1, 0, 1]),
        (training.GreedyLoadBalancingStrategy(2, training.byte_size_load_fn), [0, 1, 1, 0]),
    ],
)
def test_strategies_choose_as_tensorflows(strategy, expected):
    assert homes(strategy, SHAPES) == expected


def test_the_name_alone_decides_where_a_random_one_goes():
    op = namedtuple("op", "name")
    assert training.RandomStrategy(2, seed=0)(op("A unicode Ǝ string ñ")) == 1
    names = [op(f"layer_{i}/kernel") for i in range(64)]
    first = [training.RandomStrategy(4)(name) for name in names]
    assert first == [training.RandomStrategy(4, 0)(name) for name in names]
    assert first != [training.RandomStrategy(4, 1)(name) for name in names]
    assert {first.count(task) > 4 for task in range(4)} == {True}


@pytest.mark.parametrize("use_resource", [False, True])
def test_bytes_of_either_kind_of_variable_count(use_resource):
    greedy = training.GreedyLoadBalancingStrategy(2, training.byte_size_load_fn)
    assert homes(greedy, [[100], [10], [20], [30]], use_resource=use_resource) == [0, 1, 1, 1]


def test_what_an_operation_counts():
    counted = training.byte_size_load_fn
    assert counted(tf.constant([1, 2, 3], tf.int64).op) == 24
    assert counted(tf.Variable(0).op) == 4
    assert counted(tf.get_variable("r", [2, 3], tf.float16, use_resource=True).op) == 12
    assert counted(tf.constant(["ab", "c"]).op) == 16
    assert counted(tf.get_variable("empty", [0, 5]).op) == 0


def test_what_has_no_size_is_refused():
    counted = training.byte_size_load_fn
    with pytest.raises(ValueError, match=r"Op split .* must have a single output, and has 2"):
        counted(tf.split(tf.zeros([4]), 2, name="split")[0].op)
    with pytest.raises(ValueError, match=r"Op nothing .* must have a single output, and has 0"):
        counted(tf.no_op("nothing"))
    open_shape = tf.placeholder(tf.float32, [None, 2], name="fed")
    with pytest.raises(ValueError, match=re.escape("(?, 2) of fed (Placeholder) is not fully def")):
        counted(open_shape.op)
    late = tf.Variable(open_shape, validate_shape=False, use_resource=True)
    with pytest.raises(ValueError, match="is not fully defined"):
        counted(late.op)


def test_a_strategy_needs_tasks():
    for make in (lambda n: training.GreedyLoadBalancingStrategy(n, len), training.RandomStrategy):
        with pytest.raises(ValueError, match="the number of parameter servers, 1 or more: 0"):
            make(0)


def test_an_error_in_a_strategy_names_the_operation():
    def broken(op):
        raise KeyError(op.name)

    with tf.Graph().as_default(), tf.device(tf.train.replica_device_setter(2, ps_strategy=broken)):
        with pytest.raises(KeyError, match="v") as caught:
            tf.Variable(1.0, name="v")
    assert "here v (VariableV2)" in caught.value.__notes__[0]


def test_a_device_that_is_none_is_refused_where_the_setter_is_made():
    for settings in ({"ps_device": "/jobs:ps"}, {"worker_device": "gpu0"}):
        with pytest.raises(ValueError, match="Unknown attribute"):
            tf.train.replica_device_setter(2, **settings)


def test_not_merging_is_discouraged(caplog):
    tf.train.replica_device_setter(2, merge_devices=False)
    tf.train.replica_device_setter(2)
    assert [record.getMessage() for record in caplog.records] == [
        "DEPRECATION: It is recommended to set merge_devices=true in replica_device_setter"
    ]


def test_a_program_of_two_servers_trains_in_one_process():
    """All jobs are this process: what the setter asks for is only a wish of where."""
    setter = tf.train.replica_device_setter(
        2, ps_device="/job:localhost", worker_device="/job:localhost", ps_strategy=lambda op: 0
    )
    with tf.Graph().as_default(), tf.device(setter):
        table = tf.get_variable("w", [4, 1], partitioner=tf.fixed_size_partitioner(2))
        loss = tf.reduce_sum(tf.square(tf.nn.embedding_lookup(table, [0, 3]) - 1.0))
        train = tf.train.GradientDescentOptimizer(0.25).minimize(loss)
        initialise = tf.global_variables_initializer()
        with tf.Session() as sess:
            sess.run(initialise)
            for _ in range(20):
                sess.run(train)
            assert sess.run(loss) < 1e-6
