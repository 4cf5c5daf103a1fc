"""Values given to ops become tensors of the types that they become in TensorFlow."""

import gzip
import json

import pytest

import tinytf as tf
from tests.oracle.input_types import INPUT_TYPES, outcome, values
from tinytf.framework import registry
from tinytf.framework.op_builder import _convert_single

EXPECTED = {
    name: types.split()
    for types, names in json.loads(gzip.decompress(INPUT_TYPES.read_bytes())).items()
    for name in names
}
NAMES = sorted(
    f"{schema.name}.{arg.name}"
    for schema in map(registry.op_defs.lookup, registry.op_defs)
    for arg in schema.inputs
    if f"{schema.name}.{arg.name}" in EXPECTED
)


def test_there_are_inputs():
    assert len(NAMES) > 500


@pytest.mark.filterwarnings("ignore:Casting complex values")
@pytest.mark.parametrize("letter", sorted({name[0] for name in NAMES}))
def test_inputs_take_the_types_that_they_take_in_tensorflow(letter):
    wrong = {}
    for name in NAMES:
        if name[0] == letter:
            op_type, _, argument = name.partition(".")
            schema = registry.op_defs.lookup(op_type)
            arg = next(a for a in schema.inputs if a.name == argument)
            with tf.Graph().as_default():
                found = [
                    outcome(
                        lambda v=v, s=schema, a=arg: _convert_single(s, a, v, {}, {}).dtype.name
                    )
                    for v in values(tf).values()
                ]
            if found != EXPECTED[name]:
                wrong[name] = list(zip(values(tf), found, EXPECTED[name], strict=True))
    assert wrong == {}
