"""In a real kernel: a cell that hangs says why, can be interrupted, and %why_stuck remembers."""

import pytest

pytestmark = [pytest.mark.notebook, pytest.mark.timeout(120)]


class Kernel:
    """A kernel whose cells can be interrupted."""

    def __init__(self, client, manager):
        self._client, self._manager = client, manager

    def run(self, code, interrupt_at=None):
        """What a cell prints and shows, and the name of the error that ended it, if one did.

        Args:
          interrupt_at: a text; when the cell has printed it, the kernel is interrupted.
        """
        request = self._client.execute(code)
        printed, error = "", None
        while True:
            message = self._client.get_iopub_msg(timeout=60)
            if message["parent_header"].get("msg_id") != request:
                continue
            content = message["content"]
            if message["msg_type"] == "stream":
                assert content["name"] == "stdout", content
                printed += content["text"]
            elif message["msg_type"] == "execute_result":
                printed += content["data"]["text/plain"]
            elif message["msg_type"] == "error":
                error = content["ename"]
            elif content.get("execution_state") == "idle":
                return printed, error
            if interrupt_at is not None and interrupt_at in printed:
                self._manager.interrupt_kernel()
                interrupt_at = None


@pytest.fixture
def kernel(tmp_path):
    from jupyter_client.manager import start_new_kernel

    manager, client = start_new_kernel(cwd=str(tmp_path))
    try:
        yield Kernel(client, manager)
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


def test_a_cell_that_hangs(kernel):
    kernel.run("import tinytf as tf, threading")
    kernel.run("%load_ext tinytf")
    kernel.run(
        "q = tf.FIFOQueue(3, tf.float32, shapes=[()], name='q')\n"
        "put = q.enqueue(1.0)\n"
        "batch = q.dequeue_many(2)\n"
        "sess = tf.Session()"
    )
    printed, error = kernel.run("sess.run(batch)", "shows all threads.")
    assert error == "KeyboardInterrupt"
    assert printed.count("nothing that runs can end it") == 1
    assert "q_DequeueMany (QueueDequeueManyV2), built at In[3], line 3: batch = " in printed
    assert "q_enqueue (QueueEnqueueV2), built at In[3], line 2: put = q.enqueue(1.0)" in printed

    printed, error = kernel.run("%why_stuck")
    assert error is None
    assert printed.startswith("No thread waits for anything.")
    assert "When a wait was interrupted, " in printed
    assert "MainThread, for " in printed
    assert "waits for 2 elements in the queue '_0_q' (FIFOQueue), 0 of 3 elements" in printed

    # The session goes on; a thread that waits for the reader of the notebook is no alarm.
    printed, error = kernel.run("sess.run(put); sess.run(put); sess.run(batch).tolist()")
    assert (printed, error) == ("[1.0, 1.0]", None)
    kernel.run(
        "thread = threading.Thread(target=sess.run, args=[batch], name='taker', daemon=True)\n"
        "thread.start()\n"
        "from tinytf.framework import waiting\n"
        "while not waiting.blocked(): pass"
    )
    printed, error = kernel.run("tf.why_stuck()")
    assert "taker, for " in printed
    assert "waits for you: nobody but MainThread can end this:" in printed
    assert kernel.run("sess.run(put); sess.run(put); thread.join()") == ("", None)

    # Python's own join of a thread that is stuck can be interrupted as well.
    printed, error = kernel.run(
        "thread = threading.Thread(target=sess.run, args=[batch], name='taker', daemon=True)\n"
        "thread.start()\n"
        "thread.join()",
        "shows all threads.",
    )
    assert error == "KeyboardInterrupt"
    assert "q_DequeueMany (QueueDequeueManyV2), built at In[3], line 3" in printed
