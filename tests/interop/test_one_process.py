"""TensorFlow and tinytf in one process, in both orders."""

import os
import subprocess

import pytest

from tests.oracle.environment import ROOT, tensorflow_environment

pytestmark = [pytest.mark.tensorflow, pytest.mark.timeout(120)]

OURS = "import tinytf"
THEIRS = "import tensorflow.compat.v1 as tensorflow\ntensorflow.disable_v2_behavior()"
PROGRAM = """
with tinytf.Graph().as_default() as graph:
    a = tinytf.placeholder(tinytf.float32, [2], name="a")
    b = tinytf.identity(tinytf.add(a, 1.0), name="b")
definition = graph.as_graph_def().SerializeToString()
server = tinytf.train.Server.create_local_server()
with tensorflow.Graph().as_default() as theirs:
    tensorflow.import_graph_def(tensorflow.GraphDef.FromString(definition), name="")
    with tensorflow.Session(server.target) as session:
        assert session.run("b:0", {"a:0": [1, 2]}).tolist() == [2, 3]
with tinytf.Session(server.target, graph=graph) as session:
    assert session.run(b, {a: [1, 2]}).tolist() == [2, 3]
server.stop()
print("both work")
"""


@pytest.mark.parametrize("order", [(OURS, THEIRS), (THEIRS, OURS)], ids=["ours", "theirs"])
def test_imports_in_both_orders(order, tensorflow_python):
    environment = {**tensorflow_environment(), "PYTHONPATH": str(ROOT)}
    process = subprocess.run(
        [str(tensorflow_python), "-c", "\n".join([*order, PROGRAM])],
        capture_output=True,
        text=True,
        env=environment,
        cwd=os.path.sep,
        timeout=110,
    )
    assert process.returncode == 0, process.stderr[-4000:]
    assert process.stdout.splitlines()[-1] == "both work"
