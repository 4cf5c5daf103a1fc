"""Chapter 8: the predictions, the drawn interleaves, throughput, and errors made on purpose."""

import re
from functools import partial

import pytest

from tests.notebooks import reading
from tests.notebooks.reading import ROOT, error, printed

pytestmark = pytest.mark.as_committed

NAME = "08_tf_data.ipynb"
cell = partial(reading.cell, NAME)

#: Cell -> what it says.
SAID = {
    "loop": "[1 4]\n[ 9 16]\n[25]\nthat was all",
    "buffer": "[0, 1]",
    "parallel": "of the time of a plain map\n[0, 1, 2, 3, 4, 5, 6, 7]",  # in their order
    "digits-train": "% of the new digits are right",
    "py-func": "in 3 calls",
    "library": "RangeDataset MapDataset FilterDataset IteratorV2",
    "variable-good": "[0, 3, 6, 9, 12]",
    "generator": "[['the', 'cat', '-'], ['a', 'dog', 'barks']]\n[['why']]",
    "shard": "worker 1 [1, 4, 7]",
    "view-queues-run": "60 steps",
    "mistake-loop": "20 operations were added",
}


#: Cell -> why nbval does not compare what it shows.
UNCOMPARED = {
    "digits-pace": "how fast this machine trains",
    "view-run": "how far the threads are by then; below, that the stages are named",
}


def test_the_figure_shows_the_order_that_the_pipeline_gives():
    drawn = (ROOT / "images" / "08_interleave.svg").read_text(encoding="utf-8")
    words = re.findall(r'x="([\d.]+)"[^>]*>([abc]\d)</text>', drawn)
    order = [word for _, word in sorted(words, key=lambda pair: float(pair[0]))]
    rows = [line.split() for line in printed(cell("interleave-draw")).splitlines()]
    given = [next(word for word in column if word != ".") for column in zip(*rows, strict=True)]
    assert order == given == ["a1", "a2", "b1", "b2", "a3", "a4", "c1", "c2", "c3"]


def test_four_at_a_time_take_less_than_half_as_long():
    assert 0 < float(re.search(r"(0\.\d\d) of the time", printed(cell("parallel")))[1]) < 0.5


def test_the_live_views_show_stages_and_queues():
    assert "PrefetchDataset) <- OneShotIterator: BatchDataset" in shown("view-run")
    assert "batch/fifo_queue (FIFOQueue) <- TextLineReaderV2" in shown("view-queues")


def shown(name):
    """The text of a cell's last value."""
    data = [out["data"] for out in cell(name)["outputs"] if "data" in out]
    return "".join(data[-1]["text/plain"])


#: Cell -> the error's class and words that a learner would search for.
MISTAKES = {
    "error-uninitialised": ("FailedPreconditionError", "iterator has not been initialized"),
    "error-batch": ("InvalidArgumentError", "Cannot add tensor to the batch"),
    "error-variable": ("ValueError", "Use `make_initializable_iterator()` instead"),
    "error-generator": ("InvalidArgumentError", "ValueError: row 3 has no number in it"),
    "error-repeat": ("OutOfRangeError", "End of sequence"),
}


def test_a_failing_pipeline_names_its_stage_the_element_and_the_line():
    for name, stage, element, line in (
        ("error-batch", "BatchDatasetV2 (BatchDatasetV2)", 4, "batches = vectors.batch(4)"),
        ("error-generator", "GeneratorDataset (GeneratorDataset)", 3, "raise ValueError("),
    ):
        message = error(cell(name))[1]
        assert f"In the pipeline's stage {stage}, at element {element} of it" in message
        assert line in message
