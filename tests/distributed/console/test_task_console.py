"""Cells in another process: what they say, interrupts, ends, and garbage in the pipes."""

import contextlib
import os
import re
import signal
import subprocess
import sys
import threading

import pytest

import tinytf as tf
from tests.distributed.console.test_console_frames import framed
from tests.oracle.environment import ROOT
from tests.waiting import LONG
from tinytf.distributed.console.task_console import CellError, Console, ConsoleError

#: A task's process, but for what `tinytf serve` does besides.
CHILD = """
import sys
import tinytf as tf
from tinytf.distributed.console.task_console import serve
with tf.train.Server({"worker": ["localhost:0"]}) as server:
    serve(int(sys.argv[1]), int(sys.argv[2]), server)
    print("served", flush=True)
    sys.__stdin__.read()
"""


class Child:
    """A process that runs cells, its console, and what came of each cell."""

    def __init__(self, log):
        self.log = log
        code, self.write = os.pipe()
        self.read, replies = os.pipe()
        with log.open("wb") as out:
            self.process = subprocess.Popen(
                [sys.executable, "-c", CHILD, str(code), str(replies)],
                stdin=subprocess.PIPE,
                stdout=out,
                stderr=out,
                pass_fds=(code, replies),
                cwd=ROOT,
                start_new_session=True,
            )
        os.close(code)
        os.close(replies)
        self.console = Console(
            self.write, self.read, "worker:0", self.how_it_ended, self.process.pid
        )
        self.count = 0
        self.patience = 30  # seconds for a process whose pipe has ended

    def how_it_ended(self):
        with contextlib.suppress(subprocess.TimeoutExpired):
            return f"It ended with {self.process.wait(self.patience)}."
        return "It goes on."

    def start(self, code, on_event=lambda event: None):
        """Start a cell; the run, and the list its events are put into."""
        events = []

        def listen(event):
            events.append((event.kind, event.text))
            on_event(event)

        self.count += 1
        return self.console.run(code, self.count, listen), events

    def run(self, code):
        """Run a cell to its end; what it printed and showed."""
        run, events = self.start(code)
        run.wait(LONG)
        assert run.done
        return "".join(f"[{text}]" if kind == "result" else text for kind, text in events)

    def start_until(self, code, text="go\n"):
        """Start a cell and wait until it has printed `text`."""
        seen = threading.Event()
        run, events = self.start(code, lambda event: event.text == text and seen.set())
        assert seen.wait(LONG)
        return run, events

    def fail(self, code):
        """Run a cell that fails; its CellError."""
        with pytest.raises(CellError) as caught:
            self.run(code)
        return caught.value

    def end(self):
        self.console.close()
        os.close(self.write)
        os.close(self.read)
        with self.process:
            self.process.stdin.close()
            self.process.wait(LONG)


@pytest.fixture(scope="module")
def child(tmp_path_factory):
    child = Child(tmp_path_factory.mktemp("child") / "log")
    yield child
    child.end()
    assert child.process.returncode == 0


@pytest.fixture
def own_child(tmp_path):
    """A process that the test may end."""
    child = Child(tmp_path / "log")
    yield child
    child.end()


def test_names_stay_and_the_last_value_is_shown(child):
    assert child.run("x = 3\nprint('x is', x)\nx * 2") == "x is 3\n[6]"
    assert child.run("_ + x") == "[9]"
    assert child.run("x * 2;  # not shown") == ""
    assert child.run("x\ny = 4") == ""
    assert child.run("None") == ""
    assert child.run("if True:\n    x\n") == ""
    assert child.run("def f():\n    return x\n\nf()") == "[3]"
    assert child.run("import __main__; __main__.x, __name__") == "[(3, '__main__')]"


def test_what_a_cell_finds(child):
    shown = child.run("print(job, task_index, target == server.target); cluster.jobs")
    assert shown == "worker 0 True\n[['worker']]"
    assert child.run("import tinytf\ntf is tinytf") == "[True]"
    assert child.run("import sys; sys.argv, sys.path[0]") == "[([''], '')]"


def test_output_comes_while_the_cell_runs(child):
    run, events = child.start_until(
        "import os\nprint('go')\nos.read(os.pipe()[0], 1)\nprint('end')"
    )
    assert events == [("stdout", "go\n")]
    assert not run.done
    run.interrupt()
    with pytest.raises(CellError, match="KeyboardInterrupt"):
        run.wait(LONG)


