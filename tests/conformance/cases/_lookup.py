"""Building nodes of lookup tables."""

import importlib

from tests.conformance.nodes import node


def lookup_ops(tf):
    return importlib.import_module(f"{tf.__name__.split('.')[0]}.python.ops.lookup_ops")


def op(tf, op_type, inputs=(), **attrs):
    """A node: its outputs, its only output, or the operation if it has none."""
    outputs = node(tf, op_type, list(inputs), **attrs)
    if not outputs:
        return tf.get_default_graph().get_operations()[-1]
    return outputs[0] if len(outputs) == 1 else outputs


def int64(tf, values):
    return tf.constant(values, tf.int64)


def table(tf, kind="HashTableV2", inputs=(), **attrs):
    types = {"key_dtype": tf.string, "value_dtype": tf.int64, **attrs}
    return op(tf, kind, inputs, **types)


def find(tf, handle, keys, default, version="V2", tin=None, tout=None):
    types = {"Tin": tin or tf.string, "Tout": tout or tf.int64}
    return op(tf, f"LookupTableFind{version}", [handle, keys, default], **types)


def change(tf, what, handle, keys, values, tin=None, tout=None):
    return op(tf, what, [handle, keys, values], Tin=tin or tf.string, Tout=tout or tf.int64)


def shape(tf, sizes):
    return tf.AttrValue(shape=tf.TensorShape(sizes).as_proto())
