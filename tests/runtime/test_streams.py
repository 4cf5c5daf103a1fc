"""The streams of a GPU: each in order, copies beside computations; what a trace tells of them."""

import itertools
import random
import threading

import numpy as np
import pytest

import tinytf as tf
from tests.runtime.conftest import TASK, by_request
from tinytf.devices.cuda import CudaDevice
from tinytf.devices.simulated import SimulatedGpu
from tinytf.runtime import late_receives
from tinytf.runtime.compiler import compile_plan
from tinytf.runtime.preparation import CompileRequest

LONG = 10.0  # seconds; a test that is right never waits that long
GPU = f"{TASK}/device:GPU:0"


@pytest.fixture(autouse=True)
def two_gpus(tmp_path, monkeypatch):
    monkeypatch.setenv("TINYTF_MACHINES", str(tmp_path))
    tf.devices.simulate_gpus(2, "64MiB")
    with tf.Graph().as_default():
        yield
    tf.devices.simulate_gpus(0)


def plan_of(fetches, feeds):
    """A plan in which "/cpu:1" and "/cpu:2" are the GPUs."""
    devices = tf.devices.open_devices(tf.ConfigProto(), TASK, 1)
    return compile_plan(CompileRequest(list(feeds), fetches, [], None, place=by_request(devices)))


def traced(fetches, feeds):
    metadata = tf.RunMetadata()
    options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
    with tf.Session() as sess:
        found = sess.run(fetches, feeds, options, metadata)
    return found, metadata.step_stats.dev_stats


def test_copies_have_streams_by_where_they_come_from_and_go_to():
    x = tf.placeholder(tf.float32, [4], name="x")
    with tf.device("/cpu:1"):
        y = tf.tanh(x, name="y")
    with tf.device("/cpu:2"):
        z = tf.tanh(y, name="z")
    plan = plan_of([z], [x])
    routes = {op.name.partition("/")[0]: stream for op, stream in plan.copies.items()}
    other = GPU.replace("GPU:0", "GPU:1")
    assert routes == {
        "x": f"{GPU}/stream:h2d",
        "y": f"{other}/stream:d2d",
        "z": f"{other}/stream:d2h",
    }
    assert plan.lanes[3:] == list(routes.values())
    assert plan.is_stream == [False, True, True, True, True, True]


def test_what_stays_in_host_memory_is_no_copy():
    """The shape is sent to the GPU's host memory: that is the CPU's."""
    shape = tf.placeholder(tf.int32, [2], name="shape")
    with tf.device("/cpu:1"):
        y = tf.reshape(tf.tanh(tf.placeholder(tf.float32, [4], name="x")), shape, name="y")
    plan = plan_of([y], [shape, y.op.inputs[0].op.inputs[0]])
    assert {op.name.partition("/")[0] for op in plan.copies} == {"x", "y"}


def test_a_card_has_one_stream_for_everything():
    assert SimulatedGpu.copy_streams
    assert not CudaDevice.copy_streams


def test_a_copy_goes_on_while_the_gpu_computes(monkeypatch):
    """Each of the two waits for the other to have begun."""
    meeting = threading.Barrier(2, timeout=LONG)
    copy_in, adapt = SimulatedGpu.copy_in, SimulatedGpu.adapt

    def copying(self, value, holder):
        if holder == "late":
            meeting.wait()
        return copy_in(self, value, holder)

    def adapting(self, function, op, kernel):
        run = adapt(self, function, op, kernel)
        if op.name != "busy":
            return run
        return lambda *arguments, **how: (meeting.wait(), run(*arguments, **how))[1]

    monkeypatch.setattr(SimulatedGpu, "copy_in", copying)
    monkeypatch.setattr(SimulatedGpu, "adapt", adapting)
    late = tf.placeholder(tf.float32, [4], name="late")
    with tf.device("/gpu:0"):
        made_there = tf.random_uniform([4])
        result = tf.add(tf.multiply(made_there, 0.0, name="busy"), late)
    with tf.Session() as sess:
        found = sess.run(result, {late: np.ones(4)})
    assert found.tolist() == [1.0] * 4


def test_a_trace_lists_what_ran_on_each_stream_in_order():
    xs = [tf.placeholder(tf.float32, [1000], name=f"x{i}") for i in range(8)]
    with tf.device("/gpu:0"):
        total = tf.add_n([tf.tanh(x) for x in xs], name="total")
    _, stats = traced(total, {x: np.ones(1000) for x in xs})
    rows = {device.device: device for device in stats}
    assert set(rows) == {f"{TASK}/device:CPU:0", GPU} | {
        f"{GPU}/stream:{kind}" for kind in ("compute", "h2d", "d2h")
    }
    count = {name.rpartition("/")[2]: len(device.node_stats) for name, device in rows.items()}
    assert (count["stream:h2d"], count["stream:d2h"]) == (8, 1)
    assert count["stream:compute"] == 9
    for name, device in rows.items():
        if "/stream:" not in name:
            continue
        assert dict(device.thread_names) == {1: name.rpartition("/")[2]}
        spans = [
            (n.all_start_nanos, n.all_start_nanos + n.all_end_rel_nanos) for n in device.node_stats
        ]
        assert all(a[1] <= b[0] for a, b in itertools.pairwise(spans))


def test_a_timeline_shows_the_streams():
    from tinytf.python.client.timeline import Timeline

    x = tf.placeholder(tf.float32, [1000], name="x")
    with tf.device("/gpu:0"):
        y = tf.tanh(x, name="y")
    metadata = tf.RunMetadata()
    options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
    with tf.Session() as sess:
        sess.run(y, {x: np.ones(1000)}, options, metadata)
    text = Timeline(metadata.step_stats).generate_chrome_trace_format()
    assert "stream:h2d" in text
    assert "stream:compute" in text


@pytest.mark.parametrize("late", [False, True])
@pytest.mark.parametrize("seed", range(10))
def test_random_graphs_on_two_gpus_give_the_same(seed, late, monkeypatch):
    monkeypatch.setattr(late_receives, "LEAST_BYTES", 0)
    pick = random.Random(seed)
    x = tf.placeholder(tf.float32, [64])
    values = [x, tf.tanh(x)]
    for _ in range(30):
        with tf.device(pick.choice(["/cpu:0", "/gpu:0", "/gpu:1"])):
            values.append(tf.tanh(pick.choice(values) + pick.choice(values)))
    fetches = [pick.choice(values) for _ in range(4)]
    feeds = {x: np.linspace(-1, 1, 64)}
    config = tf.ConfigProto()
    config.graph_options.enable_recv_scheduling = late
    with tf.Session(config=config) as sess:
        scattered = [sess.run(fetches, feeds) for _ in range(3)]
    without = tf.ConfigProto(device_count={"GPU": 0}, allow_soft_placement=True)
    with tf.Session(config=without) as sess:
        expected = sess.run(fetches, feeds)
    for found in scattered:
        for a, b in zip(found, expected, strict=True):
            assert a.tobytes() == b.tobytes()
