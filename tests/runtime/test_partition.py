"""Tensors that cross from device to device: once each, wherever they are taken; their bytes."""

import numpy as np

import tinytf as tf
from tests.runtime.conftest import TASK, by_request, cpu_devices, run
from tinytf.protos import config_pb2
from tinytf.runtime.compiler import compile_plan
from tinytf.runtime.optimise import Passes
from tinytf.runtime.partition import crosses, leaves
from tinytf.runtime.preparation import CompileRequest

CPU, GPU = f"{TASK}/device:CPU:0", f"{TASK}/device:GPU:0"


def plan_of(fetches, feeds=(), targets=(), devices=2, **how):
    place = by_request(cpu_devices(devices))
    return compile_plan(
        CompileRequest(list(feeds), fetches, list(targets), None, place=place, **how)
    )


def routes(plan):
    """What arrives: the tensor, and the numbers of the devices."""
    return [
        (
            op.attrs["tensor_name"].decode().partition("_")[2].partition("_")[2],
            int(op.attrs["send_device"][-1:]),
            int(op.attrs["recv_device"][-1:]),
        )
        for op in plan.ops
        if crosses(op)
    ]


def test_a_tensor_crosses_once_for_each_destination():
    x = tf.placeholder(tf.float32, [2], name="x")
    a = tf.negative(x, name="a")
    with tf.device("/cpu:1"):
        b, c = a * 2.0, a * 3.0
    with tf.device("/cpu:2"):
        d = a * 4.0
    result = tf.add_n([b, c, d])
    plan = plan_of([result], [x], devices=3)
    assert sorted(routes(plan)) == [
        ("a", 0, 1),
        ("a", 0, 2),
        ("mul", 1, 0),
        ("mul_1", 1, 0),
        ("mul_2", 2, 0),
    ]
    assert plan.lanes == [f"{TASK}/device:CPU:{i}" for i in range(3)]
    (value,) = run(
        [result], {x: np.float32([1, 2])}, place=by_request(cpu_devices(3)), passes=Passes()
    )
    assert value.tolist() == [-9.0, -18.0]


def test_nothing_crosses_on_one_device():
    a = tf.constant(1.0) + tf.placeholder_with_default(2.0, [])
    plan = plan_of([a])
    assert routes(plan) == []
    assert plan.straight is not None


def test_feeds_come_from_home_and_fetches_go_there():
    x = tf.placeholder(tf.float32, [], name="x")
    with tf.device("/cpu:1"):
        y = tf.negative(x, name="y")
        z = tf.negative(y, name="z")
    assert routes(plan_of([y, z], [x])) == [("x", 0, 1), ("y", 1, 0), ("z", 1, 0)]
    # What is fed does not travel from where it would have been made.
    assert routes(plan_of([z], [y])) == [("y", 0, 1), ("z", 1, 0)]
    assert routes(plan_of([y], [y])) == []


def test_a_control_edge_that_crosses_moves_no_data():
    with tf.device("/cpu:1"):
        first = tf.no_op(name="first")
    with tf.control_dependencies([first]):
        a, b = tf.identity(tf.constant(1.0)), tf.identity(tf.constant(2.0))
    plan = plan_of([a, b])
    assert routes(plan) == [("^first", 1, 0)]
    assert all(not op.outputs for op in plan.ops if crosses(op) or leaves(op))


def test_a_variable_is_read_when_its_reader_may_run():
    """TensorFlow sends it at any time: what was read after an update there may be old."""
    with tf.device("/cpu:0"):
        v = tf.Variable(1.0, use_resource=False)
        update = v.assign_add(10.0)
    with tf.control_dependencies([update]), tf.device("/cpu:1"):
        after, again = v.read_value(), v.read_value()
    found = [route for route in routes(plan_of([after, again])) if route[1:] == (0, 1)]
    assert sorted(found) == [("Variable", 0, 1), ("^AssignAdd", 0, 1)]
    with tf.Session(config=tf.ConfigProto(device_count={"CPU": 2})) as sess:
        sess.run(v.initializer)
        assert sess.run([after, again]) == [11.0, 11.0]


