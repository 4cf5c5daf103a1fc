"""Chapter 7: the predictions, what is said when nothing comes, and the errors made on purpose."""

from functools import partial

import pytest

from tests.notebooks import reading
from tests.notebooks.reading import error, printed, programs

pytestmark = pytest.mark.as_committed

NAME = "07_reading_data.ipynb"
cell = partial(reading.cell, NAME)

#: Cell -> what it says.
SAID = {
    "preload-code": "[[7. 8.]\n [1. 2.]]",
    "reader-more": "records so far: 2",
    "read-up-to": "[b'1.0,2.0,0' b'4.0,5.0,1' b'7.0,,0']",
    "csv-options": "[b'Bonn|Rhein' b'Ulm']\n[0 7]",
    "pipeline-build": "no more lines; 3 examples are waiting",
    "two-threads": "12 examples, 4 of them with target 1",
    "coordinator-code": "join raised: thread 2 has found a bad line\nalive: 0",
    "straggler-cured": "alive: False",
    "several-code": "3 readers read 20 lines of 4 files",
    "three-lines": "batch_join/fifo_queue is filled by 3 thread(s)",
    "digits-train": "% of the new digits are right",
    "shuffle-batch": "changes of town in twenty lines",
}


#: Cell -> why nbval does not compare what it shows.
UNCOMPARED = {"digits-pace": "how fast this machine trains"}


def test_lines_are_mixed_and_digits_learnt():
    assert int(printed(cell("shuffle-batch")).split()[0]) > 3
    assert int(printed(cell("digits-train")).partition("%")[0]) > 80


def test_runners_that_nobody_started_are_named_with_what_to_type():
    said = printed(cell("error-not-started"))
    for words in (
        "nothing that runs can end it",
        "batch (QueueDequeueManyV2), built at In[",
        "A QueueRunner for it was built, but its threads were never started",
        "tf.train.start_queue_runners(sess=sess, coord=coord)",
    ):
        assert words in said


def test_nothing_else_in_the_chapter_waits_in_vain():
    waiting = [one["id"] for one in programs(NAME) if "nothing that runs can" in printed(one)]
    assert waiting == ["error-not-started"]


def test_what_has_ended_a_thread_is_told_with_its_file_and_line():
    uninitialised, lost, unparsed = printed(cell("reasons")).strip().split("\n\n")
    assert uninitialised.startswith("FailedPreconditionError: Attempting to use uninitialized")
    assert "tf.local_variables_initializer()" in uninitialised
    assert lost == "NotFoundError: data/ch07/ulm.cvs; No such file or directory"
    assert unparsed.startswith("InvalidArgumentError: Field 1 in record 0 is not a valid int32")
    assert "data/ch07/jena2.csv:4" in unparsed


def test_the_pipeline_is_drawn_from_its_files_to_the_program():
    said = printed(cell("live"))
    stations = [line.split(" (")[0] for line in said.splitlines()]
    assert stations == [
        "input_producer",
        "TextLineReaderV2",
        "TextLineReaderV2_1",
        "TextLineReaderV2_2",
        "batch_join/fifo_queue",
        "sess.run",
    ]


#: Cell -> the error's class and words that a learner would search for.
MISTAKES = {
    "error-shape": ("ValueError", "initial_value must have a shape specified"),
    "error-straggler": ("RuntimeError", "Coordinator stopped with threads still running: filler"),
    "error-not-started": ("DeadlineExceededError", "Timed out waiting for notification"),
    "error-empty": ("ValueError", "string_input_producer requires a non-null input tensor"),
    "error-capacity": ("ValueError", "capacity 20 must be bigger than min_after_dequeue 50"),
}


def test_the_straggler_is_told_with_the_operation_it_waits_in():
    _, message = error(cell("error-straggler"))
    assert "filler waits in small_enqueue (QueueEnqueueV2) for room for 1 element" in message


def test_the_chapter_removes_its_files_before_the_exercises():
    ids = [one["id"] for one in programs(NAME)]
    assert ids.index("clean-code") < ids.index("ex1-answer")
    writing = [one["id"] for one in programs(NAME) if "write(" in one["source"]]
    assert max(map(ids.index, writing)) < ids.index("clean-code")