def test_streams_threads_and_flushes(child):
    run, events = child.start(
        "import sys, threading\nprint('a', end='', flush=True)\nprint('b', file=sys.stderr)\n"
        "thread = threading.Thread(target=print, args=('c',))\nthread.start()\nthread.join()\n"
        "print('d', end='')"
    )
    run.wait(LONG)
    said = [("stdout", "a"), ("stderr", "b\n"), ("stdout", "c\n"), ("stdout", "d"), ("done", "")]
    assert events == said


def test_what_is_printed_between_cells_goes_to_the_log(child):
    said = child.run(
        "import threading\ngate = threading.Event()\n"
        "def late():\n    gate.wait()\n    print('between cells', flush=True)\n"
        "    reached.set()\nreached = threading.Event()\n"
        "threading.Thread(target=late).start()\nprint('now')"
    )
    assert said == "now\n"
    # Completion looks the attribute up while no cell runs: that opens the gate.
    child.run(
        "class Opener:\n    @property\n    def there(self):\n        gate.set()\n"
        "        return reached.wait()\nopener = Opener()"
    )
    assert child.console.complete("opener.there.x", 14, 30) == (13, [])
    assert "between cells" in child.log.read_text()


@pytest.mark.parametrize(
    ("code", "text"),
    [
        (
            "def f(n):\n    return 1 / n\n\nf(0)",
            "In[7] on worker:0, line 4, in <module>\n    f(0)\n  In[7] on worker:0, line 2, in f",
        ),
        ("x = (", "In[7] on worker:0, line 1\n    x = (\n"),
        ("raise ValueError('no') from KeyError(2)", "KeyError: 2\n\nThe above exception was the"),
        ("import sys\nsys.exit(3)", "SystemExit: 3\nThe cell is over; the task itself goes on"),
        ("input('Your name? ')", "EOFError: A %%task cell cannot ask"),
        ("class E(Exception):\n    def __str__(self): return 1 / 0\nraise E", "E"),
        ("raise ValueError('From /job:ps:\\nit')", "ValueError: From /job:ps:\nit\n"),
        ("raise ValueError('half a character: \\ud800')", r"half a character: \ud800"),
    ],
)
def test_errors_show_the_cells_own_lines(child, code, text):
    child.count = 6
    error = child.fail(code)
    assert text in error.text
    assert "task_cells.py" not in error.text
    assert "ast.py" not in error.text
    assert error.short in str(error)
    assert not error.ended


def test_errors_of_tinytf_name_the_lines_of_cells(child):
    child.count = 20
    child.run("a = tf.constant([1.0, 2.0], name='a')\nb = tf.placeholder(tf.float32, name='b')")
    error = child.fail("with tf.Session(target) as session:\n    session.run(a + b)")
    assert error.short.startswith("InvalidArgumentError: You must feed a value for placeholder")
    assert "In[22] on worker:0, line 2" in error.text
    assert "In[21] on worker:0, line 2\n    b = tf.placeholder(tf.float32, name='b')" in error.text
    assert "remote_session.py" not in error.text
    assert "\ntf.errors.InvalidArgumentError: " in error.text
    # All of it can be had; what might be tinytf's fault says so.
    assert "left out" not in error.text
    assert re.search(
        r"\(\d+ calls inside tinytf are left out: traceback.print_last\(\) has them.\)\n$",
        child.fail("tf.constant('x') + 1").text,
    )
    child.fail("with tf.Session(target) as session:\n    session.run(a + b)")
    assert "remote_session.py" in child.run("import traceback\ntraceback.print_last()")


def test_exits_that_are_no_errors(child):
    assert child.run("print('all')\nraise SystemExit") == "all\n"
    assert child.run("import sys\nsys.exit(0)") == ""


@pytest.mark.parametrize("size", [0, 1, 100_000, 3_000_000])
def test_much_output_and_much_code(child, size):
    assert child.run(f"print('x' * {size})") == "x" * size + "\n"
    assert child.run(f"text = '{'é' * size}'\nlen(text)") == f"[{size}]"


def test_many_lines(child):
    lines = "".join(f"{i}\n" for i in range(5000))
    assert child.run("for i in range(5000): print(i)") == lines


def test_texts_that_cannot_be_sent_as_they_are(child):
    assert child.run(r"print('\ud800', '€', '\U0001f600', '\0')") == "\\ud800 € \U0001f600 \0\n"


# -------------------------------------------------------------------------------------- interrupts


