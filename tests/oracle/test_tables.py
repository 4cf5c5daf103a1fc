"""The committed tables say what TensorFlow says, and the comparison of schemas has teeth."""

import gzip
import subprocess

import pytest

from tests.oracle import environment, tables
from tests.oracle.schemas import differences, of_card, of_proto
from tinytf.framework.op_def import make_op_def


def test_all_ops_are_there_and_sorted():
    names = list(tables.op_defs())
    assert len(names) == 1862
    assert names == sorted(names)


def test_an_op_that_does_not_exist():
    with pytest.raises(KeyError, match="NoSuchOp"):
        tables.op_def("NoSuchOp")
    with pytest.raises(ValueError, match="no GPU kernel for NoSuchOp"):
        tables.kernel_types("NoSuchOp", "GPU")


def test_the_prose_is_left_out():
    assert not any(op.summary or op.description for op in tables.op_defs().values())


def test_kernel_types_by_device():
    assert "int32" in tables.kernel_types("MatMul", "CPU")["T"]
    assert "int32" not in tables.kernel_types("MatMul", "GPU")["T"]
    assert "float32" in tables.kernel_types("MatMul", "GPU")["T"]
    assert tables.kernels("DecodeCSV", "GPU") == []


def test_host_arguments():
    assert tables.host_args("Reshape") == {"shape"}
    assert tables.host_args("Sum") == {"reduction_indices"}
    assert tables.host_args("MatMul") == set()


MATMUL = [
    "transpose_a: bool = false",
    "transpose_b: bool = false",
    "T: {bfloat16, half, float, double, int32, int64, uint8, uint16, uint32, uint64,"
    " complex64, complex128}",
]


def matmul(inputs=("a: T", "b: T"), attrs=MATMUL, **flags):
    card = make_op_def("MatMul", f"{', '.join(inputs)} -> product: T", *attrs, **flags)
    return differences(of_card(card), of_proto(tables.op_def("MatMul")))


def test_a_right_card_has_no_differences():
    assert matmul() == []


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"inputs": ("b: T", "a: T")}, "inputs"),
        ({"inputs": ("a: Ref(T)", "b: T")}, "inputs"),
        ({"attrs": ["transpose_a: bool = true", *MATMUL[1:]]}, "attribute transpose_a"),
        ({"attrs": ["transpose_a: bool", *MATMUL[1:]]}, "attribute transpose_a"),
        ({"attrs": [*MATMUL[:2], "T: {float, double}"]}, "attribute T"),
        ({"attrs": [*MATMUL[:2], "T: type"]}, "attribute T"),
        ({"attrs": [*MATMUL, "extra: int = 1"]}, "attribute extra"),
        ({"attrs": [MATMUL[1], MATMUL[0], MATMUL[2]]}, "order of attributes"),
        ({"is_stateful": True}, "is_stateful"),
    ],
)
def test_a_wrong_card_is_found_out(change, expected):
    (found,) = matmul(**change)
    assert found.startswith(expected)


@pytest.mark.tensorflow
def test_the_committed_op_defs_are_what_tensorflow_says(tensorflow_python):
    done = subprocess.run(
        [str(tensorflow_python), "scripts/oracle/dump_op_defs.py", "--print"],
        env=environment.tensorflow_environment(),
        cwd=environment.ROOT,
        capture_output=True,
    )
    assert done.returncode == 0, done.stderr.decode()
    assert done.stdout == gzip.decompress(tables.OP_DEFS.read_bytes())
