"""The laboratory can be left out: a program loads none of it, and runs where it is not there."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import tinytf

PACKAGE = Path(tinytf.__file__).parent
LABORATORY = ("jupyter", "grading", "testing", "cli", "distributed/console", "compatibility")

PROGRAM = """
import sys
import numpy as np
import tinytf as tf

w = tf.Variable(tf.ones([2, 1]))
x = tf.placeholder(tf.float32, [None, 2])
loss = tf.reduce_mean(tf.square(tf.matmul(x, w)))
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
queue = tf.FIFOQueue(3, tf.int32)
fill, take = queue.enqueue_many([[1, 2]]), queue.dequeue()
element = tf.data.Dataset.range(3).map(lambda i: i * i).make_one_shot_iterator().get_next()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run([train, fill], {x: np.ones([4, 2])})
    print(*sess.run([take, element]), sess.run(w).shape)
with tf.train.Server.create_local_server() as server, tf.Session(server.target) as sess:
    print(sess.run(tf.constant(2) + 3))
names = ("jupyter", "grading", "testing", "cli", "distributed.console", "compatibility")
starts = tuple(f"tinytf.{name}" for name in names) + ("unittest", "IPython")
print([name for name in sys.modules if name.startswith(starts)])
"""
PRINTED = "1 0 (2, 1)\n5\n[]\n"

ASKING = """
import tinytf as tf

def said(ask):
    try:
        return ask()
    except ImportError as error:
        return f"{type(error).__name__}: {error}"

print(said(lambda: tf.test.TestCase))
print(said(lambda: tf.test.compute_gradient))
print(said(lambda: tf.load_ipython_extension(None)))
print(said(lambda: tf.jupyter))
print(said(lambda: __import__("tinytf.testing")))
print(tf.test.is_built_with_xla(), hasattr(tf, "no_such_name"))
"""


def run(program, cwd):
    """What a program prints in a new interpreter that finds tinytf in `cwd`."""
    environment = {**os.environ, "PYTHONPATH": str(cwd)}
    command = [sys.executable, "-W", "error", "-c", program]
    result = subprocess.run(
        command, cwd=cwd, env=environment, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


@pytest.fixture(scope="module")
def runtime_alone(tmp_path_factory):
    """A folder with tinytf in it, but for its laboratory."""
    folder = tmp_path_factory.mktemp("alone")
    left_out = {str(PACKAGE / name) for name in LABORATORY}
    shutil.copytree(
        PACKAGE,
        folder / "tinytf",
        ignore=lambda parent, names: [
            name for name in names if str(Path(parent) / name) in left_out or name == "__pycache__"
        ],
    )
    return folder


def test_a_program_loads_nothing_of_the_laboratory():
    assert run(PROGRAM, PACKAGE.parent) == PRINTED


@pytest.mark.slow  # two starts; that nothing of it is loaded is seen in every run
def test_a_program_runs_without_the_laboratory(runtime_alone):
    assert not (runtime_alone / "tinytf" / "jupyter").exists()
    assert run(PROGRAM, runtime_alone) == PRINTED


def test_a_program_in_ipython_runs_without_the_laboratory(runtime_alone):
    pretend = "import sys, types; sys.modules['IPython'] = types.ModuleType('IPython')\n"
    program = pretend + "import tinytf as tf; print(tf.Session().run(tf.constant(1) + 1))"
    assert run(program, runtime_alone) == "2\n"


def test_who_asks_for_what_is_left_out_reads_what_brings_it(runtime_alone):
    *asked, last = run(ASKING, runtime_alone).splitlines()
    wanted = ("tf.test.TestCase", "tf.test.compute_gradient", "%load_ext tinytf", "tinytf.jupyter")
    for line, name in zip(asked, (*wanted, "tinytf.testing"), strict=True):
        assert line.startswith(f"ModuleNotFoundError: {name} is in tinytf."), line
        assert line.endswith("Install all of it: pip install --force-reinstall tinytf")
    assert last == "False False"
