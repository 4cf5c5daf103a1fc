"""`%cluster` in a real kernel: nothing stays when the kernel ends, however it ends."""

import os
import signal

import pytest

from tests.distributed.test_local_cluster import wait_for_ends

pytestmark = [pytest.mark.notebook, pytest.mark.timeout(120)]

START = """
%load_ext tinytf
cluster = %cluster start --ps 1 --worker 1
print(*[status.pid for status in cluster.status()])
"""


@pytest.fixture
def kernel():
    from jupyter_client.manager import KernelManager

    manager = KernelManager(kernel_name="python3")
    manager.start_kernel()
    yield manager
    if manager.has_kernel:
        manager.shutdown_kernel(now=True)
    manager.cleanup_resources()


def start_cluster(manager):
    """Start a cluster in the kernel; the pids of its processes."""
    client = manager.client()
    client.start_channels()
    try:
        client.wait_for_ready(timeout=60)
        text = []
        reply = client.execute_interactive(
            START,
            timeout=60,
            output_hook=lambda message: text.append(message["content"].get("text", "")),
        )
    finally:
        client.stop_channels()
    assert reply["content"]["status"] == "ok", reply["content"]
    return [int(pid) for pid in "".join(text).split()]


@pytest.mark.parametrize("end", ["shutdown", "shutdown now", "restart", "SIGKILL", "SIGTERM"])
def test_nothing_stays(kernel, end):
    children = start_cluster(kernel)
    assert len(children) == 2
    if end.startswith("SIG"):
        os.kill(kernel.provisioner.process.pid, getattr(signal, end))
    elif end == "restart":
        kernel.restart_kernel()
    else:
        kernel.shutdown_kernel(now=end.endswith("now"))
    assert wait_for_ends(children) == []
