"""Variables on several parameter servers: where state lies, who computes, containers, isolation."""

from functools import partial

import numpy as np
import pytest

import tinytf as tf
from tests.distributed.fake_cluster import FakeCluster
from tinytf.framework.cancellation import CancellationManager
from tinytf.placement import bytes_by_task
from tinytf.protos import master_pb2 as messages
from tinytf.resources.variable import Variable


@pytest.fixture
def cluster():
    with FakeCluster(ps=2, worker=2) as cluster:
        yield cluster


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def servers(**settings):
    return tf.device(tf.train.replica_device_setter(ps_tasks=2, **settings))


def state(cluster):
    """The variables of each task: {"ps:0": {(container, name)}}, tasks without any left out."""
    found = {
        name: {(c, n) for c, _, n, r in task.resources.items() if isinstance(r, Variable)}
        for name, task in cluster.tasks.items()
    }
    return {name: variables for name, variables in found.items() if variables}


def names(cluster):
    return {task: {name for _, name in found} for task, found in state(cluster).items()}


@pytest.mark.parametrize("use_resource", [False, True])
def test_state_lies_where_the_setter_put_it(cluster, use_resource):
    with tf.variable_scope("", use_resource=use_resource), servers():
        for i in range(5):
            tf.get_variable(f"v{i}", initializer=float(i))
    with tf.Session(cluster.target("worker")) as session:
        session.run(tf.global_variables_initializer())
        assert session.run(tf.global_variables()) == [0.0, 1.0, 2.0, 3.0, 4.0]
    assert names(cluster) == {"ps:0": {"v0", "v2", "v4"}, "ps:1": {"v1", "v3"}}


def training(partitioner):
    """(train, loss, table): rows of a table are trained towards 1."""
    table = tf.get_variable(
        "t", [10, 2], initializer=tf.zeros_initializer(), partitioner=partitioner
    )
    rows = tf.nn.embedding_lookup(table, [0, 3, 7, 9, 3], "div" if partitioner else "mod")
    loss = tf.reduce_sum(tf.square(rows - 1.0))
    return tf.train.AdagradOptimizer(0.5).minimize(loss), loss, tf.identity(table)


def test_a_table_in_parts_trains_as_a_whole_one(cluster):
    with servers():
        train, loss, table = training(tf.fixed_size_partitioner(2))
    initialise = tf.global_variables_initializer()
    with tf.Session(cluster.target("worker")) as session:
        session.run(initialise)
        losses = [session.run([loss, train])[0] for _ in range(5)]
        trained = session.run(table)
    assert names(cluster) == {
        "ps:0": {"t/part_0", "t/part_0/Adagrad"},
        "ps:1": {"t/part_1", "t/part_1/Adagrad"},
    }
    assert {row.task: row.bytes for row in bytes_by_task()} == {
        "/job:ps/task:0": 80,
        "/job:ps/task:1": 80,
    }
    with tf.Graph().as_default(), tf.Session() as session:
        train, loss, table = training(None)
        session.run(tf.global_variables_initializer())
        assert losses == [session.run([loss, train])[0] for _ in range(5)]
        np.testing.assert_allclose(trained, session.run(table), rtol=1e-6)


def test_the_greedy_strategy_balances_what_really_lies_there(cluster):
    bytes_of = tf.contrib.training.byte_size_load_fn
    with servers(ps_strategy=tf.contrib.training.GreedyLoadBalancingStrategy(2, bytes_of)):
        for i in range(3):
            tf.get_variable(f"w{i}", [20, 20], initializer=tf.ones_initializer())
            tf.get_variable(f"b{i}", [20], initializer=tf.ones_initializer())
    with tf.Session(cluster.target("worker")) as session:
        session.run(tf.global_variables_initializer())
    there = {
        f"/job:ps/task:{number}": sum(
            resource.read().nbytes
            for *_, resource in cluster.tasks[f"ps:{number}"].resources.items()
            if isinstance(resource, Variable)
        )
        for number in range(2)
    }
    assert {row.task: row.bytes for row in bytes_by_task()} == there
    assert max(there.values()) == 3280  # two of the three matrices, not all, as in turn


def test_workers_share_what_servers_keep(cluster):
    with servers():
        count = tf.get_variable("count", initializer=0)
        more = tf.assign_add(count, 1)
    with tf.Session(cluster.target("worker", 0)) as first:
        first.run(count.initializer)
        first.run(more)
        with tf.Session(cluster.target("worker", 1)) as second:
            assert second.run(more) == 2
        assert first.run(count) == 2


def in_container(name, start):
    """(graph, its variables, what adds 1 to each): the same names in every container."""
    with tf.Graph().as_default() as graph, servers(), tf.container(name):
        variables = [tf.get_variable(v, initializer=start) for v in ("x", "y")]
        more = tf.group(*[tf.assign_add(v, 1.0) for v in variables])
        tf.global_variables_initializer()
    return graph, variables, more


