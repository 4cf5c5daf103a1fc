"""Write tests/oracle/data/op_defs.pb.gz: the schema of every op of TensorFlow, without its prose.

    python3 scripts/oracle/dump_op_defs.py

The file holds one serialised OpList, sorted by name. `tests.oracle.tables` reads it.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.oracle.environment import compressed, continue_under_tensorflow, write_atomically
from tests.oracle.tables import OP_DEFS


def dump() -> bytes:
    """The serialised OpList, the same for each run."""
    from tensorflow.core.framework import op_def_pb2
    from tensorflow.python.client import pywrap_tf_session

    buffer = pywrap_tf_session.TF_GetAllOpList()
    ops = op_def_pb2.OpList.FromString(pywrap_tf_session.TF_GetBuffer(buffer))
    for op in ops.op:
        for text in (op, *op.input_arg, *op.output_arg, *op.attr):
            text.ClearField("description")
        op.ClearField("summary")
    ordered = op_def_pb2.OpList(op=sorted(ops.op, key=lambda op: op.name))
    return ordered.SerializeToString(deterministic=True)


if __name__ == "__main__":
    continue_under_tensorflow()
    data = dump()
    if "--print" in sys.argv:
        sys.stdout.buffer.write(data)
    else:
        write_atomically(OP_DEFS, compressed(data))
