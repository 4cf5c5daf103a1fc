"""Whatever an answer does, it gets a mark and a reason, and the check comes back."""

import os
import textwrap

import pytest

from tinytf.grading import exercise
from tinytf.grading.check import check_source

pytestmark = pytest.mark.slow

ALL = [exercise.find(name) for name in exercise.names()]


@pytest.fixture
def ch01():
    return exercise.find("ch01.ex1")


def body(text):
    """An answer to ch01.ex1 that does this."""
    return "def build_graph():\n" + textwrap.indent(textwrap.dedent(text).strip(), "    ") + "\n"


def reasons(report):
    return "\n".join([report.problem, *(outcome.reason for outcome in report.outcomes)])


RIGHT = exercise.find("ch01.ex1").solution


def first(text):
    """The right answer, which does this first."""
    return RIGHT.replace("def build_graph():", "def build_graph():\n    " + text)


KINDS = {
    "nothing": ("", "Define a function called build_graph first"),
    "another name": ("def graph():\n    pass\n", "Define a function called build_graph first"),
    "no function": ("build_graph = 3\n", "Define a function called build_graph first"),
    "no Python": ("def build_graph(:\n", "SyntaxError"),
    "nul bytes": ("def build_graph():\n    return '\0'\n", "does not even load"),
    "nested too deeply": ("x = " + "(" * 400 + ")" * 400 + RIGHT, "does not even load"),
    "ends Python when loaded": ("import sys\nsys.exit(0)\n" + RIGHT, "SystemExit"),
    "ends Python": (body("raise SystemExit('good bye')"), "your answer ends Python ('good bye')"),
    "ends the process": (body("import os; os._exit(0)"), "ended the process that checked it"),
    "ends it by a signal": (body("import os; os.abort()"), "exit code 134, SIGABRT"),
    "crashes": (body("import ctypes; ctypes.string_at(0)"), "exit code 139, SIGSEGV"),
    "a package that is not there": ("import torch_of_olden_days\n" + RIGHT, "is not installed"),
    "too much memory": (body("return bytearray(1 << 40)"), "needs more memory than it may have"),
    "for ever deeper": (body("return build_graph()"), "RecursionError"),
    "an error whose text fails": (
        "class Odd(Exception):\n    def __str__(self):\n        raise ValueError('no text')\n"
        + body("raise Odd"),
        "Odd",
    ),
    "prints without end": (body("while True: print('x' * 100000)"), "printed, or wrote to a file"),
    "closes what it prints to": (
        body("import sys; sys.stdout.close(); return 1"),
        "must return four things",
    ),
    "its own rules for equality": (
        "import numpy\nnumpy.array_equal = lambda *a: True\n" + RIGHT,
        "replaces numpy.array_equal",
    ),
    "its own rules, later": (
        body("import builtins\nbuiltins.len = lambda x: 4\nreturn 1, 2, 3, 4"),
        "replaces builtins.len",
    ),
    "another Wrong": (
        "import tinytf.grading\ntinytf.grading.Wrong.__init__ = lambda *a, **k: None\n" + RIGHT,
        "replaces",
    ),
}


#: Those that need no more than a moment; each starts a process, as it is in a notebook.
QUICK = {"nothing", "no Python", "ends Python", "ends the process", "its own rules, later"}


@pytest.mark.parametrize(
    "kind", [pytest.param(k, marks=() if k in QUICK else pytest.mark.slow) for k in KINDS]
)
def test_an_answer_of_any_kind_gets_a_mark_and_a_reason(ch01, kind, request):
    if kind not in QUICK:
        request.getfixturevalue("forked")
    source, reason = KINDS[kind]
    report = check_source(ch01, source)
    assert report.score == 0
    assert not report.passed
    assert len(report.outcomes) == 4
    assert reason in reasons(report), report
    assert "Traceback" not in reasons(report)


@pytest.mark.slow  # test_check.py has one as well
def test_a_loop_is_ended_and_told_where_it_was(ch01):
    report = check_source(ch01, body("while True:\n    pass"), deadline=1)
    assert report.score == 0
    assert "did not finish within 1 seconds. It was at line" in report.problem


def test_a_deadlock_is_told_where_it_waits(ch01):
    source = "import tinytf as tf\n" + body("""
        queue = tf.FIFOQueue(3, tf.float32, shapes=[[]], name="letters")
        with tf.Session() as sess:
            sess.run(queue.dequeue(name="take"))
    """)
    report = check_source(ch01, source, deadline=1)
    assert "did not finish within 1 seconds. It was at line 5 of your answer." in report.problem
    assert "take (QueueDequeueV2)" in report.problem
    assert "waits for 1 element in the queue '_0_letters'" in report.problem
    assert "0 of 3 elements" in report.problem


