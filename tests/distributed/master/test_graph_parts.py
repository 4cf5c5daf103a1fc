"""How steps are cut by task: as TensorFlow cuts them, with one Recv for each tensor and task."""

import collections

import numpy as np
import pytest

import tinytf as tf
from tests.distributed.fake_cluster import FakeCluster
from tests.distributed.master import partition_programs
from tinytf.distributed.master import master_session
from tinytf.framework.errors import InvalidArgumentError
from tinytf.framework.rendezvous import task_of
from tinytf.ops.control_flow.primitives import merge, switch
from tinytf.ops.functions.defun import Defun
from tinytf.protos import graph_pb2

PS, MASTER, OTHER = partition_programs.PS, partition_programs.MASTER, partition_programs.OTHER
RECORDED = partition_programs.read()


@pytest.fixture
def cluster():
    with FakeCluster(ps=1, worker=2) as cluster:
        yield cluster


@pytest.fixture(autouse=True)
def fresh_graph():
    with tf.Graph().as_default() as graph:
        yield graph


@pytest.fixture
def cuts(monkeypatch):
    """All `GraphParts` that are made."""
    made = []

    class Watched(master_session.GraphParts):
        def __init__(self, *arguments, **named):
            super().__init__(*arguments, **named)
            made.append(self)

    monkeypatch.setattr(master_session, "GraphParts", Watched)
    return made


def short(task):
    """ "ps:0" of "/job:ps/replica:0/task:0"."""
    _, job, _, index = task.split("/")
    return f"{job.partition(':')[2]}:{index.partition(':')[2]}"


def described(parts, graph):
    """What `partition_programs.read` gives of TensorFlow's parts."""
    names = {op.name for op in graph.get_operations()}
    nodes, loops = {}, {}
    for task, part in parts.parts.items():
        own = sorted(op.name for op in part.ops if op.name in names)
        merges = sum(op.type == "Merge" and op.name not in names for op in part.ops)
        nodes.update({short(task): own} if own else {})
        loops.update({short(task): merges} if merges else {})
    edges = [[edge.tensor, short(edge.source), short(edge.destination)] for edge in parts.edges]
    return {"nodes": nodes, "edges": sorted(edges), "loops": loops}


def with_our_savings(parts, graph):
    """TensorFlow's parts without what we do not send.

    What is the same in all iterations crosses outside of loops; a signal that the body of a loop
    begins is there already; each task has small constants of its own.
    """
    task_of_node = {name: task for task, names in parts["nodes"].items() for name in names}
    edges = set()
    for name, source, destination in parts["edges"]:
        tensor = graph.as_graph_element(name.partition(":")[0].removeprefix("^"))
        while tensor.type == "Enter" and tensor.get_attr("is_constant"):
            name = tensor.inputs[0].name.removesuffix(":0")
            tensor = tensor.inputs[0].op
            source = task_of_node[tensor.name]
        if name.startswith("^") and begins_body(tensor):
            continue
        if source != destination and not is_small_constant(tensor):
            edges.add((name, source, destination))
    return {**parts, "edges": sorted(map(list, edges)), "nodes": without_constants(parts, graph)}


def begins_body(op):
    if op.type != "Identity" or op.inputs[0].op.type != "Switch":
        return False
    return op.inputs[0].value_index == 1 and op.inputs[0].op.inputs[1].op.type == "LoopCond"


def without_constants(parts, graph):
    """The nodes of each task, but for small constants."""
    return {
        task: [name for name in names if not is_small_constant(graph.as_graph_element(name))]
        for task, names in parts["nodes"].items()
    }


def is_small_constant(op):
    return op.type == "Const" and not op.control_inputs and op.outputs[0].shape.num_elements() <= 16


