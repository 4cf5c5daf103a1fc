"""Ops and kernels of one's own: `tf.user_ops`."""

import re
import threading
from pathlib import Path

import numpy as np
import pytest

import tinytf as tf
from tinytf.framework import registry
from tinytf.framework.pending import Pending
from tinytf.kernels import own_ops
from tinytf.kernels.lookup import describe_kernels
from tinytf.testing.gradient_checker import check_gradients

PAGE = Path(__file__).resolve().parents[2] / "docs" / "own_ops.md"


@pytest.fixture(autouse=True)
def nothing_stays():
    with tf.Graph().as_default():
        yield
    own_ops.forget_all()


@pytest.fixture
def sess():
    with tf.Session() as session:
        yield session


def test_the_examples_of_the_page_are_true():
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    assert len(blocks) > 8
    names = {"__name__": "page"}
    for number, block in enumerate(blocks):
        exec(compile(block, f"docs/own_ops.md, block {number}", "exec"), names)  # noqa: S102


def scale(kernel=True):
    op = tf.user_ops.define_op("Scale", "x: T -> y: T", "T: {float, double}, by: float")
    if kernel:
        op.kernel(lambda x, *, by: x * x.dtype.type(by))
    return op


def written_schema(op_type):
    ops = tf.train.export_meta_graph().meta_info_def.stripped_op_list.op
    return next(op for op in ops if op.name == op_type)


def test_an_op_from_schema_to_gradient(sess):
    op = scale()
    op.shape(lambda c: c.input(0))
    op.gradient(lambda node, dy: op(dy, by=node.attrs["by"]))
    y = op([1.0, 2.0], by=3.0, name="mine")
    assert (y.op.type, y.op.name, y.shape.as_list()) == ("Scale", "mine", [2])
    assert sess.run(y).tolist() == [3.0, 6.0]
    x = tf.placeholder(tf.float64, [3])
    check_gradients(op(x, by=3.0), [x], [np.array([1.0, -2.0, 0.5])])


def test_a_wrong_gradient_is_found():
    op = scale()
    op.gradient(lambda node, dy: 2.0 * dy)
    x = tf.placeholder(tf.float64, [2])
    with pytest.raises(AssertionError):
        check_gradients(op(x, by=3.0), [x], [np.ones(2)])


def test_an_op_without_a_shape_function_has_unknown_shapes(sess):
    y = scale()([1.0, 2.0], by=2.0)
    assert y.shape.ndims is None
    assert sess.run(y + [1.0, 1.0]).tolist() == [3.0, 5.0]


def test_a_definition_that_is_run_again_replaces_the_first_and_says_so(sess, capsys):
    op = scale()
    op.gradient(lambda node, dy: dy)
    y = op([1.0], by=2.0)
    assert sess.run(y) == 2.0
    assert len(written_schema("Scale").attr) == 2
    again = tf.user_ops.define_op("Scale", "x: float -> y: float")
    assert "Op 'Scale' is defined anew" in capsys.readouterr().out
    assert len(written_schema("Scale").attr) == 0
    assert "Scale" not in registry.gradients
    with pytest.raises(tf.errors.InvalidArgumentError, match="No OpKernel was registered"):
        sess.run(again([1.0]))
    again.kernel(lambda x: x)
    assert sess.run(again([1.0])) == 1.0


def test_a_schema_with_a_mistake_leaves_the_first_definition(sess):
    op = scale()
    with pytest.raises(ValueError, match="In the schema of op Scale"):
        tf.user_ops.define_op("Scale", "x float -> y: float")
    assert sess.run(op([1.0], by=2.0)) == 2.0


def test_a_kernel_that_is_registered_again_is_what_runs_next(sess):
    op = scale()
    y = op(tf.placeholder_with_default([1.0], [1]), by=2.0)
    assert sess.run(y) == 2.0
    op.kernel(lambda x, *, by: x + x.dtype.type(by))
    assert sess.run(y) == 3.0
    assert len(registry.kernels_of("Scale")["CPU"]) == 1


