"""What the placer says: TensorFlow's words first, then which request or kernel left no device.

test_random_graphs.py holds TensorFlow's part to its own words; what needs a GPU or two variables in
one operation is here.
"""

import re

import pytest

import tinytf as tf
from tests.framework.temporary_ops import temporary_op
from tests.placement.placing import TASK, devices, placed
from tinytf.devices.device import DeviceAttributes
from tinytf.placement.messages import device_log_lines, device_mapping

pytestmark = pytest.mark.usefixtures("graph")

CPU, GPU = f"{TASK}/device:CPU:0", f"{TASK}/device:GPU:0"


@pytest.fixture
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def message(*listed, kind=tf.errors.InvalidArgumentError, op=None, **how):
    with pytest.raises(kind) as caught:
        placed(*listed, **how)
    if op is not None:
        assert caught.value.op is op
        assert caught.value.node_def.name == op.name
    return str(caught.value)


def test_a_device_that_is_not_there():
    with tf.device("/gpu:1"):
        c = tf.identity(tf.placeholder(tf.float32), name="c")
    text = message(devices(2), op=c.op)
    theirs, _, ours = text.partition("\n\t [[{{node c}}]]\n")
    assert theirs == (
        "Cannot assign a device for operation c: {{node c}} was explicitly assigned to "
        f"/device:GPU:1 but available devices are [ {CPU}, {TASK}/device:CPU:1 ]. Make sure the "
        "device specification refers to a valid device. The requested device appears to be a "
        "GPU, but CUDA is not enabled."
    )
    assert "c (Identity) was built at:\n  File" in ours
    assert 'c = tf.identity(tf.placeholder(tf.float32), name="c")' in ours
    assert "Could not satisfy explicit device specification '/device:GPU:1'" in ours
    assert re.search(
        r"\n  there are CPU:0, CPU:1\n  c asks for '/device:GPU:1' \(File .*\): none left\n", ours
    )
    assert ours.endswith(
        "Ask for a device above, or let TensorFlow choose one: "
        "tf.ConfigProto(allow_soft_placement=True). There can be simulated GPUs: "
        "tinytf.devices.simulate_gpus(2), before the session is opened, or its server is started."
    )


@pytest.mark.parametrize(
    ("asked", "remedy"),
    [
        ("/cpu:2", "device_count={'CPU': 3})."),
        ("/cpu:9999999", "allow_soft_placement=True)."),
        ("/device:MINE:0", "There are devices of the type CPU, none of the type MINE."),
        ("/job:ps/task:1", "or leave job, replica and task out."),
        ("/task:1/gpu:0", "or leave job, replica and task out."),
    ],
)
def test_what_can_be_done(asked, remedy):
    with tf.device(asked):
        tf.identity(tf.placeholder(tf.float32))
    assert message(devices(2)).endswith(remedy)


@pytest.mark.parametrize(
    ("value", "seen", "remedy"),
    [
        (
            "1",
            1,
            "CUDA_VISIBLE_DEVICES='1' shows 1 of the 2 simulated GPUs, which is '/gpu:0' here",
        ),
        ("", 0, "CUDA_VISIBLE_DEVICES='' shows 0 of the 2 simulated GPUs."),
        ("0,1", 0, "There are 2 simulated GPUs, but not in this session: open a new one."),
    ],
)
def test_gpus_that_this_session_does_not_see(value, seen, remedy, monkeypatch):
    monkeypatch.setenv("TINYTF_SIMULATED_GPUS", "2x1GiB")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", value)
    with tf.device("/gpu:1"):
        tf.identity(tf.placeholder(tf.float32))
    text = message(devices(1, seen))
    assert remedy in text
    assert "simulate_gpus(" not in text


def test_where_there_are_gpus_nothing_is_said_of_cuda():
    with tf.device("/gpu:1"):
        tf.identity(tf.placeholder(tf.float32))
    text = message(devices(1, 1))
    assert f"available devices are [ {CPU}, {GPU} ]" in text
    assert "CUDA" not in text


