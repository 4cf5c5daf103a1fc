"""Random programs scattered over the tasks of a cluster give what they give on one task.

Conditionals, loops, functions, control edges and variables; see tests/runtime/random_programs.py.
Every operation is on a task by chance, but for those that have to be where a variable is.
"""

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tinytf as tf
from tests.distributed.fake_cluster import FakeCluster
from tests.effort import examples
from tests.runtime.random_programs import StateBuilder
from tests.runtime.test_random_graphs import Builder, arithmetic  # noqa: F401 (a fixture)
from tinytf.framework import dtypes
from tinytf.resources.manager import ResourceManager
from tinytf.testing.evaluator import evaluate

pytestmark = [pytest.mark.usefixtures("arithmetic"), pytest.mark.timeout(120)]
DEVICES = [
    f"/job:{task}/cpu:{number}"
    for task in ("ps/task:0", "worker/task:0", "worker/task:1")
    for number in (0, 1)
]
_STATE = (dtypes.resource, dtypes.variant)


@pytest.fixture(scope="module")
def cluster(arithmetic):  # noqa: F811
    with FakeCluster(ps=1, worker=2, cpus=2) as cluster:
        yield cluster


def scatter(graph, seed):
    """Ask for a device of the cluster for each operation, by its name.

    What takes a variable or belongs to another operation is left to the placer, which puts it where
    that is. A call may take both variables, so they are then on one device.
    """
    together = bool(graph._functions)
    for op in graph.get_operations():
        is_led = op.colocation_groups() != [f"loc:@{op.name}".encode()]
        takes_state = any(t.dtype.is_ref or t.dtype in _STATE for t in op.inputs)
        if not is_led and not takes_state:
            name = "variables" if together and op.type == "VarHandleOp" else op.name
            op._set_device(random.Random(f"{seed} {name}").choice(DEVICES))


def check(cluster, builder, integer, depth=2):
    """Build a random program; its values on the cluster are those of the oracle."""
    with tf.Graph().as_default() as graph:
        x, y = tf.placeholder(tf.int32, []), tf.placeholder(tf.int32, [])
        fetches = builder(integer)(x, y, depth)
        feeds = {x: np.int32(integer(-5, 5)), y: np.int32(3)}
        expected = [int(v) for v in evaluate(fetches, feeds, resources=ResourceManager())]
        scatter(graph, integer(0, 1000))
        config = tf.ConfigProto(operation_timeout_in_ms=30_000)
        with tf.Session(cluster.target("worker", 0), config=config) as session:
            for _ in range(3):  # the second one finds all compiled
                assert [int(v) for v in session.run(fetches, feeds)] == expected
    return fetches


def without_state(integer):
    return lambda x, y, depth: Builder(integer).block([x, y], depth=depth, size=8)[-4:]


def with_state(integer):
    return lambda x, y, depth: StateBuilder(integer).program([x, y], depth, 6)


@settings(max_examples=8)
@given(data=st.data())
def test_values(cluster, data):
    check(cluster, without_state, lambda low, high: data.draw(st.integers(low, high)))


@settings(max_examples=8)
@given(data=st.data())
def test_values_with_variables(cluster, data):
    check(cluster, with_state, lambda low, high: data.draw(st.integers(low, high)))


@pytest.mark.slow
@pytest.mark.timeout(400)
@examples(30)
@given(data=st.data())
def test_values_of_many(cluster, data):
    kind = data.draw(st.sampled_from([without_state, with_state]))
    check(cluster, kind, lambda low, high: data.draw(st.integers(low, high)), depth=3)
