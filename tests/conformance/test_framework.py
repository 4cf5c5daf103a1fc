"""The conformance framework itself: what it stores it gives back, and it finds differences."""

import os
import signal

import ml_dtypes
import numpy as np
import pytest

from tests.conformance import comparing, encoding
from tests.conformance.live import LiveTensorFlow
from tests.conformance.registry import Case, case
from tests.conformance.running import clean_message, fetched_array
from tinytf.protos import graph_pb2


def a_case(**changes):
    return Case("family", "name", lambda tf: None, (), ("Add",), **changes)


ARRAYS = [
    np.array(3, np.int32),
    np.array([[1.5, np.nan, -0.0]], np.float64),
    np.zeros([0, 2], np.float32),
    np.array([1.0, 2.0], ml_dtypes.bfloat16),
    np.array([1 + 2j], np.complex64),
    np.array([True, False]),
    np.array([b"a\x00", b"", b"\xff"], object),
    np.array(b"zero at the end\x00", object),
]


@pytest.mark.parametrize("array", ARRAYS, ids=lambda array: array.dtype.name)
def test_arrays_come_back(array):
    back = encoding.decode(*encoding.encode({"a": [array, b"\x00raw", None, "text"]}))
    assert back["a"][1:] == [b"\x00raw", None, "text"]
    assert (back["a"][0].dtype, back["a"][0].shape) == (array.dtype, array.shape)
    equal_nan = array.dtype.kind == "f"
    assert np.array_equal(back["a"][0], array, equal_nan=equal_nan)


def test_files_and_frames_come_back(tmp_path):
    tree = {"case": {"values": [[np.arange(3)]], "error": None}}
    encoding.write_file(tmp_path / "family.npz", tree)
    from_file = encoding.read_file(tmp_path / "family.npz")
    assert from_file["case"]["values"][0][0].tolist() == [0, 1, 2]
    with open(tmp_path / "pipe", "wb") as pipe:
        pipe.write(encoding.frame(tree))
    with open(tmp_path / "pipe", "rb") as pipe:
        assert encoding.read_frame(pipe.read)["case"]["error"] is None
        assert encoding.read_frame(pipe.read) is None


@pytest.mark.parametrize(
    "text",
    [
        b'{"$bytes":[0,9]}',
        b'{"$bytes":[-1,1]}',
        b'{"$array":["int32",[2],0,4]}',
        b'{"$array":["object",[1],0,4]}',
        b'{"$strings":[[2],[3,9],0,4]}',
        b"{",
    ],
)
def test_malformed_data_is_refused(text):
    with pytest.raises(ValueError):
        encoding.decode(text, b"1234")


def test_a_string_keeps_its_last_zero_bytes():
    assert fetched_array(b"a\x00").item() == b"a\x00"


@pytest.mark.parametrize(
    ("mine", "words"),
    [
        (np.float32([1, 2.001]), "2.00"),
        (np.float64([1, 2]), "float64 of shape"),
        (np.float32([[1, 2]]), "shape (1, 2)"),
        (None, "None"),
        (np.float32([1, np.nan]), "nan"),
    ],
)
def test_a_wrong_value_is_found(mine, words):
    right = np.float32([1, 2])
    assert comparing.compare_values(a_case(), [[right]], [[right * np.float32(1 + 1e-7)]]) == []
    (text,) = comparing.compare_values(a_case(), [[mine]], [[right]])
    assert text.startswith("run 0, fetch 0")
    assert words in text


def test_tolerances_are_the_cases():
    pair = [[np.float32([1.0])]], [[np.float32([1.1])]]
    assert comparing.compare_values(a_case(rtol=0.2), *pair) == []
    assert comparing.compare_values(a_case(rtol=0.01), *pair) != []
    assert comparing.compare_values(a_case(random=True), *pair) == []
    strings = [[np.array([b"a"], object)]], [[np.array([b"b"], object)]]
    assert comparing.compare_values(a_case(rtol=9.0), *strings) != []


def graph(name="a", op="Const", inputs=(), **tensor):
    graph_def = graph_pb2.GraphDef()
    node = graph_def.node.add(name=name, op=op, input=inputs)
    node.attr["value"].tensor.dtype = 3
    node.attr["value"].tensor.tensor_shape.dim.add(size=3)
    for key, value in tensor.items():
        field = getattr(node.attr["value"].tensor, key, None)
        if isinstance(value, bytes):
            node.attr["value"].tensor.tensor_content = value
        else:
            field.extend(value)
    return graph_def.SerializeToString()


