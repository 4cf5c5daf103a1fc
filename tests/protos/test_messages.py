"""Our messages are TensorFlow's: every field, number, label, type; every enum value."""

import importlib
import subprocess
from pathlib import Path

import pytest
from google.protobuf import descriptor_pb2

from tests.oracle import environment
from tests.oracle.messages import TABLE, describe, read_table
from tinytf import protos

FOLDER = Path(protos.__file__).parent
MODULES = sorted(path.stem for path in FOLDER.glob("*_pb2.py"))

#: What TensorFlow has and we leave out, with everything below it. It survives as unknown fields.
LEFT_OUT = (
    # Object graphs of TensorFlow 2: large, and nothing of TensorFlow 1 writes them.
    "MetaGraphDef.object_graph_def",
    "TensorInfo.CompositeTensor.type_spec",
    # Commands to a TPU worker inside event files.
    "WatchdogConfig",
    "RequestedExitCode",
    "WorkerHeartbeatRequest",
    "WorkerHeartbeatResponse",
    "WorkerHealth",
    "WorkerShutdownMode",
    # Not messages of graphs, sessions or checkpoints.
    "SerializedDType",
)

#: Fields of our own, which TensorFlow's peers leave alone.
EXTENSIONS = {
    "GetStatusResponse.runtime": "1001 string",
    "RunGraphRequest.timeout_in_ms": "1001 int64",
}


def our_declarations() -> dict[str, str]:
    files = []
    for name in MODULES:
        file = descriptor_pb2.FileDescriptorProto()
        importlib.import_module(f"tinytf.protos.{name}").DESCRIPTOR.CopyToProto(file)
        files.append(file)
    return describe(files)


def is_left_out(path: str) -> bool:
    return any(path == name or path.startswith(name + ".") for name in LEFT_OUT)


def test_every_declaration_of_ours_is_tensorflows():
    theirs = read_table()
    different = {
        path: (text, theirs.get(path, "not in TensorFlow"))
        for path, text in our_declarations().items()
        if theirs.get(path) != text
    }
    assert different == {path: (text, "not in TensorFlow") for path, text in EXTENSIONS.items()}


def test_extensions_have_numbers_that_tensorflow_will_not_use():
    used = read_table()
    for path, text in EXTENSIONS.items():
        message = path.rpartition(".")[0] + "."
        numbers = [int(t.split()[0]) for p, t in used.items() if p.startswith(message)]
        assert int(text.split()[0]) > 1000 > max(numbers)


def test_nothing_is_missing_but_what_is_left_out_on_purpose():
    ours = our_declarations()
    missing = [path for path in read_table() if path not in ours and not is_left_out(path)]
    assert missing == []


def test_the_list_of_what_is_left_out_is_true():
    ours, theirs = our_declarations(), read_table()
    assert [name for name in LEFT_OUT if name in ours or name not in theirs] == []


def test_the_comparison_sees_a_wrong_number():
    from tinytf.protos import node_def_pb2

    file = descriptor_pb2.FileDescriptorProto()
    node_def_pb2.DESCRIPTOR.CopyToProto(file)
    node = next(message for message in file.message_type if message.name == "NodeDef")
    node.field[0].number = 9
    assert describe([file])["NodeDef.name"] != read_table()["NodeDef.name"]


@pytest.mark.parametrize("name", MODULES)
def test_files_and_messages_have_names_of_their_own(name):
    descriptor = importlib.import_module(f"tinytf.protos.{name}").DESCRIPTOR
    assert descriptor.name == f"tinytf/protos/{name.removesuffix('_pb2')}.proto"
    assert descriptor.package.split(".")[0] == "tinytf"


def test_text_format_and_bytes_round_trip():
    from google.protobuf import text_format

    from tinytf.protos import graph_pb2

    text = 'node { name: "a" op: "Const" attr { key: "dtype" value { type: DT_INT32 } } }'
    graph = text_format.Parse(text, graph_pb2.GraphDef())
    assert graph_pb2.GraphDef.FromString(graph.SerializeToString()) == graph
    assert "DT_INT32" in text_format.MessageToString(graph)


def test_an_unknown_field_survives():
    from tinytf.protos import meta_graph_pb2

    # Field 7 (object_graph_def), length-delimited, three bytes.
    data = b"\x3a\x03\x0a\x01x"
    assert meta_graph_pb2.MetaGraphDef.FromString(data).SerializeToString() == data


IMPORTS = {
    "tinytf first": "import {ours}; import tensorflow.compat.v1 as tf",
    "tensorflow first": "import tensorflow.compat.v1 as tf; import {ours}",
}
EXCHANGE = """
from tinytf.protos import graph_pb2, config_pb2
from google.protobuf import text_format
import tensorflow.compat.v1 as tf
with tf.Graph().as_default() as graph:
    tf.add(tf.constant([1.0, 2.0]), 3.0)
theirs = graph.as_graph_def()
ours = graph_pb2.GraphDef.FromString(theirs.SerializeToString())
assert text_format.MessageToString(ours) == text_format.MessageToString(theirs)
assert type(theirs).FromString(ours.SerializeToString()) == theirs
config = config_pb2.ConfigProto(inter_op_parallelism_threads=3, device_count={"GPU": 0})
assert tf.ConfigProto.FromString(config.SerializeToString()).inter_op_parallelism_threads == 3
print("exchanged")
"""


def run_under(python: Path, *arguments: str) -> str:
    variables = {**environment.tensorflow_environment(), "PYTHONPATH": str(environment.ROOT)}
    done = subprocess.run(
        [str(python), *arguments],
        env=variables,
        cwd=environment.ROOT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.tensorflow
@pytest.mark.parametrize("order", IMPORTS)
def test_both_libraries_live_in_one_process(order, tensorflow_python):
    ours = ", ".join(f"tinytf.protos.{name}" for name in MODULES)
    program = IMPORTS[order].format(ours=ours) + EXCHANGE
    assert "exchanged" in run_under(tensorflow_python, "-c", program)


@pytest.mark.tensorflow
def test_the_committed_table_is_what_tensorflow_says(tensorflow_python):
    script = "scripts/oracle/dump_messages.py"
    assert run_under(tensorflow_python, script, "--print") == TABLE.read_text()
