"""Chapter 6: the predictions, who waits and what is said of it, and the errors made on purpose."""

import re
from functools import partial

import pytest

from tests.notebooks import reading
from tests.notebooks.reading import printed
from tinytf.grading import exercise

pytestmark = pytest.mark.as_committed

NAME = "06_queues.ipynb"
cell = partial(reading.cell, NAME)

#: Cell -> what it says.
SAID = {
    "three": "in the queue: 3",
    "sessions": "in another session: 0 elements",
    "late": "waited for: [7. 8.]",
    "shuffle-code": "[12  7 13 15 11]\n[ 4 16  8  9  3]",  # as in real TensorFlow
    "threads-code": "[1.0, 4.0, 9.0, 16.0, 25.0, 36.0, 49.0, 64.0]",
    "digits-train": "90% of the new digits are right",
    "deadlock-found": "Deadlock: nobody can go on.",
    "relatives": "two of three: DeadlineExceededError",
    "mistake-two": "q_1 is filled by q_1_enqueue",
}


#: Cell -> why nbval does not compare what it shows.
UNCOMPARED = {"digits-pace": "how fast this machine trains"}


def test_a_wait_that_nobody_can_end_says_so_and_what_to_type():
    said = printed(cell("stuck"))
    for words in (
        "nothing that runs can end it",
        "q_Dequeue (QueueDequeueV2), built at In[",
        "waits for 1 element in the queue '_0_q' (FIFOQueue), 0 of 3 elements, open",
        "q_enqueue (QueueEnqueueV2), built at In[",
        'sess.run("q_enqueue")',
    ):
        assert words in said


def test_waits_that_end_say_nothing():
    for name in ("late", "threads-code", "digits-train"):
        assert "has waited" not in printed(cell(name)), name


def test_the_deadlock_names_both_threads_and_what_each_waits_for():
    said = printed(cell("deadlock-found"))
    assert said.count("waits for 1 element, in ") == 2
    assert said.count("second = other.dequeue()") == 2


#: Cell -> the error's class and words that a learner would search for.
MISTAKES = {
    "stuck": ("DeadlineExceededError", "Timed out waiting for notification"),
    "error-shape": ("ValueError", "has 1 component"),
    "error-closed": ("CancelledError", "is closed."),
    "error-keyword": ("TypeError", "unexpected keyword argument 'shape'"),
    "error-capacity": ("InvalidArgumentError", "min_after_dequeue 10 must be < capacity 10"),
}


def test_the_program_that_exercises_3_and_4_show_is_the_one_that_is_run():
    third, fourth = exercise.find("ch06.ex3"), exercise.find("ch06.ex4")
    run = re.search("PROGRAM = '''\\n(.+?)'''", third.checks, re.DOTALL)[1]
    shown, shown_again = (
        re.search("```python\\n(.+?)```", one.text, re.DOTALL)[1] for one in (third, fourth)
    )
    assert shown == run
    assert shown_again in run
