"""`%%task` in a real kernel: streams, interrupts, completions, ends."""

import os
import signal

import pytest

pytest.importorskip("IPython")

from tests.distributed.waiting import wait_for_ends

pytestmark = [pytest.mark.notebook, pytest.mark.slow, pytest.mark.timeout(120)]


class Kernel:
    """A kernel, and what its cells show, as it comes."""

    def __init__(self):
        from jupyter_client.manager import KernelManager

        self.manager = KernelManager(kernel_name="python3")
        self.manager.start_kernel()
        self.client = self.manager.client()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=60)

    def run(self, code, on_text=lambda text: None):
        """Run a cell; its reply's content, and its output: texts, and the error's last line.

        Args:
          on_text: is called with all the text so far, whenever some comes.
        """
        said = []

        def hear(message):
            content = message["content"]
            if message["msg_type"] == "stream":
                said.append(content["text"])
                on_text("".join(said))
            elif message["msg_type"] == "error":
                said.append("\n".join(content["traceback"]))

        reply = self.client.execute_interactive(code, timeout=50, output_hook=hear)
        return reply["content"], "".join(said)

    def complete(self, code):
        return self.client.complete(code, reply=True, timeout=30)["content"]

    def end(self):
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=True)
        self.manager.cleanup_resources()


START = """
%load_ext tinytf
cluster = %cluster start --ps 0 --worker 2
print(*[status.pid for status in cluster.status()])
"""


@pytest.fixture(scope="module")
def kernel():
    kernel = Kernel()
    reply, text = kernel.run(START)
    assert reply["status"] == "ok", text
    kernel.pids = [int(pid) for pid in text.split()]
    yield kernel
    kernel.end()


def once(text, action):
    """For `Kernel.run`: call `action` when all output so far has `text`, the first time."""
    done = []

    def look(so_far):
        if text in so_far and not done:
            done.append(True)
            action()

    return look


MEET = """%%task all
q = [tf.FIFOQueue(1, tf.int32, shared_name=f"to_{index}") for index in (0, 1)]
with tf.Session("grpc://" + cluster.task_address("worker", 0)) as session:
    session.run(q[1 - task_index].enqueue(task_index))
    print("met", session.run(q[task_index].dequeue()))
"""
WAIT = """%%task worker:0 worker:1
import os
x = "was here"
os.read(print("go", flush=True) or os.pipe()[0], 1)
"""  # one line: an interrupt after "go" finds the task in it, wherever it has come to


def test_tasks_run_at_the_same_time_and_keep_their_names(kernel):
    reply, text = kernel.run(MEET)  # one after the other, they would wait for ever
    assert reply["status"] == "ok", text
    assert sorted(text.splitlines()) == ["worker:0 | met 1", "worker:1 | met 0"]
    reply, text = kernel.run("%%task worker:1\nlen(q), task_index")
    assert text == "worker:1 | (2, 1)\n"


def test_an_interrupt_reaches_the_tasks(kernel):
    seen = []

    def interrupt_when_both_go(text):
        if text.count("| go") == 2 and not seen:
            seen.append(text)  # it came while the cell ran
            kernel.manager.interrupt_kernel()

    reply, text = kernel.run(WAIT, interrupt_when_both_go)
    assert reply["status"] == "error"
    assert reply["ename"] == "TaskError"
    assert sorted(reply["evalue"].partition(": ")[2].split(", ")) == ["worker:0", "worker:1"]
    assert reply["evalue"].startswith("Interrupted: ")
    for name in ("worker:0", "worker:1"):
        line = 'os.read(print("go", flush=True) or os.pipe()[0], 1)'
        assert f"{name} |     {line}\n" in text
        assert f"{name} | KeyboardInterrupt\n" in text
    # The kernel and the tasks go on.
    assert kernel.run("%%task all\nx")[1].count("'was here'") == 2
    assert kernel.run("print(1)")[1] == "1\n"


def test_completion_in_a_kernel(kernel):
    kernel.run("%%task worker:0\nonly_there = 1\n")
    found = kernel.complete("%%task worker:0\nonly_")
    assert found["matches"] == ["only_there"]
    assert (found["cursor_start"], found["cursor_end"]) == (16, 21)
    assert kernel.complete("%%task wor")["matches"] == ["worker:0", "worker:1", "worker:*"]


@pytest.mark.parametrize("end", ["SIGKILL", "SIGTERM", "shutdown", "now", "restart"])
def test_nothing_stays_of_a_kernel_that_ends_in_the_middle_of_a_cell(end):
    own = Kernel()
    try:
        _, text = own.run(START)
        pids = [int(pid) for pid in text.split()]
        client, manager = own.client, own.manager
        client.execute(WAIT)
        said = ""
        while said.count("| go") < 2:
            message = client.get_iopub_msg(timeout=50)
            said += message["content"].get("text", "")
        if end.startswith("SIG"):
            os.kill(manager.provisioner.process.pid, getattr(signal, end))
        elif end == "restart":
            manager.restart_kernel()
        else:
            manager.shutdown_kernel(now=end == "now")
        assert wait_for_ends(pids) == []
    finally:
        own.end()


def test_a_task_killed_in_the_middle_of_a_cell(kernel):
    def kill():
        os.kill(kernel.pids[0], signal.SIGKILL)

    cell = "%%task worker:0\nimport os\nprint('go')\nos.read(os.pipe()[0], 1)"
    reply, text = kernel.run(cell, once("go", kill))
    assert (reply["status"], reply["ename"]) == ("error", "TaskError")
    assert reply["evalue"] == (
        "Failed in worker:0: worker:0 is gone. Its process ended (SIGKILL). "
        "Start it again: %cluster restart worker:0"
    )
    # IPython shows what went wrong, and nothing of the magic's inside.
    assert "task_magic.py" not in text
    assert kernel.run("%%task worker:1\ntask_index")[1] == "worker:1 | 1\n"
