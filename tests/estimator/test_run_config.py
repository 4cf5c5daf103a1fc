"""RunConfig, and what it finds in TF_CONFIG."""

import json

import pytest

import tinytf as tf

RunConfig = tf.estimator.RunConfig
CLUSTER = {"chief": ["h0:1"], "worker": ["h1:1", "h2:1"], "ps": ["h3:1", "h4:1"]}
MASTER = {"master": ["h0:1"], "worker": ["h1:1"], "ps": ["h2:1"]}


@pytest.fixture
def configured(monkeypatch):
    def configured(cluster=None, kind=None, index=None, **more):
        task = {"type": kind, "index": index}
        settings = {"cluster": cluster, "task": {k: v for k, v in task.items() if v is not None}}
        monkeypatch.setenv("TF_CONFIG", json.dumps({k: v for k, v in settings.items() if v} | more))
        return RunConfig()

    return configured


#: cluster, task -> master, is_chief, parameter servers, workers, number in the cluster, filters
PLACES = [
    (CLUSTER, "chief", 0, "grpc://h0:1", True, 2, 3, 0, ["/job:ps", "/job:chief"]),
    (CLUSTER, "worker", 1, "grpc://h2:1", False, 2, 3, 2, ["/job:ps", "/job:worker/task:1"]),
    (CLUSTER, "ps", 1, "grpc://h4:1", False, 2, 3, 4, None),
    (CLUSTER, "evaluator", 0, "", False, 0, 0, None, None),
    (MASTER, "master", 0, "grpc://h0:1", True, 1, 2, 0, ["/job:ps", "/job:master"]),
    ({"chief": ["h0:1"]}, "chief", 0, "", True, 0, 1, 0, ["/job:ps", "/job:chief"]),
    (None, None, None, "", True, 0, 1, 0, None),
]


@pytest.mark.parametrize("place", PLACES, ids=lambda place: str(place[1]))
def test_places(configured, place):
    cluster, kind, index, master, is_chief, servers, workers, number, filters = place
    config = configured(cluster, kind, index)
    assert (config.task_type, config.task_id) == (kind or "worker", index or 0)
    assert (config.master, config.is_chief, config.evaluation_master) == (master, is_chief, "")
    assert (config.num_ps_replicas, config.num_worker_replicas) == (servers, workers)
    assert config.global_id_in_cluster == number
    assert bool(config.cluster_spec) == bool(cluster and kind != "evaluator")
    if filters:
        assert list(config.session_config.device_filters) == filters


@pytest.mark.parametrize(
    ("cluster", "kind", "index", "message"),
    [
        (
            {"worker": ["h1:1"]},
            "worker",
            0,
            'If "cluster" is set in TF_CONFIG, it must have one "c',
        ),
        ({"chief": ["a:1", "b:1"]}, "chief", 0, 'The "cluster" in TF_CONFIG must have only one'),
        (CLUSTER, None, 0, 'If "cluster" is set in TF_CONFIG, task type must be set.'),
        (CLUSTER, "ps", None, 'If "cluster" is set in TF_CONFIG, task index must be set.'),
        (CLUSTER, "ps", -1, "Task index must be non-negative number."),
        (CLUSTER, "ps", 2, "2 is not a valid task_id for task_type ps in the cluster_spec"),
        (CLUSTER, "sp", 0, "sp is not a valid task_type in the cluster_spec"),
        (MASTER, "evaluator", 0, "If `master` node exists in `cluster`, task_type `evaluator`"),
        (CLUSTER | MASTER, "ps", 0, "If `master` node exists in `cluster`, job `chief` is not"),
        (None, "ps", 0, 'If "cluster" is not set in TF_CONFIG, task type must be WORKER.'),
        (None, "worker", 1, 'If "cluster" is not set in TF_CONFIG, task index must be 0.'),
    ],
)
def test_mistakes_in_tf_config(configured, cluster, kind, index, message):
    with pytest.raises(ValueError) as error:
        configured(cluster, kind, index)
    assert str(error.value).startswith(message)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"model_dir": ""}, "model_dir should be non-empty"),
        ({"save_checkpoints_steps": 1, "save_checkpoints_secs": 1}, "`save_checkpoints_steps` and"),
        ({"save_summary_steps": -1}, "save_summary_steps should be >= 0"),
        ({"log_step_count_steps": 0}, "log_step_count_steps should be > 0"),
        ({"tf_random_seed": 1.0}, "tf_random_seed must be integer"),
        (
            {"device_fn": lambda node: ""},
            'device_fn must be callable with exactly one argument "op"',
        ),
        ({"session_config": 1}, "session_config must be instance of ConfigProto"),
        ({"protocol": "http"}, "protocol should be grpc or grpc+verbs"),
    ],
)
def test_values_that_cannot_be(fields, message):
    with pytest.raises(ValueError) as error:
        RunConfig(**fields)
    assert str(error.value).startswith(message)


def test_copies_with_other_values():
    config = RunConfig(save_checkpoints_secs=5, tf_random_seed=1)
    other = config.replace(save_checkpoints_steps=7, model_dir="here")
    assert (other.save_checkpoints_steps, other.save_checkpoints_secs) == (7, None)
    assert (config.save_checkpoints_steps, config.save_checkpoints_secs) == (None, 5)
    assert (other.tf_random_seed, other.model_dir, config.model_dir) == (1, "here", None)
    with pytest.raises(ValueError, match=r"^Replacing master is not supported\. Allowed"):
        config.replace(master="grpc://h:1")
    with pytest.raises(AttributeError, match=r"config = config.replace\(model_dir='x'\)"):
        config.model_dir = "x"
    with pytest.raises(NotImplementedError, match="no distribution strategies here"):
        RunConfig(train_distribute=object())
    with pytest.raises(
        ValueError, match=r"^`model_dir` are set both in constructor and `RunConfig`"
    ):
        tf.estimator.Estimator(lambda features: None, "there", other)


def test_the_folder_may_be_in_tf_config(configured):
    assert configured(model_dir="there").model_dir == "there"
    assert RunConfig("there").model_dir == "there"
    with pytest.raises(ValueError, match=r"^`model_dir` provided in RunConfig construct, if set"):
        RunConfig("here")
