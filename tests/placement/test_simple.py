"""The rules of the simple placer, on devices that are only names: CPUs, GPUs, other tasks.

What TensorFlow's placer gives for GPUs is known from core/common_runtime/placer_test.cc; here there
are only CPUs to ask it about (test_random_graphs.py does).
"""

import numpy as np
import pytest

import tinytf as tf
from tests.framework.temporary_ops import temporary_op
from tests.placement.placing import TASK, devices, placed, where
from tinytf.api import function
from tinytf.ops.functions.calls import partitioned_call
from tinytf.placement.simple import place, producers_first
from tinytf.protos.node_def_pb2 import NameAttrList

pytestmark = pytest.mark.usefixtures("graph")


@pytest.fixture
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def rule(placement, op):
    return placement.decisions[op.op.name if hasattr(op, "op") else op.name].rule


def floats(shape=None):
    """A value that is no generator, so that the placer has to decide where it is."""
    return tf.identity(tf.placeholder(tf.float32, shape))


def test_a_gpu_is_preferred_where_there_is_a_kernel():
    number = tf.square(floats())
    text = tf.string_join([tf.placeholder(tf.string), "!"])
    placement = placed(devices(1, 1))
    assert where(placement, number) == "GPU:0"
    assert rule(placement, number) == "a GPU is preferred"
    assert where(placement, text) == "CPU:0"
    assert rule(placement, text) == "only the CPU has a kernel for it"
    decision = placement.decisions[number.op.name]
    assert decision.feasible == (f"{TASK}/device:GPU:0", f"{TASK}/device:CPU:0")
    assert placement.decisions[text.op.name].feasible == (f"{TASK}/device:CPU:0",)
    assert placement.devices == (f"{TASK}/device:GPU:0", f"{TASK}/device:CPU:0")


def test_the_first_of_several_gpus_by_name():
    number = tf.square(floats())
    placement = placed(devices(1, 3))
    assert where(placement, number) == "GPU:0"
    assert rule(placement, number) == "a GPU is preferred, first of 3 GPUs"


def test_devices_are_sorted_as_text_as_tensorflow_does():
    with tf.device("/device:CPU:*"):
        some = tf.square(floats())
    listed = devices(12)[2:]
    assert where(placed(listed), some) == "CPU:10"


def test_this_task_goes_before_others_of_the_same_type_but_not_before_a_better_type():
    number = tf.square(floats())
    text = tf.string_join([tf.placeholder(tf.string), "!"])
    other = "/job:localhost/replica:0/task:1"
    here = "/job:localhost/replica:0/task:2"
    ops = tf.get_default_graph().get_operations()
    listed = [*devices(1, 1, task=other), *devices(1, 1, task=here)]
    placement = place(ops, listed, task=here, allow_soft_placement=False, kept={})
    assert placement.device_of(number.op.name) == f"{here}/device:GPU:0"
    assert placement.device_of(text.op.name) == f"{here}/device:CPU:0"
    listed = [*devices(1, 1, task=other), *devices(1, task=here)]
    placement = place(ops, listed, task=here, allow_soft_placement=False, kept={})
    assert placement.device_of(number.op.name) == f"{other}/device:GPU:0"


def test_a_task_with_a_longer_number_is_not_this_task():
    number = tf.square(floats())
    tasks = ["/job:localhost/replica:0/task:10", "/job:localhost/replica:0/task:1"]
    listed = [device for task in tasks for device in devices(1, task=task)]
    ops = tf.get_default_graph().get_operations()
    placement = place(ops, listed, task=tasks[1], allow_soft_placement=False, kept={})
    assert placement.device_of(number.op.name) == f"{tasks[1]}/device:CPU:0"


# Generators and metadata ------------------------------------------------------------------------


def test_a_constant_follows_its_only_consumer():
    c = tf.constant(1.0, name="c")
    with tf.device("/cpu:0"):
        consumer = tf.add(floats(), c, name="consumer")
    placement = placed(devices(1, 1))
    assert (where(placement, consumer), where(placement, c)) == ("CPU:0", "CPU:0")
    assert rule(placement, c) == "follows its only consumer, consumer"


