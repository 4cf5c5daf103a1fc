"""Cluster specs, as TensorFlow's behave."""

import pytest

import tinytf as tf
from tinytf.distributed.cluster.addresses import address_of, parse_address
from tinytf.distributed.cluster.cluster_spec import ClusterSpec

SPEC = ClusterSpec({"worker": ["a:1", "b:2"], "ps": {3: "c:4"}})


def test_contents():
    assert SPEC.as_dict() == {"worker": ["a:1", "b:2"], "ps": {3: "c:4"}}
    assert SPEC.jobs == ["worker", "ps"]
    assert SPEC.num_tasks("worker") == 2
    assert SPEC.task_indices("ps") == [3]
    assert SPEC.task_address("ps", 3) == "c:4"
    assert SPEC.job_tasks("ps") == [None, None, None, "c:4"]
    assert repr(SPEC) == "ClusterSpec({'ps': {3: 'c:4'}, 'worker': ['a:1', 'b:2']})"


def test_a_dense_dictionary_is_a_list():
    assert ClusterSpec({"worker": {1: "b:1", 0: "a:1"}}).as_dict() == {"worker": ["a:1", "b:1"]}


def test_round_trips_and_equality():
    definition = SPEC.as_cluster_def()
    assert [job.name for job in definition.job] == ["ps", "worker"]
    assert ClusterSpec(definition) == SPEC == ClusterSpec(SPEC) == SPEC.as_dict()
    assert SPEC != ClusterSpec({"worker": ["a:1"]})
    assert SPEC != {"worker": 1}
    assert SPEC != 3
    assert SPEC
    assert not ClusterSpec({})
    with pytest.raises(TypeError, match="unhashable"):
        hash(SPEC)


@pytest.mark.parametrize(
    ("cluster", "error", "words"),
    [
        (3, TypeError, "must be a dictionary mapping one or more job names to lists of network"),
        (None, TypeError, "must be a dictionary"),
        (["x:1"], TypeError, "must be a dictionary"),
        ({"a": 3}, TypeError, "The tasks for job 'a' must be a list or a dictionary"),
        ({"a": "x:1"}, TypeError, "The tasks for job 'a' must be a list or a dictionary"),
        ({"a": [3]}, TypeError, "Task address 3 must be bytes or unicode"),
        ({3: ["x"]}, TypeError, "Job name 3 must be bytes or unicode"),
        ({"a": {"x": "y"}}, ValueError, "invalid literal for int"),
    ],
)
def test_what_is_no_cluster(cluster, error, words):
    with pytest.raises(error, match=words):
        ClusterSpec(cluster)


@pytest.mark.parametrize(
    "ask",
    [
        lambda: SPEC.num_tasks("x"),
        lambda: SPEC.task_indices("x"),
        lambda: SPEC.task_address("x", 0),
        lambda: SPEC.job_tasks("x"),
    ],
)
def test_unknown_jobs(ask):
    with pytest.raises(ValueError, match=r"No such job in cluster: 'x'\. Its jobs: 'worker', 'ps'"):
        ask()


def test_unknown_tasks():
    with pytest.raises(ValueError, match="No task with index 0 in job 'ps'"):
        SPEC.task_address("ps", 0)


def test_addresses():
    assert parse_address("localhost:2222") == ("localhost", 2222)
    assert parse_address("[::1]:0") == ("[::1]", 0)
    assert address_of("grpc://a.b:1") == "a.b:1"
    for text in ("localhost", "", ":1", "a:", "a:x", "a:-1", "a:99999", "a:²"):
        with pytest.raises(tf.errors.InvalidArgumentError, match="as a host-port pair"):
            parse_address(text)


def test_targets():
    spec = tf.train.ClusterSpec({"worker": ["a:1", "b:2"]})
    assert spec.target("worker") == "grpc://a:1"
    assert spec.target("worker", 1) == spec.target("worker:1") == "grpc://b:2"
    with pytest.raises(ValueError, match="No task with index 2"):
        spec.target("worker:2")
