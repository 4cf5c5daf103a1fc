"""Real processes that share a simulated machine, and one that is killed."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import tinytf as tf
from tinytf.devices import machine, processes

pytestmark = pytest.mark.slow

MEGABYTE = 1 << 20
PROGRAM = str(Path(__file__).with_name("program.py"))


class Program:
    """A running program.py."""

    def __init__(self, count=1, memory="64MiB", machine="lesson", **options):
        command = [sys.executable, PROGRAM, str(count), memory, machine, json.dumps(options)]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.pid = self.answer()["pid"]

    def answer(self):
        line = self.process.stdout.readline()
        assert line, f"the program ended with {self.process.wait()}"
        return json.loads(line)

    def tell(self, command):
        """(what was printed, what went wrong) of a command."""
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        answer = self.answer()
        return answer["printed"], answer["problem"]

    def end(self):
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


@pytest.fixture
def start():
    """A function that starts programs; they end with the test."""
    started = []

    def begin(*arguments, **options):
        started.append(Program(*arguments, **options))
        return started[-1]

    yield begin
    for program in started:
        program.process.kill()
        program.end()


def taken(gpu=0, name="lesson"):
    return {one.pid: one.held.get(gpu, 0) for one in machine.look(name).processes}


def test_a_second_program_gets_what_is_left(start):
    first, second = start(), start()
    assert first.tell("hold w 10") == ("", "")
    assert taken() == {first.pid: 56 * MEGABYTE, second.pid: 0}
    printed, problem = second.tell("hold w 10")
    assert "from device: CUDA_ERROR_OUT_OF_MEMORY: out of memory" in printed
    assert f"Other programs hold: program.py (pid {first.pid}) 56 MiB." in printed
    assert "per_process_gpu_memory_fraction" in printed
    assert problem.startswith(
        "OOM when allocating tensor with shape[10,262144] and type float on "
        "/job:localhost/replica:0/task:0/device:GPU:0 by allocator GPU_0_bfc"
    )
    assert f"program.py (pid {first.pid}) 56 MiB" in problem
    assert sum(taken().values()) <= 64 * MEGABYTE
    assert second.tell("compute 2") == ("", "")  # small things go on
    assert first.tell("compute 20") == ("", "")  # the first one notices nothing


def test_the_memory_of_a_killed_program_is_free_again(start):
    first, second = start(), start(allow_growth=True)
    assert first.tell("hold w 10") == ("", "")
    _, problem = second.tell("compute 20")
    assert "OOM when allocating tensor" in problem
    os.kill(first.pid, signal.SIGKILL)
    assert first.process.wait() == -signal.SIGKILL
    assert second.tell("compute 20") == ("", "")
    assert list(taken()) == [second.pid]
    third = start(allow_growth=True)
    assert third.tell("compute 4") == ("", "")


@pytest.mark.slow
def test_a_program_that_crashes_holds_nothing(start):
    first = start()
    first.tell("hold w 10")
    first.process.stdin.write("die\n")
    first.process.stdin.flush()
    first.process.wait()
    second = start()
    assert second.tell("hold w 50") == ("", "")


def test_a_program_that_ends_gives_its_memory_back(start):
    first, second = start(), start()
    first.tell("hold w 10")
    first.end()
    assert second.tell("hold w 50") == ("", "")
    second.end()
    assert machine.machines() == []
    assert [path.name for path in machine.folder().iterdir()] == ["lock"]


@pytest.mark.slow
def test_programs_that_take_a_part_share(start):
    programs = [start(per_process_gpu_memory_fraction=0.4) for _ in range(2)]
    for program in programs:
        assert program.tell("hold w 20") == ("", "")
    assert list(taken().values()) == [int(64 * MEGABYTE * 0.4) // 256 * 256] * 2
    printed, problem = programs[0].tell("hold v 20")
    assert printed == ""
    assert "per_process_gpu_memory_fraction is 0.4" in problem


@pytest.mark.slow
def test_programs_that_grow_share_until_it_is_full(start):
    programs = [start(allow_growth=True) for _ in range(2)]
    for megabytes in (1, 10):
        for program in programs:
            assert program.tell(f"hold w{megabytes} {megabytes}") == ("", "")
    _, problem = programs[1].tell("hold w40 40")
    assert "OOM when allocating tensor" in problem
    assert "end the other program" in problem
    assert sum(taken().values()) <= 64 * MEGABYTE


def test_a_gpu_for_each_program(start, monkeypatch):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0")
    first = start(2)
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "1")
    second = start(2)
    for program in (first, second):
        assert program.tell("hold w 20") == ("", "")
    assert taken(0) == {first.pid: 56 * MEGABYTE, second.pid: 0}
    assert taken(1) == {first.pid: 0, second.pid: 56 * MEGABYTE}


def test_the_first_program_takes_all_gpus(start):
    first = start(2)
    first.tell("hold w 1")
    assert [taken(gpu)[first.pid] for gpu in (0, 1)] == [56 * MEGABYTE] * 2


@pytest.mark.slow
def test_machines_with_other_names_do_not_meet(start):
    first, second = start(machine="one"), start(machine="two")
    for program in (first, second):
        assert program.tell("hold w 20") == ("", "")
    assert [state.name for state in machine.machines()] == ["one", "two"]


def test_asking_for_other_gpus_than_those_in_use(start):
    first = start(1, "64MiB")
    with pytest.raises(ValueError, match=rf"in use by program.py \(pid {first.pid}\)") as found:
        tf.devices.simulate_gpus(2, "64MiB", "lesson")
    assert "has 1 GPU of 64 MiB" in str(found.value)
    assert "TINYTF_SIMULATED_GPUS" not in os.environ
    first.end()
    tf.devices.simulate_gpus(2, "64MiB", "lesson")


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")  # of Python 3.12, about threads
def test_a_child_by_fork_has_an_account_of_its_own(opened):
    (gpu,) = opened(1, "64MiB", "lesson")
    gpu.memory.touch()
    reading, writing = os.pipe()
    child = os.fork()
    if not child:  # in the child: nothing may come back to the tests
        try:
            (mine,) = opened(1, "64MiB", "lesson")
            os.write(writing, f"{mine.memory is gpu.memory} {mine.memory.reserved}".encode())
        finally:
            os._exit(0)
    os.close(writing)
    os.waitpid(child, 0)
    with os.fdopen(reading) as told:
        assert told.read() == "False 0"
    assert taken() == {os.getpid(): 56 * MEGABYTE}


# ------------------------------------------------------------------------------------- processes


def test_a_process_is_known_by_number_and_start():
    here = processes.started(os.getpid())
    assert here
    assert processes.started(os.getpid()) == here
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    since = processes.started(child.pid)
    assert since not in ("", here)
    child.kill()
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    assert processes.started(child.pid) == ""  # not yet asked for by its parent, but gone
    child.wait()
    child.stdin.close()
    assert processes.started(child.pid) == ""
    assert processes.started(0) == processes.started(-1) == ""


def test_where_there_is_no_proc_ps_is_asked():
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    since = processes._started_by_ps(child.pid)
    assert since
    assert since == processes._started_by_ps(child.pid)
    child.kill()
    child.wait()
    child.stdin.close()
    assert processes._started_by_ps(child.pid) == ""


@pytest.mark.parametrize(
    ("arguments", "notebook", "name"),
    [
        (["/users/ann/train.py", "3"], "", "train.py"),
        (["-c"], "", "python"),
        ([""], "", "python"),
        (["/x/tinytf/__main__.py", "serve", "--task", "1"], "", "tinytf serve --task 1"),
        (["/x/ipykernel_launcher.py", "-f", "k.json"], "/c/02_devices.ipynb", "02_devices.ipynb"),
        (["/users/ann/train.py"], "/c/02_devices.ipynb", "train.py"),
    ],
)
def test_names_of_processes(arguments, notebook, name, monkeypatch):
    monkeypatch.setattr(sys, "argv", arguments)
    monkeypatch.setenv("JPY_SESSION_NAME", notebook)
    assert processes.name_of_this() == name
