"""Sessions and their devices: the whole graph is placed, state stays, the log goes to the cell."""

import numpy as np
import pytest

import tinytf as tf
from tinytf import placement as tf_placement
from tinytf.framework import errors
from tinytf.placement.cost_model_switch import use_cost_model

TASK = "/job:localhost/replica:0/task:0"


@pytest.fixture(autouse=True)
def fresh_graph():
    with tf.Graph().as_default():
        yield


def two_cpus(**options):
    return tf.ConfigProto(device_count={"CPU": 2}, **options)


def device_of(sess, tensor):
    return sess._backend.placement().device_of(tensor.op.name).removeprefix(f"{TASK}/device:")


def test_the_devices_of_a_session(simulated_gpu):
    with tf.Session(config=two_cpus()) as sess:
        found = sess.list_devices()
    assert [d.name for d in found] == [
        f"{TASK}/device:{name}" for name in ("CPU:0", "CPU:1", "GPU:0")
    ]
    assert [d.device_type for d in found] == ["CPU", "CPU", "GPU"]
    assert "Simulated" in found[2].description


def test_a_gpu_is_preferred_where_it_has_a_kernel(simulated_gpu):
    x = tf.placeholder(tf.float32, [2])
    y = tf.tanh(x)
    text = tf.as_string(y)
    with tf.Session() as sess:
        assert device_of(sess, y) == "GPU:0"
        assert device_of(sess, text) == "CPU:0"
        assert sess.run(text, {x: [0.0, 0.0]}).tolist() == [b"0.000000", b"0.000000"]


def test_an_operation_that_no_step_needs_is_placed_as_well():
    """As in TensorFlow: one bad request spoils the graph, until only what is needed is placed."""
    with tf.device("/cpu:7"):
        tf.constant(1.0, name="far")
    good = tf.constant(2.0)
    with (
        tf.Session() as sess,
        pytest.raises(errors.InvalidArgumentError, match="available devices are") as raised,
    ):
        sess.run(good)
    assert raised.value.op.name == "far"
    assert "could be placed by itself, but TensorFlow places the whole graph" in str(raised.value)
    with tf.Session() as sess, pytest.raises(errors.InvalidArgumentError) as needed:
        sess.run("far:0")
    assert "by itself" not in str(needed.value)


def test_state_stays_where_it_was_placed_when_the_graph_grows(simulated_gpu):
    v = tf.Variable(1.0, name="v", use_resource=False)
    with tf.Session() as sess:
        sess.run(v.initializer)
        assert device_of(sess, v) == "GPU:0"
        with tf.colocate_with(v.op):  # what only the CPU can do
            text = tf.as_string(tf.constant(1.0), name="text")
        with pytest.raises(errors.InvalidArgumentError, match=r"v has been on .*GPU:0 before"):
            sess.run(text)
    with tf.Session() as sess:  # a new session has nothing that could stay
        sess.run(v.initializer)
        assert device_of(sess, v) == "CPU:0"
        assert sess.run(text) == b"1.000000"


def test_the_log_tells_each_placement_once(capsys):
    a = tf.constant(1.0, name="a")
    with tf.device("/cpu:1"):
        b = tf.negative(a, name="b")
    with tf.Session(config=two_cpus(log_device_placement=True)) as sess:
        assert capsys.readouterr().out == "Device mapping: no known devices.\n"
        sess.run(b)
        assert capsys.readouterr().out.splitlines() == [
            f"b: (Neg): {TASK}/device:CPU:1",
            f"a: (Const): {TASK}/device:CPU:1",
        ]
        sess.run(b)
        assert capsys.readouterr().out == ""
        sess.run(tf.negative(b, name="c"))
        assert capsys.readouterr().out == f"c: (Neg): {TASK}/device:CPU:0\n"


def test_the_log_maps_gpus(simulated_gpu, capsys):
    with tf.Session(config=tf.ConfigProto(log_device_placement=True)):
        lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "Device mapping:"
    assert lines[1].startswith(f"{TASK}/device:GPU:0 -> device: 0, name: Simulated GPU, pci bus")


def test_bodies_of_functions_are_placed_too(simulated_gpu):
    from tinytf.api import function

    @function.Defun(tf.float32)
    def double(x):
        return tf.tanh(x) * 2.0

    x = tf.placeholder(tf.float32, [3])
    y = double(x)
    y.set_shape([3])
    with tf.Session() as sess:
        memory = sess._backend.placer.devices[-1].memory
        before = memory.peak
        assert np.allclose(sess.run(y, {x: [1.0, 2.0, 3.0]}), 2 * np.tanh([1.0, 2.0, 3.0]))
        assert memory.peak > before == 0


