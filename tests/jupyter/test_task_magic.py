"""`%%task` in a shell: what is shown, completed and refused."""

import os
import re
import signal

import pytest

pytest.importorskip("IPython")
from IPython.core.completer import provisionalcompleter
from IPython.core.error import UsageError
from IPython.core.interactiveshell import InteractiveShell

from tinytf.distributed.local_cluster import LocalCluster
from tinytf.jupyter import cells
from tinytf.jupyter.cluster_magic import ClusterMagics
from tinytf.jupyter.task_magic import TaskError, TaskMagics
from tinytf.jupyter.task_output import TaskOutput

# ---------------------------------------------------------------------------- without a notebook


@pytest.fixture(scope="module")
def cluster():
    with LocalCluster({"ps": 1, "worker": 2}) as cluster:
        yield cluster


@pytest.fixture
def empty_shell():
    shell = InteractiveShell()
    shell.register_magics(ClusterMagics, TaskMagics)
    yield shell
    shell.history_manager.end_session()


@pytest.fixture
def shell(empty_shell, cluster):
    empty_shell.user_ns["my_cluster"] = cluster
    return empty_shell


def task(shell, line, cell):
    return shell.run_cell_magic("task", line, cell)


def test_each_task_under_its_name(shell, capsys):
    task(shell, "worker:0 worker:1", "x = task_index\nprint('task', x)\nx + 10\n")
    lines = capsys.readouterr().out.splitlines()
    for index in (0, 1):
        mine = [line for line in lines if line.startswith(f"worker:{index} | ")]
        assert mine == [f"worker:{index} | task {index}", f"worker:{index} | {index + 10}"]
    task(shell, "worker:1", "x")  # kept
    assert capsys.readouterr().out == "worker:1 | 1\n"


@pytest.mark.parametrize(
    ("words", "tasks"),
    [
        ("worker:*", {"worker:0", "worker:1"}),
        ("worker", {"worker:0", "worker:1"}),
        ("all", {"ps:0    ", "worker:0", "worker:1"}),
        ("ps:0,worker:1 worker:1", {"ps:0    ", "worker:1"}),
        ("/job:ps/task:0 /job:worker/replica:0/task:0", {"ps:0    ", "worker:0"}),
    ],
)
def test_names_of_tasks(shell, capsys, words, tasks):
    task(shell, words, "job")
    lines = capsys.readouterr().out.splitlines()
    assert {line.partition(" | ")[0] for line in lines} == tasks
    assert len(lines) == len(tasks)


def test_one_task_fails(shell, capsys):
    with pytest.raises(TaskError) as caught:
        task(shell, "worker:*", "print('divides')\n1 / task_index")
    assert str(caught.value) == "Failed in worker:0: ZeroDivisionError: division by zero"
    assert caught.value._render_traceback_() == [f"TaskError: {caught.value}"]
    out, err = capsys.readouterr()
    assert "worker:1 | 1.0" in out
    # The line of the magic is the first.
    assert re.search(r"worker:0 \|   In\[1\] on worker:0, line 3, in <module>\n", err)
    assert all(line.startswith("worker:0 | ") for line in err.splitlines())


def test_all_tasks_fail_with_the_same_error_and_with_others(shell, capsys):
    with pytest.raises(TaskError, match=r"^Failed in worker:0, worker:1: NameError: name 'y' is"):
        task(shell, "worker:*", "y")
    with pytest.raises(TaskError) as caught:
        task(shell, "worker:*", "raise ValueError(task_index)")
    text = "Failed in worker:0: ValueError: 0\nFailed in worker:1: ValueError: 1"
    assert sorted(str(caught.value).splitlines()) == text.splitlines()