def test_equal_operations_on_two_devices_stay_two():
    x = tf.placeholder(tf.float32, [4], name="x")
    with tf.device("/cpu:0"):
        a = tf.tanh(x)
    with tf.device("/cpu:1"):
        b = tf.tanh(x)
    plan = plan_of([a, b], [x], passes=Passes())
    assert [op.device[-1] for op in plan.ops if op.type == "Tanh"] == ["0", "1"]


def test_a_loop_over_two_devices():
    with tf.device("/cpu:0"):
        i, total = tf.constant(0), tf.constant(0)

    def body(i, total):
        with tf.device("/cpu:1"):
            doubled = total + i
        with tf.device("/cpu:0"):
            return i + 1, doubled

    _, result = tf.while_loop(lambda i, _: i < 10, body, [i, total])
    (value,) = run([result], place=by_request(cpu_devices()), passes=Passes())
    assert value == 45


def test_a_branch_that_is_not_taken_sends_nothing():
    x = tf.placeholder(tf.float32, [], name="x")

    def other_device():
        with tf.device("/cpu:1"):
            return x * 2.0

    result = tf.cond(x > 0.0, other_device, lambda: x - 1.0)
    place = by_request(cpu_devices())
    assert run([result], {x: np.float32(3)}, place=place) == [6.0]
    assert run([result], {x: np.float32(-3)}, place=place) == [-4.0]


# ------------------------------------------------------------------ sessions, and their traces


def trace_of(fetches, feeds=None, config=None):
    with tf.Session(config=config) as sess:
        sess.run(tf.global_variables_initializer())
        metadata = tf.RunMetadata()
        options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE, output_partition_graphs=True)
        sess.run(fetches, feeds, options, metadata)
        return metadata


def moved(metadata):
    """(bytes, label) of all transfers of a trace, by the device where they arrive."""
    return {
        device.device: [
            (
                node.output[0].tensor_description.allocation_description.requested_bytes,
                node.timeline_label,
            )
            for node in device.node_stats
            if node.timeline_label.startswith("[")
        ]
        for device in metadata.step_stats.dev_stats
        if "/stream:" not in device.device
    }


def test_a_trace_tells_device_and_bytes_of_every_transfer(simulated_gpu):
    with tf.device("/cpu:0"):
        x = tf.placeholder(tf.float32, [100], name="x")
    y = tf.tanh(x, name="y")
    found = moved(trace_of(y, {x: np.zeros(100)}))
    assert found == {
        CPU: [(400, f"[400B] edge_1_y from {GPU} to {CPU}")],
        GPU: [(400, f"[400B] edge_0_x from {CPU} to {GPU}")],
    }


def test_a_shape_stays_in_host_memory(simulated_gpu):
    """The shape that Reshape wants is an argument in host memory: it is not copied to the GPU."""
    with tf.device("/cpu:0"):
        shape = tf.placeholder(tf.int32, [2], name="shape")
        x = tf.placeholder(tf.float32, [100], name="x")
    y = tf.reshape(tf.tanh(x), shape, name="y")
    found = moved(trace_of(y, {x: np.zeros(100), shape: [10, 10]}))
    assert sorted(size for size, _ in found[GPU]) == [8, 400]
    session = tf.Session()
    before = session._backend.placer.devices[-1].memory.in_use
    session.run(y, {x: np.zeros(100), shape: [10, 10]})
    assert session._backend.placer.devices[-1].memory.in_use == before
    session.close()


def test_the_parts_are_graphs_that_tensorflow_knows(simulated_gpu):
    """Send and Recv with TensorFlow's schemas, and no edge between the parts."""
    from tests.oracle.tables import op_def

    with tf.device("/cpu:0"):
        v = tf.Variable([1.0, 2.0], name="v")
        ready = tf.no_op(name="ready")
    with tf.control_dependencies([ready]):
        y = tf.tanh(v, name="y")
    parts = trace_of(y).partition_graphs
    assert [{node.device for node in part.node} for part in parts] == [{CPU}, {GPU}]
    for part in parts:
        names = {node.name for node in part.node}
        for node in part.node:
            assert {name.lstrip("^").partition(":")[0] for name in node.input} <= names
            if node.op in ("_Send", "_Recv"):
                known = {attr.name for attr in op_def(node.op).attr}
                assert {n for n in node.attr if not n.startswith("_")} <= known
                assert len(node.input) == (node.op == "_Send")