def test_a_constant_follows_consumers_that_are_together_and_no_others():
    together, apart = tf.constant(1.0), tf.constant(2.0)
    with tf.device("/cpu:0"):
        tf.add(floats(), together)
        tf.add(floats(), together)
        tf.add(floats(), apart)
    tf.add(floats(), apart)
    placement = placed(devices(1, 1))
    assert where(placement, together) == "CPU:0"
    assert rule(placement, together) == "follows its 2 consumers, which are all here"
    assert where(placement, apart) == "GPU:0"


def test_a_control_edge_counts_as_a_consumer():
    c = tf.constant(1.0)
    with tf.device("/cpu:0"), tf.control_dependencies([c]):
        tf.no_op()
    assert where(placed(devices(1, 1)), c) == "CPU:0"


def test_a_constant_does_not_follow_where_it_may_not_be():
    with tf.device("/gpu:0"):
        c = tf.constant(1.0)
    with tf.device("/cpu:0"):
        tf.add(floats(), c)
    placement = placed(devices(1, 1))
    assert where(placement, c) == "GPU:0"
    assert rule(placement, c) == "pinned by tf.device('/device:GPU:0')"


def test_a_variable_is_no_generator():
    v = tf.Variable(1.0, use_resource=False)
    with tf.device("/cpu:0"):
        tf.identity(tf.identity(v))
    assert where(placed(devices(1, 1)), v.op) == "GPU:0"


def test_metadata_follows_its_input():
    with tf.device("/cpu:0"):
        x = floats()
    shape, rank, size = tf.shape(x), tf.rank(x), tf.size(x)
    square = tf.square(x)
    placement = placed(devices(1, 1))
    assert [where(placement, t) for t in (shape, rank, size, square)] == [
        "CPU:0",
        "CPU:0",
        "CPU:0",
        "GPU:0",
    ]
    assert rule(placement, shape) == f"looks only at the shape of its input, {x.op.name}"


def test_metadata_of_a_generator_is_placed_before_it():
    with tf.device("/cpu:0"):
        x = tf.placeholder(tf.float32)
    shape = tf.shape(x)
    assert where(placed(devices(1, 1)), shape) == "GPU:0"


# Groups -----------------------------------------------------------------------------------------


def test_references_and_resources_keep_a_variable_and_its_users_together():
    for resource in (False, True):
        with tf.device("/gpu:1"):
            v = tf.Variable(1.0, use_resource=resource)
        with tf.device("/gpu:0"):
            v.assign_add(1.0)
        placement = placed(devices(1, 2))
        group = placement.decisions[v.op.name].group
        assert {placement.device_of(name)[-5:] for name in group} == {"GPU:1"}
        assert v.initializer.name in group


def test_one_member_without_a_gpu_kernel_takes_its_group_to_the_cpu():
    v = tf.Variable([1.0], use_resource=False)
    initialized = tf.is_variable_initialized(v)
    count = tf.Variable(0, use_resource=False, dtype=tf.int64)
    tf.count_up_to(count, 3)
    placement = placed(devices(1, 1))
    assert where(placement, v.op) == where(placement, initialized) == "GPU:0"
    assert where(placement, count.op) == "CPU:0"
    assert rule(placement, count.op) == "only the CPU has a kernel for its whole group"


def test_colocate_with_and_groups_of_a_name_that_nobody_has():
    with tf.device("/gpu:1"):
        a = floats()
    with tf.colocate_with(a):
        b = tf.square(floats())
    c, d = tf.negative(floats()), tf.exp(floats())
    attr = tf.AttrValue()
    attr.list.s.append(b"loc:@nobody")
    for each in (c, d):
        each.op._set_attr("_class", attr)
    d.op._set_device("/cpu:0")
    placement = placed(devices(1, 2))
    assert where(placement, b) == "GPU:1"
    assert rule(placement, b) == f"colocated with {a.op.name}: pinned by tf.device('/device:GPU:1')"
    assert where(placement, c) == where(placement, d) == "CPU:0"
    assert placement.decisions[c.op.name].group == (c.op.name, d.op.name)
    asked = f"pinned by tf.device('/cpu:0') of {d.op.name}, colocated with it"
    assert rule(placement, c) == asked
    assert rule(placement, d) == "pinned by tf.device('/cpu:0')"
    assert placement.decisions[d.op.name].requested == "/device:CPU:0"


