"""Files between tinytf and a real TensorFlow: MetaGraphs and event files, both ways."""

import json
import os
import subprocess
from pathlib import Path

import pytest

import tinytf as tf
from tests.interop.files_model import build, slopes
from tests.oracle.environment import ROOT, tensorflow_environment
from tinytf.protos import meta_graph_pb2

pytestmark = [pytest.mark.tensorflow, pytest.mark.timeout(120)]

PROGRAM = Path(__file__).with_name("files_program.py")


@pytest.fixture(scope="module")
def exchange(tmp_path_factory):
    """(the folder with both libraries' files, what TensorFlow saw)."""
    from tinytf.cli import machine

    folder = tmp_path_factory.mktemp("files")
    with tf.Graph().as_default():
        build(tf)
        tf.train.export_meta_graph(folder / "ours.meta")
        tf.train.export_meta_graph(folder / "ours.txt", as_text=True)
        with tf.Session() as session, tf.summary.FileWriter(folder / "events") as writer:
            writer.add_summary(session.run(tf.summary.scalar("loss", 0.5)), 3)
    done = subprocess.run(
        [str(machine.tensorflow_python()), str(PROGRAM), str(folder)],
        capture_output=True,
        text=True,
        timeout=110,
        env={**tensorflow_environment(), "PYTHONPATH": str(ROOT)},
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return folder, json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize("name", ["ours.meta", "ours.txt"])
@pytest.mark.parametrize("scope", [None, "s"])
def test_tensorflow_differentiates_our_meta_graph(exchange, name, scope):
    values, names, answers = exchange[1][f"{name} {scope}"]
    prefix = f"{scope}/" if scope else ""
    assert values == [40.5, 108.0, 60.75, 40.5]
    assert names == [f"{prefix}{variable}:0" for variable in ("v", "u", "local")]
    assert answers == [42]


@pytest.mark.parametrize("name", ["theirs.meta", "theirs.txt"])
@pytest.mark.parametrize("scope", [None, "s"])
def test_we_differentiate_tensorflows_meta_graph(exchange, name, scope):
    folder, seen = exchange
    with tf.Graph().as_default():
        tf.train.import_meta_graph(os.path.join(folder, name), import_scope=scope)
        assert slopes(tf, scope)[0] == seen["own"][0]


def test_both_write_the_same_meta_graph(exchange):
    ours, theirs = (
        meta_graph_pb2.MetaGraphDef.FromString((exchange[0] / name).read_bytes())
        for name in ("ours.meta", "theirs.meta")
    )
    assert ours.graph_def == theirs.graph_def
    assert ours.meta_info_def.stripped_op_list == theirs.meta_info_def.stripped_op_list
    assert sorted(ours.collection_def) == sorted(theirs.collection_def)
    kinds = {
        "cond_context": meta_graph_pb2.CondContextDef,
        "while_context": meta_graph_pb2.WhileContextDef,
    }
    for key in ours.collection_def:
        mine, real = (meta.collection_def[key] for meta in (ours, theirs))
        if key in kinds:  # in messages with maps the order of the bytes is anyone's
            read = kinds[key].FromString
            assert list(map(read, mine.bytes_list.value)) == list(map(read, real.bytes_list.value))
        else:
            assert mine == real, key


def test_event_files_both_ways(exchange):
    folder, seen = exchange
    assert seen["events"] == [[3, "loss", 0.5]]
    [path] = (folder / "their_events").iterdir()
    values = [
        (event.step, value.tag, value.simple_value)
        for event in tf.train.summary_iterator(path)
        for value in event.summary.value
    ]
    assert values == [(7, "loss", 0.25)]
