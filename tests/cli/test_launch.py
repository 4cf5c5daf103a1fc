"""`tinytf launch`: its options, its mistakes, what it shows, its end."""

import re
import signal
import subprocess
import sys

import pytest

from tests.distributed.waiting import wait_for_ends
from tests.oracle.environment import ROOT
from tinytf.cli import main

WORKS = "import sys; print(*sys.argv[1:3]); sys.exit('--job_name=ps' in sys.argv and 5 or 0)"
GOES_ON = "import os, time; print(os.getpid(), flush=True); time.sleep(1000)"


@pytest.fixture
def script(tmp_path):
    return tmp_path / "script.py"


def test_it_shows_what_all_tasks_write(script, capfd):
    script.write_text(WORKS)
    assert main(["launch", "--ps", "0", "--worker", "2", str(script), "--rate=0.1", "x"]) == 0
    said = capfd.readouterr().out.splitlines()
    assert sorted(said) == ["[worker:0] --rate=0.1 x", "[worker:1] --rate=0.1 x"]


def test_a_program_of_tensorflow(script, capfd):
    script.write_text("import tensorflow as tf; print(tf.VERSION)")
    assert main(["launch", "--ps", "0", "--worker", "1", str(script)]) == 0
    assert "[worker:0] 1.15.0" in capfd.readouterr().out


def test_one_that_is_given_up(script, capfd):
    script.write_text("raise ValueError('this is wrong')")
    assert main(["launch", "--ps=0", "--worker=1", "--restarts=1", "--period=30", str(script)]) == 1
    said = capfd.readouterr().out
    assert "[launch] worker:0 ended with exit code 1; it is started again (1 of at most 1" in said
    assert "[launch] worker:0 ended with exit code 1, after 1 restarts in 30 s: given up" in said
    assert said.rstrip().endswith("ValueError: this is wrong")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nowhere.py"], "Cannot start nowhere.py once for each task: There is no such file"),
        (["--worker", "0", "FILE"], "worker=0: nobody would train"),
        (["--ps", "-1", "FILE"], "ps=-1"),
        (["FILE", "--ps", "2"], "--ps stands behind the script"),
        (["FILE", "--worker=2"], "tinytf launch --worker=2 ... SCRIPT"),
        (["FILE", "--job_name=ps"], "the launcher itself gives --job_name"),
        (["--first-port", "70000", "FILE"], "70000 is no port"),
    ],
)
def test_mistakes(script, arguments, words, capfd):
    script.write_text(WORKS)
    given = [one.replace("FILE", str(script)) for one in arguments]
    assert main(["launch", *given]) == 2
    said = capfd.readouterr().err
    assert said.startswith("tinytf launch: ")
    assert words in said


@pytest.mark.parametrize(
    ("number", "code"),
    [pytest.param(signal.SIGINT, 130, marks=pytest.mark.slow), (signal.SIGTERM, 143)],
)
def test_all_tasks_end_with_it(script, number, code):
    script.write_text(GOES_ON)
    with subprocess.Popen(
        [sys.executable, "-m", "tinytf", "launch", "--worker=1", str(script)],
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    ) as process:
        pids = [int(re.search(r"\] (\d+)", process.stdout.readline())[1]) for _ in range(2)]
        process.send_signal(number)
        assert process.wait(60) == code
        assert wait_for_ends(pids) == []
