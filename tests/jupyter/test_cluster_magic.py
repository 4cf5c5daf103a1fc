"""`%cluster`, in a shell without a notebook. Ports and processes are real."""

import os
import re
import signal

import pytest

pytest.importorskip("IPython")
from IPython.core.completer import provisionalcompleter
from IPython.core.error import UsageError
from IPython.core.interactiveshell import InteractiveShell

import tinytf as tf
from tests.distributed.waiting import until
from tinytf.distributed.local_cluster import running_clusters
from tinytf.jupyter import cluster_magic
from tinytf.jupyter.cluster_magic import ClusterMagics


@pytest.fixture
def shell():
    shell = InteractiveShell()
    shell.register_magics(ClusterMagics)
    yield shell
    running = shell.magics_manager.registry["ClusterMagics"].running
    if running is not None:  # `%cluster stop` would take another test's, where there is none
        running.stop()
    shell.history_manager.end_session()


def cluster(shell, line):
    return shell.run_line_magic("cluster", line)


def test_start_use_status_stop(shell, capsys, monkeypatch):
    running = cluster(shell, "start --ps 1 --worker 1")
    assert "/job:worker/task:0" in repr(running)
    assert running.target("worker", 0) in running._repr_html_()
    with tf.Graph().as_default(), tf.Session(running.target("worker", 0)) as session:
        assert session.run(tf.constant(8)) == 8
    assert cluster(shell, "status") is running
    processes = [status.pid for status in running.status()]
    assert cluster(shell, "stop") is None
    assert "Stopped: 2 processes ended." in capsys.readouterr().out
    for pid in processes:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)
    monkeypatch.setattr(cluster_magic, "running_clusters", list)
    assert cluster(shell, "status") is None
    assert "No cluster is running. Start one: %cluster start" in capsys.readouterr().out


@pytest.mark.slow
def test_starting_again_is_safe(shell, capsys):
    running = cluster(shell, "start --ps 0 --worker 1")
    assert cluster(shell, "start") is running
    assert "running already" in capsys.readouterr().out
    with pytest.raises(UsageError, match="0 ps and 1 worker is running already"):
        cluster(shell, "start --worker 2")
    with pytest.raises(UsageError, match="on ports from"):
        cluster(shell, "start --ports 2221")
    with pytest.raises(UsageError, match="with --transport auto"):
        cluster(shell, "start --transport grpc")
    shell.register_magics(ClusterMagics)  # what %reload_ext does
    assert cluster(shell, "status") is running
    assert running.alive
    running.stop()  # not by the magic
    again = cluster(shell, "start --ps 0 --worker 1")
    assert again.alive


def test_the_transport_is_chosen_and_shown(shell):
    """The other one is that of all other tests."""
    running = cluster(shell, "start --ps 1 --worker 1 --transport grpc")
    assert cluster(shell, "start --transport grpc") is running
    assert repr(cluster(shell, "status")).startswith("<cluster on this machine, by gRPC alone\n")
    assert "on this machine, by gRPC alone</caption>" in running._repr_html_()
    with tf.Graph().as_default():
        with tf.device("/job:ps/task:0"):
            eight = tf.constant(8)
        with tf.Session(running.target()) as session:
            session.run(eight)
            table = r"{}  0 steps running\n  kernel threads .*calls\n  \d+ +[1?] +{}"
            ways = {"ps:0": "no other task yet", "worker:0": "ps:0 by grpc"}
            expected = "\n".join(table.format(*way) for way in ways.items())
            # Nobody waits until the last task has put a step away.
            assert until(lambda: bool(re.fullmatch(expected, repr(cluster(shell, "tasks")))))


@pytest.mark.slow
def test_a_dead_task_is_reported(shell):
    running = cluster(shell, "start --ps 0 --worker 1")
    (status,) = running.status()
    os.kill(status.pid, signal.SIGKILL)
    running.wait_for_end("worker", 0)
    with pytest.raises(UsageError) as caught:
        cluster(shell, "start")
    assert "/job:worker/task:0 ended by SIGKILL (return code -9)" in str(caught.value)
    assert "Start it again: %cluster restart worker:0" in str(caught.value)
    assert "ended by SIGKILL" in repr(cluster(shell, "status"))
    assert "serving, restarted at" in repr(cluster(shell, "restart worker:0"))
    assert cluster(shell, "start").alive