def test_no_kernel_on_the_device_that_was_asked_for():
    with tf.device("/gpu:0"):
        v = tf.Variable(0, name="v", use_resource=False)
    text = message(devices(1, 1), op=v.op)
    assert text.startswith(
        "Cannot assign a device for operation v: Could not satisfy explicit device specification "
        "'/device:GPU:0' because no supported kernel for GPU devices is available.\n"
        "Colocation Debug Info:\n"
        "Colocation group had the following types and supported devices: \n"
        "Root Member(assigned_device_name_index_=-1 requested_device_name_='/device:GPU:0' "
        "assigned_device_name_='' resource_device_name_='/device:GPU:0' "
        "supported_device_types_=[CPU] possible_devices_=[]\n"
    )
    assert "\nVariableV2: CPU \n" in text
    assert (
        "\n\nColocation members, user-requested devices, and framework assigned devices, if any:"
        "\n  v (VariableV2) /device:GPU:0\n  v/Assign (Assign) /device:GPU:0\n"
        "  v/read (Identity) /device:GPU:0\n\nOp: VariableV2\nNode attrs: "
    ) in text
    assert "dtype=DT_INT32" in text
    assert "\nRegistered kernels:\n  device=" in text
    assert "\n\t [[{{node v}}]]\n" in text
    assert "\n  there are GPU:0, CPU:0\n  v (VariableV2) has kernels for CPU: CPU:0\n" in text
    assert re.search(r"\n  v asks for '/device:GPU:0' \(File .*\): none left\n", text)


def test_a_group_with_requests_that_are_possible_alone():
    with tf.device("/device:CPU:*"):
        a = tf.identity(tf.placeholder(tf.float32), name="a")
    with tf.colocate_with(a):
        b = tf.square(a, name="b")
    b.op._set_device("/task:3")
    text = message(devices(2), op=a.op)
    assert (
        "because the node {{colocation_node a}} was colocated with a group of nodes that required "
        f"incompatible device '/task:3/device:CPU:*'. All available devices [{CPU}, "
        f"{TASK}/device:CPU:1]. \nColocation Debug Info:\n"
    ) in text
    assert re.search(r"\n  b asks for '/task:3' \(File .*\): none left\n", text)
    assert "No device of this session is of that task. Open a session on the server" in text


def test_a_task_that_a_cluster_does_not_have():
    with tf.device("/job:wroker/task:0"):
        c = tf.identity(tf.placeholder(tf.float32))
    tasks = ["/job:ps/replica:0/task:0", "/job:worker/replica:0/task:1"]
    text = message([d for task in tasks for d in devices(2, task=task)], op=c.op)
    assert "This session has no such task; it has ps:0, worker:1. Ask for one of them, or" in text
    assert "Open a session" not in text


def test_two_requests_that_contradict_each_other():
    with tf.device("/cpu:1"):
        v = tf.Variable(1.0, name="v", use_resource=False)
    with tf.device("/cpu:2"):
        w = tf.Variable(1.0, name="w", use_resource=False)
    with tf.colocate_with(v), tf.colocate_with(w):
        z = tf.constant(3.0, name="z")
    text = message(devices(3), op=z.op)
    assert text.startswith(
        "Cannot colocate nodes {{colocation_node z}} and {{colocation_node v}}: Cannot merge "
        "devices with incompatible ids: '/device:CPU:1' and '/device:CPU:2'\n\t [[{{node z}}]]\n"
    )
    assert "z (Const) was built at" in text
    assert re.search(r"\n  \w asks for '/device:CPU:2' \(.*\)\n  v asks for '/device:CPU:1'", text)
    placement = placed(devices(3), soft=True)  # ignores the colocation
    assert placement.device_of("v").endswith("CPU:1")
    assert placement.device_of("w").endswith("CPU:2")


def test_references_on_different_devices_in_one_operation():
    with tf.device("/cpu:1"):
        v = tf.Variable(1.0, name="v", use_resource=False)
    with tf.device("/cpu:2"):
        w = tf.Variable(1.0, name="w", use_resource=False)
    with temporary_op("Both", "x: Ref(float), y: Ref(float) -> z: float") as card:
        card.shape(lambda c: c.input(0))
        card.kernel(lambda x, y: x)
        both = card(v.op.outputs[0], w.op.outputs[0], name="both")
        text = message(devices(3), op=both.op, soft=True)
    # TensorFlow 2.15.1 of a RefSelect of these two, with its name and type for ours.
    assert text.startswith(
        "Cannot place the graph because a reference or resource edge connects colocation groups "
        "with incompatible resource devices: /device:CPU:2 vs /device:CPU:1. The edge src node is "
        "name='w' (op='VariableV2'), and the dst node is name='both' (op='Both').\n"
    )
    assert "  w asks for '/device:CPU:2'" in text
    assert "  v asks for '/device:CPU:1'" in text