@pytest.mark.parametrize(
    "wait",
    [
        "gate = threading.Lock(); gate.acquire(); gate.acquire()",
        "for _ in iter(int, 1): pass",
        "os.read(os.pipe()[0], 1)",
    ],
)
def test_an_interrupt_ends_the_cell_and_not_the_next(child, wait):
    run, events = child.start_until(
        f"import os, threading\ntry:\n    print('go')\n    {wait}\nfinally:\n    print('clean')"
    )
    run.interrupt()
    with pytest.raises(CellError, match="worker:0: KeyboardInterrupt") as caught:
        run.wait(LONG)
    assert ("stdout", "clean\n") in events
    assert re.search(r"worker:0, line [34], in <module>", caught.value.text)
    run.interrupt()  # too late: it is over
    assert child.run("'goes on'") == "['goes on']"


def test_an_interrupt_ends_a_step(child):
    run, _ = child.start_until(
        "session = tf.Session(target)\nelement = tf.FIFOQueue(1, tf.int32).dequeue()\n"
        "session.run(tf.constant(1))\nprint('go')\nsession.run(element)"
    )
    run.interrupt()
    with pytest.raises(CellError, match="KeyboardInterrupt") as caught:
        run.wait(LONG)
    # A line of the cell, and nothing of tinytf's inside.
    found = re.fullmatch(r"Trace.*:\n  In.*, line ([45]), .*\n    .*\nKey.*\n", caught.value.text)
    assert found, caught.value.text
    assert child.run("int(session.run(tf.constant(2)))") == "[2]"
    child.run("session.close()")


def test_an_interrupt_that_python_would_ignore_comes_again(child):
    run, _ = child.start_until(
        "class Slow:\n    def __del__(self):\n        print('go')\n"
        "        for _ in range(10**7): pass\n"
        "slow = Slow()\ndel slow\nfor _ in iter(int, 1): pass"
    )
    run.interrupt()
    with pytest.raises(CellError, match="KeyboardInterrupt"):
        run.wait(LONG)


def test_an_interrupt_before_the_cell_begins(child):
    # The messages follow each other at once, however far the child is.
    for _ in range(20):
        run, _ = child.start("for _ in iter(int, 1): pass")
        run.interrupt()
        with pytest.raises(CellError, match="KeyboardInterrupt"):
            run.wait(LONG)


def test_interrupts_in_the_middle_of_printing_break_no_message_off(child):
    for _ in range(20):
        run, _ = child.start_until("print('go')\nwhile True: print('x' * 3000)")
        run.interrupt()
        with pytest.raises(CellError, match="KeyboardInterrupt"):
            run.wait(LONG)
    assert child.run("'well'") == "['well']"


def test_signals_from_elsewhere(child):
    os.kill(child.process.pid, signal.SIGINT)  # between cells: nothing
    assert child.run("1") == "[1]"
    run, _ = child.start_until("import os\nprint('go')\nos.read(os.pipe()[0], 1)")
    os.kill(child.process.pid, signal.SIGINT)
    with pytest.raises(CellError, match="KeyboardInterrupt"):
        run.wait(LONG)
    # A cell may take the signal; the next has its interrupts again.
    child.run("import signal; taken = signal.signal(signal.SIGINT, signal.SIG_IGN)")
    assert "KeyboardInterrupt" in child.fail("signal.raise_signal(signal.SIGINT)").text


# ---------------------------------------------------------------- meanwhile: the server, completion


def test_the_server_serves_while_a_cell_waits(child):
    target = child.run("print(target, end='')")
    run, events = child.start_until(
        "q = tf.FIFOQueue(1, tf.int32, shared_name='between')\nsession = tf.Session(target)\n"
        "element = q.dequeue()\nprint('go')\nint(session.run(element))"
    )
    with tf.Graph().as_default(), tf.Session(target) as session:
        q = tf.FIFOQueue(1, tf.int32, shared_name="between")
        session.run(q.enqueue(42))
    assert run.wait(LONG)
    assert events[-2:] == [("result", "42"), ("done", "")]
    child.run("session.close()")


@pytest.mark.parametrize(
    ("cell", "start", "some"),
    [
        ("my_na", 0, ["my_name"]),
        ("print(1)\nprint(my_na", 15, ["my_name"]),
        ("tf.constan", 3, ["constant", "constant_initializer"]),
        ("ser", 0, ["server"]),
        ("pri", 0, ["print"]),
        ("retu", 0, ["return"]),
        ("my_name._hid", 8, []),
        ("f().cons", 8, []),
        ("nobody.cons", 7, []),
        ("x = ", 4, []),
    ],
)
def test_completion(child, cell, start, some):
    child.run("my_name = 1\nf = print")
    assert child.console.complete(cell, len(cell)) == (start, some)


