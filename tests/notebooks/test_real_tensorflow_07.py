"""Chapter 7 in a real TensorFlow: readers, runners and coordinators do the same there."""

import re

import pytest

from tests.notebooks.reading import error, printed, programs
from tests.notebooks.there import answers_there, asks, happens_there, steady

pytestmark = [pytest.mark.tensorflow, pytest.mark.as_committed, pytest.mark.timeout(150)]

NAME = "07_reading_data.ipynb"
#: What only tinytf has, or where the chapter says that the two differ.
OURS = {
    "csv-options": "its message has the record",
    "predict-batches": "there, a wait that is given up loses the example it had taken",
    "digits-pace": "a measure",
    "predictions-again": "a magic",
    "live": "a widget",
    "ex1-check": "a check",
    "ex2-check": "a check",
}
#: Cells whose messages say more than TensorFlow's: what is cut off before they are compared.
MORE = re.compile(r" +\('.*$|\. The epochs of an input producer.*$", flags=re.MULTILINE)


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    """What each cell prints, raises or gives in a real TensorFlow."""
    from tinytf.cli import machine

    sources = {one["id"]: one["source"] for one in programs(NAME) if one["id"] not in OURS}
    sources["three-lines"] += "\nsess = tf.Session()"  # of the cell with the widget
    folder = tmp_path_factory.mktemp("lesson")
    return answers_there(sources, folder, machine.tensorflow_python())


@pytest.mark.parametrize("name", [one["id"] for one in programs(NAME) if one["id"] not in OURS])
def test_a_cell_does_the_same_there(answers, name):
    cell = next(one for one in programs(NAME) if one["id"] == name)
    if asks(cell):
        assert happens_there(cell, answers[name]), answers[name]
        return
    raised = error(cell)
    output = "" if name == "error-not-started" else printed(cell)  # the report
    output = output.removeprefix("Exception reporting mode: Minimal\n")
    theirs, kind = answers[name]
    ours, theirs = (steady(MORE.sub("", text)) for text in (output, theirs))
    assert [ours, raised[0] if raised else None] == [theirs, kind]