def check_transfers(parts):
    """Each value that crosses has one Send and one Recv; references and handles stay."""
    ends = collections.Counter()
    for task, part in parts.parts.items():
        for op in part.ops:
            assert task_of(op.device) == task
            for tensor in op.inputs:
                assert task_of(tensor.op.device) == task, f"{op.name} takes {tensor.name}"
            for control in op.control_inputs:
                assert task_of(control.device) == task, f"{op.name} waits for {control.name}"
            if op.type in ("_Send", "_Recv"):
                client = task if op.attrs["client_terminated"] else ""
                ends[op.type, op.attrs["tensor_name"], client] += 1
            if op.type == "_Send":
                assert op.inputs[0].dtype.base_dtype not in (tf.resource, tf.variant)
    assert set(ends.values()) <= {1}
    sent = {name for kind, name, client in ends if kind == "_Send" and not client}
    received = {name for kind, name, client in ends if kind == "_Recv" and not client}
    assert sent == received
    assert len(sent) == len(parts.edges)


@pytest.mark.parametrize("name", RECORDED)
def test_parts_are_tensorflows(cluster, cuts, fresh_graph, name):
    program = RECORDED[name]
    tf.import_graph_def(graph_pb2.GraphDef.FromString(program["graph"]), name="")
    inits = [op for op in fresh_graph.get_operations() if op.name == "init"]
    with tf.Session(cluster.target("worker", 0)) as session:
        session.run(inits)
        cuts.clear()
        fetches = program["fetches"] + program["targets"]
        session.run(fetches, {x: {"p:0": True, "x:0": [1.0, 2.0]}[x] for x in program["feeds"]})
    [parts] = cuts
    check_transfers(parts)
    found = described(parts, fresh_graph)
    found["nodes"] = without_constants(found, fresh_graph)
    assert found == with_our_savings(program["parts"], fresh_graph)


def run(cluster, fetches, feeds=None, job="worker"):
    """Initialise, and run one step on worker:0."""
    config = tf.ConfigProto(operation_timeout_in_ms=20_000)
    with tf.Session(cluster.target(job), config=config) as session:
        session.run(tf.global_variables_initializer())
        return session.run(fetches, feeds)


def sent(cuts, task):
    """What leaves a task in the last step."""
    return sorted(e.tensor for e in cuts[-1].edges if short(e.source) == task)


def test_one_receive_for_all_who_need_a_tensor_on_a_task(cluster, cuts):
    with tf.device(PS):
        a = tf.constant(np.arange(32.0))
    with tf.device(OTHER):
        total = tf.add_n([tf.square(a), a, a + 1.0])
    assert run(cluster, total)[2] == 4 + 2 + 3
    assert sent(cuts, "ps:0") == ["Const"]
    assert cluster.methods("worker:1", "ps:0").count("RecvTensor") == 1


def test_small_constants_do_not_travel(cluster, cuts):
    with tf.device(PS):
        a, b = tf.constant([1.0, 2.0]), tf.constant(np.ones(17, np.float32))
    with tf.device(OTHER):
        c, d = a * 2.0, tf.reduce_sum(b) + a
    assert [value.tolist() for value in run(cluster, [c, d, a])] == [[2, 4], [18, 19], [1, 2]]
    assert sent(cuts, "ps:0") == ["Const_1"]
    assert run(cluster, c).tolist() == [2, 4]
    assert [short(task) for task in cuts[-1].parts] == ["worker:1"]


def test_feeds_and_fetches_travel_with_the_messages_of_the_step(cluster, cuts):
    with tf.device(PS):
        x = tf.placeholder(tf.float32, [2])
        y = x * 2.0
    assert run(cluster, y, {x: [1, 2]}).tolist() == [2, 4]
    assert cuts[-1].edges == []
    assert "RecvTensor" not in {traffic.method for traffic in cluster.traffic}


def test_a_fed_tensor_goes_to_every_task_that_reads_it(cluster):
    with tf.device(PS):
        x = tf.constant([0.0, 0.0]) + 1.0
        a = x * 2.0
    with tf.device(OTHER):
        b = x * 3.0
    with tf.device(MASTER):
        c = a + b + x
    assert run(cluster, [a, b, c], {x: [1, 2]})[2].tolist() == [6, 12]


