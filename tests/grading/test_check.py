"""Exercises and the process that checks them."""

import linecache
import os
import re
import select
import sys
import types
from collections import Counter

import pytest

import tinytf as tf
from tinytf import grading
from tinytf.grading import collecting, exercise
from tinytf.grading.check import check_source
from tinytf.grading.report import SAME_CAUSE, Outcome, Report
from tinytf.grading.trying import expected_loss, judge_bug

ALL = [exercise.find(name) for name in exercise.names()]
#: Each answer takes a process of its own: the default run tries the solution and the first bug of
#: the first exercise of these chapters, and the first and the last stub.
QUICK = {"ch01.ex1", "ch08.ex1"}
SOLUTIONS = [
    pytest.param(found, id=found.name, marks=() if found.name in QUICK else pytest.mark.slow)
    for found in ALL
]
BUGS = [
    pytest.param(
        found,
        path,
        id=f"{found.name}-{path.stem}",
        marks=pytest.mark.slow if number or found.name not in QUICK else (),
    )
    for found in ALL
    for number, path in enumerate(found.bugs)
]
STUBS = [
    pytest.param(found, id=found.name, marks=() if found in (ALL[0], ALL[-1]) else pytest.mark.slow)
    for found in ALL
]


def test_there_are_exercises():
    assert "ch01.ex1" in exercise.names()


@pytest.mark.usefixtures("forked")
@pytest.mark.parametrize("found", SOLUTIONS)
def test_the_solution_scores_full_marks(found, notebook):
    """As `check` collects it in a notebook; as nbgrader extracts it: test_course.py."""
    answer = notebook(found.solution)[found.symbol]
    report = grading.check(found.name, answer, hidden=True)
    assert report.passed, str(report)
    assert report.score == report.worth > 0
    assert {outcome.hidden for outcome in report.outcomes} == {False, True}


@pytest.mark.usefixtures("forked")
@pytest.mark.parametrize("found", STUBS)
def test_the_stub_scores_nothing_and_is_told_so_kindly(found):
    report = check_source(found, found.stub, hidden=True)
    assert report.score == 0
    assert {outcome.reason for outcome in report.outcomes} == {"Not done yet."}


@pytest.mark.usefixtures("forked")
@pytest.mark.parametrize(("found", "path"), BUGS)
def test_a_planted_bug_loses_the_points_it_should(found, path):
    """Of those that the instant check finds, the hidden checks are not asked: it is enough."""
    source = path.read_text()
    is_hidden, _ = expected_loss(source)
    report = check_source(found, source, hidden=is_hidden)
    assert judge_bug(found, path.name, source, report) == ""


DEVICE_SPECS = """
import re
import tinytf as tf

def choose(op):
    if op.type in ("VariableV2", "VarHandleOp"):
        return tf.DeviceSpec(device_type="CPU", device_index=0)
    tower = re.match(r"tower([0-9]+)/", op.name)
    return tf.DeviceSpec(device_type="GPU", device_index=int(tower[1])) if tower else op.device
"""


def test_a_device_function_may_return_device_specs():
    """As `tf.device` takes them."""
    report = check_source(exercise.find("ch02.ex1"), DEVICE_SPECS, hidden=True)
    assert report.passed, str(report)


def test_every_exercise_is_whole():
    """Two for each chapter at least; each with its task, hints, hidden checks and planted bugs."""
    assert all(count >= 2 for count in Counter(found.chapter for found in ALL).values())
    for found in ALL:
        kinds = Counter(expected_loss(path.read_text())[0] for path in found.bugs)
        assert kinds[True] >= 1, f"{found.name}: no bug for the hidden checks"
        assert kinds[False] >= 3, f"{found.name}: too few bugs"
        assert 2 <= len(found.hints) <= 5, found.name
        assert found.text
        assert found.solution not in found.text
        assert found.stub.rstrip().endswith('raise NotImplementedError("write this function")')


@pytest.fixture
def ch01():
    return exercise.find("ch01.ex1")