def test_containers_keep_programs_apart_on_all_tasks(cluster):
    programs = {name: in_container(name, start) for name, start in (("a", 1.0), ("", 5.0))}
    target = cluster.target("worker")
    for graph, _, more in programs.values():
        with tf.Session(target, graph=graph) as session:
            session.run("init")
            session.run(more)
    assert state(cluster) == {"ps:0": {("a", "x"), ("ps", "x")}, "ps:1": {("a", "y"), ("ps", "y")}}
    # A server forgets a container on all tasks; that it is another's makes no difference.
    cluster.tasks["ps:1"].master.reset(
        messages.ResetRequest(container=["a"]), CancellationManager()
    )
    assert state(cluster) == {"ps:0": {("ps", "x")}, "ps:1": {("ps", "y")}}
    graph, variables, _ = programs["a"]
    with tf.Session(cluster.target("worker", 1), graph=graph) as session:
        for variable in variables:
            with pytest.raises(tf.errors.FailedPreconditionError, match="uninitialized value"):
                session.run(variable)
    graph, variables, _ = programs[""]
    with tf.Session(cluster.target("worker", 1), graph=graph) as session:
        assert session.run(variables) == [6.0, 6.0]


def test_an_isolated_session_has_state_of_its_own_on_all_tasks(cluster):
    graph, variables, more = in_container("", 1.0)
    alone = tf.ConfigProto(isolate_session_state=True)
    target = cluster.target("worker")
    with tf.Session(target, graph=graph) as shared:
        shared.run("init")
        with tf.Session(target, graph=graph, config=alone) as session:
            with pytest.raises(tf.errors.FailedPreconditionError, match="uninitialized value"):
                session.run(variables)
            session.run("init")
            for _ in range(3):
                session.run(more)
            assert session.run(variables) == [4.0, 4.0]
        assert shared.run(variables) == [1.0, 1.0]


def test_filters_leave_the_other_tasks_alone(cluster):
    graph, variables, _ = in_container("", 2.0)
    config = tf.ConfigProto(device_filters=["/job:ps", "/job:worker/task:0"])
    cluster.kill("worker:1")
    with tf.Session(cluster.target("worker"), graph=graph, config=config) as session:
        session.run("init")
        assert session.run(variables) == [2.0, 2.0]
        tasks = [device.name.partition("/device")[0] for device in session.list_devices()]
    assert sorted(tasks) == [
        "/job:ps/replica:0/task:0",
        "/job:ps/replica:0/task:1",
        "/job:worker/replica:0/task:0",
    ]


def test_one_step_reads_a_part_from_each_server_once(cluster):
    with servers():
        table = tf.get_variable("t", [4, 2], partitioner=tf.fixed_size_partitioner(2))
        ids = tf.placeholder(tf.int32, [None])
        rows = tf.nn.embedding_lookup(table, ids)
    with tf.Session(cluster.target("worker")) as session:
        session.run(tf.global_variables_initializer())
        whole = session.run(tf.identity(table))
        session.run(rows, {ids: [0]})
        before = len(cluster.traffic)
        order = [3, 0, 0, 2, 1]
        # "mod": even rows are in the first part, in its order; odd ones in the second.
        part, row = np.array(order) % 2, np.array(order) // 2
        np.testing.assert_array_equal(session.run(rows, {ids: order}), whole[2 * part + row])
    calls = [(t.caller, t.callee, t.method) for t in cluster.traffic[before:]]
    for server in ("ps:0", "ps:1"):
        assert calls.count(("worker:0", server, "RunGraph")) == 1
        assert calls.count(("worker:0", server, "RecvTensor")) == 1


@pytest.mark.parametrize(
    ("use_resource", "kind", "words"),
    [
        (False, tf.errors.InternalError, "does not match declared output type int32_ref"),
        (True, tf.errors.InvalidArgumentError, "Trying to read variable with wrong dtype"),
    ],
)
def test_a_name_that_means_another_type_is_refused_and_changes_nothing(
    cluster, use_resource, kind, words
):
    def seen(value, *tasks):
        with tf.Graph().as_default(), servers(), tf.variable_scope("", use_resource=use_resource):
            v = tf.get_variable("v", initializer=value)
            for fetch in tasks or (v, v.initializer, tf.assign_add(v, value)):
                with tf.Session(cluster.target("worker")) as session:
                    yield partial(session.run, fetch if fetch != "v" else v)

    for run in seen([1.0, 2.0], "v/Assign"):
        run()
    for run in seen([1, 2]):
        with pytest.raises(kind, match=words):
            run()
    for run in seen([3.0, 4.0], "v"):
        assert run().tolist() == [1.0, 2.0]
