"""Chapter 2 in a real TensorFlow, as far as it needs no GPU: devices are asked for alike."""

import pytest

from tests.notebooks.reading import error, printed, programs
from tests.notebooks.there import answers_there, asks, happens_there

pytestmark = [pytest.mark.tensorflow, pytest.mark.as_committed, pytest.mark.timeout(150)]

NAME = "02_devices_and_placement.ipynb"
#: What asks for devices; the other cells run something on GPUs.
CELLS = (
    "device-spec",
    "predict-seen",
    "device-function",
    "nested",
    "error-spelling",
    "error-no-answer",
)


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    """What each cell prints, raises or gives in a real TensorFlow."""
    from tinytf.cli import machine

    sources = {one["id"]: one["source"] for one in programs(NAME) if one["id"] in ("setup", *CELLS)}
    return answers_there(sources, tmp_path_factory.mktemp("lesson"), machine.tensorflow_python())


@pytest.mark.parametrize("name", CELLS)
def test_a_cell_that_asks_for_devices_does_the_same_there(answers, name):
    cell = next(one for one in programs(NAME) if one["id"] == name)
    if asks(cell):
        assert happens_there(cell, answers[name]), answers[name]
        return
    raised = error(cell)
    assert answers[name] == [printed(cell), raised[0] if raised else None]
