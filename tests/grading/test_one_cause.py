"""One cause, one message: what never ran, what returns nothing, what is missing, what hangs."""

import pytest

import tinytf as tf
from tinytf.grading import collecting, exercise, runner
from tinytf.grading.calls import Calls
from tinytf.grading.check import check_source
from tinytf.grading.extracting import extract
from tinytf.grading.report import NOT_BEGUN, SAME_CAUSE
from tinytf.session.fetches import FetchPlan

pytestmark = pytest.mark.usefixtures("forked")


def reply(name, source, deadline=None):
    """The report on an answer, and the reasons of its checks."""
    report = check_source(exercise.find(name), source, deadline)
    return report, [outcome.reason for outcome in report.outcomes]


CAREFUL = """
import tinytf as tf
def build_careful_job(tools, use):
    taken = [queue.dequeue() for queue in tools]
    work = use(taken)
    for queue, element in zip(tools, taken):
        queue.enqueue(element)
    return {}
"""


def test_what_the_check_gave_and_never_ran_is_said_once_and_nothing_else_is_judged():
    report, (first, *others) = reply("ch06.ex2", CAREFUL.format("tf.group(*taken)"))
    assert "`PyFunc` was built but never run: nothing that you return or run needs it." in first
    assert "at line 5 of your answer: work = use(taken)" in first
    assert "(QueueEnqueueV2) and 1 more were built but never run" in first
    assert first.endswith("What this check looks at depends on it, and was not checked.")
    assert others == [SAME_CAUSE, SAME_CAUSE]
    assert "got []" not in str(report)


def test_what_the_answer_built_and_never_ran_comes_before_what_follows_from_it():
    _, (first, *_) = reply("ch06.ex2", CAREFUL.format("tf.group(work, *taken)"))
    assert first.startswith("`saw_enqueue_1` (QueueEnqueueV2) and 1 more were built but never run")
    assert "after the job, tools lie elsewhere" in first


COUNTED = """
import tinytf as tf
def build_graph():
    x = tf.placeholder(tf.float32, [None])
    count = tf.Variable(0)
    {}
    return x, 2.0 * x, x * x, count
"""


def test_an_addition_that_nothing_waits_for_is_named():
    _, reasons = reply("ch01.ex1", COUNTED.format("tf.assign_add(count, 1)"))
    assert reasons[2].startswith("`AssignAdd` was built but never run: nothing that you return")
    assert "the addition never runs" in reasons[2]


def test_what_is_returned_is_not_said_to_be_idle_though_a_check_did_not_run_it():
    """The first check runs `arrive` alone, and `start` would have put something in."""
    answer = """
import tinytf as tf
def build_race(runners):
    gate = tf.FIFOQueue(9, tf.int32, shapes=[[]])
    return tf.no_op(), gate.enqueue(1)
"""
    _, reasons = reply("ch06.ex1", answer)
    assert "somebody arrived and ran on" in reasons[0]
    assert "never run" not in "".join(reasons)


@pytest.fixture
def calls(monkeypatch):
    """Notes of a function whose result the test decides; nothing is noted afterwards."""
    monkeypatch.setattr(FetchPlan, "_plan", FetchPlan._plan)
    return Calls


def test_functions_that_are_returned_need_what_they_use(calls):
    source = """
def answer(queue):
    put = queue.enqueue(1)
    lost = queue.dequeue()
    return {"waiter": lambda sess: sess.run(put)}
"""
    namespace = {}
    exec(compile(source, "your answer", "exec"), namespace)  # noqa: S102 - the text above
    noted = calls(namespace["answer"])
    with tf.Graph().as_default():
        noted.answer(tf.FIFOQueue(2, tf.int32, shapes=[[]], name="line"))
        idle, is_given = noted.never_run()
    assert [text.partition(" was")[0] for text in idle.values()] == [
        "`line_Dequeue` (QueueDequeueV2)"
    ]
    assert not is_given


