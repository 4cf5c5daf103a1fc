"""A step in virtual time: where operations are, what travels, and that nothing is run."""

import pytest

import tinytf as tf
import tinytf.jupyter
from tinytf.jupyter import virtual

MEGABYTE = 1_000_000
TASKS = ["/job:worker/task:0", "/job:worker/task:1"]


def chain(devices, size=500):
    """A product on each device, of what the one before gives."""
    value = tf.placeholder(tf.float32, [size, size], name="value")
    made = [value]
    for number, device in enumerate(devices):
        with tf.device(device):
            made.append(tf.matmul(made[-1], made[-1], name=f"product{number}"))
    return value, made[-1]


def test_a_chain_waits_and_its_tensor_travels():
    value, last = chain(TASKS)
    alone = virtual(last, [value]).seconds
    step = virtual(last, [value], bandwidth=MEGABYTE, latency=0.5)
    assert step.together == 0
    (moved,) = [one for one in step.execution.transfers if one.size]
    assert (moved.producer, moved.size) == ("product0", 500 * 500 * 4)
    assert step.seconds == pytest.approx(0.5 + 1.0 + 2 * 2 * 500**3 / 5e10, rel=0.01)
    assert alone < step.seconds


def test_two_devices_that_need_nothing_of_each_other_work_at_the_same_time():
    halves = []
    for device in TASKS:
        with tf.device(device):
            halves.append(tf.matmul(tf.ones([500, 500]), tf.ones([500, 500])))
    step = virtual(halves)
    assert sorted(step.busy) == ["worker:0", "worker:1"]
    assert step.together > 0.9
    assert step.execution.transfers == ()


def test_what_is_pinned_to_nothing_is_on_the_first_device_and_a_constant_everywhere():
    with tf.device(TASKS[1]):
        there = tf.square(tf.placeholder(tf.float32, [1000]), name="there")
    here = tf.add(there, tf.constant(1.0), name="here")
    assert virtual(here).busy == {"worker:1": pytest.approx(1.0)}


def test_it_is_said_to_be_simulated_and_shown_as_a_timeline():
    value, last = chain(["/gpu:0", "/gpu:1"])
    step = virtual(last, [value])
    assert repr(step).startswith("Simulated: ")
    assert "1 tensor travels, 976.6 KiB." in repr(step)
    assert "GPU:0" in repr(step)
    assert "Virtual time: nothing was run." in step.as_html()
    assert step.svg().startswith("<svg")
    assert len(step.picture.arrows) == 1


def test_it_takes_the_same_time_every_time():
    value, last = chain(TASKS)
    assert virtual(last, [value]).as_html() == virtual(last, [value]).as_html()


def test_a_training_step_may_be_asked_for():
    with tf.device(TASKS[0]):
        weights = tf.get_variable("weights", [10, 10])
        loss = tf.reduce_sum(tf.matmul(weights, weights))
    step = tf.train.GradientDescentOptimizer(0.1).minimize(loss, colocate_gradients_with_ops=True)
    assert set(virtual([loss, step]).busy) == {"worker:0"}


@pytest.mark.parametrize(
    ("way", "words"), [({"bandwidth": 0}, "0 bytes a second"), ({"latency": -1}, "-1")]
)
def test_a_link_that_is_none_is_refused(way, words):
    with pytest.raises(ValueError, match=words):
        virtual(tf.zeros([1]), **way)


def test_what_cannot_be_fetched_is_refused_as_by_run():
    with pytest.raises(TypeError, match="None"):
        virtual(None)


def test_it_is_the_same_function_after_its_first_call():
    """A module of its name, imported by the call, would stand in its place."""
    for _ in range(2):
        assert tinytf.jupyter.virtual(tf.zeros([100]) + 1.0).together == 0