def test_partial_requests_of_a_group_are_merged():
    a, b = floats(), floats()
    a.op._set_device("/device:GPU:*")
    b.op._set_device("/task:0")
    with tf.colocate_with(a), tf.colocate_with(b):
        both = tf.square(floats())
    both.op._set_device("")
    placement = placed(devices(2, 2))
    assert [where(placement, t) for t in (a, b, both)] == ["GPU:0"] * 3
    assert rule(placement, a) == "tf.device('/device:GPU:*') leaves 2 devices: the first of 2 GPUs"


# Soft placement ---------------------------------------------------------------------------------


def test_soft_placement_without_such_a_device_or_kernel():
    with tf.device("/gpu:7"):
        number = tf.square(floats())
        text = tf.string_join([tf.placeholder(tf.string), "!"])
        count = tf.Variable(0, use_resource=False)
    placement = placed(devices(1, 1), soft=True)
    assert where(placement, number) == "GPU:0"
    assert rule(placement, number) == (
        "soft placement, as there is no /device:GPU:7: a GPU is preferred"
    )
    assert where(placement, text) == where(placement, count.op) == "CPU:0"
    text.op._set_device("/gpu:0")
    placement = placed(devices(1, 1), soft=True)
    assert rule(placement, text) == (
        "soft placement, as there is no GPU kernel for it: only the CPU has a kernel for it"
    )


def test_soft_placement_never_leaves_the_task():
    with tf.device("/job:ps/gpu:0"):
        tf.square(1.0)
    with pytest.raises(tf.errors.InvalidArgumentError, match="explicitly assigned to /job:ps"):
        placed(devices(1), soft=True)


def test_soft_placement_moves_what_uses_a_variable_before_the_variable():
    # The group is asked for CPU:1 by the variable, and has kernels there: it stays.
    with tf.device("/cpu:1"):
        v = tf.Variable(0, use_resource=False)
    with tf.device("/gpu:0"):
        read = tf.count_up_to(v, 5)
    placement = placed(devices(3, 1), soft=True)
    assert where(placement, v.op) == where(placement, read) == "CPU:1"


def test_soft_placement_moves_a_variable_that_cannot_be_where_it_was_asked_for():
    with tf.device("/gpu:0"):
        v = tf.Variable(0, use_resource=False)  # int32: no kernel on a GPU
    assert where(placed(devices(1, 1), soft=True), v.op) == "CPU:0"


def test_soft_placement_gives_up_the_index_before_the_type_of_a_variable():
    with tf.device("/device:CPU:*"):
        v = tf.Variable(1.0, use_resource=False)
    change = v.assign_add(1.0)
    change.op._set_device("/cpu:7")
    assert where(placed(devices(2, 1), soft=True), v.op) == "CPU:0"


# What stays -------------------------------------------------------------------------------------


def test_what_was_placed_before_stays_and_takes_its_group_along():
    v = tf.Variable(1.0, use_resource=False)
    cpu = f"{TASK}/device:CPU:0"
    placement = placed(devices(1, 1), kept={v.op.name: cpu})
    decision = placement.decisions[v.op.name]
    assert decision.device == cpu
    assert decision.rule == "stays where it was placed before"
    assert {placement.device_of(name) for name in decision.group} == {cpu}


def test_kept_on_a_device_that_is_gone():
    v = tf.Variable(1.0, name="v", use_resource=False)
    with pytest.raises(tf.errors.InternalError, match="does not match any device") as caught:
        placed(devices(1), kept={"v": f"{TASK}/device:GPU:0"})
    assert caught.value.op is v.op


# Orders, sizes ----------------------------------------------------------------------------------


