"""FULL_TRACE: what of a step is written down, and that nothing is when it was not asked for."""

import itertools
import threading

import numpy as np
import pytest

import tinytf as tf
from tests.runtime.test_codegen import sources
from tinytf.api import function
from tinytf.runtime import tracing

FULL = {"options": tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)}


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def trace_of(fetches, feeds=None, prepare=None, graph=None):
    metadata = tf.RunMetadata()
    with tf.Session(graph=graph) as session:
        if prepare is not None:
            session.run(prepare)
        session.run(fetches, feeds, run_metadata=metadata, **FULL)
    return metadata.step_stats


def nodes_of(stats):
    return [node for device in stats.dev_stats for node in device.node_stats]


def node(stats, name):
    (found,) = [node for node in nodes_of(stats) if node.node_name == name]
    return found


def outputs(node):
    return [
        (
            output.slot,
            tf.dtypes.as_dtype(output.tensor_description.dtype).name,
            tuple(d.size for d in output.tensor_description.shape.dim),
            output.tensor_description.allocation_description.requested_bytes,
        )
        for output in node.output
    ]


def end_of(node):
    return node.all_start_nanos + node.all_end_rel_nanos


def test_an_untraced_step_runs_code_that_knows_of_no_trace(monkeypatch):
    seen = sources(monkeypatch)
    x = tf.placeholder(tf.float32, [])
    y = tf.while_loop(lambda i: i < 3.0, lambda i: tf.square(i) + 1.0, [tf.tanh(x)])
    with tf.Session() as session:
        session.run(y, {x: 1.0})
        session.run(y, {x: 1.0}, options=tf.RunOptions())
        assert seen
        assert not any("clock" in source or "record" in source for source in seen)
        untraced = len(seen)
        session.run(y, {x: 1.0}, run_metadata=tf.RunMetadata(), **FULL)
    assert all("clock" in source for source in seen[untraced:])


def test_every_output_is_described_though_nobody_reads_it():
    x = tf.placeholder(tf.float64, name="x")
    left, _, _ = tf.split(x, [1, 2, 3], name="parts")
    y = tf.reduce_sum(left, name="y")
    stats = trace_of(y, {x: np.ones(6)})
    assert outputs(node(stats, "parts")) == [
        (0, "float64", (1,), 8),
        (1, "float64", (2,), 16),
        (2, "float64", (3,), 24),
    ]
    assert outputs(node(stats, "y")) == [(0, "float64", (), 8)]


def test_variables_strings_and_operations_without_outputs():
    v = tf.Variable(tf.ones([2, 3]), name="v")
    x = tf.placeholder(tf.int32, [2], name="x")
    text = tf.as_string(x, name="text")
    check = tf.Assert(x[0] > 0, [x], name="check")
    stats = trace_of([text, v.assign_add(tf.ones([2, 3])), check], {x: [1, 22]}, v.initializer)
    assert outputs(node(stats, "v")) == [(0, "float32", (2, 3), 24)]
    assert node(stats, "v").memory_stats.persistent_memory_size == 24
    assert outputs(node(stats, "text")) == [(0, "string", (2,), 3)]
    assert outputs(node(stats, "check/Assert")) == []


def test_new_memory_is_told_from_another_name_for_the_old():
    x = tf.placeholder(tf.float32, [1000], name="x")
    y = tf.tanh(x, name="y")
    same = tf.reshape(y, [10, 100], name="same")
    stats = trace_of(tf.reduce_sum(same), {x: np.zeros(1000)})
    (made,) = node(stats, "y").memory
    assert (made.allocator_name, made.total_bytes, made.live_bytes) == ("cpu", 4000, 4000)
    assert not node(stats, "same").memory
    memory = [
        node(stats, n).output[0].tensor_description.allocation_description for n in ("y", "same")
    ]
    assert memory[0].ptr == memory[1].ptr != 0
    assert [m.allocated_bytes for m in memory] == [4000, 0]


def test_a_node_was_ready_when_the_last_of_its_inputs_had_ended():
    x = tf.placeholder(tf.float32, [], name="x")
    v = tf.Variable(0.0, name="v")
    a, b = tf.tanh(x, name="a"), v.assign(tf.exp(x), name="b")
    with tf.control_dependencies([b]):
        c = tf.sin(a, name="c")
    stats = trace_of(tf.add(c, a, name="d"), {x: 1.0}, v.initializer)
    a, b, c, d = (node(stats, name) for name in "abcd")
    first = min(n.all_start_nanos for n in nodes_of(stats))
    assert a.scheduled_nanos == first
    assert c.scheduled_nanos == max(end_of(a), end_of(b))
    assert d.scheduled_nanos == end_of(c)