@pytest.fixture(scope="module")
def module_shell():
    """A shell with a cluster that tests may break, and heal again."""
    shell = InteractiveShell()
    shell.register_magics(ClusterMagics)
    shell.run_line_magic("cluster", "start --ps 1 --worker 2")
    yield shell
    shell.run_line_magic("cluster", "stop")
    shell.history_manager.end_session()


BREAKING = [
    ("pause worker:0", "paused"),
    ("resume /job:worker/task:0", "task:0"),
    ("delay worker:1 200ms", "its calls are 200 ms late"),
    ("delay worker:1 ps:0 1.5s", "calls to ps:0 are 1.5 s late"),
    ("delay worker:1 0", "calls to ps:0"),
    ("drop worker:0 ps:0", "cut off from worker:0"),
    ("drop client worker:0", "cut off from client, ps:0"),
    ("partition worker:0,worker:1 | ps:0", "cut off from worker:0, worker:1"),
    ("partition worker:0 worker:1 | ps:0 client", "cut off from worker:0, worker:1"),
    ("delay client 20ms", "this program: its calls are 20 ms late"),
    ("heal", "serving>"),
    ("kill worker:0 worker:1", "ended by SIGKILL"),
    ("restart worker:0 worker:1", "restarted at"),
]


def test_breaking_things(module_shell):
    for line, shows in BREAKING:
        assert shows in repr(cluster(module_shell, line)), line


def test_what_lives_on_the_tasks(module_shell):
    running = cluster(module_shell, "status")
    with tf.Graph().as_default():
        with tf.device("/job:ps/task:0"), tf.container("mine"):
            v = tf.get_variable("v", initializer=tf.zeros([2, 3]))
            queue = tf.FIFOQueue(10, tf.float32, shared_name="q")
        with tf.Session(running.target("worker:0")) as session:
            session.run([v.initializer, queue.enqueue(1.0)])
    assert repr(cluster(module_shell, "vars ps:0")).splitlines() == [
        "ps:0  1 variable, 24 bytes",
        "  name  shape   dtype    bytes  container  initialised",
        "  v     [2, 3]  float32     24  mine       yes",
    ]
    assert "  q     FIFOQueue         1        10  no      mine" in repr(
        cluster(module_shell, "queues")
    )
    cluster(module_shell, "pause worker:1")
    assert repr(cluster(module_shell, "containers")).splitlines() == [
        "ps:0  1 container, 24 bytes",
        "  container  variables  queues  others  bytes",
        "  mine               1       1       0     24",
        "worker:0  no containers",
        "worker:1  " + running.status()[2].state,
    ]
    cluster(module_shell, "resume worker:1")


def test_later(module_shell, capsys, monkeypatch):
    timers = []
    monkeypatch.setattr(
        cluster_magic.threading, "Timer", lambda *args: timers.append(Timer(*args)) or timers[-1]
    )
    assert cluster(module_shell, "pause ps:0 --after 300ms") is None
    assert "In 0.3 s: pause ps:0" in capsys.readouterr().out
    assert timers[0].seconds == 0.3
    timers[0].function(*timers[0].arguments)
    assert "paused" in repr(cluster(module_shell, "status"))
    assert re.search(r"\[%cluster, [\d:]{8}\] pause ps:0: done\n", capsys.readouterr().out)
    cluster(module_shell, "resume ps:0")


class Timer:
    """A `threading.Timer` that never comes by itself."""

    def __init__(self, seconds, function, arguments):
        self.seconds, self.function, self.arguments = seconds, function, arguments

    def start(self):
        pass


