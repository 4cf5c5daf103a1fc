"""`tinytf doctor FILE`: what is found in programs and notebooks, and what is said of it."""

import json

import pytest

from tests.compatibility.running import write
from tinytf.cli import main
from tinytf.compatibility import examination, states
from tinytf.compatibility.examination import DIFFERS, MISSING, RUNS, examine

PROGRAM = """\
import numpy as np
import tensorflow as tf
import tensorflow.contrib.gan as gan
from tensorflow import placeholder as hold
from tensorflow.python.framework import ops
from tensorflow.python.ops.math_ops import matmul

nothing = tf.tpu
layer = tf.train
x = hold(tf.float32)

def build(tf_, layer):
    layer.AdamOptimizer()
    return later(x), np.infty

def later(x):
    return inner.Saver()

inner = layer
matmul(x, x)
[tf for tf in range(3)]
tf.nn.relu(x, nickname="r")
tf.Print(x, [x])
ops.get_default_graph()
gan.gan_model()
tf.mul(x, x)
tf.sesion()
tf.flags.FLAGS.steps
xrange(3)
{}.iteritems()
tf.square(x)
"""


def examined(tmp_path, text):
    found = examine(str(write(tmp_path, "program.py", text)))
    return {one.name: one for one in found}


def test_names_are_followed(tmp_path):
    found = examined(tmp_path, PROGRAM)
    state = {name: (one.state, one.places) for name, one in found.items()}
    assert state["tf.placeholder"][1] == ("4", "10")
    assert state["tf.float32"] == (RUNS, ("10",))
    assert state["tf.train.Saver"][1] == ("17",)
    assert "tf.train.AdamOptimizer" not in state  # the function's own argument
    assert state["tensorflow.python.ops.math_ops.matmul (tf.matmul)"][1] == ("6", "20")
    assert state["tensorflow.python.framework.ops.get_default_graph (tf.get_default_graph)"] == (
        RUNS,
        ("24",),
    )
    assert state["tf.Print"] == (DIFFERS, ("23",))
    assert state["np.infty"] == (DIFFERS, ("14",))
    assert state["tf.tpu"] == (MISSING, ("8",))
    assert state["tf.contrib.gan.gan_model"] == (MISSING, ("25",))
    assert state["xrange"] == (MISSING, ("29",))
    assert state["iteritems"] == (MISSING, ("30",))
    assert found["tf.mul"].text == "TensorFlow 1.x calls it tf.multiply."
    assert found["tf.sesion"].state == MISSING
    assert state["tf.square"] == (RUNS, ("31",))  # in a piece that leaves the import out, too
    assert found["tf.nn.relu"].text == "here it takes no argument nickname"


def test_what_is_here_is_of_the_state_that_the_page_says():
    rows = [one for one in states.all_states() if one.name.kind == "function"][::40]
    for row in rows:
        judged = {state for _, state, _ in examination.judge_name(row.name.path)}
        expected = {"here": RUNS, "differs": DIFFERS}.get(row.state, MISSING)
        assert judged == {expected}, row


@pytest.mark.parametrize(
    ("path", "state"),
    [
        ("compat.v1.train.Saver", RUNS),
        ("python.client.timeline.Timeline", RUNS),
        ("core.framework.graph_pb2.GraphDef", RUNS),
        ("core.framework.graph_pb2.Tomato", MISSING),
        ("python.ops.math_ops.tomato", MISSING),
        ("__version__", None),
        ("compat.v1", None),
        ("keras.datasets.mnist.load_data", DIFFERS),
        ("keras.datasets", None),
    ],
)
def test_paths(path, state):
    found = list(examination.judge_name(path))
    assert {one[1] for one in found} == ({state} if state else set()), found


def test_other_packages(tmp_path):
    write(tmp_path, "mine.py", "")
    found = examined(
        tmp_path, "import mine, os, __main__, tflearn, cPickle, no_such_package_here.x\n"
    )
    assert {name: one.text[:20] for name, one in found.items()} == {
        "tflearn": "this package needs a",
        "cPickle": "Python 2's: pickle",
        "no_such_package_here": "this package is not ",
    }


def test_a_notebook(tmp_path, capsys):
    def cell(source):
        return {"cell_type": "code", "source": source, "metadata": {}, "outputs": []}

    notebook = {
        "cells": [
            {"cell_type": "markdown", "source": "# text"},
            cell("%tensorflow_version 2.x"),
            cell(["%matplotlib inline\n", "import tensorflow as tf\n", "files = !ls\n", "tf?\n"]),
            cell("%%bash\nls /"),
            cell("%%time\ntf.constant(3)\ntf.tpu.rewrite()"),
            cell("print 'x'"),
        ],
        "nbformat": 4,
        "nbformat_minor": 2,
        "metadata": {},
    }
    path = write(tmp_path, "old.ipynb", json.dumps(notebook))
    found = {one.name: one for one in examine(str(path))}
    assert found["%tensorflow_version 2.x"].places == ("1:1",)
    assert found["tf.constant"].places == ("4:2",)
    assert found["tf.tpu.rewrite"].places == ("4:3",)
    assert found["Python"].places == ("5:1",)
    assert main(["doctor", str(path)]) == 1
    said = capsys.readouterr().out
    assert said.startswith("Not in tinytf (cell:line):\n  %tensorflow_version 2.x (1:1)\n")
    assert said.endswith("old.ipynb: 0 run, 1 run with a difference, 3 are not in tinytf.\n")
    assert main(["doctor", str(path), "--json"]) == 1
    assert json.loads(capsys.readouterr().out)[0]["state"] == MISSING


def test_the_exit_code(tmp_path, capsys):
    program = write(tmp_path, "program.py", "import tensorflow as tf\ntf.matmul\n")
    assert main(["doctor", str(program)]) == 0
    assert "tf.matmul (2)" in capsys.readouterr().out
    assert main(["doctor", str(write(tmp_path, "other.py", "print('x')\n"))]) == 0
    assert "asks for nothing" in capsys.readouterr().out
    for name, content in [("a.ipynb", "{}"), ("b.ipynb", "["), ("c.ipynb", "[]")]:
        assert main(["doctor", str(write(tmp_path, name, content))]) == 2
        assert "is no notebook" in capsys.readouterr().err
    assert main(["doctor", str(tmp_path / "none.py")]) == 2
    assert "No such file" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("print 'loss', loss", "print is a function"),
        ("print >>log, 3", "file="),
        ("except ValueError, error:", "except Error as error"),
        ("raise ValueError, 'x'", "raise Error"),
        ("x = 0777", "0o17"),
        ("n = 10L", "no L"),
        ("if a <> b: pass", "!="),
        ("exec code", "exec is a function"),
        ("f = lambda (a, b): a", "taken apart"),
        ("s = `x`", "repr"),
    ],
)
def test_what_is_python_2_s(line, words):
    from tinytf.compatibility import python_2

    ((number, text),) = python_2.remarks(f"x = 1\n{line}")
    assert number == 2
    assert words in text


def test_python_3_is_not_taken_for_python_2():
    from tinytf.compatibility import python_2

    text = "print('x')\nprint (x)\nprint = 3\nx = 0\ny = 10.5\nz = 'a0777'\nexec('x')\n"
    assert python_2.remarks(text) == []
