"""`%cluster`, in a shell without a notebook. Ports and processes are real."""

import os
import signal

import pytest

pytest.importorskip("IPython")
from IPython.core.completer import provisionalcompleter
from IPython.core.error import UsageError
from IPython.core.interactiveshell import InteractiveShell

import tinytf as tf
from tinytf.jupyter.cluster_magic import ClusterMagics


@pytest.fixture
def shell():
    shell = InteractiveShell()
    shell.register_magics(ClusterMagics)
    yield shell
    shell.run_line_magic("cluster", "stop")
    shell.history_manager.end_session()


def cluster(shell, line):
    return shell.run_line_magic("cluster", line)


def test_start_use_status_stop(shell, capsys):
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
    assert cluster(shell, "status") is None
    assert "No cluster is running. Start one: %cluster start" in capsys.readouterr().out


def test_starting_again_is_safe(shell, capsys):
    running = cluster(shell, "start --ps 0 --worker 1")
    assert cluster(shell, "start") is running
    assert "running already" in capsys.readouterr().out
    with pytest.raises(UsageError, match="0 ps and 1 worker is running already"):
        cluster(shell, "start --worker 2")
    shell.register_magics(ClusterMagics)  # what %reload_ext does
    assert cluster(shell, "status") is running
    assert running.alive


def test_a_dead_task_is_reported(shell):
    running = cluster(shell, "start --ps 0 --worker 1")
    (status,) = running.status()
    os.kill(status.pid, signal.SIGKILL)
    running.wait_for_end("worker", 0)
    with pytest.raises(UsageError, match=r"/job:worker/task:0 ended by SIGKILL \(return code -9\)"):
        cluster(shell, "start")
    assert "ended by SIGKILL" in repr(cluster(shell, "status"))


@pytest.mark.parametrize(
    "line", ["", "begin", "start --worker two", "start --gpu 1", "stop --ps 1", "start --ps -1",
             "start --ps 0 --worker 0"],
)  # fmt: skip
def test_bad_use(shell, line):
    with pytest.raises(UsageError):
        cluster(shell, line)


def test_completion(shell):
    def completions(text):
        with provisionalcompleter():
            return {found.text for found in shell.Completer.completions(text, len(text))}

    assert completions("%cluster ") >= {"start", "status", "stop"}
    assert completions("%cluster st") == {"start", "status", "stop"}
    assert completions("%cluster start --w") == {"--worker"}