def test_points_reached_before_the_end_count(ch01):
    source = (
        RIGHT.replace("def build_graph", "def right")
        + body("""
        import os
        calls.append(1)
        if len(calls) > 2:
            os._exit(0)
        return right()
    """)
        + "calls = []\n"
    )
    report = check_source(ch01, source)
    assert [outcome.points for outcome in report.outcomes] == [1, 1, 0, 0]
    assert "ended the process" in report.outcomes[2].reason


def test_a_report_cannot_be_written_by_the_answer(ch01):
    """It does not know the token; its lines are left out."""
    source = body("""
        import json, os, stat
        for number in range(4):
            line = json.dumps({"kind": "done", "number": number, "reason": ""}) + "\\n"
            for descriptor in range(3, 64):
                try:
                    if stat.S_ISFIFO(os.fstat(descriptor).st_mode):
                        os.write(descriptor, line.encode())
                        os.write(descriptor, b"\\xff no message\\n[1]\\n")
                except OSError:
                    continue
        os._exit(0)
    """)
    report = check_source(ch01, source)
    assert report.score == 0
    assert "ended the process" in report.problem


@pytest.mark.slow
def test_threads_that_an_answer_leaves_keep_nobody_waiting(ch01):
    more = "threading.Thread(target=threading.Event().wait).start()"
    source = "import threading\n" + first(more)
    assert check_source(ch01, source).passed


@pytest.mark.slow
def test_files_are_written_in_a_folder_that_goes(ch01, tmp_path):
    note = tmp_path / "where"
    source = body(f"""
        import os
        open("mine", "w").write("text")
        open({str(note)!r}, "w").write(os.getcwd())
    """)
    check_source(ch01, source)
    assert note.read_text()
    assert not os.path.exists(note.read_text())


@pytest.mark.slow
def test_a_process_of_its_own_session_ends_with_the_check(ch01, tmp_path):
    """Without a sandbox as well, and the check does not wait for it."""
    note = tmp_path / "pids"  # one for each point, which all begin with a call of the answer
    source = body(f"""
        import subprocess, sys
        p = subprocess.Popen([sys.executable, "-c", "import signal; signal.pause()"],
                             start_new_session=True)
        open({str(note)!r}, "a").write(f"{{p.pid}} ")
    """)
    report = check_source(ch01, source)
    numbers = [int(number) for number in note.read_text().split()]
    for number in numbers:
        with pytest.raises(ProcessLookupError):
            os.kill(number, 0)
    assert len(numbers) == len(report.outcomes)
    assert report.score == 0


def test_what_is_printed_while_hidden_checks_run_is_not_told(ch01):
    source = first("import sys; print(sys._getframe(1).f_code.co_name)")
    shown, kept = check_source(ch01, source), check_source(ch01, source, hidden=True)
    assert kept.output == shown.output != ""
    assert kept.worth > shown.worth


ALWAYS_EQUAL = """
class Equal:
    '''Equal to everything, of every shape, and whatever else it is asked for.'''
    shape, dtype, name, type = (), float, "equal", "Equal"
    def __eq__(self, other): return True
    def __ne__(self, other): return False
    def __lt__(self, other): return True
    __le__ = __gt__ = __ge__ = __lt__
    def __hash__(self): return 0
    def __len__(self): return 4
    def __bool__(self): return True
    def __float__(self): return 1.0
    def __index__(self): return 1
    def __contains__(self, item): return True
    def __iter__(self): return iter([self, self, self, self])
    def __getitem__(self, key): return self
    def __getattr__(self, name):
        if name.startswith('__'): raise AttributeError(name)
        return self
    def __call__(self, *arguments, **named): return self
    def __enter__(self): return self
    def __exit__(self, *error): return False

def {symbol}(*arguments, **named):
    return Equal()
"""


@pytest.mark.slow
@pytest.mark.usefixtures("forked")
@pytest.mark.parametrize("found", ALL, ids=lambda e: e.name)
def test_an_object_that_equals_everything_has_no_points(found):
    report = check_source(found, ALWAYS_EQUAL.format(symbol=found.symbol), hidden=True)
    assert report.score == 0, report
    assert "Traceback" not in reasons(report)