def test_kernels_on_different_types_of_devices():
    with (
        temporary_op("OnCpu", "x: float -> y: float") as on_cpu,
        temporary_op("OnGpu", "x: float -> y: float") as on_gpu,
    ):
        for card, kind in ((on_cpu, "CPU"), (on_gpu, "GPU")):
            card.shape(lambda c: c.input(0))
            card.kernel(lambda x: x, device=kind)
        first = on_cpu(tf.placeholder(tf.float32), name="first")
        with tf.colocate_with(first):
            second = on_gpu(first, name="second")
        text = message(devices(1, 1), op=second.op)
        assert text.startswith(
            "Cannot colocate nodes {{colocation_node second}} and {{colocation_node first}} "
            "because no device type supports both of those nodes and the other nodes colocated "
            "with them.\nColocation Debug Info:\n"
        )
        assert "\nOnGpu: GPU \n" in text
        assert "\nOnCpu: CPU \n" in text
        assert "  second (OnGpu) has kernels for GPU\n  first (OnCpu) has kernels for CPU\n" in text
        placement = placed(devices(1, 1), soft=True)
        assert placement.device_of("first") == CPU
        assert placement.device_of("second") == GPU


def test_no_kernel_at_all():
    with temporary_op("Lonely", "x: float -> y: float") as card:
        card.shape(lambda c: c.input(0))
        lonely = card(tf.placeholder(tf.float32), name="lonely")
        text = message(devices(2, 1), op=lonely.op)
    assert text.startswith(
        "No OpKernel was registered to support Op 'Lonely' used by {{node lonely}} with these "
        "attrs: []\nRegistered devices: [CPU, GPU]\nRegistered kernels:\n"
    )
    assert "\n\t [[{{node lonely}}]]\nlonely (Lonely) was built at:" in text
    assert "Lonely has no kernel yet. An op of one's own gets it from the decorator" in text


def test_kernels_for_devices_that_are_not_there():
    with temporary_op("Lonely", "x: float -> y: float") as card:
        card.shape(lambda c: c.input(0))
        card.kernel(device="GPU")(lambda x: x)
        lonely = card(tf.placeholder(tf.float32), name="lonely")
        text = message(devices(2), op=lonely.op)
    assert "Registered kernels:\n  device='GPU'\n" in text
    assert text.endswith(
        "Lonely has kernels for GPU alone, and no such device is here. Register one for the CPU, "
        "too, or simulate a GPU: tinytf.devices.simulate_gpus(1)."
    )


def test_a_name_that_only_the_client_can_read():
    with tf.device("/job:not-readable"):
        c = tf.constant([1.0, 2.0], name="c")
    text = message(devices(1), op=c.op)
    assert text.startswith(
        "Malformed device specification '/job:not-readable' in node: {name:'c' id:2 op device:"
        "{requested: '/job:not-readable', assigned: ''} def:{{{node c}} = Const[dtype=DT_FLOAT, "
        'value=Tensor<type: float shape: [2] values: 1 2>, _device="/job:not-readable"]()}}\n'
        "\t [[{{node c}}]]\n"
    )
    assert "letters, digits and '_'" in text


def test_state_that_would_have_to_be_in_two_places():
    a = tf.Variable(1.0, name="a", use_resource=False)
    b = tf.Variable(1.0, name="b", use_resource=False)
    x = tf.placeholder(tf.float32)
    with tf.colocate_with(a), tf.colocate_with(b):
        tf.square(x, name="both")
    kept = {"a": CPU, "b": f"{TASK}/device:CPU:1"}
    text = message(devices(2), op=a.graph.get_operation_by_name("both"), kept=kept)
    assert "Cannot merge devices with incompatible ids" in text
    assert f"  a has been on {CPU} before\n" in text


def test_long_stories_are_cut():
    tasks = [f"/job:worker/replica:0/task:{number}" for number in range(30)]
    listed = [device for task in tasks for device in devices(1, task=task)]
    with tf.device("/job:ps"):
        tf.identity(tf.placeholder(tf.float32))
    assert len(message(listed).splitlines()) < 15


# The log ----------------------------------------------------------------------------------------


def test_the_lines_of_the_log():
    c = tf.constant(2.0, name="c")
    tf.multiply(c, c, name="mul")
    assert device_log_lines(placed(devices(1, 1))) == [f"mul: (Mul): {GPU}", f"c: (Const): {GPU}"]


def test_the_mapping_of_devices():
    described = DeviceAttributes(GPU, "GPU", 1, 1, "device: 0, name: simulated")
    assert device_mapping(devices(1)) == "Device mapping: no known devices."
    assert device_mapping([*devices(1), described]) == (
        f"Device mapping:\n{GPU} -> device: 0, name: simulated\n"
    )
