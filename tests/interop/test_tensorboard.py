"""The real TensorBoard shows what `tf.summary.FileWriter` writes: every kind, and the graph tab."""

import json
import subprocess
from pathlib import Path

import pytest
from google.protobuf import text_format

import tinytf as tf
from tests.oracle.environment import tensorflow_environment

pytestmark = [pytest.mark.tensorflow, pytest.mark.timeout(120)]

PROGRAM = Path(__file__).with_name("tensorboard_program.py")


def write_events(folder):
    """Five steps of training with a summary of every kind, the graph, and one traced step."""
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [None], name="x")
        with tf.name_scope("model"):
            w = tf.Variable(0.0, name="w")
            error = tf.subtract(w * x, 2.0 * x, name="error")
        loss = tf.reduce_mean(tf.square(error), name="mean")
        train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
        tf.summary.scalar("loss", loss)
        tf.summary.histogram("weights", tf.constant([-1.0, 0.5, 0.5]))
        tf.summary.text("note", tf.constant("A *note*."))
        tf.summary.image("picture", tf.ones([1, 4, 4, 3]))
        tf.summary.audio("tone", tf.zeros([1, 100]), 8000.0, max_outputs=1)
        merged = tf.summary.merge_all()
        writer = tf.summary.FileWriter(str(folder), graph)
        with tf.Session() as session, writer:
            session.run(w.initializer)
            for step in range(5):
                summary, _ = session.run([merged, train], {x: [1.0, 2.0]})
                writer.add_summary(summary, step)
            options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
            report = tf.RunMetadata()
            session.run(train, {x: [1.0, 2.0]}, options=options, run_metadata=report)
            writer.add_run_metadata(report, "a step", 5)
        return {op.name for op in graph.get_operations()}


@pytest.fixture(scope="module")
def seen(tmp_path_factory):
    """(what TensorBoard shows, the names of the graph's operations)."""
    from tinytf.cli import machine

    folder = tmp_path_factory.mktemp("events")
    names = write_events(folder)
    done = subprocess.run(
        [str(machine.tensorflow_python()), str(PROGRAM), str(folder)],
        capture_output=True,
        text=True,
        env=tensorflow_environment(),
        timeout=110,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return json.loads(done.stdout.splitlines()[-1]), names


def test_curves(seen):
    points = seen[0]["scalars"]
    assert [step for _time, step, _value in points] == [0, 1, 2, 3, 4]
    values = [value for _time, _step, value in points]
    assert values[0] == 10.0
    assert values == sorted(values, reverse=True)


def test_distributions(seen):
    _time, step, buckets = seen[0]["histograms"][-1]
    assert step == 4
    assert sum(count for _left, _right, count in buckets) == pytest.approx(3)
    assert buckets[0][0] == -1.0
    assert buckets[-1][1] == 0.5


def test_text_images_and_sounds(seen):
    pages = seen[0]
    assert pages["text"][0]["text"] == "<p>A <em>note</em>.</p>"
    assert pages["image"] == ["image/png", "89504e470d0a1a0a"]
    assert list(pages["audio"]["."]) == ["tone/audio"]


def test_the_graph_with_its_shapes(seen):
    pages, names = seen
    assert pages["info"]["."]["run_graph"] is True
    graph = text_format.Parse(pages["graph"], tf.GraphDef())
    assert {node.name for node in graph.node} == names
    shapes = {node.name: node.attr["_output_shapes"].list.shape for node in graph.node}
    assert [dim.size for dim in shapes["model/error"][0].dim] == [-1]


def test_the_time_that_each_node_took(seen):
    pages, names = seen
    assert pages["info"]["."]["tags"]["a step"]["profile"] is True
    report = text_format.Parse(pages["run"], tf.RunMetadata())
    stats = {node.node_name: node for dev in report.step_stats.dev_stats for node in dev.node_stats}
    assert {"model/error", "model/w", "GradientDescent/update_model/w/ApplyGradientDescent"} <= set(
        stats
    )
    assert set(stats) <= names
    assert all(node.all_start_micros > 0 for node in stats.values())
    assert sum(node.all_end_rel_micros for node in stats.values()) > 0
