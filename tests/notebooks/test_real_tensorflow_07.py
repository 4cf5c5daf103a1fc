"""Chapter 7 in a real TensorFlow: readers, runners and coordinators do the same there."""

import json
import re
import subprocess

import pytest

from tests.notebooks.reading import error, printed, programs
from tests.notebooks.test_real_tensorflow import RUNNER

pytestmark = [pytest.mark.tensorflow, pytest.mark.as_committed, pytest.mark.timeout(150)]

NAME = "07_reading_data.ipynb"
#: What only tinytf has, or where the chapter says that the two differ.
OURS = {
    "csv-options": "its message has the record",
    "predict-batches": "there, a wait that is given up loses the example it had taken",
    "bad-cause": "there, the error of a closed queue does not carry its reason",
    "live": "a widget",
    "ex1-check": "a check",
    "ex2-check": "a check",
}
#: Cells whose messages say more than TensorFlow's: what is cut off before they are compared.
MORE = re.compile(r" +\('.*$|\. The epochs of an input producer.*$", flags=re.MULTILINE)
#: Nobody but tinytf knows who waits: a second must do.
REPLACED = {
    "import tinytf as tf": "import tensorflow.compat.v1 as tf",
    "import tinytf.jupyter\n": "",
    "from tinytf import grading\n": "",
    "%xmode Minimal": "",
    'while "room for 1 element" not in str(tf.why_stuck()):\n    pass': (
        "threading.Event().wait(1)"
    ),
}


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    """What each cell prints and raises in a real TensorFlow."""
    from tinytf.cli import machine

    sources = {}
    for one in programs(NAME):
        if one["id"] in OURS:
            continue
        source = one["source"]
        for ours, theirs in REPLACED.items():
            source = source.replace(ours, theirs)
        sources[one["id"]] = source
    sources["three-lines"] += "\nsess = tf.Session()"  # of the cell with the widget
    result = subprocess.run(
        [str(machine.tensorflow_python()), "-c", RUNNER],
        input=json.dumps(sources),
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path_factory.mktemp("lesson"),
    )
    assert result.returncode == 0, result.stderr[-2000:]
    return json.loads(result.stdout.splitlines()[-1])


@pytest.mark.parametrize("name", [one["id"] for one in programs(NAME) if one["id"] not in OURS])
def test_a_cell_does_the_same_there(answers, name):
    cell = next(one for one in programs(NAME) if one["id"] == name)
    raised = error(cell)
    output = "" if name == "error-not-started" else printed(cell)  # the report
    output = output.removeprefix("Exception reporting mode: Minimal\n")
    theirs, kind = answers[name]
    assert [MORE.sub("", output), raised[0] if raised else None] == [MORE.sub("", theirs), kind]