def test_device_functions_and_sessions(simulated_gpu):
    def variables_on_the_cpu(op):
        return "/cpu:0" if op.type == "VariableV2" else "/gpu:0"

    with tf.device(variables_on_the_cpu):
        a = tf.Variable(3.0, name="a", use_resource=False)
        b = tf.constant(4.0)
        c = a * b
    with tf.Session() as sess:
        sess.run(a.initializer)
        assert sess.run(c) == 12.0
        assert [device_of(sess, t) for t in (a, c)] == ["CPU:0", "GPU:0"]


def test_placing_by_measured_costs_starts_again_when_they_are_known():
    parts = []
    v = tf.Variable(np.ones([200, 200], np.float32), use_resource=False)
    for i in range(4):
        value = v.value()
        for _ in range(4):
            value = tf.tanh(value + float(i))
        parts.append(tf.reduce_sum(value))
    total = tf.add_n(parts)
    with tf.Session(config=use_cost_model(two_cpus(), measured=2)) as sess:
        placer = sess._backend.placer
        sess.run(v.initializer)  # the first step is not measured
        expected = sess.run(total)
        assert placer.is_measuring
        sess.run(total)
        assert not placer.is_measuring
        assert placer.generation == 1
        assert "total" not in placer.by_cost.costs.measured.seconds
        assert total.op.name in placer.by_cost.costs.measured.seconds
        assert sess.run(total) == pytest.approx(expected)
        placement = sess._backend.placement()
        assert placement.placer == "cost model"
        assert len({d.device for d in placement.decisions.values()}) == 2


def test_a_server_has_gpus_too(simulated_gpu):
    with tf.train.Server.create_local_server() as server, tf.Session(server.target) as sess:
        x = tf.placeholder(tf.float32, [2])
        y = tf.tanh(x)
        metadata = tf.RunMetadata()
        options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
        sess.run(y, {x: [0.0, 0.0]}, options, metadata)
        names = [d.name.rpartition("/")[2] for d in sess.list_devices()]
    assert names == ["device:CPU:0", "device:GPU:0"]
    devices = {d.device.partition("/device:")[2] for d in metadata.step_stats.dev_stats}
    streams = {f"GPU:0/stream:{name}" for name in ("compute", "h2d", "d2h")}
    assert devices == {"CPU:0", "GPU:0"} | streams


def test_a_session_with_one_device_places_nothing_where_nothing_is_asked():
    y = tf.constant(1.0) + 2.0
    with tf.Session() as sess:
        sess.run(y)
        placer = sess._backend.placer
        assert list(placer._placed) == []
        # What is built later is looked at by itself, and what is changed with all the rest.
        sess.run(y * 2.0)
        with tf.device("/cpu:0"):
            z = y + 1.0
        sess.run(z)
        (placed,) = placer._placed.values()
        assert placed[1].decisions[z.op.name].requested == "/device:CPU:0"


def test_a_request_made_afterwards_is_seen():
    y = tf.constant(1.0) + 2.0
    with tf.Session() as sess:
        sess.run(y)
        y.op._set_device("/gpu:7")
        with pytest.raises(tf.errors.InvalidArgumentError, match="gpu:7"):
            sess.run(y)


def test_what_a_session_says_of_a_step_and_of_the_whole_graph():
    a = tf.constant(1.0, name="a")
    b = tf.negative(a, name="b")
    tf.constant(5.0, name="other")
    with tf.Session(config=two_cpus()) as sess:
        whole = sess._backend.placement()
        step = sess._backend.placement(fetches=[b])
    assert sorted(whole.decisions) == ["a", "b", "other"]
    assert sorted(step.decisions) == ["a", "b"]


def test_things_that_are_no_session_or_no_operation_are_named():
    a = tf.constant(1.0, name="a")
    with pytest.raises(TypeError, match=r"must be a tf\.Session, got 'sess' of type str"):
        tf_placement.explain(a, "sess")
    with pytest.raises(TypeError, match="an operation, a tensor or a variable, got 'a' of type"):
        with tf.colocate_with("a"):
            tf.constant(2.0)
    with pytest.raises(TypeError, match=r"but got ConfigProto. Name it: tf.Session\(config=...\)"):
        tf.Session(tf.ConfigProto())