def test_a_fetched_variable_is_a_copy_of_the_memory_of_its_device(simulated_gpu):
    v = tf.Variable(tf.ones([1000]), name="v")
    with tf.Session() as sess:
        sess.run(v.initializer)
        memory = sess._backend.placer.devices[-1].memory
        in_use = memory.in_use
        kept = [sess.run(v), sess.run(v.value()), v.eval()]
        assert memory.in_use == in_use >= 4000
        kept[0][:] = 7.0
        assert sess.run(v)[0] == 1.0


def test_an_instrument_sees_the_transfers(simulated_gpu):
    from tinytf.jupyter.recording import record

    with tf.device("/cpu:0"):
        x = tf.placeholder(tf.float32, [3], name="x")
    y = tf.tanh(x, name="y")
    with tf.Session() as sess:
        recording = record(y, {x: [1.0, 2.0, 3.0]}, sess)
    assert [name for name in recording.names if name.startswith("x/_")] == ["x/_0", "x/_1"]


def test_partial_runs_over_two_devices():
    config = config_pb2.ConfigProto(device_count={"CPU": 2})
    x, y = tf.placeholder(tf.float32, [], name="x"), tf.placeholder(tf.float32, [], name="y")
    with tf.device("/cpu:1"):
        a = x + 1.0
    with tf.device("/cpu:0"):
        b = a * y
    with tf.Session(config=config) as sess:
        handle = sess.partial_run_setup([a, b], [x, y])
        assert sess.partial_run(handle, a, {x: 1.0}) == 2.0
        assert sess.partial_run(handle, b, {y: 5.0}) == 10.0


def test_the_part_of_one_device_whatever_was_asked_for():
    with tf.device("/cpu:0"):
        a = tf.constant(1.0) + tf.placeholder_with_default(2.0, [])
    (part,) = trace_of(tf.negative(a)).partition_graphs
    assert {node.device for node in part.node} == {CPU}


def test_what_is_fed_comes_from_arguments():
    with tf.device("/cpu:0"):
        x = tf.placeholder(tf.int32, [], name="x")
        pair = tf.unstack(tf.placeholder(tf.float32, [2]), name="pair")
        near = x + 1
    with tf.device("/cpu:1"), tf.control_dependencies([x]):
        far = pair[1] * 2.0
    config = config_pb2.ConfigProto(device_count={"CPU": 2})
    parts = trace_of([near, far], {x: 1, pair[1]: 2.0}, config).partition_graphs
    (at_home,) = [part for part in parts if part.node[0].device == CPU]
    arguments = {
        node.name: (node.attr["T"].type, node.attr["index"].i)
        for node in at_home.node
        if node.op == "_Arg"
    }
    assert arguments == {"_arg_x_0_0": (3, 0), "_arg_pair_1_1": (1, 1)}
    for part in parts:
        assert_whole(part)


def assert_whole(part):
    """Whatever a node refers to is in the same part."""
    names = {node.name for node in part.node}
    for node in part.node:
        assert {name.lstrip("^").partition(":")[0] for name in node.input} <= names
        groups = node.attr["_class"].list.s if "_class" in node.attr else ()
        assert {group.decode().removeprefix("loc:@") for group in groups} <= names


def test_a_part_names_no_operation_that_is_not_in_it():
    x = tf.placeholder(tf.float32, [1])
    a = tf.tanh(x)
    other = tf.negative(a)  # not needed
    with tf.colocate_with(other):
        b = tf.tanh(a, name="b")
    with tf.colocate_with(a):
        c = tf.tanh(b, name="c")
    (part,) = trace_of(c, {x: [1.0]}).partition_graphs
    assert_whole(part)
    assert {n.name: "_class" in n.attr for n in part.node} == {
        "Tanh": False,
        "b": False,
        "c": True,
        "_arg_Placeholder_0_0": False,
    }
