"""Chapter 8 in a real TensorFlow: every pipeline gives the same elements there."""

import pytest

from tests.notebooks.reading import error, printed, programs, tags
from tests.notebooks.there import answers_there, asks, happens_there

pytestmark = [pytest.mark.tensorflow, pytest.mark.as_committed, pytest.mark.timeout(150)]

NAME = "08_tf_data.ipynb"
#: What only tinytf has, or where the chapter says that the two differ.
OURS = {
    "parallel": "measured: a session costs more to begin there",
    "predict-prefetch": "measured",
    "throughput": "measured",
    "library": "functions have other nodes inside, and their order is by name",
    "view-data": "a widget",
    "view-run": "a widget",
    "view-queues": "a widget",
    "view-queues-run": "of the widget's session",
    "mistake-iterate": "our messages say more",
    "predictions-again": "a magic",
    "ex1-check": "a check",
    "ex2-check": "a check",
    "ex3-check": "a check",
}


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    """What each cell prints, raises or gives in a real TensorFlow."""
    from tinytf.cli import machine

    sources = {
        one["id"]: one["source"]
        for one in programs(NAME)
        if one["id"] not in OURS and "nbval-ignore-output" not in tags(one)
    }
    folder = tmp_path_factory.mktemp("lesson")
    return answers_there(sources, folder, machine.tensorflow_python())


def test_every_cell_that_is_tensorflows_does_the_same_there(answers):
    different = []
    for one in programs(NAME):
        if one["id"] not in answers:
            continue
        if asks(one):
            if not happens_there(one, answers[one["id"]]):
                different.append((one["id"], answers[one["id"]]))
            continue
        raised = error(one)
        output = printed(one).removeprefix("Exception reporting mode: Minimal\n")
        output = "" if output.startswith("<_BatchDataset ") else output  # what the cell shows
        ours = [output, raised[0] if raised else None]
        if ours != answers[one["id"]]:
            different.append((one["id"], ours, answers[one["id"]]))
    assert different == []
    assert len(answers) > 35


def test_what_is_left_out_is_in_the_chapter():
    assert set(OURS) <= {one["id"] for one in programs(NAME)}