def test_generators_come_last_in_the_order_of_placing():
    c = tf.constant(1.0, name="c")
    tf.square(c, name="square")
    for count in (1, 2):
        placement = placed(devices(count))
        assert placement.order == ("square", "c")
        assert list(placement.decisions) == ["c", "square"]


def test_one_device_gives_the_decisions_that_several_would():
    v = tf.Variable(1.0, name="v", use_resource=False)
    placement = placed(devices(1))
    decision = placement.decisions["v/Assign"]
    assert decision.device == placement.device_of("v/Assign") == f"{TASK}/device:CPU:0"
    assert decision.group == ("v", "v/Assign", "v/read")
    assert decision.rule == "colocated with v: there is only this device"
    assert len(placement.decisions) == len(v.graph.get_operations())


def test_an_op_that_waits_for_a_later_one_is_numbered_after_it():
    first, second = tf.no_op("first"), tf.no_op("second")
    first._add_control_input(second)
    assert producers_first([first, second]) == [second, first]


def test_a_loop_does_not_wait_for_its_own_end():
    tf.while_loop(lambda i: i < 3, lambda i: i + 1, [tf.constant(0)])
    ops = tf.get_default_graph().get_operations()
    assert sorted(producers_first(ops), key=ops.index) == ops


def test_inputs_that_are_not_among_the_operations_are_fed():
    x = floats()
    y = tf.square(x)
    placement = place([y.op], devices(1, 1), task=TASK, allow_soft_placement=False, kept={})
    assert where(placement, y) == "GPU:0"


def test_ten_thousand_operations():
    x = floats([2])
    for number in range(2500):
        with tf.device(f"/cpu:{number % 3}"):
            x = x * 2.0 + 1.0
    placement = placed(devices(3))
    assert len(placement.decisions) > 10_000
    assert where(placement, x) == f"CPU:{2499 % 3}"


def test_no_devices():
    with pytest.raises(tf.errors.FailedPreconditionError, match="No devices are registered"):
        placed([])


def test_a_kernel_of_ones_own_for_the_gpu():
    with temporary_op("OnlyGpu", "x: float -> y: float") as card:
        card.shape(lambda c: c.input(0))
        card.kernel(np.negative, device="GPU")
        here = card(floats())
        assert where(placed(devices(1, 1)), here) == "GPU:0"
        with pytest.raises(tf.errors.InvalidArgumentError, match="No OpKernel was registered"):
            placed(devices(1))


def test_a_call_may_be_elsewhere_than_the_variable_that_it_hands_on():
    # TensorFlow 2.15.1 places these so on three CPUs.
    def value_of(handle):
        attrs = {"dtype": tf.AttrValue(type=tf.float32.as_datatype_enum)}
        graph = tf.get_default_graph()
        return graph.create_op("ReadVariableOp", [handle], [tf.float32], attrs=attrs).outputs[0]

    read = function.Defun(tf.resource, func_name="read")(value_of)
    with tf.device("/cpu:1"):
        v = tf.Variable(1.0, use_resource=True)
    with tf.device("/cpu:2"):
        by_its_type = read(v.handle)
        call = partitioned_call([v.handle], Tout=[tf.float32], f=NameAttrList(name="read"))
    placement = placed(devices(3))
    assert where(placement, by_its_type) == "CPU:1"
    assert where(placement, call[0]) == "CPU:2"


def test_reads_are_said_to_be_with_their_variable_and_not_with_its_initializer():
    with tf.device("/cpu:0"):
        pinned = tf.get_variable("pinned", [2, 2])
    tf.get_variable("free", [2, 2])
    placement = placed(devices(1, 2))
    assert rule(placement, pinned) == "pinned by tf.device('/device:CPU:0')"
    with_pinned = "colocated with pinned: pinned by tf.device('/device:CPU:0')"
    assert placement.decisions["pinned/read"].rule == with_pinned
    with_free = "colocated with free: a GPU is preferred, first of 2 GPUs"
    assert placement.decisions["free/read"].rule == with_free
