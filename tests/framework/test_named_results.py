"""What an op with several outputs gives has TensorFlow's names: the op's type and its outputs'."""

from types import SimpleNamespace

import pytest

import tinytf as tf
from tests.oracle.tables import op_def, op_defs
from tinytf.framework import registry
from tinytf.framework.op_card import structured_outputs

SEVERAL = sorted(
    name
    for name in registry.op_defs
    if name in op_defs() and len(registry.op_defs.lookup(name).outputs) > 1
)


@pytest.mark.parametrize("op_type", SEVERAL)
def test_the_fields_are_the_outputs_of_tensorflows_schema(op_type):
    schema = registry.op_defs.lookup(op_type)
    attrs = {}
    for arg in schema.outputs:  # lists have one element each
        attrs.update({arg.number_attr: 1, arg.type_list_attr: (tf.int32,)})
    op = SimpleNamespace(
        op_def=schema, type=op_type, attrs=attrs, outputs=list(range(len(schema.outputs)))
    )
    result = structured_outputs(op)
    assert type(result).__name__ == op_type
    assert list(result._fields) == [arg.name for arg in op_def(op_type).output_arg]
    assert len(result) == len(schema.outputs)


def test_an_own_op_has_names_too():
    halves = tf.user_ops.define_op("NamedHalves", "x: T -> low: T, high: T", "T: type")
    result = halves(tf.constant(1.0))
    assert result.low.name == "NamedHalves:0"
    assert result.high.name == "NamedHalves:1"
