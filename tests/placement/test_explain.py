"""What is told of operations: the request, the group, the devices, the rule, the alternatives."""

import pytest

import tinytf as tf
import tinytf.placement
from tinytf.devices.device import DeviceAttributes
from tinytf.placement import simple
from tinytf.placement.cost_model import step_costs
from tinytf.placement.explain import Explainer, short_names

TASK = "/job:localhost/replica:0/task:0"
CPU, GPU0, GPU1 = (f"{TASK}/device:{name}" for name in ("CPU:0", "GPU:0", "GPU:1"))
DEVICES = [
    DeviceAttributes(CPU, "CPU", 0, 1),
    DeviceAttributes(GPU0, "GPU", 1 << 30, 2, "device: 0, name: a simulated GPU"),
    DeviceAttributes(GPU1, "GPU", 1 << 30, 3, "device: 1, name: a simulated GPU"),
]


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def explainer(graph, **more):
    ops = graph.get_operations()
    try:
        placement = simple.place(ops, DEVICES, task=TASK)
    except tf.errors.OpError as error:
        return Explainer(ops, DEVICES, None, error=error)
    return Explainer(ops, DEVICES, placement, **more)


def facts(explanation):
    return dict(explanation.facts)


def test_the_text_names_request_line_group_rule_and_what_is_not_possible(graph):
    with tf.device("/gpu:1"):
        w = tf.Variable(tf.zeros([4, 3]), name="w")
    text = str(explainer(graph).explain(w.op)).splitlines()
    assert text[0] == "w (VariableV2) is on GPU:1 (simulated), placed by the simple placer"
    assert text[1] == "  asked for       /device:GPU:1"
    assert text[2].endswith('w = tf.Variable(tf.zeros([4, 3]), name="w")')
    assert "test_explain.py, line " in text[2]
    assert text[3:] == [
        "  must be with    w/Assign takes w:0 by reference",
        "                  w/read asks to be colocated with w",
        "  chosen because  pinned by tf.device('/device:GPU:1')",
        "  not possible    CPU:0: w asks for /device:GPU:1 (and 2 more of its group)",
        "                  GPU:0 (simulated): w asks for /device:GPU:1 (and 2 more of its group)",
    ]


def test_a_member_without_a_kernel_keeps_its_whole_group_from_a_device(graph):
    n = tf.Variable(3, name="n")
    told = facts(explainer(graph).explain(n.op))
    assert told["not possible"] == tuple(
        f"GPU:{i} (simulated): n (VariableV2 int32) has no kernel for GPU (and 1 more of its group)"
        for i in range(2)
    )
    assert told["asked for"][0] == "no device"


def test_why_members_are_in_a_group_leads_through_other_members(graph):
    v = tf.get_variable("v", [2], use_resource=True)
    with tf.colocate_with(v.op):
        tf.constant(1.0, name="beside")
    told = facts(explainer(graph).explain(graph.get_operation_by_name("beside")))
    assert "beside asks to be colocated with v" in told["must be with"]
    assert any("uses the resource of v:0" in line for line in told["must be with"])


def test_what_alternatives_would_cost(graph):
    x = tf.ones([1000, 1000])
    y = tf.matmul(x, x, name="y")
    ops = graph.get_operations()
    placement = simple.place(ops, DEVICES, task=TASK)
    costs = step_costs(ops, placement)
    told = facts(Explainer(ops, DEVICES, placement, costs=costs).explain(y))
    assert told["also possible"] == ("GPU:1 (simulated)", "CPU:0")
    here, elsewhere, on_cpu = told["step time"]
    assert here.endswith(" (predicted)")
    assert elsewhere.endswith(" if it were on GPU:1 (simulated)")
    assert on_cpu.endswith(" if it were on CPU:0")
    assert costs("y", CPU) > costs("y", placement.device_of("y"))
    unknown = facts(Explainer(ops, DEVICES, placement).explain(y))
    assert unknown["step time"] == ("unknown: there is no cost model to ask",)


def test_what_crosses_comes_once_for_each_destination_with_its_bytes(graph):
    x = tf.placeholder(tf.float32, [None, 256], name="x")
    with tf.device("/gpu:0"):
        a, b = tf.square(x, name="a"), tf.negative(x, name="b")
        r = tf.ones([2, 2], name="r")
    with tf.device("/cpu:0"):
        c = tf.add(r, r, name="c")
    with tf.device("/gpu:1"), tf.control_dependencies([r]):
        tf.no_op(name="after")
    told = explainer(graph, fetched=[a, c])
    assert facts(told.explain(x))["goes out"] == ("x:0 to GPU:0 (simulated), 1 KiB × ? (fed)",)
    assert told.explain(x).headline.startswith("x (Placeholder) is fed: its value comes from CPU:0")
    assert facts(told.explain(b))["comes in"] == ("x:0 from CPU:0, 1 KiB × ? (fed)",)
    assert facts(told.explain(a))["goes out"] == ("a:0 to CPU:0, 1 KiB × ? (fetched)",)
    assert facts(told.explain(r))["goes out"] == (
        "r:0 to CPU:0, 16 bytes",
        "^r to GPU:1 (simulated), no value",
    )
    assert "goes out" not in facts(told.explain(c))