def test_logs_and_help(module_shell, capsys):
    cluster(module_shell, "logs ps:0")
    assert capsys.readouterr().out == "[ps:0] (nothing was written)\n"
    cluster(module_shell, "logs")
    assert {line[:6] for line in capsys.readouterr().out.splitlines()} >= {"[ps:0]", "[worke"}
    cluster(module_shell, "help")
    said = capsys.readouterr().out
    assert "%cluster delay TASK [TASK] TIME\n" in said
    assert all(f"%cluster {action}" in said for action in cluster_magic._ACTIONS)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("", "needs an action. It knows: start, status"),
        ("begin", "does not know 'begin'. It knows: start, status"),
        ("start --worker two", "invalid int value: 'two'"),
        ("start --gpu 1", "unrecognized arguments: --gpu 1"),
        ("start 3", "Numbers of tasks are options"),
        ("start --if-taken kill", "invalid choice: 'kill'"),
        ("stop --ps 1", "%cluster stop takes no --ps: start does"),
        ("stop --transport grpc", "%cluster stop takes no --transport: start does"),
        ("start --transport unix", "invalid choice: 'unix'"),
        ("stop worker:1", "%cluster kill worker:1 ends one task"),
        ("status all", "takes no more words, got 'all'"),
        ("start --after 1s", "--after is for kill, restart"),
        ("kill", "needs the name of a task. Tasks: ps:0, worker:0, worker:1"),
        ("kill worker:2", "no task worker:2. Its tasks: ps:0, worker:0, worker:1"),
        ("kill worker", "'worker' is not the name of a task. Write it like worker:1"),
        ("kill client", "'client' is not the name"),
        ("kill worker:0 --after soon", "'soon' is no duration"),
        ("vars worker:2", "no task worker:2"),
        ("delay worker:1", "Write %cluster delay worker:1 200ms"),
        ("delay worker:1 fast", "'fast' is no duration. Write it like 200ms"),
        ("delay worker:1 worker:1 1s", "are the same task"),
        ("drop worker:0", "it takes two tasks"),
        ("drop worker:0 worker:0", "are the same task"),
        ("partition worker:0 worker:1", "Write the sides with | between"),
        ("partition worker:0 |", "Write the sides with | between"),
        ("partition worker:0 | worker:0", "on one side"),
        ("help me", "It tells all actions"),
        ("heal worker:0", "It heals all of the network"),
    ],
)
def test_bad_use(module_shell, line, words):
    with pytest.raises(UsageError) as caught:
        cluster(module_shell, line)
    assert words in str(caught.value)


@pytest.mark.parametrize("line", ["kill worker:0", "logs", "vars", "heal", "drop worker:0 ps:0"])
def test_without_a_cluster(shell, line, monkeypatch):
    monkeypatch.setattr(cluster_magic, "running_clusters", list)  # other tests have some
    with pytest.raises(UsageError, match=r"No cluster is running\. Start one: %cluster start"):
        cluster(shell, line)


@pytest.mark.parametrize("line", ["start --ps -1", "start --ps 0 --worker 0"])
def test_no_tasks(shell, line):
    with pytest.raises(UsageError, match="at least one task"):
        cluster(shell, line)


@pytest.mark.slow
def test_a_cluster_of_the_program(shell):
    with tf.LocalCluster(worker=1) as made:
        assert repr(cluster(shell, "status")) == repr(made)
        cluster(shell, "kill worker:0")
        assert not made.alive
        assert made.tasks == running_clusters()[-1].tasks
    assert repr(cluster(shell, "status")) != repr(made)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("%cluster st", {"start", "status", "stop"}),
        ("%cluster start --w", {"--worker"}),
        ("cluster = %cluster start --p", {"--ps", "--ports"}),
        ("%cluster start --if-taken re", {"replace", "reuse"}),
        ("%cluster start --t", {"--transport"}),
        ("%cluster start --transport ", {"auto", "grpc"}),
        ("%cluster tasks w", {"worker:0", "worker:1"}),
        ("%cluster kill w", {"worker:0", "worker:1"}),
        ("%cluster kill worker:", {"worker:0", "worker:1"}),
        ("%cluster kill worker:0 p", {"ps:0"}),
        ("%cluster delay c", {"client"}),
        ("%cluster kill --", {"--after"}),
        ("%cluster partition worker:0,w", {"worker:0", "worker:1"}),
        ("%cluster partition worker:0,worker:1 | p", {"ps:0"}),
    ],
)
def test_completion(module_shell, text, found):
    with provisionalcompleter():
        said = {one.text for one in module_shell.Completer.completions(text, len(text))}
    assert said == found


def test_completion_of_actions(module_shell):
    with provisionalcompleter():
        said = {one.text for one in module_shell.Completer.completions("%cluster ", 9)}
    assert said == set(cluster_magic._ACTIONS)


@pytest.mark.parametrize("line", ["x", "%clusters ", "print('%cluster ", "a %cluster "])
def test_lines_of_others_are_not_completed(module_shell, line):
    assert module_shell.magics_manager.registry["ClusterMagics"].complete(line) is None


def test_nothing_follows_where_nothing_makes_sense(module_shell):
    magics = module_shell.magics_manager.registry["ClusterMagics"]
    assert magics.complete("%cluster status w") == ("w", [])
    assert magics.complete("%cluster heal ") == ("", ["--after"])
