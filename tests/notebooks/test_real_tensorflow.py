"""Chapter 1 in a real TensorFlow: the same programs print the same and fail alike."""

import json
import subprocess

import pytest

from tests.notebooks.reading import error, programs

pytestmark = [pytest.mark.tensorflow, pytest.mark.as_committed, pytest.mark.timeout(150)]

NAME = "01_graphs_and_sessions.ipynb"
#: What only tinytf has, or where the chapter says that the two differ.
OURS = {
    "predict-pruned": "TensorFlow reports a node more, which hands out the result",
    "graph-repr": "a drawing",
    "watch": "a widget",
    "predict-ready": "a widget",
    "watch-cond": "a widget",
    "watch-loop": "a widget",
    "curves": "a drawing",
    "cluster-start": "a magic",
    "cluster-run": "a magic",
    "cluster-status": "a magic",
    "cluster-stop": "a magic",
    "server": "a server of a real TensorFlow listens on all interfaces",
    "ex1-check": "a check",
    "ex2-check": "a check",
    "ex3-check": "a check",
}
#: TensorFlow 2.15.1 has a class of its own; it derives from what TensorFlow 1.x raised.
DERIVED = {"OperatorNotAllowedInGraphError": "TypeError"}

#: Reads {cell: source} and writes {cell: [what it printed, the error's class or None]}.
RUNNER = """
import contextlib, io, json, sys
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
names, answers = {}, {}
for cell, source in json.load(sys.stdin).items():
    output, failed = io.StringIO(), None
    with contextlib.redirect_stdout(output):
        try:
            exec(source, names)
        except Exception as error:
            failed = type(error).__name__
    answers[cell] = [output.getvalue(), failed]
print(json.dumps(answers))
"""


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    """What each cell prints and raises in a real TensorFlow."""
    from tinytf.cli import machine

    sources = {
        cell["id"]: cell["source"]
        .replace("import tinytf as tf", "import tensorflow.compat.v1 as tf")
        .replace("%xmode Minimal", "")
        for cell in programs(NAME)
        if cell["id"] not in OURS
    }
    result = subprocess.run(
        [str(machine.tensorflow_python()), "-c", RUNNER],
        input=json.dumps(sources),
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path_factory.mktemp("lesson"),  # the chapter writes event files
    )
    assert result.returncode == 0, result.stderr[-2000:]
    return json.loads(result.stdout.splitlines()[-1])


def test_every_cell_that_is_tensorflows_does_the_same_there(answers):
    different = []
    for cell in programs(NAME):
        if cell["id"] in OURS:
            continue
        outputs = [o for o in cell["outputs"] if o["output_type"] == "stream"]
        printed = "".join("".join(output["text"]) for output in outputs)
        ours = [printed.replace("Exception reporting mode: Minimal\n", ""), None]
        if error(cell):
            ours[1] = error(cell)[0]
        theirs = answers[cell["id"]]
        theirs[1] = DERIVED.get(theirs[1], theirs[1])
        if ours != theirs:
            different.append((cell["id"], ours, theirs))
    assert different == []
    assert len(answers) > 35


def test_what_is_left_out_is_in_the_chapter():
    assert set(OURS) <= {cell["id"] for cell in programs(NAME)}