@pytest.mark.parametrize(
    ("line", "cell", "words"),
    [
        ("", "1", "the following arguments are required: TASK"),
        ("worker:2", "1", "There is no task 'worker:2'. There are: ps:0, worker:0, worker:1, and"),
        ("chief", "1", "There is no task 'chief'. There are:"),
        ("worker:0 --timeout 0", "1", "--timeout is a number of seconds, not 0.0"),
        ("worker:0 --timeout soon", "1", "invalid float value: 'soon'"),
        ("worker:0 --cluster other", "1", "there is no LocalCluster of this name"),
        ("worker:0", " \n", "The cell is empty. Below the line %%task write what"),
        ("worker:0", "x = (\n", "in line 2: '(' was never closed\n    x = (\n        ^"),
        ("worker:0", "x = 1\n%time x\n", "Tasks run plain Python: no %magics and no !commands."),
    ],
)
def test_bad_use(shell, capsys, line, cell, words):
    with pytest.raises(UsageError) as caught:
        task(shell, line, cell)
    assert words in str(caught.value)
    assert capsys.readouterr() == ("", "")


def test_which_cluster(empty_shell, cluster, capsys):
    shell = empty_shell
    shell.user_ns["mine"] = cluster
    task(shell, "ps:0", "1")  # the only one there is
    task(shell, "--cluster mine ps:0", "2")
    assert capsys.readouterr().out == "ps:0 | 1\nps:0 | 2\n"
    with LocalCluster({"worker": 1}):
        task(shell, "worker:0", "len(cluster.jobs)")  # the last one
        task(shell, "--cluster mine worker:0", "len(cluster.jobs)")
        assert capsys.readouterr().out == "worker:0 | 1\nworker:0 | 2\n"
        # What is to be typed is for the cluster that was meant.
        with pytest.raises(
            UsageError, match=r"There is no task 'worker:5'\. There are: worker:0, an"
        ):
            task(shell, "worker:5", "1")
        shell.magics_manager.registry["ClusterMagics"].running = cluster
        task(shell, "worker:0", "len(cluster.jobs)")  # what %cluster start made goes before
        assert capsys.readouterr().out == "worker:0 | 2\n"


def test_without_a_cluster(empty_shell, monkeypatch):
    monkeypatch.setattr("tinytf.jupyter.cluster_magic.running_clusters", list)
    with pytest.raises(UsageError, match=r"No cluster is running\. Start one: %cluster start"):
        task(empty_shell, "worker:0", "1")
    assert "worker:0" not in completions(empty_shell, "%%task wor")
    assert "%%task" in completions(empty_shell, "%%tas")


@pytest.mark.slow
def test_a_task_that_has_ended(empty_shell, capsys):
    shell = empty_shell
    with LocalCluster({"worker": 2}) as cluster:
        shell.user_ns["mine"] = cluster
        with pytest.raises(TaskError) as caught:
            task(shell, "all", "import os\nif task_index: os.kill(os.getpid(), 9)\nprint('well')")
        assert str(caught.value) == (
            "Failed in worker:1: worker:1 is gone. Its process ended (SIGKILL). "
            "Start it again: %cluster restart worker:1"
        )
        out, err = capsys.readouterr()
        assert out == "worker:0 | well\n"
        assert "worker:1 | worker:1 is gone. Its process ended (SIGKILL).\n" in err
        with pytest.raises(
            UsageError, match=r"worker:1 ended by SIGKILL .* %cluster restart worker:1"
        ):
            task(shell, "all", "print('not run')")
        assert capsys.readouterr().out == ""
        cluster.restart("worker:1")
        task(shell, "all", "task_index")
        assert sorted(capsys.readouterr().out.splitlines()) == ["worker:0 | 0", "worker:1 | 1"]
        cluster.pause("worker:0")
        with pytest.raises(UsageError, match=r"worker:0 is paused.*%cluster resume worker:0"):
            task(shell, "all", "1")


@pytest.mark.slow
def test_the_end_of_the_log_is_shown(empty_shell, capsys):
    with LocalCluster({"worker": 1}) as cluster:
        empty_shell.user_ns["mine"] = cluster
        with pytest.raises(TaskError, match=r"worker:0 is gone. Its process ended \(SIGABRT\)"):
            task(empty_shell, "worker:0", "import os\nos.abort()")
        err = capsys.readouterr().err
        assert "worker:0 | The end of its log:\nworker:0 | Fatal Python error: Aborted" in err
        assert 'File "In[1] on worker:0", line 3' in err