def test_encodings_of_one_tensor_are_equal():
    full = np.array([5, 6, 6], np.int32).tobytes()
    same = graph(int_val=[5, 6]), graph(tensor_content=full)
    assert comparing.compare_graphs(a_case(), *same) == []
    zeros = graph(), graph(int_val=[0]), graph(int_val=[0, 0, 0])
    assert comparing.compare_graphs(a_case(), zeros[0], zeros[1]) == []
    assert comparing.compare_graphs(a_case(), zeros[0], zeros[2]) == []


@pytest.mark.parametrize(
    ("other", "count"),
    [
        (graph(name="b", int_val=[1]), 2),
        (graph(op="Add", int_val=[1]), 1),
        (graph(inputs=["^x"], int_val=[1]), 1),
        (graph(int_val=[2]), 1),
    ],
)
def test_a_wrong_graph_is_found(other, count):
    assert len(comparing.compare_graphs(a_case(), graph(int_val=[1]), other)) == count


def test_a_case_may_ask_for_the_types_only():
    renamed = graph(int_val=[1]), graph(name="b", int_val=[2])
    assert comparing.compare_graphs(a_case(graph="types"), *renamed) == []
    assert comparing.compare_graphs(a_case(graph="types"), graph(), graph(op="Add")) != []
    assert comparing.compare_graphs(a_case(graph="any"), graph(), graph(op="Add")) == []


ERROR = {"class": "ValueError", "phase": "build", "message": "too large", "op": None}


def test_errors_are_held_to_the_declaration():
    failing = a_case(error="large")
    assert comparing.complaints_about(failing, {"error": ERROR}) == []
    assert comparing.complaints_about(failing, {"values": [[None]]}) != []
    assert comparing.complaints_about(failing, {"error": {**ERROR, "message": "x"}}) != []
    assert comparing.complaints_about(a_case(), {"error": ERROR}) != []
    assert comparing.compare_errors(ERROR, ERROR) == []
    assert len(comparing.compare_errors({**ERROR, "class": "TypeError"}, ERROR)) == 1
    assert len(comparing.compare_errors({**ERROR, "phase": "run"}, ERROR)) == 1
    assert len(comparing.compare_errors(ERROR, {**ERROR, "op": "x"})) == 1
    assert comparing.compare_errors(None, ERROR) != []


def test_a_check_is_asked():
    def positive(values):
        assert values[0][0] > 0, "not positive"

    checked = a_case(random=True, check=positive)
    assert comparing.complaints_about(checked, {"values": [[np.float32(1)]]}) == []
    (text,) = comparing.complaints_about(checked, {"values": [[np.float32(-1)]]})
    assert "not positive" in text


def test_static_facts_are_compared():
    known, unknown = {"dtype": "int32", "shape": [None]}, {"dtype": "int32", "shape": None}
    assert comparing.compare_static([known], [known]) == []
    assert len(comparing.compare_static([known], [unknown])) == 1
    assert len(comparing.compare_static([known], [])) == 1


def test_a_name_is_used_once():
    def twice(tf):
        return None

    case("Add", each=[1, (2, 3)])(twice)
    with pytest.raises(ValueError, match=r"two cases test_framework/twice\[1\]"):
        case("Add", each=[1])(twice)
    with pytest.raises(ValueError, match="none of"):
        case("Add", graph="alike")


def test_stack_traces_are_cut_from_messages():
    message = (
        "Graph execution error:\n\nDetected at node 'x' ...\nFile f\nNode: 'x'\nBad. [[{{node x}}]]"
    )
    assert (
        clean_message(message + "\n\nOriginal stack trace for 'x':\nFile") == "Bad. [[{{node x}}]]"
    )


@pytest.mark.tensorflow
def test_the_live_worker_answers_refuses_and_starts_again():
    plan = {"fetches": ["n"], "setup": [], "feeds": [{}]}
    right = graph_pb2.GraphDef()
    right.node.add(name="n", op="NoOp")
    with LiveTensorFlow() as live:
        assert live.run(right.SerializeToString(), plan) == {"values": [[None]]}
        assert live.run(b"\xff", plan)["error"]["phase"] == "import"
        wrong = graph(op="NoSuchOp")
        assert "NoSuchOp" in live.run(wrong, plan)["error"]["message"]
        os.kill(live._process.pid, signal.SIGKILL)
        with pytest.raises(RuntimeError, match="worker failed"):
            live.run(right.SerializeToString(), plan)
        assert live.run(right.SerializeToString(), plan) == {"values": [[None]]}
