"""What an answer leaves behind is ended with its check, and nobody waits for it."""

import os
import textwrap
import time
from pathlib import Path

import pytest

from tinytf.grading import exercise
from tinytf.grading.check import check_source

#: A program that lives for ten minutes, with a mark by which it is found.
PROGRAM = "import time; time.sleep(600)  # left behind {mark}"
#: Ways to leave one: they have all open files of the process that checks.
WAYS = {
    "a child": "os.fork() or os.execv(sys.executable, command)",
    "a session of its own": """
        if not os.fork():
            os.setsid()
            os.execv(sys.executable, command)
    """,
    "a daemon": """
        child = os.fork()
        if not child:
            os.setsid()
            if os.fork():
                os._exit(0)
            os.execv(sys.executable, command)
        os.waitpid(child, 0)
    """,
    "a daemon that ignores signals": """
        child = os.fork()
        if not child:
            os.setsid()
            if os.fork():
                os._exit(0)
            for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
                signal.signal(number, signal.SIG_IGN)
            os.execv(sys.executable, command)
        os.waitpid(child, 0)
    """,
    "daemons of daemons": """
        for _ in range(5):
            if not os.fork():
                os.setsid()
                for _ in range(2):
                    if not os.fork():
                        os.setsid()
                        os.execv(sys.executable, command)
                os._exit(0)
        time.sleep(0.5)
    """,
}
#: How the answer itself ends.
ENDINGS = {
    "it returns": "pass",
    "it exits": "os._exit(3)",
    "it is killed": "os.kill(os.getpid(), 9)",
    "it never ends": "time.sleep(600)",
    "it stops": "os.kill(os.getpid(), signal.SIGSTOP)",
}
#: Seconds; a check takes about one to begin and to end.
DEADLINE, MUCH_LATER = 3.0, 25.0


def left(mark):
    """The processes that are left with a mark."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if f"# left behind {mark}".encode() in path.read_bytes():
                found.append(int(path.parent.name))
        except OSError:
            continue
    return found


def checked(way, ending, confined=False):
    """(The report, how long it took, the processes that are left)."""
    mark = os.urandom(8).hex()
    source = (
        "import os, signal, sys, time\n"
        f"command = [sys.executable, '-c', {PROGRAM.format(mark=mark)!r}]\n"
        "for descriptor in range(3, 20):\n"
        "    try:\n"
        "        os.set_inheritable(descriptor, True)\n"
        "    except OSError:\n"
        "        pass\n"
        f"{textwrap.dedent(way)}\n{ending}\n"
        "def build_graph():\n    pass\n"
    )
    start = time.monotonic()
    report = check_source(exercise.find("ch01.ex1"), source, deadline=DEADLINE, confined=confined)
    return report, time.monotonic() - start, left(mark)


def others_slow(names, quick):
    """Parameters of which only some are in the default run."""
    slow = pytest.mark.slow
    return [pytest.param(name, marks=() if name in quick else slow) for name in names]


@pytest.mark.parametrize("way", others_slow(WAYS, ["a daemon"]))
def test_every_way_of_leaving_one(way):
    report, seconds, processes = checked(WAYS[way], ENDINGS["it returns"])
    assert processes == []
    assert seconds < MUCH_LATER
    assert not report.passed


@pytest.mark.parametrize("ending", others_slow(ENDINGS, ["it never ends"]))
def test_every_way_of_ending(ending):
    _, seconds, processes = checked(WAYS["a daemon"], ENDINGS[ending])
    assert processes == []
    assert seconds < MUCH_LATER


@pytest.mark.slow
@pytest.mark.sandbox
@pytest.mark.parametrize("ending", ["it returns", "it never ends"])
def test_in_the_sandbox(ending):
    _, seconds, processes = checked(WAYS["a daemon"], ENDINGS[ending], confined=True)
    assert processes == []
    assert seconds < MUCH_LATER


def test_who_has_ended_its_keeper_is_not_waited_for():
    """The daemon outlives that: without a sandbox an answer may do as its user may."""
    way = WAYS["a daemon"] + "\n    os.kill(os.getppid(), 9)"
    _, seconds, processes = checked(way, ENDINGS["it returns"])
    for process in processes:
        os.kill(process, 9)
    assert seconds < MUCH_LATER
