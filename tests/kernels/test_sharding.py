"""Sharded kernels give what plain ones give, to the last bit, in the same order in memory."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tinytf as tf
from tests.effort import examples
from tests.kernels.sharding_cases import (
    ALL_TYPES,
    COMPLEX,
    FLOATS,
    INTEGERS,
    CountingPool,
    assert_identical,
    check_errors,
    check_same,
    flat,
    kernels,
    lower_thresholds,
    node,
    numbers,
)
from tinytf.framework import registry
from tinytf.framework.errors import InvalidArgumentError
from tinytf.kernels.sharding import is_shardable, sharded, sizes, slices, table
from tinytf.runtime.intra_op import IntraOpPool
from tinytf.runtime.optimise.fusion import takes_out, writing


@pytest.fixture(autouse=True)
def small_is_large(monkeypatch):
    lower_thresholds(monkeypatch)


@pytest.fixture(scope="module")
def pool():
    pool = CountingPool(3)
    yield pool
    pool.close()


def cases(op_type, shapes, dtypes=ALL_TYPES):
    """Inputs and attributes for all dtypes that the op type has a kernel for."""
    for dtype in dtypes:
        inputs = [numbers(shape, dtype, seed) for seed, shape in enumerate(shapes)]
        attrs = {}
        if op_type in ("Select", "SelectV2"):
            inputs[0] = numbers(shapes[0], bool)
        elif op_type in ("AddN", "AccumulateNV2"):
            inputs = [[inputs[0], inputs[0], inputs[0]]]
            attrs = {"shape": list(shapes[0])} if op_type == "AccumulateNV2" else {}
        elif op_type == "Cast":
            attrs = {"DstT": tf.float64 if dtype != np.float64 else tf.int32}
        try:
            op = node(op_type, inputs, **attrs)
        except TypeError:
            continue  # the op type does not know this dtype
        if registry.find_kernel(op_type, "CPU", op.attrs) is not None:
            yield inputs, attrs


def count_of(op_type):
    return len(registry.op_defs.lookup(op_type).inputs)


# Element by element -------------------------------------------------------------------------------


@pytest.mark.parametrize("op_type", [*table.BROADCASTING, *table.OF_ONE_SHAPE, "Select"])
def test_inputs_of_one_shape(op_type, pool):
    seen = 0
    for shape in ((1000,), (37, 50), (1, 2000), (8, 5, 60)):
        for inputs, attrs in cases(op_type, [shape] * count_of(op_type)):
            assert check_same(op_type, inputs, pool, **attrs), (inputs[0], "was not split")
            seen += 1
    assert seen >= 4


@pytest.mark.parametrize("op_type", [*table.BROADCASTING, *table.OF_ONE_SHAPE, "Select"])
def test_columns_one_after_the_other(op_type, pool):
    for inputs, attrs in cases(op_type, [(37, 50)] * count_of(op_type), [FLOATS[0], COMPLEX[0]]):
        turned = [
            [np.asfortranarray(v) for v in value]
            if isinstance(value, list)
            else np.asfortranarray(value)
            for value in inputs
        ]
        check_same(op_type, turned, pool, **attrs)


SHAPES = [
    ((40, 50), (50,)),
    ((50,), (40, 50)),
    ((40, 50), (40, 1)),
    ((1, 40, 50), (1, 1, 50)),
    ((3, 40, 50), (40, 50)),
    ((50, 1), (1, 60)),
    ((40, 50), ()),
    ((), (2000,)),
    ((40, 50), (1, 1)),
    ((2, 1000), (1000,)),
]


@pytest.mark.parametrize("op_type", [t for t in table.BROADCASTING if t != "SelectV2"])
def test_broadcasting(op_type, pool):
    for shapes in SHAPES:
        for inputs, attrs in cases(op_type, shapes, [FLOATS[0], INTEGERS[0], np.dtype(bool)]):
            assert check_same(op_type, inputs, pool, **attrs), shapes


def test_broadcasting_of_three(pool):
    for shapes in (((40, 1), (40, 50), (50,)), ((50,), (), (40, 50)), ((40, 50), (), ())):
        for inputs, attrs in cases("SelectV2", shapes, FLOATS):
            assert check_same("SelectV2", inputs, pool, **attrs)


@examples(60)
@given(
    shape=st.lists(st.integers(0, 9), min_size=1, max_size=4),
    holes=st.lists(st.tuples(st.booleans(), st.booleans()), min_size=4, max_size=4),
    dropped=st.integers(0, 3),
    layout=st.sampled_from(["C", "F", "every other", "reversed", "transposed"]),
    op_type=st.sampled_from(["AddV2", "Maximum", "Less", "SquaredDifference", "Pow"]),
    dtype=st.sampled_from(FLOATS),
)
def test_any_shapes_and_layouts(shape, holes, dropped, layout, op_type, dtype):
    first = tuple(1 if hole[0] else n for n, hole in zip(shape, holes))
    second = tuple(1 if hole[1] else n for n, hole in zip(shape, holes))[min(dropped, 3) :]
    x, y = laid_out(numbers(first, dtype), layout), numbers(second, dtype, 1)
    pool = CountingPool(3)
    try:
        np.broadcast_shapes(x.shape, y.shape)
    except ValueError:
        plain, split = kernels(node(op_type, [x, y]), pool)
        with pytest.raises(ValueError) as expected:
            plain(x, y)
        with pytest.raises(ValueError) as error:
            split(x, y)
        assert str(error.value) == str(expected.value)
        return
    check_same(op_type, [x, y], pool)
    check_same(op_type, [y, x], pool)
    pool.close()


def laid_out(array, layout):
    """The array in an odd place in memory."""
    if layout == "F":
        return np.asfortranarray(array)
    if layout == "every other":
        return np.repeat(array, 2, axis=0)[::2]
    if layout == "reversed":
        return array[::-1]
    return array.T if layout == "transposed" else array


def test_nothing_to_compute(pool):
    for shape in ((0,), (0, 5), (5, 0)):
        check_same("AddV2", [numbers(shape, "f4"), numbers(shape, "f4")], pool)
        check_same("Sum", [numbers(shape, "f4"), np.array([0], np.int32)], pool)
    check_same("Softmax", [numbers((0, 5), "f4")], pool)


# Into an array that is given ----------------------------------------------------------------------


WRITING = sorted(
    op_type
    for op_type in registry.op_defs
    if any(takes_out(kernel) for kernel in registry.kernels_of(op_type).get("CPU", ()))
)


def test_whatever_can_write_into_an_array_is_split():
    assert {*WRITING} - {*table.RULES} == {*table.LEFT_OUT}
    assert len(WRITING) > 50


@pytest.mark.parametrize("op_type", [t for t in WRITING if t not in ("Add", "BiasAdd")])
def test_writing_over_an_input(op_type, pool):
    for inputs, attrs in cases(op_type, [(37, 50)] * count_of(op_type)):
        op = node(op_type, inputs, **attrs)
        kernel = registry.find_kernel(op_type, "CPU", op.attrs)
        plain, _ = kernels(op, pool)
        result = op.outputs[0].dtype.as_numpy_dtype
        if not takes_out(kernel) or inputs[0].dtype != result:
            continue
        function = writing(plain)
        split = sharded(op, function, pool)
        for target in range(len(inputs)):
            first, second = ([v.copy() for v in inputs] for _ in range(2))
            before = pool.splits
            with np.errstate(all="ignore"):
                expected = function(*first, out=first[target])
                found = split(*second, out=second[target])
            assert found is second[target]
            assert pool.splits > before
            assert_identical(expected, found, op_type)


def test_bias_add_writes_over_its_input(pool):
    for shape, data_format in (((40, 30), "NHWC"), ((6, 30, 5, 4), "NCHW")):
        value, bias = numbers(shape, "f4"), numbers((30,), "f4")
        plain, split = kernels(node("BiasAdd", [value, bias], data_format=data_format), pool)
        expected = plain(value, bias)
        before = pool.splits
        assert split(value, bias, out=value) is value
        assert pool.splits > before
        assert_identical(expected, value)


def test_an_array_of_another_order_is_written_as_ever(pool):
    x = numbers((37, 50), "f4")
    plain, split = kernels(node("AddV2", [x, x]), pool)
    out, same = np.empty((50, 37), "f4").T, np.empty((50, 37), "f4").T
    split = sharded(node("AddV2", [x, x]), writing(plain), pool)
    split(x, x, out=out)
    writing(plain)(x, x, out=same)
    assert_identical(same, out)


# What is wrong ------------------------------------------------------------------------------------


def test_the_whole_kernel_says_what_is_wrong_with_labels(pool):
    logits, labels = numbers((100, 10), "f4"), np.arange(100) % 10
    labels[77] = 12
    plain, split = kernels(node("SparseSoftmaxCrossEntropyWithLogits", [logits, labels]), pool)
    check_errors(plain, split, (logits, labels), InvalidArgumentError)


@pytest.mark.parametrize(
    ("op_type", "shapes"),
    [
        ("ReluGrad", [(40, 50), (50, 40)]),
        ("SigmoidGrad", [(40, 50), (41, 50)]),
        ("AddV2", [(40, 50), (41, 50)]),
        ("Select", [(40, 50), (40, 50), (40, 51)]),
        ("BiasAdd", [(40, 50), (51,)]),
        ("SelectV2", [(40, 50), (41, 50), (40, 50)]),
        ("SoftmaxCrossEntropyWithLogits", [(40, 50), (41, 50)]),
    ],
)
def test_shapes_that_do_not_fit(op_type, shapes, pool):
    inputs = [numbers(shape, "f4", i) for i, shape in enumerate(shapes)]
    if op_type.startswith("Select"):
        inputs[0] = inputs[0] > 0
    plain, split = kernels(node(op_type, inputs), pool)
    check_errors(plain, split, inputs, (InvalidArgumentError, ValueError))


def test_summands_that_do_not_fit(pool):
    inputs = [[numbers((40, 50), "f4"), numbers((40, 51), "f4")]]
    plain, split = kernels(node("AddN", inputs), pool)
    check_errors(plain, split, flat(inputs), InvalidArgumentError)


@pytest.mark.parametrize("axes", [[2], [-3], [0, 0]])
def test_axes_that_do_not_exist(axes, pool):
    inputs = [numbers((40, 50), "f4"), np.array(axes, np.int32)]
    plain, split = kernels(node("Sum", inputs), pool)
    check_errors(plain, split, inputs, InvalidArgumentError)


def test_divided_by_zero(pool):
    x, y = numbers((1000,), "i4"), numbers((1000,), "i4", 1)
    y[-1] = 0
    plain, split = kernels(node("FloorDiv", [x, y]), pool)
    check_errors(plain, split, (x, y), InvalidArgumentError)


# Which kernels, and when --------------------------------------------------------------------------


def test_small_inputs_are_left_whole(pool, monkeypatch):
    monkeypatch.undo()  # the real thresholds
    assert not check_same("AddV2", [numbers((1000,), "f4"), numbers((1000,), "f4")], pool)
    assert not check_same("Softmax", [numbers((50, 10), "f4")], pool)
    assert not check_same("MatMul", [numbers((50, 100), "f4"), numbers((100, 30), "f4")], pool)
    assert sizes.shards_for(sizes.WORTH_NS - 1, 2) == 1
    assert sizes.shards_for(sizes.WORTH_NS, 2) > 1
    assert sizes.shards_for(10 * sizes.WORTH_NS, 1) == 1


def test_more_calls_of_numpy_need_more_work():
    few, many = (sizes.shards_for(10_000, 2, calls) for calls in (1, 9))
    assert few >= many >= 1


def test_edges():
    assert sizes.edges(100, 3, unit=16) == [0, 32, 64, 100]
    assert sizes.edges(3, 8) == [0, 1, 2, 3]
    assert sizes.edges(10, 4, unit=64) == [0, 10]
    assert slices.no_single_rows([0, 1, 2, 5, 9, 10]) == [0, 2, 5, 10]


def test_products_are_split_only_where_blas_is_held_to_one_thread():
    op = node("MatMul", [numbers((10, 10), "f4")] * 2)
    assert not is_shardable(op, IntraOpPool(2))
    assert sharded(op, np.matmul, IntraOpPool(2)) is None
    assert is_shardable(op, IntraOpPool(2, holds_blas=True))


def test_types_without_a_rule_and_pools_of_one():
    x = numbers((10,), "f4")
    op, two = node("AddV2", [x, x]), IntraOpPool(2)
    assert is_shardable(op, two)
    assert sharded(op, np.add, IntraOpPool(1)) is None
    for other in (node("Identity", [x]), node("Shape", [x]), node("Cast", [x], DstT=tf.float32)):
        assert not is_shardable(other, two)
        assert sharded(other, np.add, IntraOpPool(2)) is None
    with tf.Graph().as_default():
        texts = tf.placeholder(tf.string)
        assert not is_shardable(tf.add(texts, texts).op, two)
        assert not is_shardable(tf.equal(texts, texts).op, two)


def test_every_rule_is_of_an_op_type():
    for op_type in table.RULES:
        assert registry.kernels_of(op_type).get("CPU"), op_type
    known = {name.removeprefix("Resource") for name in table.RULES}
    assert {*sizes.NS_PER_ELEMENT} <= known
    assert {*sizes.CALLS} <= known
