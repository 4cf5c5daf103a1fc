"""Ports that are given, and may be taken; nobody is ended who is not certainly a task of ours."""

import os
import socket
import subprocess
import sys

import pytest

import tinytf as tf
from tests.kept_ports import kept_ports
from tests.oracle.environment import ROOT
from tests.waiting import LONG
from tinytf.distributed.cluster import ports
from tinytf.distributed.cluster.task_names import TaskName
from tinytf.distributed.local_cluster.taking import ports_for

NAMES = [TaskName("ps", 0), TaskName("worker", 0)]


@pytest.fixture
def first():
    """The first of three free ports in a row, which are nobody else's while the test lasts."""
    with kept_ports(3) as numbers:
        yield numbers[0]


def listener(port=0):
    result = socket.socket()
    result.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    result.bind(("127.0.0.1", port))
    result.listen()
    return result


def test_a_reserved_port_can_be_listened_on_by_its_server_only():
    with ports.reserve() as kept:
        port = kept.getsockname()[1]
        assert ports.holder_of(port) is None
        with listener(port):
            assert ports.holder_of(port).pid == os.getpid()
            with pytest.raises(OSError):
                ports.reserve(port)
        with listener(port):  # once more
            pass


def test_who_holds_a_port():
    code = "import socket, sys; s = socket.create_server(('127.0.0.1', 0)); "
    code += "print(s.getsockname()[1], flush=True); sys.stdin.read()"
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        port = int(process.stdout.readline())
        holder = ports.holder_of(port)
        assert (holder.pid, holder.user) == (process.pid, os.getuid())
        assert not holder.is_own_task
        assert str(holder).startswith(f"process {process.pid} ({sys.executable} -c import socket")
        with pytest.raises(RuntimeError, match=rf"held by process {process.pid} .* does not end"):
            ports.end_task(port, holder, 1)
        with pytest.raises(RuntimeError) as caught:
            tf.LocalCluster(worker=1, first_port=port, if_taken="replace")
        assert f"port {port} (for worker:0): process {process.pid} (" in str(caught.value)
        assert "take other ports" in str(caught.value)
        assert "tasks of yours" not in str(caught.value)
        assert process.poll() is None  # it is not ours to end
        process.stdin.close()


@pytest.mark.parametrize(
    ("command", "ours"),
    [
        (("python", "-P", "-m", "tinytf", "serve", "--job", "ps"), True),
        (("/usr/bin/python3", "/usr/local/bin/tinytf", "serve"), True),
        (("/usr/local/bin/tinytf", "serve"), True),
        (("python", "-m", "tinytf", "lab"), False),
        (("python", "-m", "http.server", "tinytf", "serve"), False),
        (("vim", "serve", "tinytf"), False),
        (("tinytf",), False),
        ((), False),
    ],
)
def test_which_command_is_certainly_a_task(command, ours):
    assert ports.Holder(4711, os.getuid(), command).is_own_task is ours
    assert not ports.Holder(4711, os.getuid() + 1, command).is_own_task
    assert not ports.Holder(None, os.getuid(), command).is_own_task


def test_a_server_of_this_very_program():
    with tf.train.Server({"local": ["localhost:0"]}) as server:
        port = int(server.target.rpartition(":")[2])
        with pytest.raises(RuntimeError, match=r"this very program(.|\n)*server\.stop\(\)"):
            tf.LocalCluster(worker=1, ports=[port])
        assert "program" in str(ports.holder_of(port))


def test_ports_in_order(first):
    with tf.LocalCluster(ps=1, worker=2, first_port=first) as cluster:
        assert cluster.cluster_spec.as_dict() == {
            "ps": [f"localhost:{first}"],
            "worker": [f"localhost:{first + 1}", f"localhost:{first + 2}"],
        }
        assert ports.holder_of(first).is_own_task
        with pytest.raises(RuntimeError) as caught:
            tf.LocalCluster(ps=1, worker=2, ports=range(first, first + 3))
        message = str(caught.value)
        assert message.startswith("3 ports are taken:\n")
        for status in cluster.status():
            assert f"(for {status.job}:{status.index}): process {status.pid} (" in message
        assert "if_taken='replace'" in message
        assert f"tf.Session('grpc://localhost:{first}')" in message
        assert cluster.alive


@pytest.mark.slow
def test_reuse_and_replace(first):
    one = tf.LocalCluster(ps=1, worker=1, first_port=first)
    try:
        again = tf.LocalCluster(ps=1, worker=1, first_port=first, if_taken="reuse")
        assert again.status() == one.status()
        with pytest.raises(RuntimeError, match="2 ports are taken"):  # other tasks
            tf.LocalCluster(worker=2, first_port=first, if_taken="reuse")
        new = tf.LocalCluster(worker=2, first_port=first, if_taken="replace")
        with new:
            assert new.alive
            assert [s.returncode for s in one.status()] == [0, 0]
            assert one.log("ps:0") == ""
        one = tf.LocalCluster(ps=1, worker=1, first_port=first, if_taken="reuse")  # nobody is there
        assert one.alive
    finally:
        one.stop()


@pytest.mark.slow
def test_a_task_of_another_program_is_replaced():
    with subprocess.Popen(
        [sys.executable, "-m", "tinytf", "serve", "--cluster", "worker=localhost:0"],
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    ) as process:
        port = int(process.stdout.readline().split()[3].rpartition(":")[2])
        with tf.LocalCluster(worker=1, ports=[port], if_taken="replace") as cluster:
            assert process.wait(LONG) == 0  # it was asked
            assert cluster.target("worker:0") == f"grpc://localhost:{port}"


def run_cell(text, clusters):
    exec(compile(text, "<cell>", "exec"), {"tf": tf, "clusters": clusters})  # noqa: S102


@pytest.mark.slow
def test_a_cell_that_is_run_again_takes_the_place_of_its_cluster(first, monkeypatch, capsys):
    from tinytf.framework import call_site

    monkeypatch.setattr(
        call_site, "name_of_cell", lambda file: "In[3]" if file == "<cell>" else None
    )
    text = f"cluster = tf.LocalCluster(worker=1, first_port={first})\nclusters.append(cluster)"
    clusters = []
    try:
        for _ in range(2):
            run_cell(text, clusters)
        assert [c.alive for c in clusters] == [False, True]
        assert "on these ports before: it is stopped first" in capsys.readouterr().out
        with pytest.raises(RuntimeError, match="if_taken='replace'"):  # another cell
            run_cell("\n" + text, clusters)
    finally:
        for cluster in clusters:
            cluster.stop()


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"ports": [1], "first_port": 2}, "not both"),
        ({"ports": range(2221, 2226)}, r"5 ports for 2 tasks \(ps:0, worker:0\).*first_port=2221"),
        ({"ports": []}, "0 ports for 2 tasks"),
        ({"ports": [2221, 2221]}, "port of its own"),
        ({"ports": [2221, 70000]}, "70000 is no port"),
        ({"ports": [2221, "2222"]}, "'2222' is no port"),
        ({"first_port": 0}, "0 is no port"),
    ],
)
def test_ports_that_make_no_sense(given, words):
    with pytest.raises(ValueError, match=words):
        ports_for(NAMES, given.get("ports"), given.get("first_port"))


def test_unknown_choice():
    with pytest.raises(ValueError, match="if_taken must be one of"):
        tf.LocalCluster(worker=1, if_taken="kill")


def test_ports_of_tasks():
    assert ports_for(NAMES, None, None) == [0, 0]
    assert ports_for(NAMES, None, 2221) == ports_for(NAMES, (2221, 2222), None) == [2221, 2222]
