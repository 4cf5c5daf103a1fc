"""Chapter 3 in a real TensorFlow: pools, order, failures and steps from many threads are alike."""

import re

import pytest

from tests.notebooks.reading import error, printed, programs
from tests.notebooks.there import answers_there

pytestmark = [pytest.mark.tensorflow, pytest.mark.as_committed, pytest.mark.timeout(150)]

NAME = "03_parallel_execution.ipynb"
#: Cells that need nothing of tinytf's own and print something, or fail.
CELLS = (
    "session-pools",
    "error-pool",
    "error-first",
    "error-first-after",
    "many-threads",
    "amdahl-table",
    "mistake-control",
)
#: What they need from cells before.
BUILDING = ("setup", "disks", "threads-in", "report")
#: Lines that TensorFlow has no word for.
OURS = ("from tinytf", "%", "tf.devices.", "disk.")
#: There, an operation with a kernel in Python is a Python function.
DISK = "disk = lambda x, name: tf.py_func(read_disk, [x], tf.float32, name=name)"


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    """What each cell prints and raises in a real TensorFlow."""
    from tinytf.cli import machine

    wanted, folder = {}, tmp_path_factory.mktemp("lesson")
    (folder / "logs" / "ch03").mkdir(parents=True)  # an earlier cell makes it
    for one in programs(NAME):
        if one["id"] in CELLS + BUILDING:
            lines = [line for line in one["source"].splitlines() if not line.startswith(OURS)]
            source = "\n".join(lines)
            source = re.sub(r"^disk = .*$", DISK, source, flags=re.MULTILINE)
            wanted[one["id"]] = source
    wanted["in-order"] = "print(write(in_order=True))"
    return answers_there(wanted, folder, machine.tensorflow_python())


@pytest.mark.parametrize("name", CELLS)
def test_a_cell_does_the_same_there(answers, name):
    cell = next(one for one in programs(NAME) if one["id"] == name)
    raised = error(cell)
    assert answers[name] == [printed(cell), raised[0] if raised else None]


def test_control_dependencies_order_lines_there_too(answers):
    assert answers["in-order"] == ["['title', 'first', 'second', 'end']\n", None]
