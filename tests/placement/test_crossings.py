"""What is said to cross is what the runtime sends: compared with the Recvs of real steps."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tinytf as tf
import tinytf.devices
from tests.effort import examples
from tinytf.placement.explain import Explainer, placement_of
from tinytf.runtime.pruning import prune

UNOPTIMISED = tf.ConfigProto()
UNOPTIMISED.graph_options.optimizer_options.opt_level = -1
UNOPTIMISED.graph_options.rewrite_options.disable_meta_optimizer = True


@pytest.fixture(scope="module", autouse=True)
def gpus():
    tinytf.devices.simulate_gpus(2)
    yield
    tinytf.devices.simulate_gpus(0)


def short(device):
    return device.rpartition("/device:")[2]


def sent(session, fetches, feeds):
    """(name, from, to) of every Recv in the partitioned graphs of a step that really ran."""
    metadata = tf.RunMetadata()
    options = tf.RunOptions(output_partition_graphs=True)
    session.run(fetches, feeds, options=options, run_metadata=metadata)
    return sorted(
        (
            node.attr["tensor_name"].s.decode().split("_", 2)[2],
            short(node.attr["send_device"].s.decode()),
            short(node.attr["recv_device"].s.decode()),
        )
        for graph in metadata.partition_graphs
        for node in graph.node
        if node.op == "_Recv"
    )


def told(session, fetches, feeds):
    """The same, as it is explained."""
    tensors = [fetch for fetch in fetches if isinstance(fetch, tf.Tensor)]
    roots = [getattr(fetch, "op", fetch) for fetch in fetches]
    ops = prune(roots, frozenset(feeds))
    placement, _ = placement_of(session)
    devices = session.list_devices()
    explainer = Explainer(ops, devices, placement, fed=list(feeds), fetched=tensors)
    return sorted(
        (c.name.removesuffix(":0"), short(c.source.device), short(c.target.device))
        for c in explainer.crossings
    )


def test_host_memory_variables_control_edges_and_loops():
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [4, 6], name="x")
        with tf.device("/gpu:0"):
            a = tf.square(x, name="a")
            v = tf.Variable(tf.ones([6, 2]), name="v")
            m = tf.matmul(a, v, name="m")
            r = tf.reshape(m, tf.stack([tf.shape(x)[0] * 2, 1]), name="r")
        with tf.device("/gpu:1"):
            b = tf.reduce_sum(r, name="b")
            c = tf.add(r, a[:1, :1], name="c")
            with tf.control_dependencies([m]):
                d = tf.square(b, name="d")
        with tf.device("/cpu:0"):
            e = tf.add(c, b, name="e")
        _, p = tf.while_loop(
            lambda i, p: tf.less(i, 3), lambda i, p: (i + 1, p * tf.reduce_sum(e)), [0, 1.0]
        )
        feeds = {x: np.ones((4, 6), np.float32)}
        with tf.Session(config=UNOPTIMISED) as session:
            session.run(v.initializer)
            for fetches in ([e, d], [p], [a], [c.op], [x]):
                assert told(session, fetches, feeds) == sent(session, fetches, feeds)
            assert len(told(session, [e, d], feeds)) > 5


_DEVICES = st.sampled_from(["/cpu:0", "/gpu:0", "/gpu:1"])
_STEPS = st.lists(
    st.tuples(_DEVICES, st.integers(0, 99), st.integers(0, 99)), min_size=2, max_size=9
)


@examples(40)
@given(_STEPS, st.integers(0, 99), st.booleans())
def test_random_graphs_cross_as_they_are_told_to(steps, other, waits):
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [2], name="x")
        values = [x]
        for device, first, second in steps:
            pick = [values[number % len(values)] for number in (first, second)]
            with tf.device(device), tf.control_dependencies([pick[1]] if waits else []):
                values.append(tf.square(pick[0]) if waits else tf.add(*pick))
        fetches = [values[-1], values[other % len(values)]]
        feeds = {x: np.ones(2, np.float32)}
        with tf.Session(config=UNOPTIMISED) as session:
            assert told(session, fetches, feeds) == sent(session, fetches, feeds)
