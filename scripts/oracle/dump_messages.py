"""Write tests/oracle/data/messages.tsv: every field number of the messages we mirror.

    python3 scripts/oracle/dump_messages.py

Most declarations come from the Python modules inside TensorFlow's wheel. Those of the master and
worker services are not among them, but the shared library registers their descriptors when it is
loaded, so their serialised form lies in the library file, where it is looked up by file name.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from google.protobuf import descriptor_pb2
from google.protobuf.message import DecodeError

from tests.oracle.environment import continue_under_tensorflow, write_atomically
from tests.oracle.messages import TABLE, describe, table_text

MODULES = """
    tensorflow.core.example.example tensorflow.core.example.feature
    tensorflow.core.framework.allocation_description tensorflow.core.framework.attr_value
    tensorflow.core.framework.cost_graph tensorflow.core.framework.device_attributes
    tensorflow.core.framework.full_type tensorflow.core.framework.function
    tensorflow.core.framework.graph tensorflow.core.framework.graph_debug_info
    tensorflow.core.framework.kernel_def tensorflow.core.framework.node_def
    tensorflow.core.framework.op_def tensorflow.core.framework.reader_base
    tensorflow.core.framework.resource_handle
    tensorflow.core.framework.step_stats tensorflow.core.framework.summary
    tensorflow.core.framework.tensor tensorflow.core.framework.tensor_description
    tensorflow.core.framework.tensor_shape tensorflow.core.framework.tensor_slice
    tensorflow.core.framework.types tensorflow.core.framework.variable
    tensorflow.core.framework.versions tensorflow.core.protobuf.cluster
    tensorflow.core.protobuf.config tensorflow.core.protobuf.control_flow
    tensorflow.core.protobuf.debug tensorflow.core.protobuf.device_filters
    tensorflow.core.protobuf.meta_graph tensorflow.core.protobuf.named_tensor
    tensorflow.core.protobuf.queue_runner tensorflow.core.protobuf.rewriter_config
    tensorflow.core.protobuf.saved_model tensorflow.core.protobuf.saver
    tensorflow.core.protobuf.tensor_bundle tensorflow.core.protobuf.tensorflow_server
    tensorflow.core.protobuf.verifier_config tensorflow.core.util.event
    tensorflow.core.util.saved_tensor_slice tensorflow.tsl.protobuf.coordination_config
    tensorflow.python.training.checkpoint_state
    tensorflow.tsl.protobuf.distributed_runtime_payloads tensorflow.tsl.protobuf.error_codes
    tensorflow.tsl.protobuf.histogram tensorflow.tsl.protobuf.rpc_options
""".split()
EMBEDDED = ("tensorflow/core/protobuf/master.proto", "tensorflow/core/protobuf/worker.proto")


def module_files() -> list[descriptor_pb2.FileDescriptorProto]:
    """The declarations of the wheel's Python modules."""
    files = []
    for name in MODULES:
        file = descriptor_pb2.FileDescriptorProto()
        importlib.import_module(f"{name}_pb2").DESCRIPTOR.CopyToProto(file)
        files.append(file)
    return files


def embedded_file(data: bytes, name: str) -> descriptor_pb2.FileDescriptorProto:
    """The declarations of one .proto file, found in the bytes of a library.

    A serialised FileDescriptorProto begins with its first field, the file's name. It has no
    length of its own, so fields are taken one by one as long as they fit the message.
    """
    key = bytes([0x0A, len(name)]) + name.encode()
    best = descriptor_pb2.FileDescriptorProto()
    start = data.find(key)
    while start >= 0:
        end = start + len(key)
        while (after := _field_end(data, end)) is not None:
            end = after
        found = descriptor_pb2.FileDescriptorProto.FromString(data[start:end])
        if found.ByteSize() > best.ByteSize():  # shorter ones are mentions as a dependency
            best = found
        start = data.find(key, start + 1)
    if not best.message_type:
        raise SystemExit(f"{name} is not in TensorFlow's library.")
    return best


def _field_end(data: bytes, position: int) -> int | None:
    """Where the field that begins here ends; None if this is no field of a file descriptor."""
    tag, start = _varint(data, position)
    number, wire_type = tag >> 3, tag & 7
    known = descriptor_pb2.FileDescriptorProto.DESCRIPTOR.fields_by_number
    if number not in known or number == 1 or wire_type not in (0, 2):
        return None
    length, end = _varint(data, start)
    if wire_type == 2:
        end += length
    try:
        descriptor_pb2.FileDescriptorProto.FromString(data[position:end])
    except DecodeError:  # what follows the descriptor in the library
        return None
    return end


def _varint(data: bytes, position: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[position]
        value |= (byte & 0x7F) << shift
        position, shift = position + 1, shift + 7
        if byte < 0x80:
            return value, position


def dump() -> str:
    """The text of the table."""
    import tensorflow

    folder = Path(tensorflow.__file__).parent
    files = module_files()
    for name in EMBEDDED:
        found = None
        for library in sorted(folder.glob("libtensorflow_*.so*")):
            data = library.read_bytes()
            if name.encode() in data:
                found = embedded_file(data, name)
                break
        if found is None:
            raise SystemExit(f"{name} is in none of TensorFlow's libraries.")
        files.append(found)
    return table_text(describe(files))


if __name__ == "__main__":
    continue_under_tensorflow()
    text = dump()
    if "--print" in sys.argv:
        sys.stdout.write(text)
    else:
        write_atomically(TABLE, text.encode())