def test_names_of_tensorflow_are_refused():
    with pytest.raises(ValueError, match="'MatMul' is an op of TensorFlow's"):
        tf.user_ops.define_op("MatMul", "x: float -> y: float")
    assert tf.matmul([[1.0]], [[2.0]]).op.type == "MatMul"


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"op_type": "NoSuch"}, "There is no op 'NoSuch'. Define it first"),
        ({"device": "/gpu:0"}, "A kernel is for a type of device, 'CPU' or 'GPU'; got '/gpu:0'"),
        ({"types": {"S": ["float"]}}, "Op 'MatMul' has no type attribute 'S'. It has: T."),
        ({"host_args": ["c"]}, "Op 'MatMul' has no argument 'c'. It has: a, b, product."),
    ],
)
def test_registering_a_kernel_for_what_does_not_exist(arguments, text):
    with pytest.raises(ValueError, match=re.escape(text)):
        tf.user_ops.register_kernel(**{"op_type": "MatMul", "function": np.dot, **arguments})


# Promises -----------------------------------------------------------------------------------------


def pair():
    return tf.user_ops.define_op("Pair", "x: float -> a: float, b: int32")


@pytest.mark.parametrize(
    ("returned", "text"),
    [
        (lambda x: x, "promises 2 outputs and returned a Python ndarray. Return a tuple"),
        (lambda x: None, "promises 2 outputs and returned None"),
        (lambda x: (x,), "promises 2 outputs and returned 1."),
        (
            lambda x: (x, x),
            "promises output 1, 'b', as int32 and returned float32. "
            "`.astype(np.int32)` makes it so.",
        ),
        (
            lambda x: (1.5, np.int32(1)),
            "promises output 0, 'a', as float32 and returned a Python float: return np.zeros",
        ),
        (lambda x: (None, np.int32(1)), "returned None: is a `return` missing?"),
    ],
)
def test_a_kernel_that_breaks_its_promises(sess, returned, text):
    op = pair()
    op.kernel(returned)
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        sess.run(op(tf.placeholder_with_default([1.0], [1])))
    message = str(caught.value)
    assert f"The kernel of op 'Pair' {text}" in message or text in message
    assert f"The kernel: {__file__}:" in message
    assert "Pair (Pair) was built at" in message


def test_a_shape_that_contradicts_the_shape_function(sess):
    op = scale(kernel=False)
    op.shape(lambda c: c.input(0))
    op.kernel(lambda x, *, by: x[:1])
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=r"of shape \(2,\), says its shape function, and"
    ):
        sess.run(op(tf.placeholder_with_default([1.0, 2.0], [2]), by=1.0))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (np.zeros(3), "promises output 0, 'y', as float32 and returned float64"),
        (np.zeros(3, np.float32), r"of shape \(2,\), says its shape function, and returned the"),
        (tf.errors.AbortedError(None, None, "given up"), "given up"),
    ],
)
def test_what_comes_later_is_held_to_the_promises_as_well(sess, value, text):
    op = tf.user_ops.define_op("Later", "x: float -> y: float", stateful=True)
    op.shape(lambda c: c.input(0))
    serve = Pending.set_error if isinstance(value, Exception) else Pending.set_result

    @op.kernel(blocking=True)
    def _(x):
        pending = Pending("another thread")
        threading.Thread(target=serve, args=[pending, value]).start()
        return pending

    with pytest.raises(tf.errors.OpError, match=text):
        sess.run(op(tf.placeholder_with_default([1.0, 2.0], [2])) + 1.0)
    value = np.ones(2, np.float32)
    serve = Pending.set_result
    assert sess.run(op([1.0, 2.0]) + 1.0).tolist() == [2.0, 2.0]


