"""The kernels there are, by device and type, are those of TensorFlow 2.15.1's GPU build."""

import itertools
import json
import subprocess
import sys

import pytest

import tinytf as tf
from tests.oracle import environment, tables
from tinytf.api.function import Defun
from tinytf.framework import dtypes, registry
from tinytf.kernels import table
from tinytf.kernels.lookup import describe_kernels, host_inputs, host_outputs, kernel_for

ALL_TYPES = [dtypes.as_dtype(name) for name, *_ in dtypes._TABLE]
#: TensorFlow replaces these before it places a graph.
REPLACED = {"AccumulateNV2"}


def test_the_committed_table_is_what_the_script_writes():
    script = environment.ROOT / "scripts" / "oracle" / "kernel_table.py"
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            "import runpy, sys; print(runpy.run_path(sys.argv[1])['table'](), end='')",
            str(script),
        ],
        capture_output=True,
        text=True,
        check=True,
        cwd=environment.ROOT,
    )
    assert done.stdout == table.FILE.read_text("ascii"), f"Run {script} and commit the file."


def test_every_op_is_in_the_table():
    assert [name for name in registry.op_defs if not table.knows(name)] == []


def test_nothing_is_read_before_something_asks():
    code = "import tinytf; from tinytf.kernels import table; print(table._blocks.cache_info())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "currsize=0" in done.stdout


def test_no_node_has_two_kernels_to_choose_from():
    for op_type in registry.op_defs:
        seen = set()
        for entry in table.entries(op_type):
            key = (entry.device_type, entry.label, tuple(entry.constraints.items()))
            assert key not in seen, (op_type, key)
            seen.add(key)


def combinations(op_type):
    """Every choice of types that the schema of an op allows, for the attributes that matter."""
    schema = registry.op_defs.lookup(op_type)
    names = {name for entry in table.entries(op_type) for name in entry.constraints}
    for kernel in registry.kernels_of(op_type).get("CPU", ()):
        names.update(kernel.types or ())
    kinds = [n for n in sorted(names) if schema.attrs[n].type in ("type", "list(type)")]
    allowed = [schema.attrs[name].allowed or ALL_TYPES for name in kinds]
    for types in itertools.product(*allowed):
        yield {"data_format": b"NHWC", **dict(zip(kinds, types, strict=True))}


def test_where_tensorflow_has_a_kernel_there_is_one_that_computes_it():
    theirs = [
        (op_type, attrs)
        for op_type in sorted(registry.op_defs)
        for attrs in combinations(op_type)
        if table.find(op_type, "CPU", attrs)
    ]
    assert len(theirs) > 4000
    missing = [(op_type, a) for op_type, a in theirs if not registry.find_kernel(op_type, "CPU", a)]
    assert missing == []


def test_gaps_are_as_many_as_tensorflows():
    """How much more the functions would take than TensorFlow has kernels for: that is refused."""
    more = [
        op_type
        for op_type in registry.op_defs
        if op_type not in REPLACED
        and any(
            registry.find_kernel(op_type, "CPU", a) and not table.find(op_type, "CPU", a)
            for a in combinations(op_type)
        )
    ]
    assert len(more) > 200, "the table is not what decides"
    assert {"Relu", "ApplyAdam", "ResourceScatterAdd"} <= set(more)


def test_a_type_without_a_kernel_is_refused_in_tensorflows_words():
    small = tf.cast(tf.ones([2, 2]), tf.uint8)
    with pytest.raises(tf.errors.InvalidArgumentError) as caught, tf.Session() as sess:
        sess.run(tf.matmul(small, small))
    message = str(caught.value)
    assert "No OpKernel was registered to support Op 'MatMul' used by {{node MatMul}}" in message
    assert "  device='CPU'; T in [DT_INT64]\n  device='CPU'; T in [DT_INT32]\n" in message


# GPUs ---------------------------------------------------------------------------------------------


def test_a_gpu_has_the_kernels_of_the_dump():
    """Against the dump itself, by another way than the table's."""
    differing = {
        op_type: found
        for op_type in sorted(set(registry.op_defs) - REPLACED)
        if (found := differences_from_the_dump(op_type))
    }
    assert differing == {}


def differences_from_the_dump(op_type):
    """The types of an op for which the table says something else of a GPU than the dump."""
    listed = [k for k in tables.kernels(op_type, "GPU") if k.device_type != "CPU"]
    # Iterators on a GPU, after those on the CPU by their priority, are for prefetching onto it.
    on_cpu = [k.priority for k in tables.kernels(op_type) if k.device_type == "CPU"]
    listed = [k for k in listed if k.priority >= max(on_cpu, default=0)]
    listed.sort(key=lambda kernel: kernel.device_type == "DEFAULT")
    differing = []
    for attrs in combinations(op_type):
        found = table.find(op_type, "GPU", attrs)
        wanted = next((k for k in listed if accepts(k, attrs)), None)
        ours, theirs = found and found.host_args, wanted and set(wanted.host_memory_arg)
        if ours != theirs:
            differing.append((attrs, ours, theirs))
    return differing


def accepts(kernel, attrs):
    for constraint in kernel.constraint:
        value = attrs[constraint.name]
        allowed = constraint.allowed_values.list
        if value not in allowed.s and getattr(value, "as_datatype_enum", None) not in allowed.type:
            return False
    return True


def on_gpu(*tensors):
    return [kernel_for(getattr(t, "op", t), "GPU") is not None for t in tensors]


