"""One estimator, in one folder, by a real TensorFlow and by tinytf in turn."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from google.protobuf import text_format

import tinytf as tf
from tests.oracle.environment import ROOT, tensorflow_environment

pytestmark = [pytest.mark.tensorflow, pytest.mark.timeout(240)]
PROGRAM = Path(__file__).with_name("estimators_program.py")


def run(folder, library):
    from tinytf.cli import machine

    python = sys.executable if library == "tinytf" else str(machine.tensorflow_python())
    process = subprocess.run(
        [python, str(PROGRAM), str(folder), library][: 3 + (library == "tinytf")],
        capture_output=True,
        text=True,
        timeout=100,
        cwd=ROOT,
        env={**tensorflow_environment(), "PYTHONPATH": str(ROOT)},
    )
    assert process.returncode == 0, process.stderr[-4000:]
    return json.loads(process.stdout.splitlines()[-1])


def nodes(folder):
    """The graph that was trained last: name -> type, inputs, device."""
    graph = text_format.Parse((folder / "graph.pbtxt").read_text(), tf.GraphDef())
    return {node.name: (node.op, list(node.input), node.device) for node in graph.node}


def served(folder):
    """What the exported model gives for x = 1, here."""
    one = tf.train.Feature(float_list=tf.train.FloatList(value=[1.0]))
    example = tf.train.Example(features=tf.train.Features(feature={"x": one}))
    [export] = (folder / "export" / "final").iterdir()
    predict = tf.contrib.predictor.from_saved_model(str(export))
    return predict({"examples": [example.SerializeToString()]})["y"].tolist()


def test_both_do_the_same(tmp_path):
    here, there = tmp_path / "tinytf", tmp_path / "tensorflow"
    assert run(here, "tinytf") == run(there, "tensorflow")
    assert nodes(here) == nodes(there)
    assert served(here) == pytest.approx(served(there), 1e-5)


def test_each_goes_on_where_the_other_has_ended(tmp_path):
    both = [run(tmp_path / "a", "tensorflow"), run(tmp_path / "b", "tinytf")]
    assert both[0]["evaluated"] == both[1]["evaluated"]
    crossed = [run(tmp_path / "a", "tinytf"), run(tmp_path / "b", "tensorflow")]
    assert crossed[0]["evaluated"] == crossed[1]["evaluated"]
    assert crossed[0]["evaluated"]["global_step"] == 102