def test_a_time_limit(shell, capsys):
    with pytest.raises(TaskError) as caught:
        task(shell, "--timeout 0.05 worker:0", "import os\nos.read(os.pipe()[0], 1)")
    assert str(caught.value) == "Interrupted after 0.05 s (--timeout): worker:0"
    assert "worker:0 | KeyboardInterrupt" in capsys.readouterr().err


@pytest.mark.parametrize(("interrupts", "patience"), [(1, 0.05), (2, 1e6)])
def test_a_cell_that_does_not_heed_the_interrupt(shell, monkeypatch, capsys, interrupts, patience):
    monkeypatch.setattr("tinytf.jupyter.task_magic.PATIENCE_SECONDS", patience)
    show = TaskOutput.add

    def show_and_interrupt(output, name, kind, text):
        show(output, name, kind, text)
        for _ in range(interrupts):
            os.kill(os.getpid(), signal.SIGINT)

    cell = (
        "import os, signal\nread, write = os.pipe()\n"
        "signal.signal(signal.SIGINT, signal.SIG_IGN)\nprint('waits')\nos.read(read, 1)\n"
        "print('never shown')"
    )
    with monkeypatch.context() as patch:
        patch.setattr(TaskOutput, "add", show_and_interrupt)
        with pytest.raises(TaskError) as caught:
            task(shell, "worker:0", cell)
    assert "did not heed the interrupt: the cell goes on" in str(caught.value)
    assert str(caught.value).startswith("worker:0 (serving")
    assert "%cluster restart worker:0" in str(caught.value)
    assert capsys.readouterr().out == "worker:0 | waits\n"
    with pytest.raises(UsageError, match=r"worker:0 still runs In\[1\]"):
        task(shell, "worker:0", "1")
    task(shell, "worker:1", "'the other works'")
    shell.user_ns["my_cluster"].restart("worker:0")
    task(shell, "worker:0", "'as new'")
    assert capsys.readouterr().out == "worker:1 | 'the other works'\nworker:0 | 'as new'\n"


def test_whole_lines(capsys):
    output = TaskOutput(["ps:0", "worker:0"])
    output.add("ps:0", "stdout", "be")
    output.add("worker:0", "stdout", "1\n2\n3")
    output.add("ps:0", "stdout", "gun\n\n")
    output.add("ps:0", "stdout", "10%\r20%")
    output.add("ps:0", "stdout", "\r30%\r")
    output.end("ps:0")
    output.add("worker:0", "result", "[4\n 5]")
    output.close()
    assert capsys.readouterr().out == (
        "worker:0 | 1\nworker:0 | 2\nps:0     | begun\nps:0     | \nps:0     | 30%\n"
        "worker:0 | 3\nworker:0 | [4\nworker:0 |  5]\n"
    )


def test_task_by_task(capsys):
    output = TaskOutput(["a:0", "a:1", "a:2"], in_order=True)
    output.add("a:1", "stdout", "second\nhas beg")
    output.add("a:0", "stdout", "first\n")
    assert capsys.readouterr().out == "a:0 | first\n"  # as it comes
    output.add("a:2", "stdout", "third\n")
    output.end("a:2")
    output.end("a:0")
    assert capsys.readouterr().out == "a:1 | second\n"
    output.add("a:1", "stdout", "un")
    output.add("a:1", "result", "4")
    assert capsys.readouterr().out == "a:1 | has begun\na:1 | 4\n"
    output.close()
    assert capsys.readouterr().out == "a:2 | third\n"


def test_in_order(shell, capsys):
    task(shell, "worker:1 ps:0 worker:0 --in-order", "for i in range(9): print(job, task_index)")
    names = [line.partition(" | ")[0].strip() for line in capsys.readouterr().out.splitlines()]
    assert names == ["worker:1"] * 9 + ["ps:0"] * 9 + ["worker:0"] * 9