def test_a_shape_in_host_memory_is_a_place_of_its_own(graph):
    with tf.device("/gpu:0"):
        x = tf.ones([4], name="x")
    with tf.device("/cpu:0"):
        shape = tf.constant([2, 2], name="shape")
    with tf.device("/gpu:0"):
        tf.reshape(x, shape, name="r")
    told = explainer(graph).explain(graph.get_operation_by_name("r"))
    assert facts(told)["comes in"] == ("shape:0 from CPU:0, 8 bytes (host memory)",)


def test_what_another_placer_chose_is_told_beside_it(graph):
    y = tf.ones([2], name="y")
    ops = graph.get_operations()
    one = simple.place(ops, DEVICES, task=TASK)
    two = simple.place(ops, DEVICES[:1], task=TASK)
    told = facts(Explainer(ops, DEVICES, one, others=[one, two]).explain(y))
    assert told["by contrast"] == ("the simple placer chose CPU:0: there is only this device",)


def test_a_graph_that_cannot_be_placed_is_explained_all_the_same(graph):
    with tf.device("/gpu:0"):
        n = tf.Variable(3, name="n")
    fine = tf.constant(1.0, name="fine")
    told = explainer(graph)
    why = told.explain(n.op)
    assert why.device == ""
    assert why.headline == "n (VariableV2) is on no device: the graph cannot be placed"
    assert "CPU:0: n asks for /device:GPU:0 (and 2 more of its group)" in facts(why)["not possible"]
    assert any(
        "n (VariableV2 int32) has no kernel for GPU" in t for t in facts(why)["not possible"]
    )
    assert facts(why)["the error"][0].startswith("Cannot assign a device for operation n")
    assert any("What left no device" in line for line in facts(why)["the error"])
    assert "Registered kernels" not in str(why)  # the error itself says it; here it is too long
    assert len(facts(told.explain(fine))["also possible"]) == 3


def test_an_operation_of_another_graph_is_refused(graph):
    tf.constant(1.0)
    told = explainer(graph)
    with tf.Graph().as_default():
        other = tf.constant(1.0)
    with pytest.raises(ValueError, match="'Const' is not among the 1 operations"):
        told.explain(other)


def test_one_call_asks_the_default_session(graph):
    with tf.device("/cpu:1"):
        y = tf.add(1, 2, name="y")
    config = tf.ConfigProto(device_count={"CPU": 2})
    with tf.Session(config=config):
        assert tinytf.placement.explain(y).device == f"{TASK}/device:CPU:1"
    with pytest.raises(ValueError, match="explain an operation"):
        tinytf.placement.explain(y)


def test_one_call_takes_names_and_refuses_what_is_none(graph):
    y = tf.multiply(2.0, 3.0, name="y")
    with pytest.raises(ValueError, match=r"session to `explain\(op, session=sess\)`"):
        tinytf.placement.explain(y)
    with tf.Session() as sess:
        for name in ("y", "y:0"):
            assert tinytf.placement.explain(name, sess).op == "y"
            assert tinytf.placement.explain(name).op == "y"
        with pytest.raises(KeyError, match="not in the graph"):
            tinytf.placement.explain("nope")
        with pytest.raises(TypeError, match="Can not convert a int"):
            tinytf.placement.explain(3)


def test_a_variable_stands_for_the_operation_that_holds_it(graph):
    v = tf.Variable(1.0, name="v")
    with tf.Session() as session:
        assert tinytf.placement.explain(v, session).op == "v"


def test_one_call_tells_what_running_would_raise(graph):
    with tf.device("/gpu:7"):
        y = tf.add(1, 2, name="y")
    with tf.Session() as session:
        told = facts(tinytf.placement.explain(y, session))
    assert any("asks for /device:GPU:7" in line for line in told["not possible"])
    assert told["the error"][0].startswith("Cannot assign a device for operation y")


def test_devices_of_several_tasks_are_told_apart():
    names = ["/job:ps/replica:0/task:0/device:CPU:0", "/job:worker/replica:0/task:1/device:CPU:0"]
    devices = [DeviceAttributes(name, "CPU", 0, 0) for name in names]
    assert list(short_names(devices).values()) == ["ps:0 CPU:0", "worker:1 CPU:0"]