def test_what_a_saver_never_restores_is_not_said_to_be_idle(calls):
    source = """
import tinytf as tf
def answer():
    count = tf.get_variable("count", initializer=0)
    tf.train.Saver()
    tf.assign_add(count, 1, name="more")
    return count.initializer
"""
    namespace = {}
    exec(compile(source, "your answer", "exec"), namespace)  # noqa: S102 - the text above
    noted = calls(namespace["answer"])
    with tf.Graph().as_default():
        noted.answer()
        idle, _ = noted.never_run()
    assert [text.partition(" was")[0] for text in idle.values()] == ["`more` (AssignAdd)"]


@pytest.mark.parametrize(
    "made",
    [
        "class Bad:\n        op = property(lambda self: 1 / 0)\n    return Bad()",
        "def later(): return unset\n    if later is None: unset = 1\n    return later",
    ],
)
def test_whatever_an_answer_returns_can_be_looked_at(made):
    _, (first, *_) = reply("ch06.ex2", f"def build_careful_job(tools, use):\n    {made}\n")
    assert first.startswith("build_careful_job must return one operation")


def test_an_answer_without_a_return_is_told_so_once():
    report, (first, *others) = reply("ch06.ex2", "def build_careful_job(tools, use):\n    pass\n")
    assert first.startswith("build_careful_job returned None: it ended without a `return`.\n")
    assert others == [SAME_CAUSE, SAME_CAUSE], report


def test_an_error_that_all_checks_meet_is_shown_once():
    _, (first, *others) = reply("ch01.ex1", "def build_graph():\n    return [][1]\n")
    assert first.startswith("IndexError")
    assert set(others) == {SAME_CAUSE}


def test_a_stub_is_said_to_be_one_once():
    found = exercise.find("ch01.ex1")
    report, _ = reply("ch01.ex1", found.stub)
    assert str(report).count(NOT_BEGUN) == 1


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("", ""),
        ("def wher(): pass", " Defined here: wher. Did you mean 'wher'?"),
        ("def _own(): pass\ndef compute(): pass", " Defined here: compute."),
        ("from os.path import join", ""),
        ("where = []", ""),
    ],
)
def test_a_missing_function_is_named_and_what_there_is_instead(source, said):
    namespace = {"__name__": "answer"}
    exec(source, namespace)  # noqa: S102 - the texts above
    text = collecting.missing("where", collecting.functions_of(namespace))
    assert text == f"Define a function called where first.{said}"


def test_a_lesson_defines_too_many_functions_to_list():
    text = collecting.missing("helpr7", [f"helper{number}" for number in range(20)])
    assert text.startswith("Define a function called helpr7 first. Did you mean 'helper7'")


def test_a_notebook_that_was_handed_in_is_told_the_same():
    cells = ["def build_race(runners): pass", "def who_wait(orders, room): pass"]
    with pytest.raises(collecting.CannotCollectError, match="Did you mean 'who_wait'"):
        extract(cells, "who_waits")


def test_a_hang_in_plain_python_is_not_said_to_wait_for_nothing():
    source = (
        "import threading\ndef build_graph():\n    lock = threading.Lock()\n"
        "    lock.acquire()\n    lock.acquire()\n"
    )
    report, reasons = reply("ch01.ex1", source, deadline=1)
    assert report.problem == (
        "Your answer did not finish within 1 seconds. It was at line 5 of your answer."
    )
    assert reasons[1:] == ["Not checked."] * 3


def test_the_runtime_does_not_report_a_hang_a_second_time():
    source = """
import tinytf as tf
def build_graph():
    with tf.Session() as sess:
        sess.run(tf.FIFOQueue(3, tf.float32).dequeue())
"""
    report, _ = reply("ch01.ex1", source, deadline=5)  # its own patience is 2 seconds
    assert "waits for 1 element" in report.problem
    assert not report.output


@pytest.mark.parametrize(("passed", "left"), [(0.0, 20.0), (1.5, 18.5), (30.0, 18.0)])
def test_the_start_of_the_process_counts_but_not_at_the_cost_of_the_answer(passed, left):
    assert runner._left(20.0, passed) == left