def test_an_answer_that_never_ends_is_ended_and_told_where_it_was(ch01):
    source = "def build_graph():\n    while True:\n        pass\n"
    report = check_source(ch01, source, deadline=1)
    assert report.score == 0
    assert "did not finish within 1 seconds" in report.problem
    assert re.search(r"line [23] of your answer", report.problem)


def test_what_the_notebook_has_taken_of_its_simulated_gpus_is_not_missing(two_full_gpus):
    found = exercise.find("ch02.ex2")
    unpinned = (
        "import tinytf as tf\n"
        "def build_graph():\n"
        "    rows = tf.placeholder(tf.int32, [None])\n"
        "    with tf.device('/cpu:0'):\n"
        "        table = tf.Variable(tf.ones([10000, 64]))\n"
        "    score = tf.reduce_sum(tf.square(tf.gather(table, rows)))\n"
        "    return [rows, table, score]\n"
    )
    report = check_source(found, unpinned)
    assert [outcome.passed for outcome in report.outcomes] == [True, True, True, False], report
    assert "carries too much" in str(report)
    assert "CUDA_ERROR_OUT_OF_MEMORY" not in str(report)


@pytest.fixture
def two_full_gpus():
    """This process has two simulated GPUs and has taken their memory."""
    tf.devices.simulate_gpus(2, memory="64MiB")
    with tf.Graph().as_default(), tf.Session() as session:
        session.run(tf.constant(1.0) + 1.0)
        assert tf.devices.report.gpus().machines[0].gpus[0].memory_taken > 50 << 20
        yield
    tf.devices.simulate_gpus(0)


@pytest.mark.parametrize("ending", ["import os; os._exit(0)", "import os; os.kill(os.getpid(), 9)"])
def test_an_answer_that_ends_the_process_gets_a_reason(ch01, ending):
    report = check_source(ch01, f"def build_graph():\n    {ending}\n")
    assert report.score == 0
    assert "ended the process" in report.problem


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("raise SystemExit(0)", "SystemExit"),
        ("return 1 / 0", "at line 2 of your answer: return 1 / 0"),
        ("pass", "must return four things"),
    ],
)
def test_a_wrong_answer_gets_a_reason_and_not_a_traceback(ch01, body, reason):
    report = check_source(ch01, f"def build_graph():\n    {body}\n")
    assert report.score == 0
    first, *others = (outcome.reason for outcome in report.outcomes)
    assert reason in first, report
    assert set(others) == {SAME_CAUSE}, report


def test_a_syntax_error_is_named(ch01):
    report = check_source(ch01, "def build_graph(:\n")
    assert "does not even load" in report.problem
    assert "SyntaxError" in report.problem


def test_prints_by_the_megabyte_are_cut(ch01):
    report = check_source(ch01, "def build_graph():\n    print('x' * 5_000_000)\n")
    assert len(report.output) < 3000
    assert "bytes left out" in report.output


def test_processes_an_answer_started_do_not_outlive_the_check(ch01, tmp_path):
    note = tmp_path / "pid"
    source = (
        "import subprocess, sys\n"
        "def build_graph():\n"
        "    p = subprocess.Popen([sys.executable, '-c', 'import signal; signal.pause()'])\n"
        f"    open({str(note)!r}, 'w').write(str(p.pid))\n"
    )
    check_source(ch01, source)
    try:
        process = os.pidfd_open(int(note.read_text()))
    except ProcessLookupError:
        return  # gone already
    ended, _, _ = select.select([process], [], [], 10)
    os.close(process)
    assert ended


SCALE = 2.0


def helper(x):
    return x * SCALE


def uses_helper(x):
    return helper(x) + len([x])


def test_the_answer_takes_what_it_uses_with_it():
    namespace = {}
    exec(collecting.collect(uses_helper), namespace)  # noqa: S102 - our own functions, above
    assert namespace["uses_helper"](3) == 7.0


OBJECT = object()


def uses_object():
    return OBJECT


def test_a_value_that_cannot_travel_is_named():
    with pytest.raises(collecting.CannotCollectError, match="'OBJECT' of the notebook"):
        collecting.collect(uses_object)


