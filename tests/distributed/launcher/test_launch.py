"""Scripts that are started once for each task: who is told what, who is started again, the end."""

import io
import json
import signal
import socket
import subprocess
import sys
import textwrap

import pytest

from tests.distributed.waiting import until, wait_for_ends
from tests.oracle.environment import ROOT
from tests.waiting import LONG
from tinytf.distributed.launcher import launch

#: It says who it is, and does what a file of its name tells: "end 0", or nothing (it goes on).
SCRIPT = """
    import json, os, sys, time
    flags = dict(one[2:].split("=") for one in sys.argv[1:] if "=" in one)
    name = flags["job_name"] + flags["task_index"]
    print(json.dumps([flags, os.environ["TF_CONFIG"], sys.argv[1]]), flush=True)
    while True:
        if os.path.exists(name):
            code = int(open(name).read())
            if code:
                os.unlink(name)
            print(f"{name} ends")
            sys.exit(code)
        time.sleep(0.01)
"""


@pytest.fixture
def begin(tmp_path):
    """Starts the script in a folder of its own."""
    script = tmp_path / "script.py"
    script.write_text(textwrap.dedent(SCRIPT))
    runs = []

    def begin(arguments=("--x=1",), **options):
        runs.append(launch(script, arguments, folder=tmp_path, **options))
        return runs[-1]

    yield begin
    for run in runs:
        run.stop()


def say_all(run):
    """Wait until every task has begun."""
    assert until(lambda: all(run.output(task) for task in run.tasks)), run


def end(folder, *tasks, code=0):
    """Let tasks end with an exit code: "worker0"."""
    for task in tasks:
        (folder / f".{task}").write_text(str(code))
        (folder / f".{task}").rename(folder / task)


def test_each_task_is_told_who_it_is(begin, tmp_path):
    out = io.StringIO()
    run = begin(ps=1, worker=2, out=out)
    say_all(run)
    end(tmp_path, "worker0", "worker1")
    assert run.wait(LONG) == 0
    status = {one.name: one for one in run.status()}
    hosts = {"ps": ["ps:0"], "worker": ["worker:0", "worker:1"]}
    cluster = {job: [status[task].address for task in tasks] for job, tasks in hosts.items()}
    for task in run.tasks:
        flags, config, first = json.loads(run.output(task).splitlines()[0])
        job, index = task.split(":")
        assert flags == {
            "x": "1",
            "ps_hosts": cluster["ps"][0],
            "worker_hosts": ",".join(cluster["worker"]),
            "job_name": job,
            "task_index": index,
        }
        assert first == "--x=1"
        assert json.loads(config) == {
            "cluster": cluster,
            "task": {"type": job, "index": int(index)},
        }
    assert [one.state for one in run.status()] == ["was ended by SIGTERM", "done", "done"]
    assert "[worker:1] worker1 ends\n" in out.getvalue()
    assert run.events == []
    assert run.over


def test_a_client_that_is_no_task_of_the_cluster(begin, tmp_path):
    run = begin(ps=0, worker=1, client=True)
    say_all(run)
    flags, config, _ = json.loads(run.output("client:0"))
    assert "ps_hosts" not in flags
    assert flags["job_name"] == "client"
    assert json.loads(config)["task"] == {"type": "client", "index": 0}
    assert list(json.loads(config)["cluster"]) == ["worker"]
    end(tmp_path, "client0")
    assert run.wait(LONG) == 0
    assert run.status()[0].state == "was ended by SIGTERM"


def test_an_estimator_has_a_chief_and_an_evaluator_and_no_flags(tmp_path):
    script = tmp_path / "who.py"
    script.write_text("import os, sys; print(sys.argv[1:], os.environ['TF_CONFIG'])")
    with launch(script, ["--x"], ps=0, worker=2, estimator=True) as run:
        assert run.wait(LONG) == 0
    assert run.tasks == ["chief:0", "worker:0", "evaluator:0"]
    for task in run.tasks:
        given, _, config = run.output(task).partition("] ")
        assert given == "['--x'"
        found = json.loads(config)
        assert f"{found['task']['type']}:{found['task']['index']}" == task
        assert {job: len(them) for job, them in found["cluster"].items()} == {
            "chief": 1,
            "worker": 1,
        }


@pytest.mark.parametrize("task", ["ps:0", "worker:1"])
def test_who_is_killed_is_started_again(begin, tmp_path, task):
    run = begin()
    say_all(run)
    pid = run.kill(task)
    assert until(lambda: run.output(task).count("job_name") == 2)
    before, after = run.output(task).split(f"--- {task} started again ---")
    assert before.strip() == after.strip()  # the same flags: the same address
    found = {one.name: one for one in run.status()}[task]
    assert (found.restarts, found.state) == (1, "running")
    assert found.pid != pid
    end(tmp_path, "worker0", "worker1")
    assert run.wait(LONG) == 0
    assert run.events == [
        f"{task} was ended by SIGKILL; it is started again (1 of at most 3 times in 60 s)"
    ]


def test_one_that_ends_in_a_loop_is_given_up(tmp_path):
    script = tmp_path / "script.py"
    script.write_text("import sys; print('first'); sys.exit('oh no')")
    run = launch(script, ps=0, worker=1, restarts=2)
    assert run.wait(LONG) == 1
    assert run.events[-3:] == [
        "worker:0 ended with exit code 1, after 2 restarts in 60 s: given up. Its last lines:",
        "    first",
        "    oh no",
    ]
    assert run.status()[0].restarts == 2


