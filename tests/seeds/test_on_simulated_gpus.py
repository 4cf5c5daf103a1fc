"""The listings that were run on graphics cards, on simulated ones."""

import pytest

import tinytf as tf
from tests.ports import free_ports
from tinytf.devices import simulate_gpus


def test_a_product_goes_to_the_card_its_factors_to_the_processor(simulated_gpu):
    with tf.device("/cpu:0"):
        a, b = tf.Variable(3.0), tf.constant(4.0)
    c = a * b
    with tf.Session() as sess:
        sess.run(a.initializer)
        assert sess.run(c) == 12.0
        decisions = sess._backend.placement().decisions
        assert decisions["Variable"].device.endswith("CPU:0")
        assert decisions["mul"].device.endswith("GPU:0")


def test_integers_on_a_card_are_refused_in_tensorflows_words(simulated_gpu):
    with tf.device("/gpu:0"):
        a = tf.Variable(3)
    with (
        tf.Session() as sess,
        pytest.raises(tf.errors.InvalidArgumentError, match="no supported kernel for GPU devices"),
    ):
        sess.run(a.initializer)
    with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
        sess.run(a.initializer)
        assert sess.run(a) == 3
        assert sess._backend.placement().decisions["Variable"].device.endswith("CPU:0")


def test_a_sum_on_the_second_card_of_another_task(simulated_gpu):
    simulate_gpus(2, memory="1GiB", machine="test")
    cluster = tf.train.ClusterSpec({"gpus": [f"127.0.0.1:{port}" for port in free_ports(2)]})
    servers = [tf.train.Server(cluster, "gpus", task) for task in range(2)]
    with tf.device("/job:gpus/task:0/cpu:0"):
        a = tf.Variable(1.0, name="a")
    with tf.device("/job:gpus/task:0/gpu:0"):
        b = a + 2
    with tf.device("/job:gpus/task:1/gpu:1"):
        c = a + b
    with tf.Session(servers[0].target) as sess:
        sess.run(a.initializer)
        assert sess.run(c) == 4.0
        assert len([d for d in sess.list_devices() if d.device_type == "GPU"]) == 4