def test_an_exception_in_a_kernel_names_its_line(sess):
    op = scale(kernel=False)

    @op.kernel
    def _(x, *, by):
        return {}["missing"]

    with pytest.raises(tf.errors.UnknownError) as caught:
        sess.run(op([1.0], by=1.0, name="broken"))
    message = str(caught.value)
    assert "KeyError: 'missing'" in message
    assert 'return {}["missing"]' in message
    assert "broken (Scale) was built at" in message
    assert caught.value.op.name == "broken"


def test_a_kernel_that_writes_into_its_input_is_told_to_copy(sess):
    op = tf.user_ops.define_op("Clear", "x: float -> y: float")

    @op.kernel
    def _(x):
        x[0] = 0
        return x

    with pytest.raises(tf.errors.InvalidArgumentError, match="read-only") as caught:
        sess.run(op(tf.placeholder_with_default([1.0, 2.0], [2])))
    assert str(caught.value).endswith("which others use: y = x.copy() first.")


@pytest.mark.parametrize("name", ["zero_out", "a b", "", 3])
def test_a_name_that_is_no_op_s(name):
    with pytest.raises(ValueError, match="Did you use CamelCase"):
        tf.user_ops.define_op(name)


def test_a_kernel_with_other_parameters_than_its_op(sess):
    op = tf.user_ops.define_op("Sum2", "x: float, y: float -> z: float", "k: int = 1")
    with pytest.raises(
        ValueError, match=r"no attribute .q., which its kernel asks .* There are: k"
    ):
        op.kernel(lambda x, y, *, q: x)
    op.kernel(lambda x: x)
    with pytest.raises(tf.errors.InvalidArgumentError, match="takes 1 positional") as caught:
        sess.run(op(1.0, 2.0))
    assert "takes a value for each input (x, y), and attributes by name" in str(caught.value)
    assert f"The kernel: {__file__}:" in str(caught.value)


def test_a_shape_function_that_is_wrong_is_named():
    op = tf.user_ops.define_op("Same", "x: float -> y: float")
    op.shape(lambda c: 3)
    with pytest.raises(TypeError, match=r"shape function of op 'Same' .* and returned 3\."):
        op(1.0)
    op.shape(lambda: None)
    with pytest.raises(TypeError) as caught:
        op(1.0)
    assert caught.value.__notes__[0].startswith("The shape function of op 'Same' raised it")


@pytest.mark.parametrize(
    ("schema", "text"),
    [
        ("x: T -> y: float", "declared in attrs: 'T: {float, double}'"),
        ("x float -> y: float", "Write it like 'x: float'"),
    ],
)
def test_a_schema_with_a_mistake_says_how_it_is_written(schema, text):
    with pytest.raises(ValueError, match="In the schema of op Bad: ") as caught:
        tf.user_ops.define_op("Bad", schema)
    assert text in str(caught.value)


@pytest.mark.parametrize(
    ("schema", "by_name", "text"),
    [
        ((["x: T"], ["y: T"], ["T: type", "k: int"]), {}, '"x: T -> y: T", "T: type, k: int")'),
        ((["x: float", "n: int32"], ["y: float"]), {}, '"x: float, n: int32 -> y: float")'),
        (("x: float", ["y: float"]), {}, '"x: float -> y: float")'),
        ((), {"inputs": ["x: float"], "outputs": ["y: float"]}, '"x: float -> y: float")'),
        ((["x: float"],), {"outputs": ["y: float"]}, '"x: float -> y: float")'),
        (("x: T -> y: T", ["T: type", "k: int"]), {}, '"x: T -> y: T", "T: type, k: int")'),
    ],
)
def test_a_schema_in_lists_is_told_how_it_is_written(schema, by_name, text):
    with pytest.raises(TypeError, match="The schema of op Bad is text") as caught:
        tf.user_ops.define_op("Bad", *schema, **by_name)
    assert str(caught.value).endswith(f'Write: tf.user_ops.define_op("Bad", {text}')