def test_gaps_of_a_gpu_by_name():
    small, large = tf.constant([1], tf.int32), tf.constant([1.0])
    variables = [tf.Variable(value, use_resource=False).op for value in ([1.0], [1], ["text"])]
    assert on_gpu(*variables) == [True, False, False]
    assert on_gpu(tf.Print(large, [large]), tf.string_join(["a", "b"])) == [False, False]
    assert on_gpu(tf.as_string(large), tf.py_func(len, [large], tf.int64)) == [False, False]
    assert on_gpu(tf.matmul([[1]], [[1]]), tf.matmul([[1.0]], [[1.0]])) == [False, True]
    assert on_gpu(tf.assign_add(tf.Variable(1, use_resource=False), 1)) == [False]
    assert on_gpu(small + small, large + large, tf.cast(large, tf.int32)) == [True, True, True]
    assert on_gpu(tf.nn.top_k([1.0]).values, tf.unique([1.0]).y) == [True, True]


def placed(tensor):
    return host_inputs(tensor.op, "GPU"), host_outputs(tensor.op, "GPU")


def test_host_memory_of_a_gpu_by_name():
    x = tf.placeholder(tf.float32, [2, 2])
    small = tf.placeholder(tf.int32, [2])
    assert placed(x + x) == ([False, False], [False])
    assert placed(small + small) == ([True, True], [True])
    assert placed(tf.cast(x, tf.int32)) == ([False], [False])
    assert placed(tf.shape(tf.placeholder(tf.float32))) == ([False], [True])
    assert placed(tf.reshape(x, small)) == ([False, True], [False])
    assert placed(tf.concat([x, x], 0)) == ([False, False, True], [False])
    assert placed(tf.concat([small, small], 0)) == ([True, True, True], [True])
    assert placed(tf.reduce_sum(x, 0)) == ([False, True], [False])
    assert placed(tf.split(x, 2)[0]) == ([True, False], [False, False])
    assert placed(tf.constant([1])) == ([], [True])
    assert placed(tf.constant([1.0])) == ([], [False])
    handle = tf.get_variable("handle", [2], use_resource=True)
    assert placed(handle.handle) == ([], [True])
    assert placed(handle.read_value()) == ([False], [False])  # the Identity
    assert placed(handle.read_value().op.inputs[0]) == ([True], [False])
    # the kernel that fits the node decides, not what all kernels have in common
    assert kernel_for((small * small).op, "GPU").host_args == {"x", "y", "z"}
    assert kernel_for((x * x).op, "GPU").host_args == frozenset()


def test_on_a_cpu_everything_is_in_host_memory():
    x = tf.placeholder(tf.float32, [2, 2])
    op = tf.concat([x, x], 0).op
    assert (host_inputs(op, "CPU"), host_outputs(op, "CPU")) == ([True] * 3, [True])


def test_calls_of_functions_have_kernels_everywhere():
    @Defun(tf.float32, tf.int32)
    def scaled(x, n):
        return x * tf.cast(n, tf.float32), n

    product, _ = scaled(tf.constant([1.0]), tf.constant([2]))
    for kind in ("CPU", "GPU"):
        assert kernel_for(product.op, kind) is not None
    assert host_inputs(product.op, "GPU") == [False, True]  # small integers are sizes
    assert host_outputs(product.op, "GPU") == [False, True]


# What is printed ----------------------------------------------------------------------------------


def test_kernels_are_described_as_tensorflow_describes_them():
    assert describe_kernels("MatMul").splitlines()[:2] == [
        "  device='CPU'; T in [DT_INT64]",
        "  device='CPU'; T in [DT_INT32]",
    ]
    assert "  device='GPU'; Tparams in [DT_HALF]; Tindices in [DT_INT32]\n" in describe_kernels(
        "GatherV2"
    )
    assert '; data_format in ["NHWC"]\n' in describe_kernels("DepthToSpace")
    assert "  device='GPU'; label='cudnn'; T in [DT_FLOAT]\n" in describe_kernels("AvgPoolGrad")
    assert describe_kernels("NoSuchOp") == "  <no registered kernels>\n"


LIST = """
import json
from tensorflow.python.framework import kernels
from tensorflow.core.framework import types_pb2
found = {}
for kernel in kernels.get_all_registered_kernels().kernel:
    if kernel.device_type == "CPU":
        line = "  device='CPU'" + (f"; label='{kernel.label}'" if kernel.label else "")
        for c in kernel.constraint:
            types = map(types_pb2.DataType.Name, c.allowed_values.list.type)
            texts = (f'"{s.decode()}"' for s in c.allowed_values.list.s)
            line += f"; {c.name} in [{', '.join([*types, *texts])}]"
        found.setdefault(kernel.op, []).append(line)
print(json.dumps(found))
"""


@pytest.mark.tensorflow
@pytest.mark.slow
def test_the_lines_for_the_cpu_are_tensorflows_in_its_order(tensorflow_python):
    done = subprocess.run(
        [str(tensorflow_python), "-c", LIST],
        env=environment.tensorflow_environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    theirs = json.loads(done.stdout.splitlines()[-1])
    for op_type in set(registry.op_defs) - REPLACED:
        lines = describe_kernels(op_type).splitlines()
        ours = [line for line in lines if line.startswith("  device='CPU'")]
        assert ours == theirs.get(op_type, []), op_type