def test_iterations_are_told_apart():
    def outer(i, total):
        return i + 1, tf.while_loop(
            lambda j, t: j < 2,
            lambda j, t: (j + 1, tf.add(t, j, name="sum")),
            [0, total],
            name="inner",
        )[1]

    y = tf.while_loop(lambda i, t: i < 2, outer, [0, 0], name="outer")[1]
    stats = trace_of(y)
    sums = [n for n in nodes_of(stats) if n.node_name == "outer/inner/sum"]
    assert [n.timeline_label.rpartition(" ")[2] for n in sums] == ["0.0", "0.1", "1.0", "1.1"]
    conditions = [n for n in nodes_of(stats) if n.node_name == "outer/Less"]
    assert [n.timeline_label.rpartition(" ")[2] for n in conditions] == ["0", "1", "2"]
    # What an iteration needs ended in the one before.
    for before, after in itertools.pairwise(sums):
        assert end_of(before) <= after.scheduled_nanos <= after.all_start_nanos


def test_constants_are_listed_once_and_take_no_time():
    fetched = tf.constant([1.0, 2.0], name="fetched")
    x = tf.placeholder(tf.float32, [])
    y = tf.add(tf.constant(1.0, name="one"), x, name="y")
    stats = trace_of([fetched, y], {x: 1.0})
    for name, size in (("fetched", 8), ("one", 4)):
        constant = node(stats, name)
        assert constant.all_end_rel_nanos == 0
        assert constant.thread_id == 0
        assert constant.memory_stats.persistent_memory_size == size
        assert outputs(constant)[0][3] == size
    assert outputs(node(stats, "fetched")) == [(0, "float32", (2,), 8)]


def test_constants_of_functions_go_by_their_calls():
    @function.Defun(tf.float32)
    def twice(x):
        return tf.multiply(x, tf.constant(2.0, name="two"), name="product")

    x = tf.placeholder(tf.float32, [])
    stats = trace_of(twice(twice(x, name="first"), name="second"), {x: 1.0})
    names = [n.node_name for n in nodes_of(stats)]
    assert sorted(names) == [
        "first",
        "first/product",
        "first/two",
        "second",
        "second/product",
        "second/two",
    ]
    assert node(stats, "second/product").timeline_label == (
        "second/product = Mul(second/x, second/two)"
    )


def test_threads_have_their_names(graph):
    x = tf.placeholder(tf.float32, [])
    y = tf.tanh(x, name="y")
    found = []

    def run():
        found.append((threading.get_native_id(), trace_of(y, {x: 1.0}, graph=graph)))

    thread = threading.Thread(target=run, name="a thread of mine")
    thread.start()
    thread.join()
    ((identifier, stats),) = found
    assert node(stats, "y").thread_id == identifier
    assert dict(stats.dev_stats[0].thread_names) == {identifier: "a thread of mine"}


def test_shards_go_under_the_devices_intra_op_threads(monkeypatch):
    """A kernel that was split: its pieces, each on its thread."""
    x = tf.placeholder(tf.float32, [], name="x")
    y = tf.tanh(x, name="y")
    me = threading.get_native_id()

    def take(since):
        return [(me, since, since + 5), (me + 1, since + 1, since + 9)]

    monkeypatch.setattr(tracing, "take_shards", take)
    stats = trace_of(y, {x: 1.0})
    device, pool = stats.dev_stats
    assert pool.device == f"{device.device}/intra_op"
    labels = [n.timeline_label for n in pool.node_stats]
    assert labels == ["y = Tanh(x) shard 1 of 2", "y = Tanh(x) shard 2 of 2"]
    assert [n.all_end_rel_nanos for n in pool.node_stats] == [5, 8]
    assert dict(pool.thread_names) == {
        me: threading.current_thread().name,
        me + 1: f"intra-op thread {me + 1}",
    }
    # A cost model counts the node once.
    from tinytf.simulation.measured import Measured

    (y_node,) = device.node_stats
    measured = Measured.from_steps([stats])
    assert measured.seconds["y"] == pytest.approx(y_node.op_end_rel_nanos * 1e-9, abs=1e-6)


def test_a_step_that_fails_leaves_nothing_in_the_metadata():
    x = tf.placeholder(tf.float32, [None])
    metadata = tf.RunMetadata()
    with tf.Session() as session, pytest.raises(tf.errors.InvalidArgumentError):
        session.run(tf.check_numerics(x, "bad"), {x: [np.nan]}, run_metadata=metadata, **FULL)
    assert metadata == tf.RunMetadata()


def test_a_deadline_without_a_trace():
    x = tf.placeholder(tf.float32, [])
    options = tf.RunOptions(timeout_in_ms=60_000)
    with tf.Session() as session:
        metadata = tf.RunMetadata()
        assert session.run(tf.tanh(x) + 1.0, {x: 0.0}, options, metadata) == 1.0
    assert metadata == tf.RunMetadata()