def test_facets_that_have_a_name_stand_in_the_definition(sess):
    op = tf.user_ops.define_op(
        "Whole",
        "x: float -> y: float",
        shape=lambda c: c.input(0),
        kernel=np.negative,
        no_gradient="it is an example",
    )
    x = tf.constant([1.0, 2.0])
    assert op(x).shape.as_list() == [2]
    assert sess.run(op(x)).tolist() == [-1.0, -2.0]
    assert tf.gradients(op(x), x) == [None]


def test_a_flag_that_does_not_exist_leaves_the_first_definition(sess):
    op = scale()
    with pytest.raises(TypeError, match="statefull"):
        tf.user_ops.define_op("Scale", "x: float -> y: float", statefull=True)
    assert sess.run(op([1.0], by=2.0)) == 2.0


def test_promises_hold_for_constants_that_are_folded(sess):
    op = scale(kernel=False)
    op.kernel(lambda x, *, by: x.astype(np.float64))
    with pytest.raises(tf.errors.InvalidArgumentError, match="returned float64"):
        sess.run(op([1.0], by=1.0))


def test_kernels_with_a_step_and_with_the_node(sess):
    op = tf.user_ops.define_op("Told", "x: float -> y: string", stateful=True)

    @op.kernel
    def _(step, x, *, node):
        assert not step.cancellation.is_cancelled
        return f"{node.name} {x}".encode()

    assert sess.run(op(1.5, name="here")) == b"here 1.5"


# Devices ------------------------------------------------------------------------------------------


def test_a_kernel_for_gpus_of_an_existing_op_and_back():
    used = []

    @tf.user_ops.register_kernel("MatMul", device="GPU", types={"T": [tf.float32]})
    def _(a, b, *, transpose_a, transpose_b, xp):
        used.append(xp)
        return xp.matmul(a, b)

    assert "  device='GPU'; T in [DT_FLOAT]\n" in describe_kernels("MatMul")
    tf.devices.simulate_gpus(1, memory="64MiB")
    try:
        with tf.Session() as sess:
            with tf.device("/gpu:0"):
                on_gpu = tf.matmul(tf.placeholder_with_default([[2.0]], [1, 1]), [[3.0]])
            with tf.device("/cpu:0"):
                on_cpu = tf.matmul(tf.placeholder_with_default([[2.0]], [1, 1]), [[3.0]])
            assert sess.run([on_gpu, on_cpu]) == [[[6.0]], [[6.0]]]
            assert used == [np]
            assert tf.user_ops.restore_kernels("MatMul") == 1
            assert sess.run(on_gpu) == [[6.0]]
            assert used == [np]
    finally:
        tf.devices.simulate_gpus(0)


def test_an_op_with_a_kernel_for_cpus_alone_stays_there():
    tf.devices.simulate_gpus(1, memory="64MiB")
    try:
        with tf.Session() as sess:
            assert sess.run(scale()([1.0], by=2.0)) == 2.0
            with tf.device("/gpu:0"):
                elsewhere = tf.user_ops.define_op("OnCpu", "x: float -> y: float")
                elsewhere.kernel(np.negative)
                y = elsewhere(1.0)
            with pytest.raises(tf.errors.InvalidArgumentError, match="device='CPU'"):
                sess.run(y)
    finally:
        tf.devices.simulate_gpus(0)


def test_a_kernel_may_ask_for_all_attributes_at_once():
    seen = []

    @tf.user_ops.register_kernel("MatMul")
    def _(a, b, *, attrs):
        seen.append({name: attrs[name] for name in ("transpose_a", "transpose_b")})
        return a @ b.T

    try:
        with tf.Graph().as_default(), tf.Session() as sess:
            sess.run(tf.matmul(tf.ones([2, 3]), tf.ones([2, 3]), transpose_b=True))
    finally:
        tf.user_ops.restore_kernels("MatMul")
    assert {"transpose_a": False, "transpose_b": True} in seen
