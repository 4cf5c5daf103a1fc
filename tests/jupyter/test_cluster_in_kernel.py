"""`%cluster` in a real kernel: nothing stays when the kernel ends, however it ends."""

import os
import signal

import pytest

from tests.distributed.waiting import wait_for_ends
from tests.kept_ports import kept_ports

pytestmark = [pytest.mark.notebook, pytest.mark.timeout(120)]

START = """
%load_ext tinytf
cluster = %cluster start --ps 1 --worker 1
print(*[status.pid for status in cluster.status()])
"""

#: What a kernel may be at when it ends. The second one waits in a step on a task, for ever.
WORK = {
    "idle": "print('at it')",
    "in a loop": "print('at it', flush=True)\nwhile True: pass",
    "in a step": """
import tinytf as tf
empty = tf.FIFOQueue(1, tf.float32).dequeue()
with tf.Session(cluster.target("worker:0")) as session:
    print("at it", flush=True)
    session.run(empty)
""",
    "with a paused task": "cluster.pause('ps:0')\nprint('at it')",
}


@pytest.fixture
def kernel():
    from jupyter_client.manager import KernelManager

    manager = KernelManager(kernel_name="python3")
    manager.shutdown_wait_time = 1.0  # for a kernel that is busy, and cannot do as it is told
    manager.start_kernel()
    yield manager
    if manager.has_kernel:
        manager.shutdown_kernel(now=True)
    manager.cleanup_resources()


def execute(client, code, until):
    """Run a cell until it is done, or until it has printed `until`; its output."""
    text = ""
    client.execute(code)
    while until not in text:
        message = client.get_iopub_msg(timeout=60)
        content = message["content"]
        assert message["msg_type"] != "error", "\n".join(content["traceback"])
        if message["msg_type"] == "stream":
            text += content["text"]
    return text


def start_cluster(manager, work="idle"):
    """Start a cluster in the kernel and let it work; the pids of the tasks' processes."""
    client = manager.client()
    client.start_channels()
    try:
        client.wait_for_ready(timeout=60)
        text = execute(client, START, "\n")
        execute(client, WORK[work], "at it")
    finally:
        client.stop_channels()
    return [int(pid) for pid in text.split()]


ENDS = ("shutdown", "shutdown now", "restart", "SIGKILL", "SIGTERM", "os._exit")
QUICK = {("shutdown", "idle"), ("SIGKILL", "in a step")}


@pytest.mark.parametrize(
    ("end", "work"),
    [
        pytest.param(end, work, marks=() if (end, work) in QUICK else pytest.mark.slow)
        for end in ENDS
        for work in WORK
        if (end, work) != ("os._exit", "in a loop")  # nobody is there to call it
        and (end, work) != ("os._exit", "in a step")
    ],
)
def test_nothing_stays(kernel, end, work):
    children = start_cluster(kernel, work)
    assert len(children) == 2
    if end.startswith("SIG"):
        os.kill(kernel.provisioner.process.pid, getattr(signal, end))
    elif end == "os._exit":
        client = kernel.client()
        client.start_channels()
        client.execute("import os; os._exit(1)")
        kernel.provisioner.process.wait(60)
        client.stop_channels()
    elif end == "restart":
        kernel.restart_kernel()
    else:
        kernel.shutdown_kernel(now=end.endswith("now"))
    assert wait_for_ends(children) == []


@pytest.mark.slow
def test_a_cell_that_is_run_again(kernel):
    """Its cluster takes the place of the one that it made before, on given ports."""
    with kept_ports(2) as numbers:
        _run_twice(kernel, numbers[0])


def _run_twice(kernel, first_port):
    client = kernel.client()
    client.start_channels()
    try:
        client.wait_for_ready(timeout=60)
        cell = (
            "import tinytf as tf\n"
            f"cluster = tf.LocalCluster(ps=1, worker=1, first_port={first_port})\n"
            "print(*[s.pid for s in cluster.status()])\n"
        )
        first = [int(pid) for pid in execute(client, cell, "\n").split()]
        second = execute(client, cell, "stopped first.\n")
        execute(client, "print('at it')", "at it")
        assert "This cell has made a cluster on these ports before" in second
        assert wait_for_ends(first) == []
        execute(client, "cluster.stop(); print('at it')", "at it")
    finally:
        client.stop_channels()
