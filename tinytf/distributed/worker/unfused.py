r"""Nodes that TensorFlow's optimiser has fused, taken apart again.

    x, w, b --> _FusedMatMul     x, w --> MatMul --> BiasAdd --> Relu
                BiasAdd, Relu                  b ----^

A real TensorFlow's master optimises a graph before it cuts it into parts, and merges a product or a
convolution with what follows it. We have no such operations: a worker runs what they are made of,
under the names that the others know. TensorFlow: core/grappler/optimizers/remapper.cc.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from tinytf.framework import dtypes
from tinytf.protos import graph_pb2, node_def_pb2

_FUSED = {
    "_FusedMatMul": "MatMul",
    "_FusedConv2D": "Conv2D",
    "_FusedDepthwiseConv2dNative": "DepthwiseConv2dNative",
}
#: what is fused -> (its type, how many more inputs it has)
_WITH_ARGUMENTS = {
    "BiasAdd": ("BiasAdd", 1),
    "Add": ("AddV2", 1),
    "FusedBatchNorm": ("FusedBatchNormV3", 4),
}
_ACTIVATIONS = frozenset({"Relu", "Relu6", "Elu", "LeakyRelu", "Tanh", "Sigmoid"})
#: what is fused -> its attributes, and what they are called in the fused node
_ATTRS = {
    "BiasAdd": {"data_format": "data_format"},
    "FusedBatchNorm": {"data_format": "data_format", "epsilon": "epsilon"},
    "LeakyRelu": {"alpha": "leakyrelu_alpha"},
}
#: Attributes of what comes after, or of how it was fused.
_OF_FUSION = "num_args num_host_args TArgs fused_ops epsilon leakyrelu_alpha filter_format".split()


def unfused(graph_def: graph_pb2.GraphDef) -> graph_pb2.GraphDef:
    """A graph with fused nodes taken apart; the very same graph if it has none.

    Nodes with something else than a bias, an addition, a batch normalisation for inference or an
    activation in them stay.
    """
    if not any(_can_be_split(node) for node in graph_def.node):
        return graph_def
    result = graph_pb2.GraphDef()
    result.CopyFrom(graph_def)
    del result.node[:]
    for node in graph_def.node:
        result.node.extend(_split(node) if _can_be_split(node) else [node])
    return result


def _can_be_split(node: node_def_pb2.NodeDef) -> bool:
    return node.op in _FUSED and all(
        kind in _WITH_ARGUMENTS or kind in _ACTIVATIONS for kind in _kinds(node)
    )


def _kinds(node: node_def_pb2.NodeDef) -> list[str]:
    return [kind.decode() for kind in node.attr["fused_ops"].list.s]


def _split(node: node_def_pb2.NodeDef) -> Iterator[node_def_pb2.NodeDef]:
    """The product or convolution, and what follows; the last one has the name of all."""
    inputs = [text for text in node.input if not text.startswith("^")]
    arguments, kinds = iter(inputs[2:]), _kinds(node)
    product = node_def_pb2.NodeDef()
    product.CopyFrom(node)
    product.op = _FUSED[node.op]
    product.input[:] = [*inputs[:2], *(text for text in node.input if text.startswith("^"))]
    for name in _OF_FUSION:
        product.attr.pop(name, None)
    last = product
    for number, kind in enumerate(kinds):
        last.name = f"{node.name}/unfused_{number}"
        yield last
        op, count = _WITH_ARGUMENTS.get(kind, (kind, 0))
        step = node_def_pb2.NodeDef(
            name=node.name,
            op=op,
            device=node.device,
            input=[last.name, *itertools.islice(arguments, count)],
        )
        step.attr["T"].CopyFrom(node.attr["T"])
        for name, theirs in _ATTRS.get(kind, {}).items():
            if theirs in node.attr:
                step.attr[name].CopyFrom(node.attr[theirs])
        if kind == "FusedBatchNorm":
            step.attr["U"].type = dtypes.float32.as_datatype_enum
            step.attr["is_training"].b = False
        last = step
    yield last