def test_without_an_answer_the_learner_is_told_what_to_define():
    report = grading.check("ch01.ex1")
    assert "Define a function called build_graph" in report.problem


def test_an_unknown_exercise_suggests_what_there_is():
    with pytest.raises(exercise.UnknownExerciseError, match=r"ch01\.ex1"):
        grading.check("ch01.ex11")


def test_a_report_reads_the_same_every_time_and_escapes_html():
    report = Report("ch01.ex1", [Outcome("a < b", 0, 2, "x & y"), Outcome("c", 1, 1)])
    assert repr(report).splitlines() == [
        "ch01.ex1: 1 of 3 points",
        "  [ ] a < b",
        "      x & y",
        "  [x] c",
    ]
    assert "a &lt; b" in report._repr_html_()
    assert "x &amp; y" in report._repr_html_()


def test_what_ended_the_check_is_said_once_and_not_for_every_outcome():
    why = "Your answer did not finish within 20 seconds."
    report = Report("ch01.ex1", [Outcome("a", 0, 2, why), Outcome("b", 0, 1, why)], why)
    assert repr(report).count(why) == 1
    assert report._repr_html_().count(why) == 1


NOTEBOOK = """
import math as m
from math import sqrt
from numpy import add
import tinytf as tf

two, name, cheap, multiply = 2.0, "count", object(), object()
alike = lambda value: value

class Helper:
    def number(self):
        return two

def checked(function):
    return function

def times(a, b):
    return tf.multiply(a, b)

product = times

@checked
def build_graph(named=name):
    x = tf.placeholder(tf.float32, [None], name="x")
    count = tf.Variable(0, name=named, trainable=False)
    cheap = product(Helper().number(), alike(x))
    with tf.control_dependencies([tf.assign_add(count, int(add(sqrt(m.sin(0)), 1)))]):
        expensive = times(x, x)
    return x, cheap, expensive, count
"""


@pytest.fixture
def notebook(monkeypatch):
    """Defines source as a cell would: in `__main__`, its lines known to linecache alone."""
    module = types.ModuleType("__main__")
    monkeypatch.setitem(sys.modules, "__main__", module)

    def run(source):
        linecache.cache["cell"] = (len(source), None, source.splitlines(True), "cell")
        exec(compile(source, "cell", "exec"), vars(module))  # noqa: S102 - the test's own text
        return vars(module)

    yield run
    del linecache.cache["cell"]


def test_an_answer_brings_along_what_it_uses_of_the_notebook(notebook):
    report = grading.check("ch01.ex1", notebook(NOTEBOOK)["build_graph"])
    assert report.passed, str(report)


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("answer = lambda: 1", "must be a function with a name"),
        ("table = [object()]\ndef answer(): return table", "'table' of the notebook, a list"),
        ("f = [lambda: 1, 2][0]\ndef answer(): return f()", None),
        ("f = [1,\n  lambda: 1][1]\ndef answer(): return f()", "source of 'f' is not available"),
    ],
)
def test_what_cannot_be_taken_along_is_named(notebook, source, reason):
    answer = notebook(source)["answer"]
    if reason is None:
        assert "f = " in collecting.collect(answer)
    else:
        with pytest.raises(collecting.CannotCollectError, match=reason):
            collecting.collect(answer)


def test_an_answer_that_prints_without_end_is_stopped(ch01):
    source = "def build_graph():\n    while True:\n        print('x' * 1000000)\n"
    report = check_source(ch01, source)
    assert report.score == 0
    assert "printed, or wrote to a file, more than it may" in report.outcomes[0].reason
    assert len(report.output) < 4000


def test_exercises_that_are_not_there_say_where_to_get_them(monkeypatch, tmp_path):
    monkeypatch.setenv(exercise.ENVIRONMENT_VARIABLE, str(tmp_path / "none"))
    with pytest.raises(exercise.UnknownExerciseError, match="they come with the repository"):
        grading.check("ch01.ex1")