def test_a_variable_is_read_after_what_its_reader_waits_for(cluster, cuts):
    with tf.device(PS):
        v = tf.get_variable("v", initializer=1.0, use_resource=False)
        change = tf.assign_add(v, 1.0)
    with tf.device(OTHER):
        with tf.control_dependencies([change]):
            after = tf.add(v._ref(), 10.0)
    assert run(cluster, after) == 12
    assert "v" in sent(cuts, "ps:0")


def test_control_edges_wait_across_tasks(cluster):
    with tf.device(PS):
        v = tf.get_variable("v", initializer=1.0, use_resource=True)
        first = v.assign(5.0, read_value=False)
    with tf.device(OTHER), tf.control_dependencies([first]):
        second = tf.no_op()
    with tf.device(PS), tf.control_dependencies([second]):
        third = v.read_value()
    for _ in range(5):
        assert run(cluster, third) == 5


@pytest.mark.parametrize("kind", ["references", "resources"])
def test_the_placer_keeps_state_with_who_uses_it(cluster, cuts, kind):
    with tf.device(PS):
        v = tf.get_variable("v", initializer=[1.0], use_resource=kind == "resources")
    with tf.device(OTHER):
        changed = tf.assign_add(v, [2.0])
        total = changed + v
    step = tf.train.MomentumOptimizer(0.5, 0.9).minimize(tf.reduce_sum(total * total))
    run(cluster, [total, step])
    check_transfers(cuts[-1])


def test_a_reference_that_would_have_to_leave_its_task_is_an_error(cluster, monkeypatch):
    """Not that the placer would ask for it."""
    with tf.device(PS):
        v = tf.get_variable("v", initializer=[1.0], use_resource=False)
        change = tf.assign_add(v, [1.0])
    assert run(cluster, change).tolist() == [2]
    cut = master_session.GraphParts

    def misplaced(ops, *arguments, **named):
        for op in ops:
            if op.type == "AssignAdd":
                op._device = "/job:worker/replica:0/task:1/device:CPU:0"
        return cut(ops, *arguments, **named)

    monkeypatch.setattr(master_session, "GraphParts", misplaced)
    with pytest.raises(InvalidArgumentError, match=r"which lives on /job:ps.* cannot leave it"):
        run(cluster, change)


def test_only_signals_that_a_body_begins_stay_at_home(cluster, cuts):
    """To wait for a variable that the condition does not read is to wait for what changed it."""

    def body(i, order):
        with tf.device(PS), tf.control_dependencies([i]):
            one = tf.constant(np.ones(20, np.int32))
        with tf.device(PS), tf.control_dependencies([order]):
            two = tf.constant(np.ones(20, np.int32))
        return i + 1, order + tf.reduce_sum(one + two)

    with tf.device(MASTER):
        result = tf.while_loop(lambda i, order: i < 3, body, [tf.constant(0), tf.constant(0)])
    assert list(run(cluster, result)) == [3, 120]
    signals = [name for name in sent(cuts, "worker:0") if name.startswith("^")]
    assert signals == ["^while/Identity_1"]


# Dead values ------------------------------------------------------------------------------------


@pytest.mark.parametrize("taken", [True, False])
def test_dead_values_cross(cluster, taken):
    p = tf.placeholder(tf.bool, [])
    with tf.device(PS):
        value = tf.constant(2.0)
    with tf.device(OTHER):
        when_false, when_true = switch(value, p)
    with tf.device(MASTER):
        merged, _ = merge([when_false + 1.0, when_true + 2.0])
    assert run(cluster, merged, {p: taken}) == (4 if taken else 3)


def test_functions_run_where_they_are_called(cluster):
    """Whatever devices they ask for inside, as in TensorFlow."""

    @Defun(tf.float32)
    def function(x):
        with tf.device(OTHER):
            doubled = x * 2.0
        return doubled + 1.0

    with tf.device(PS):
        a = function(tf.constant([1.0, 2.0]))
    with tf.device(MASTER):
        b = function(a)
    assert [value.tolist() for value in run(cluster, [a, b])] == [[3, 5], [7, 11]]
    assert run(cluster, b).tolist() == [7, 11]
    assert not cluster.methods("worker:0", "worker:1").count("RunGraph")
