"""The table of bytes by task."""

import pytest

import tinytf as tf
from tinytf.placement import bytes_by_task

KB = [256]  # a float32 vector of 1,024 bytes


def servers(tasks=2, **settings):
    return tf.device(tf.train.replica_device_setter(tasks, **settings))


@pytest.mark.parametrize("use_resource", [False, True])
def test_bytes_by_task_of_a_graph_alone(use_resource):
    with tf.Graph().as_default() as graph:
        with tf.variable_scope("", use_resource=use_resource), servers(3):
            for name, shape in [("a", [2, 3]), ("b", []), ("c", [5]), ("d", [1, 2])]:
                tf.get_variable(name, shape)
            tf.get_variable("e", [7], tf.bool)
    table = bytes_by_task(graph)
    assert [(row.task, [v.name for v in row.variables], row.bytes) for row in table] == [
        ("/job:ps/task:0", ["a", "d"], 32),
        ("/job:ps/task:1", ["b", "e"], 11),
        ("/job:ps/task:2", ["c"], 20),
    ]
    assert table.total == 63
    assert table["/job:ps/task:0"].share == pytest.approx(32 / 63)
    assert sum(row.share for row in table) == pytest.approx(1)


def test_variables_without_a_task_and_of_unknown_size_are_shown():
    with tf.Graph().as_default() as graph:
        tf.Variable(1.0)
        with tf.device("/gpu:1"):
            tf.Variable([1.0, 2.0])
        with tf.device("/job:ps"):
            tf.Variable(1.0)
        with tf.device("/job:ps/task:0/cpu:0"):
            tf.Variable(tf.placeholder(tf.float32), validate_shape=False)
    table = bytes_by_task(graph)
    assert str(table).splitlines() == [
        "task               variables  bytes  share  of unknown size  devices",
        "/job:ps                    1      4    25%                0",
        "/job:ps/task:0             1      0     0%                1  CPU:0",
        "no task asked for          2     12    75%                0  GPU:1",
        "4 variables, 16 bytes, by the task that they ask for.",
    ]
    assert (table[""].bytes, table["/job:ps/task:0"].unknown) == (12, 1)


def test_jobs_and_tasks_are_in_order():
    with tf.Graph().as_default() as graph:
        for task in (10, 2, 1):
            with tf.device(f"/job:ps/task:{task}"):
                tf.Variable(1.0)
        with tf.device("/job:chief/replica:0/task:0"):
            tf.Variable(1.0)
    assert [row.task for row in bytes_by_task(graph)] == [
        "/job:chief/replica:0/task:0",
        "/job:ps/task:1",
        "/job:ps/task:2",
        "/job:ps/task:10",
    ]


def test_slots_count_where_their_variables_are():
    with tf.Graph().as_default() as graph:
        with servers():
            v, w = tf.get_variable("v", KB), tf.get_variable("w", KB)
            loss = tf.reduce_sum(v) + tf.reduce_sum(w)
            tf.train.MomentumOptimizer(0.1, 0.9).minimize(loss)
    first, second = bytes_by_task(graph)
    assert [v.name for v in first.variables] == ["v", "v/Momentum"]
    assert first.bytes == second.bytes == 2048
    assert {variable.leader for variable in second.variables} == {"w"}


def test_what_follows_another_variable_without_a_device_of_its_own():
    with tf.Graph().as_default() as graph:
        with tf.device("/job:ps/task:1"):
            v = tf.Variable(1.0, name="v")
    definition = graph.as_graph_def()
    follower = definition.node.add()
    follower.CopyFrom(v.op.node_def)
    follower.name, follower.device = "follower", ""
    follower.attr["_class"].list.s.append(b"loc:@v")
    with tf.Graph().as_default() as imported:
        tf.import_graph_def(definition, name="")
    (row,) = bytes_by_task(imported)
    assert [v.name for v in row.variables] == ["v", "follower"]


def test_what_is_even_gets_no_advice():
    with tf.Graph().as_default() as graph, servers():
        for i in range(6):
            tf.get_variable(f"v{i}", KB)
    assert bytes_by_task(graph).advice == ""


def layers(**settings):
    """Weights and biases in turn: with two servers, one gets all the weights."""
    with tf.Graph().as_default() as graph, servers(**settings):
        for i in range(4):
            tf.get_variable(f"w{i}", [64, 64])
            tf.get_variable(f"b{i}", [64])
        loss = tf.add_n([tf.reduce_sum(v) for v in tf.trainable_variables()])
        tf.train.MomentumOptimizer(0.1, 0.9).minimize(loss)
    return bytes_by_task(graph)


def test_the_strategy_that_is_advised_keeps_its_promise():
    uneven = layers()
    assert uneven.advice.startswith("Job 'ps' has 131,072 bytes on one task; ps_strategy=")
    bytes_of = tf.contrib.training.byte_size_load_fn
    greedy = tf.contrib.training.GreedyLoadBalancingStrategy(2, bytes_of)
    even = layers(ps_strategy=greedy)
    assert uneven.advice.endswith(f"makes that {max(row.bytes for row in even):,}.")
    assert max(row.bytes for row in even) < 70_000
    assert even.advice == ""


def test_a_variable_that_is_most_of_it_is_better_cut():
    def build(**settings):
        with tf.Graph().as_default() as graph, servers():
            tf.get_variable("table", [1000, 8], **settings)
            tf.get_variable("b", [8])
        return bytes_by_task(graph)

    whole = build()
    assert whole.advice == (
        "'table' alone is 32,000 bytes of job 'ps': partitioner=tf.fixed_size_partitioner(2) "
        "cuts it."
    )
    parts = build(partitioner=tf.fixed_size_partitioner(2))
    assert [row.bytes for row in parts] == [16032, 16000]
    assert parts.advice == ""


def test_a_job_whose_tasks_are_not_all_given_gets_no_advice():
    with tf.Graph().as_default() as graph:
        with tf.device("/job:ps"):
            tf.get_variable("w", [100, 100])
        with tf.device("/job:ps/task:1"):
            tf.get_variable("b", [1])
    assert bytes_by_task(graph).advice == ""


def test_a_graph_without_variables():
    table = bytes_by_task(tf.Graph())
    assert (repr(table), len(table), table.total) == ("The graph has no variables.", 0, 0)
    assert table._repr_html_() == "<p>The graph has no variables.</p>"


def test_a_notebook_shows_a_table():
    shown = layers()._repr_html_()
    assert '<th scope="row">/job:ps/task:0</th><td>8</td><td>131,072</td><td>98%</td>' in shown
    assert "<caption>16 variables, 133,120 bytes, by the task that they ask for.</cap" in shown
    assert "GreedyLoadBalancingStrategy" in shown


def test_an_unknown_task_names_the_known_ones():
    with tf.Graph().as_default() as graph, servers(1):
        tf.Variable(1.0)
    with pytest.raises(KeyError, match="Those asked for: '/job:ps/task:0'"):
        bytes_by_task(graph)["/job:ps/task:1"]
