"""What `%cluster tasks|vars|queues|containers` shows of what the tasks say."""

import pytest

import tinytf as tf
from tinytf.distributed import inspection
from tinytf.jupyter import cluster_tables
from tinytf.jupyter.cluster_tables import COLUMNS, ClusterTable, TaskTable

WEIGHTS = {
    "name": "weights",
    "shape": [784, 300],
    "dtype": "float32",
    "bytes": 940800,
    "container": "",
    "initialized": True,
}
BIAS = {
    "name": "b<0>",
    "shape": [None],
    "dtype": "float32",
    "bytes": 0,
    "container": "mine",
    "initialized": False,
}


def test_text():
    table = ClusterTable("variables", [TaskTable("ps:0", [WEIGHTS, BIAS]), TaskTable("ps:1", [])])
    assert repr(table).splitlines() == [
        "ps:0  2 variables, 940,800 bytes",
        "  name     shape       dtype      bytes  container  initialised",
        "  weights  [784, 300]  float32  940,800  (default)  yes",
        "  b<0>     [?]         float32        0  mine       no",
        "ps:1  no variables",
    ]


def test_threads_and_transports_of_tasks(monkeypatch):
    ways = {"/job:ps/replica:0/task:0": "unix", "/job:worker/replica:0/task:10": "grpc"}
    said = {
        "localhost:1": {"threads": {"kernel": 1, "blas": None}, "transports": {}, "steps": 1},
        "localhost:2": {"threads": {"kernel": 2, "blas": 1}, "transports": ways, "steps": 0},
    }
    monkeypatch.setattr(inspection, "look", lambda address, *_: {"tasks": [said[address]]})
    table = cluster_tables.look("tasks", {"ps:0": "localhost:1", "worker:0": "localhost:2"})
    assert repr(table).splitlines() == [
        "ps:0  1 step running",
        "  kernel threads  BLAS threads  calls",
        "  1               ?             no other task yet",
        "worker:0  0 steps running",
        "  kernel threads  BLAS threads  calls",
        "  2               1             ps:0 by unix, worker:10 by grpc",
    ]
    assert 'left">ps:0 by unix, worker:10 by grpc</td>' in table._repr_html_()


def test_html():
    table = ClusterTable(
        "variables", [TaskTable("ps:0", [BIAS]), TaskTable("ps:1", [], "does not answer: <nobody>")]
    )
    page = table._repr_html_()
    assert "<b>ps:0</b> 1 variable, 0 bytes" in page
    assert '<td style="text-align:left">b&lt;0&gt;</td>' in page
    assert '<td style="text-align:right">0</td>' in page
    assert "<p><b>ps:1</b> does not answer: &lt;nobody&gt;</p>" in page


@pytest.mark.parametrize("what", COLUMNS)
def test_what_is_not_said_is_shown_as_such(what):
    table = ClusterTable(what, [TaskTable("ps:0", [{COLUMNS[what][0][0]: "x"}])])
    assert "x" in repr(table)
    assert "?" in repr(table)
    assert "?" in table._repr_html_()


def test_all_tasks_are_asked(monkeypatch):
    def look(address, what, timeout):
        assert (what, timeout) == (["queues"], cluster_tables.SECONDS)
        if address == "localhost:2":
            raise tf.errors.UnavailableError(None, None, "No server answers.\nAnd more.")
        return {"queues": [{"name": "q", "size": 3, "capacity": 10, "closed": False}]}

    monkeypatch.setattr(inspection, "look", look)
    table = cluster_tables.look("queues", {"ps:0": "localhost:1", "worker:0": "localhost:2"})
    assert [(task.task, task.words) for task in table.tasks] == [
        ("ps:0", ""),
        ("worker:0", "does not answer: No server answers."),
    ]
    assert "  name  kind  elements  capacity  closed  container" in repr(table).splitlines()
    assert repr(cluster_tables.look("queues", {})) == ""
    silent = cluster_tables.look("queues", {"ps:1": "nowhere"}, {"ps:1": "paused"})
    assert repr(silent) == "ps:1  paused"


def test_what_queues_and_variables_may_lack():
    queue = {"name": "q", "capacity": None, "size": 0, "closed": False, "container": ""}
    assert "unlimited" in repr(ClusterTable("queues", [TaskTable("ps:0", [queue])]))
    scalar, unknown = {**BIAS, "shape": []}, {**BIAS, "shape": None}
    text = repr(ClusterTable("variables", [TaskTable("ps:0", [scalar, unknown])]))
    assert "[] " in text
    assert "<unknown>" in text