MODEL = """
import numpy as np
tf.reset_default_graph()
place = tf.train.replica_device_setter(
    cluster=cluster, worker_device=f"/job:worker/task:{task_index}")
with tf.device(place):
    w = tf.get_variable("w", shape=[3, 1], initializer=tf.zeros_initializer())
    b = tf.get_variable("b", shape=[1], initializer=tf.zeros_initializer())
    step = tf.train.get_or_create_global_step()
    x = tf.placeholder(tf.float32, [None, 3], name="x")
    y = tf.placeholder(tf.float32, [None, 1], name="y")
    loss = tf.reduce_mean(tf.square(tf.matmul(x, w) + b - y))
    train = tf.train.GradientDescentOptimizer(0.05).minimize(loss, global_step=step)
missing = tf.report_uninitialized_variables()
sess = tf.Session(target)
w.device, loss.device
"""
TRAIN = """
while len(sess.run(missing)): pass
rng = np.random.default_rng(task_index)
losses = []
for _ in range(100):
    xs = rng.normal(size=(32, 3)).astype("float32")
    ys = xs @ [[1.0], [-2.0], [0.5]] + 0.7
    losses.append(sess.run([train, loss], {x: xs, y: ys})[1])
print(losses[-1] < 1e-3)  # not the first: the other worker may be through by then
"""


@pytest.mark.slow
def test_training_between_graphs(shell, capsys):
    """What chapter 4 leads to: each worker its own client, graph and session; one ps."""
    task(shell, "worker:* --in-order", MODEL)
    assert capsys.readouterr().out.splitlines() == [
        f"worker:{index} | ('/job:ps/task:0', '/job:worker/task:{index}')" for index in (0, 1)
    ]
    task(shell, "worker:0", "sess.run(tf.global_variables_initializer())")
    task(shell, "worker:0", "print(sess.run(loss, {x: [[1, 0, 0]], y: [[1.7]]}))")
    assert capsys.readouterr().out == "worker:0 | 2.89\n"
    task(shell, "worker:* --in-order", TRAIN)
    assert capsys.readouterr().out == "worker:0 | True\nworker:1 | True\n"
    task(shell, "worker:1", "print(sess.run(step), sess.run(w).round(1).ravel(), sess.run(b))")
    assert capsys.readouterr().out.startswith("worker:1 | 200 [ 1.  -2.   0.5] [0.")
    task(shell, "worker:*", "sess.close()")


def completions(shell, text, before=None):
    with provisionalcompleter():
        offset = len(text if before is None else before)
        return [found.text for found in shell.Completer.completions(text, offset)]


def test_completion(shell, capsys):
    task(shell, "worker:0", "only_here = tf")
    assert completions(shell, "%%task wor") == ["worker:0", "worker:1", "worker:*"]
    assert completions(shell, "%%task worker:0 p") == ["ps:0", "ps:*"]
    assert completions(shell, "%%task --ti") == ["--timeout"]
    assert completions(shell, "%%task worker:0\nprint(only_") == ["only_here"]
    assert completions(shell, "%%task worker:0\nonly_here.constan") == [
        "constant",
        "constant_initializer",
    ]
    cell = "%%task --timeout 5 worker:0\nx = 1\nonly_\ny = 2"
    assert completions(shell, cell, cell[: cell.index("only_") + 5]) == ["only_here"]
    assert "only_here" not in completions(shell, "%%task worker:1\nonly_")
    assert "only_here" not in completions(shell, "%%task worker:9\nonly_")
    assert "only_here" not in completions(shell, "only_")
    shell.register_magics(TaskMagics)  # what %reload_ext does
    assert completions(shell, "%%task worker:0\nonly_") == ["only_here"]


def test_a_cell_has_the_number_that_the_learner_sees(empty_shell):
    cells.attach(empty_shell)
    try:
        empty_shell.user_ns["running"] = cells.running
        for expected in (1, 2):
            result = empty_shell.run_cell("running(get_ipython())", store_history=True)
            assert (result.result, result.execution_count) == (expected, expected)
    finally:
        cells.detach()
