"""Nodes that TensorFlow's optimiser has fused run as what they are made of."""

import numpy as np
import pytest

import tinytf as tf
from tinytf.distributed.worker.unfused import unfused
from tinytf.protos import graph_pb2

VALUES = {
    "x": np.array([[1.0, -2.0, 3.0]], np.float32),
    "w": np.arange(6, dtype=np.float32).reshape(2, 3) - 2.5,
    "b": np.array([0.5, -9.0], np.float32),
}


def fused_product(*kinds):
    """relu(x @ w^T + b), as TensorFlow's master sends it."""
    with tf.Graph().as_default() as graph:
        for name, value in VALUES.items():
            tf.constant(value, name=name)
        tf.no_op(name="before")
    definition = graph.as_graph_def()
    node = definition.node.add(name="y", op="_FusedMatMul", input=["x", "w", "b", "^before"])
    node.attr["T"].type = tf.float32.as_datatype_enum
    node.attr["transpose_b"].b = True
    node.attr["num_args"].i = 1
    node.attr["fused_ops"].list.s.extend(kind.encode() for kind in kinds)
    node.attr["epsilon"].f = 0.0
    node.attr["leakyrelu_alpha"].f = 0.5
    definition.node.add(name="z", op="Neg", input=["y"]).attr["T"].type = 1
    return definition


def run(definition, fetch):
    with tf.Graph().as_default(), tf.Session() as session:
        tf.import_graph_def(definition, name="")
        return session.run(fetch)


@pytest.mark.parametrize(
    ("kinds", "activation"),
    [
        (["BiasAdd"], lambda x: x),
        (["BiasAdd", "Relu"], lambda x: np.maximum(x, 0)),
        (["BiasAdd", "LeakyRelu"], lambda x: np.where(x < 0, x * np.float32(0.5), x)),
    ],
)
def test_a_product(kinds, activation):
    definition = unfused(fused_product(*kinds))
    expected = activation(VALUES["x"] @ VALUES["w"].T + VALUES["b"])
    assert run(definition, "z:0").tolist() == (-expected).tolist()
    nodes = {node.name: node for node in definition.node}
    assert nodes["y"].op == kinds[-1]
    assert "^before" in nodes["y/unfused_0"].input


def test_a_convolution_with_its_normalisation():
    with tf.Graph().as_default() as graph:
        image = tf.constant(np.arange(16, dtype=np.float32).reshape(1, 4, 4, 1), name="image")
        filters = tf.constant(np.ones((2, 2, 1, 2), np.float32), name="filters")
        for name, value in (("scale", 2.0), ("offset", 1.0), ("mean", 3.0), ("variance", 4.0)):
            tf.constant(np.full(2, value, np.float32), name=name)
        plain = tf.nn.conv2d(image, filters, strides=[1, 2, 2, 1], padding="VALID", name="plain")
    definition = graph.as_graph_def()
    node = definition.node.add()
    node.CopyFrom(plain.op.node_def)
    node.name, node.op = "y", "_FusedConv2D"
    node.input.extend(["scale", "offset", "mean", "variance"])
    node.attr["num_args"].i = 4
    node.attr["fused_ops"].list.s.extend([b"FusedBatchNorm", b"Relu"])
    node.attr["epsilon"].f = 0.0
    found, convolved = run(unfused(definition), ["y:0", "plain:0"])
    assert found == pytest.approx((convolved - 3.0) / 2.0 * 2.0 + 1.0)


def test_other_graphs_stay_as_they_are():
    plain = tf.Graph().as_graph_def()
    assert unfused(plain) is plain
    odd = graph_pb2.GraphDef()
    odd.node.add(name="y", op="_FusedMatMul").attr["fused_ops"].list.s.append(b"Dropout")
    assert unfused(odd) is odd