def test_all_are_ended_when_one_is_given_up(begin, tmp_path):
    run = begin(restarts=0)
    say_all(run)
    end(tmp_path, "worker1", code=3)
    assert run.wait(LONG) == 1
    assert run.events[0] == "worker:1 ended with exit code 3: given up. Its last lines:"
    assert run.events[-1] == "worker:1 was given up: ps:0, worker:0 are ended"


def test_restarts_are_counted_within_a_period(begin, tmp_path):
    run = begin(ps=0, worker=1, restarts=1, period=0.0)
    for times in range(1, 4):
        assert until(lambda: run.output("worker:0").count("job_name") == times)  # noqa: B023
        run.kill("worker:0")
    assert until(lambda: run.output("worker:0").count("job_name") == 4)
    end(tmp_path, "worker0")
    assert run.wait(LONG) == 0


def test_nobody_is_started_again_when_the_chief_is_done(begin, tmp_path):
    run = begin(grace=LONG)
    say_all(run)
    end(tmp_path, "worker0")
    assert until(lambda: run.status()[1].state == "done")
    run.kill("ps:0")
    assert run.wait(LONG) == 0
    assert run.events == [
        "ps:0 was ended by SIGKILL; the chief is done, so it is not started again",
        "without ps:0 nobody can go on: worker:1 is ended",
    ]


def test_who_is_left_when_the_chief_is_done(begin, tmp_path):
    run = begin(grace=0.1)
    say_all(run)
    end(tmp_path, "worker0")
    assert run.wait(LONG) == 0
    assert run.events == ["the chief was done 0.1 s ago: ps:0, worker:1 are ended"]


def test_stop_and_the_end_of_a_with(begin):
    with begin() as run:
        say_all(run)
        pids = [one.pid for one in run.status()]
        with pytest.raises(TimeoutError, match=r"(?s)Not over after 0.01 s.*worker:1 .* running"):
            run.wait(0.01)
    assert wait_for_ends(pids) == []
    assert run.wait(LONG) == 130
    assert run.events == ["stopped: ps:0, worker:0, worker:1 are ended"]
    run.stop()
    with pytest.raises(ValueError, match=r"ps:0 does not run now: was ended by SIGTERM"):
        run.kill("ps:0")
    with pytest.raises(ValueError, match=r"no task ps:7. Its tasks: ps:0, worker:0, worker:1"):
        run.output("ps:7")


def test_nobody_reads_any_more(begin, tmp_path):
    class Closed(io.StringIO):
        def write(self, text):
            raise BrokenPipeError

    run = begin(out=Closed())
    say_all(run)
    end(tmp_path, "worker0", "worker1")
    assert run.wait(LONG) == 0


#: A program that launches a script, tells its processes, and goes on until it is ended.
PARENT = """
import sys
from tinytf.distributed.launcher import launch
run = launch(sys.argv[1], folder=sys.argv[2])
print(*[status.pid for status in run.status()], flush=True)
sys.stdin.read()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends them after SIGKILL")
@pytest.mark.parametrize("number", [signal.SIGKILL, pytest.param(0, marks=pytest.mark.slow)])
def test_nothing_stays_when_the_parent_ends(tmp_path, number):
    script = tmp_path / "script.py"
    script.write_text("import time; time.sleep(1000)")
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT, str(script), str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )
    with parent:
        pids = [int(pid) for pid in parent.stdout.readline().split()]
        assert len(pids) == 3
        if number:
            parent.send_signal(number)
        parent.stdin.close()
        assert wait_for_ends(pids) == []


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"worker": 0}, "worker=0: nobody would train"),
        ({"ps": -1}, "ps=-1: it must be the number of tasks, 0 or more"),
        ({"worker": "2"}, "worker='2': it must be the number of tasks"),
        ({"worker": True}, "worker=True: it must be"),
        ({"restarts": -1}, "restarts=-1"),
        ({"period": float("nan")}, "period=nan"),
        ({"grace": -1.0}, "grace=-1.0: it must be a number of seconds"),
        ({"ports": [2221]}, "1 ports for 3 tasks"),
        ({"first_port": 70000}, "70000 is no port"),
        ({"arguments": ["--task_index=3"]}, "the launcher itself gives --task_index to each task"),
    ],
)
def test_what_is_no_launch(begin, options, words):
    with pytest.raises(ValueError, match=words):
        begin(**options)


def test_a_script_that_is_not_there(tmp_path):
    (tmp_path / "other.py").write_text("")
    with pytest.raises(FileNotFoundError, match=r"no such file. In that folder are: other.py"):
        launch(tmp_path / "script.py")
    with pytest.raises(FileNotFoundError, match=r"It is a folder. In that folder are: other.py"):
        launch(tmp_path)


def test_a_port_that_is_taken(begin):
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        with pytest.raises(RuntimeError, match=rf"port {port} \(for ps:0\): this very program"):
            begin(ps=1, worker=1, ports=[port, port + 1])


def test_an_interpreter_that_is_not_there(begin):
    with pytest.raises(FileNotFoundError, match=r"no program /no/such/python"):
        begin(python="/no/such/python")
