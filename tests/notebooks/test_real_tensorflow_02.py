"""Chapter 2 in a real TensorFlow, as far as it needs no GPU: devices are asked for alike."""

import json
import subprocess

import pytest

from tests.notebooks.reading import error, printed, programs
from tests.notebooks.there import RUNNER

pytestmark = [pytest.mark.tensorflow, pytest.mark.as_committed, pytest.mark.timeout(150)]

NAME = "02_devices_and_placement.ipynb"
#: What asks for devices; the other cells run something on GPUs.
CELLS = (
    "device-spec",
    "device-function",
    "predict-seen",
    "nested",
    "error-spelling",
    "error-no-answer",
)


@pytest.fixture(scope="module")
def answers():
    """What each cell prints and raises in a real TensorFlow."""
    from tinytf.cli import machine

    sources = {cell["id"]: cell["source"] for cell in programs(NAME)}
    wanted = {name: sources[name] for name in ("setup", *CELLS)}
    plain = [line for line in wanted["setup"].splitlines() if not line.startswith("%")]
    wanted["setup"] = "\n".join(plain).replace(
        "import tinytf as tf", "import tensorflow.compat.v1 as tf"
    )
    result = subprocess.run(
        [str(machine.tensorflow_python()), "-c", RUNNER],
        input=json.dumps(wanted),
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr[-2000:]
    return json.loads(result.stdout.splitlines()[-1])


@pytest.mark.parametrize("name", CELLS)
def test_a_cell_that_asks_for_devices_does_the_same_there(answers, name):
    cell = next(one for one in programs(NAME) if one["id"] == name)
    raised = error(cell)
    assert answers[name] == [printed(cell), raised[0] if raised else None]
