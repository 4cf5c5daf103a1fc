"""Write tests/oracle/data/input_types.json.gz: what type the inputs of ops make of Python values.

    python3 scripts/oracle/dump_input_types.py

For every input of one tensor whose type follows from its value, the type that TensorFlow's op
library gives to each of `tests.oracle.input_types.values`, or the class of its error.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.oracle.environment import compressed, continue_under_tensorflow, write_atomically
from tests.oracle.input_types import INPUT_TYPES, outcome, values


def dump() -> bytes:
    """Outcomes, and for each the inputs that have them."""
    import tensorflow.compat.v1 as tf
    from tensorflow.core.framework import op_def_pb2
    from tensorflow.python.client import pywrap_tf_session

    tf.disable_v2_behavior()
    buffer = pywrap_tf_session.TF_GetAllOpList()
    ops = op_def_pb2.OpList.FromString(pywrap_tf_session.TF_GetBuffer(buffer))
    inputs: dict[str, list[str]] = {}
    for op in ops.op:
        for arg in op.input_arg:
            if arg.type_attr and not (arg.number_attr or arg.is_ref):
                found = " ".join(
                    outcome(lambda value=value, op=op, arg=arg: _type(tf, op, arg, value))
                    for value in values(tf).values()
                )
                inputs.setdefault(found, []).append(f"{op.name}.{arg.name}")
    return json.dumps({key: sorted(inputs[key]) for key in sorted(inputs)}).encode()


def _type(tf: Any, op: Any, arg: Any, value: Any) -> str:
    """The type of the tensor that a value becomes, if it is the only input."""
    from tensorflow.python.framework import op_def_library

    alone = type(op)()
    alone.CopyFrom(op)
    del alone.input_arg[:]
    alone.input_arg.append(arg)
    types = [attr for attr in op.attr if attr.type == "type"]
    defaults = {a.name: a.default_value.type for a in types if a.HasField("default_value")}
    allowed = {a.name: a.allowed_values.list.type for a in types if a.HasField("allowed_values")}
    inputs: list[Any] = []
    with tf.Graph().as_default():
        op_def_library._ExtractInputsAndAttrs(
            op.name, alone, allowed, {arg.name: value}, defaults, {}, inputs, []
        )
    return inputs[0].dtype.name


if __name__ == "__main__":
    continue_under_tensorflow()
    write_atomically(INPUT_TYPES, compressed(dump()))