def test_completion_in_the_middle_and_while_a_cell_runs(child):
    run, _ = child.start_until("at_once = 1\nprint('go')\nfor _ in iter(int, 1): pass")
    assert child.console.complete("at_on + 1", 5) == (0, ["at_once"])
    assert child.console.complete("at_on", 99) == (0, ["at_once"])
    run.interrupt()
    with pytest.raises(CellError):
        run.wait(LONG)


def test_one_cell_at_a_time(child):
    run, _ = child.start_until("import os\nprint('go')\nos.read(os.pipe()[0], 1)")
    with pytest.raises(ConsoleError, match=r"worker:0 still runs In\[\d+\]"):
        child.console.run("1", 99)
    run.interrupt()
    with pytest.raises(CellError):
        run.wait(LONG)
    assert child.run("1") == "[1]"


# -------------------------------------------------------------------------------------------- ends


def test_a_process_that_dies_in_the_middle_of_a_cell(own_child):
    run, events = own_child.start("import os\nprint('bye')\nos.kill(os.getpid(), 9)")
    with pytest.raises(CellError, match=r"worker:0 is gone\. It ended with -9") as caught:
        run.wait(LONG)
    assert caught.value.ended
    assert [kind for kind, _ in events] == ["stdout", "error", "done"]
    with pytest.raises(ConsoleError, match="It ended with -9"):
        own_child.console.run("1", 1)
    with pytest.raises(ConsoleError, match="It ended with -9"):
        own_child.console.complete("a", 1)
    run.interrupt()  # nothing is there any more


@pytest.mark.slow
def test_a_process_that_dies_while_its_fork_has_the_pipe(own_child):
    code = (
        "import os\nread, write = os.pipe()\nfork = os.fork()\nif not fork: os.read(read, 1)\n"
        "print(fork, flush=True)\nos.kill(os.getpid(), 9)"
    )
    run, events = own_child.start(code)
    with pytest.raises(CellError, match=r"worker:0 is gone\. It ended with -9"):
        run.wait(LONG)
    os.kill(int(events[0][1]), signal.SIGKILL)


def test_the_end_of_the_console_is_not_the_end_of_the_task(own_child):
    target = own_child.run("print(target, end='')")
    own_child.console.close()
    own_child.console.close()
    with pytest.raises(ConsoleError, match="worker:0"):
        own_child.console.run("1", 1)
    with tf.Graph().as_default(), tf.Session(target) as session:
        assert session.run(tf.constant(5)) == 5
    assert own_child.process.poll() is None


@pytest.mark.slow
def test_programs_that_a_cell_starts_do_not_get_the_pipes(own_child):
    program = "import os; print(*os.listdir('/proc/self/fd'))"
    there = own_child.run(
        f"import subprocess, sys\nsubprocess.run([sys.executable, '-c', {program!r}], "
        "close_fds=False, capture_output=True, text=True, stdin=subprocess.DEVNULL).stdout"
    )
    assert len(there.split()) <= 4  # 0, 1, 2, and the folder that is listed


# ----------------------------------------------------------------------------------------- garbage


def test_garbage_in_the_middle_of_output(own_child):
    run, events = own_child.start(
        "import os, sys\nprint('well')\nos.write(int(sys.orig_argv[-1]), b'garbage')\nprint('more')"
    )
    with pytest.raises(CellError, match="worker:0 sent what is no message: a message of") as caught:
        run.wait(LONG)
    assert "Did a program write to a file descriptor that is not its own?" in caught.value.text
    assert ("stdout", "well\n") in events
    with pytest.raises(ConsoleError, match="sent what is no message"):
        own_child.console.run("1", 1)


OTHER_GARBAGE = [framed({"say": 1}), framed({"run": 1, "code": 3, "number": 1}), framed({})]


@pytest.mark.parametrize(
    "data", [b"garbage", *(pytest.param(data, marks=pytest.mark.slow) for data in OTHER_GARBAGE)]
)
def test_a_child_that_gets_garbage_serves_on(own_child, data):
    target = own_child.run("print(target, end='')")
    own_child.patience = 0
    os.write(own_child.write, data)
    own_child.console._reader.join(30)  # the child has closed its end
    with tf.Graph().as_default(), tf.Session(target) as session:
        assert session.run(tf.constant(5)) == 5
    assert "No message of the parent's pipe" in own_child.log.read_text()
