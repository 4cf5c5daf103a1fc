"""`tinytf serve`: where its cluster comes from, its mistakes, its end."""

import json
import signal
import subprocess
import sys

import pytest

import tinytf as tf
from tests.oracle.environment import ROOT
from tests.waiting import LONG
from tinytf.cli import main, serve

CLUSTER = {"ps": ["localhost:2221"], "worker": ["localhost:2222", "localhost:2223"]}


@pytest.fixture(autouse=True)
def no_tf_config(monkeypatch):
    monkeypatch.delenv("TF_CONFIG", raising=False)


def task_of(*, cluster=(), file=None, job=None, task=None):
    return serve._which_task(cluster, file, job, task)


def test_a_task_of_its_own():
    assert task_of() == ({"localhost": ["localhost:0"]}, None, None)


def test_the_command_line():
    options = ["ps=localhost:2221", "worker=localhost:2222,localhost:2223"]
    assert task_of(cluster=options, job="worker", task=1) == (CLUSTER, "worker", 1)


@pytest.mark.parametrize("whole", [False, True])
def test_a_file(tmp_path, whole):
    file = tmp_path / "cluster.json"
    file.write_text(json.dumps({"cluster": CLUSTER} if whole else CLUSTER))
    assert task_of(file=str(file), job="ps") == (CLUSTER, "ps", None)


def test_a_file_with_some_tasks_left_out(tmp_path):
    file = tmp_path / "cluster.json"
    file.write_text(json.dumps({"ps": ["localhost:2221"], "worker": {"1": "localhost:2223"}}))
    jobs, *_ = task_of(file=str(file))
    assert jobs == {"ps": ["localhost:2221"], "worker": {1: "localhost:2223"}}


@pytest.mark.parametrize("index", [1, "1"])
def test_tf_config(monkeypatch, index):
    config = {
        "cluster": CLUSTER,
        "task": {"type": "worker", "index": index},
        "environment": "cloud",
    }
    monkeypatch.setenv("TF_CONFIG", json.dumps(config))
    assert task_of() == (CLUSTER, "worker", 1)
    assert task_of(job="ps", task=0) == (CLUSTER, "ps", 0)  # options go before
    assert task_of(task=0) == (CLUSTER, "worker", 0)
    assert task_of(cluster=["a=localhost:1"]) == ({"a": ["localhost:1"]}, None, None)


def test_tf_config_with_a_lone_chief(monkeypatch):
    config = {"cluster": {"chief": "localhost:0"}, "task": {"type": "chief", "index": 0}}
    monkeypatch.setenv("TF_CONFIG", json.dumps(config))
    assert task_of() == ({"chief": ["localhost:0"]}, "chief", 0)


@pytest.mark.parametrize(
    ("config", "words"),
    [
        ("{", "TF_CONFIG is no JSON: "),
        ("[]", 'TF_CONFIG must have a "cluster"'),
        ({"task": {}}, "To serve without it, unset TF_CONFIG"),
        ({"cluster": {}}, "TF_CONFIG's cluster names no jobs"),
        ({"cluster": {"ps": 1}}, "the tasks of job 'ps' must be a list of addresses"),
        ({"cluster": {"ps": {"first": "a:1"}}}, "from index to address"),
        ({"cluster": CLUSTER, "task": "ps"}, '"task" must be'),
        (
            {"cluster": CLUSTER, "task": {"type": "evaluator", "index": 0}},
            "the task is of type 'evaluator', which is no job of its cluster: 'ps', 'worker'",
        ),
        ({"cluster": CLUSTER, "task": {"type": "ps", "index": "x"}}, "must be a number, got 'x'"),
        ({"cluster": CLUSTER, "task": {"type": "ps", "index": 1}}, "was not defined in job"),
        ({"cluster": CLUSTER}, "Must specify an explicit `job_name`.* Here: --job"),
        ({"cluster": CLUSTER, "task": {"type": "worker"}}, "explicit `task_index`.* Here: --task"),
    ],
)
def test_mistakes_in_tf_config(monkeypatch, capsys, config, words):
    monkeypatch.setenv("TF_CONFIG", config if isinstance(config, str) else json.dumps(config))
    assert main(["serve"]) == 2
    said = capsys.readouterr().err
    assert said.startswith("tinytf serve: ")
    with pytest.raises(AssertionError, match=words):
        raise AssertionError(said)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (None, "Could not read --cluster-file"),
        (b"\xff", "Could not read --cluster-file"),
        (b"ps=localhost:2221", "is no JSON"),
        (b"{}", "names no jobs"),
        (b'{"ps": [2221]}', "the tasks of job 'ps' must be a list of addresses"),
    ],
)
def test_mistakes_in_a_file(tmp_path, capsys, text, words):
    file = tmp_path / "cluster.json"
    if text is not None:
        file.write_bytes(text)
    assert main(["serve", "--cluster-file", str(file)]) == 2
    said = capsys.readouterr().err
    assert words in said
    assert str(file) in said


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--cluster", "worker"], "Could not understand 'worker' in --cluster"),
        (["--cluster", "a=localhost:1", "--cluster-file", "x"], "not both"),
        (["--cluster", "a=localhost:1", "a=localhost:2"], "Job 'a' is twice"),
        (["--cluster", "worker=localhost:0,localhost:0"], "explicit `task_index`"),
        (["--cluster", "worker=localhost:0", "--job", "ps"], "No such job in cluster: 'ps'"),
        (["--cluster", "worker=here"], "Could not parse port"),
        (["--cluster", "worker=0.0.0.0:0"], "allow_remote_clients"),
    ],
)
def test_mistakes_on_the_command_line(arguments, words, capsys):
    assert main(["serve", *arguments]) == 2
    assert words in capsys.readouterr().err


@pytest.mark.parametrize(
    "number", [pytest.param(signal.SIGINT, marks=pytest.mark.slow), signal.SIGTERM]
)
def test_serving_by_hand(number, tmp_path):
    file = tmp_path / "cluster.json"
    file.write_text(json.dumps({"worker": ["localhost:0"]}))
    with subprocess.Popen(
        [sys.executable, "-m", "tinytf", "serve", "--cluster-file", str(file)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        cwd=ROOT,
    ) as process:
        line = process.stdout.readline()
        assert line.startswith("Serving /job:worker/replica:0/task:0 at grpc://localhost:")
        target = line.split()[3]  # to be copied as it stands
        with tf.Graph().as_default(), tf.Session(target) as session:
            assert session.run(tf.constant(5)) == 5
        process.send_signal(number)
        assert process.wait(LONG) == 0
        assert process.stdout.read() == ""  # no traceback
