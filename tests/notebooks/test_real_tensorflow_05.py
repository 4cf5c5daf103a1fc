"""Chapter 5 on real TensorFlow's servers: who finds which state, and who loses it, is alike."""

import json
import subprocess

import pytest

from tests.notebooks.reading import error, printed, programs
from tests.notebooks.there import GIVEN, asks, happens_there, steady, translated, write_digits
from tests.oracle.environment import tensorflow_environment
from tinytf.cli import machine

pytestmark = [
    pytest.mark.tensorflow,
    pytest.mark.netns,
    pytest.mark.as_committed,
    pytest.mark.timeout(200),
]

NAME = "05_sharing_state.ipynb"
#: What only tinytf has.
OURS = {
    "start": "a cluster of processes",
    "vars": "a magic",
    "live-cluster": "a widget",
    "predict-share": "a table of bytes",
    "greedy-code": "tf.contrib",
    "predict-order": "tf.contrib",
    "filtered": "kills a task",
    "containers-shown": "a magic",
    "digits-pace": "a measure",
    "predictions-again": "a magic",
    "restart": "restarts a task",
    "error-restart": "restarts a task",
    "stop": "a cluster of processes",
    "ex1-answer": "an exercise",
    "ex1-check": "a check",
    "ex2-answer": "an exercise",
    "ex2-check": "a check",
    "ex3-answer": "an exercise",
    "ex3-check": "a check",
}
CELLS = [cell for cell in programs(NAME) if cell["id"] not in OURS]
#: Reads [[cell, source]] and prints {cell: [what it printed, the error's class or None]}.
RUNNER = (
    """
import ast, contextlib, io, json, os, socket, sys
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()

class Cluster:
    def __init__(self, tasks):
        sockets = [socket.create_server(("localhost", 0)) for _ in tasks]
        addresses = [f"localhost:{one.getsockname()[1]}" for one in sockets]
        for one in sockets:
            one.close()
        jobs = {}
        for task, address in zip(tasks, addresses):
            jobs.setdefault(task.split(":")[0], []).append(address)
        spec = tf.train.ClusterSpec(jobs)
        self.servers = {
            task: tf.train.Server(spec, task.split(":")[0], int(task.split(":")[1]))
            for task in tasks
        }

    def target(self, task):
        return self.servers[task].target

"""
    + GIVEN
    + """
names, answers = {"cluster": Cluster(["ps:0", "ps:1", "worker:0", "worker:1"])}, {}
for cell, source in json.load(sys.stdin):
    output, failed, place = io.StringIO(), None, names
    if source.startswith("%%task "):
        first, _, source = source.partition("\\n")
        place = {"tf": tf, "target": names["cluster"].target(first.split()[1])}
    if source.startswith("%%predict "):
        with contextlib.redirect_stdout(output):
            answers[cell] = given(source.partition("\\n")[2])
        continue
    source = "\\n".join(line for line in source.splitlines() if not line.startswith("%"))
    with contextlib.redirect_stdout(output):
        try:
            exec(source, place)
        except Exception as error:
            failed = type(error).__name__
    answers[cell] = [output.getvalue(), failed]
print(json.dumps(answers), flush=True)
os._exit(0)  # TensorFlow's servers cannot be stopped
"""
)


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    """What each cell prints and raises in a real TensorFlow."""
    sources = [
        (
            cell["id"],
            # It takes no underscores there.
            translated(cell["source"]).replace("my_problem_1", "my.problem.1"),
        )
        for cell in CELLS
    ]
    folder = tmp_path_factory.mktemp("lesson")
    write_digits(folder)
    inside = 'ip link set lo up && exec "$@"'
    result = subprocess.run(
        [
            "unshare",
            "--net",
            "sh",
            "-c",
            inside,
            "sh",
            str(machine.tensorflow_python()),
            "-c",
            RUNNER,
        ],
        input=json.dumps(sources),
        capture_output=True,
        text=True,
        check=False,
        timeout=180,
        cwd=folder,
        env=tensorflow_environment(),
    )
    assert result.returncode == 0, result.stderr[-2000:]
    return json.loads(result.stdout.splitlines()[-1])


@pytest.mark.parametrize("cell", CELLS, ids=lambda cell: cell["id"])
def test_a_cell_does_the_same_there(answers, cell):
    if asks(cell):
        assert happens_there(cell, answers[cell["id"]]), answers[cell["id"]]
        return
    there, failed = answers[cell["id"]]
    here, raised = printed(cell), error(cell)
    if cell["source"].startswith("%%task"):
        here = "".join(line.partition(" | ")[2] for line in here.splitlines(keepends=True))
    if "\n%" in cell["source"]:  # a magic, or a table after what was printed
        assert here.startswith(there)
    else:
        assert steady(here) == steady(there)
    assert failed == (raised[0] if raised else None)
